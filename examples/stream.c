/* Scan a file of any size in constant memory: stream.c FILE. The chunks may be cut anywhere. */
#include <stdio.h>
#include <toadstone/toadstone.h>

int main(int argc, char **argv) {
    static char chunk[65536];
    FILE *file = fopen(argc > 1 ? argv[1] : __FILE__, "rb");
    toad_engine *engine;
    toad_scanner *scanner;
    toad_stream *stream;
    const toad_verdict *verdict;
    toad_text *json;
    if (!file || toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 1;
    if (toad_stream_open(scanner, NULL, &stream)) return 1;
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file));)
        if (toad_stream_write(stream, (toad_str){ chunk, n })) break; /* the error comes back from close as well */
    fclose(file);
    if (toad_stream_close(stream, &verdict) || toad_verdict_json(verdict, &json)) return 1;
    printf("%.*s\n", (int)toad_text_str(json).n, toad_text_str(json).p);
    toad_text_free(json);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return 0;
}

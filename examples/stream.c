/* Scan a file of any size in constant memory: stream.c FILE. The chunks may be cut anywhere. */
#include <bezoar/bezoar.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static char chunk[65536];
    FILE *file = fopen(argc > 1 ? argv[1] : __FILE__, "rb");
    bzr_engine *engine;
    bzr_scanner *scanner;
    bzr_stream *stream;
    const bzr_verdict *verdict;
    bzr_text *json;
    if (!file || bzr_engine_new(NULL, &engine) || bzr_scanner_new(engine, &scanner)) return 1;
    if (bzr_stream_open(scanner, NULL, &stream)) return 1;
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file));)
        if (bzr_stream_write(stream, (bzr_str){ chunk, n })) break; /* the error comes back from close as well */
    fclose(file);
    if (bzr_stream_close(stream, &verdict) || bzr_verdict_json(verdict, &json)) return 1;
    printf("%.*s\n", (int)bzr_text_str(json).n, bzr_text_str(json).p);
    bzr_text_free(json);
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    return 0;
}

/* embed.c - weights.bin as a C array: embed IN OUT. Run by the build, as rulec is for the catalogue. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: embed weights.bin out.c\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "rb"), *out = in ? fopen(argv[2], "w") : NULL;
    if (!out) {
        perror(argv[in ? 2 : 1]);
        return 2;
    }
    fputs("/* Made from data/model/weights.bin by tools/train/embed.c; do not edit. */\n#include "
          "\"lib/model/model.h\"\n\n"
          "static const unsigned char weights[] = {",
          out);
    unsigned long n = 0;
    for (int c; (c = getc(in)) != EOF; n++) fprintf(out, "%s%d,", n % 32 ? "" : "\n", c);
    fprintf(
        out,
        "\n};\n\ntoad_str toad__model_builtin(void) { return (toad_str){ (const char *)weights, sizeof weights }; }\n");
    if (ferror(in) || ferror(out) || fclose(out)) {
        perror(argv[2]);
        return 2;
    }
    fclose(in);
    return 0;
}

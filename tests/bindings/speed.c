/* What a scan costs in C, CPU time in microseconds: best of passes over one text. Usage: speed FILE */
#include <stdio.h>
#include <stdlib.h>

#include "bench/timing.h"
#include "toadstone/toadstone.h"

enum { PASSES = 15, CALLS = 4000 };

int main(int argc, char **argv) {
    static char text[1 << 20];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    toad_engine *engine;
    toad_scanner *scanner;
    double best = 1e9;
    if (!file || toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 2;
    toad_str in = { text, fread(text, 1, sizeof text, file) };
    for (int pass = 0; pass < PASSES; pass++) {
        double begun = cpu_seconds();
        for (int i = 0; i < CALLS; i++) {
            toad_text *json;
            if (toad_scan_json(scanner, in, NULL, &json)) return 1;
            toad_text_free(json);
        }
        double took = (cpu_seconds() - begun) / CALLS * 1e6;
        if (took < best) best = took;
    }
    printf("%.2f\n", best);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return fclose(file) ? 2 : 0;
}

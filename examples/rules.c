/* A rule of one's own beside the catalogue. */
#include <stdio.h>
#include <string.h>
#include <toadstone/toadstone.h>

int main(void) {
    static const char *const patterns[] = { "open the pod bay doors?" };
    toad_rule_def def = { 0 };
    def.size = sizeof def;
    def.id = "pod_bay";
    def.title = "Pod bay";
    def.family = "custom";
    def.why = "Asks for the doors.";
    def.severity = TOAD_HIGH;
    def.patterns = patterns;
    def.patterns_n = 1;

    const char *line = "Open the pod bay doors, HAL.";
    char message[200];
    toad_rules *rules;
    toad_engine *engine;
    toad_scanner *scanner;
    toad_text *ids;
    if (toad_rules_new(&def, 1, &rules, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (toad_engine_new(rules, &engine) || toad_scanner_new(engine, &scanner)) return 1;
    toad_rules_free(rules); /* the engine has its own copy */
    if (toad_scan_ids(scanner, (toad_str){ line, strlen(line) }, TOAD_RELAXED, &ids)) return 1;
    printf("%.*s (of %zu built-in rules and one)\n", (int)toad_text_str(ids).n, toad_text_str(ids).p,
           toad_rules_count(NULL));
    int found = toad_text_str(ids).n == 7 && !memcmp(toad_text_str(ids).p, "pod_bay", 7);
    toad_text_free(ids);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return found ? 0 : 1;
}

/* A rule of one's own beside the catalogue. */
#include <bezoar/bezoar.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const char *const patterns[] = { "open the pod bay doors?" };
    bzr_rule_def def = { 0 };
    def.size = sizeof def;
    def.id = "pod_bay";
    def.title = "Pod bay";
    def.family = "custom";
    def.why = "Asks for the doors.";
    def.severity = BZR_HIGH;
    def.patterns = patterns;
    def.patterns_n = 1;

    const char *line = "Open the pod bay doors, HAL.";
    char message[200];
    bzr_rules *rules;
    bzr_engine *engine;
    bzr_scanner *scanner;
    bzr_text *ids;
    if (bzr_rules_new(&def, 1, &rules, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (bzr_engine_new(rules, &engine) || bzr_scanner_new(engine, &scanner)) return 1;
    bzr_rules_free(rules); /* the engine has its own copy */
    if (bzr_scan_ids(scanner, (bzr_str){ line, strlen(line) }, BZR_RELAXED, &ids)) return 1;
    printf("%.*s (of %zu built-in rules and one)\n", (int)bzr_text_str(ids).n, bzr_text_str(ids).p, bzr_rules_count(NULL));
    int found = bzr_text_str(ids).n == 7 && !memcmp(bzr_text_str(ids).p, "pod_bay", 7);
    bzr_text_free(ids);
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    return found ? 0 : 1;
}

/* A rule of one's own beside the catalogue. */
#include <stdio.h>
#include <string.h>
#include <toadstone/toadstone.h>

int main(void) {
    static const char *const patterns[] = { "open the pod bay doors?" };
    toad_rule_def def = TOAD_RULE_DEF_INIT;
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
    toad_engine_options options = TOAD_ENGINE_OPTIONS_INIT;
    const toad_verdict *verdict;
    if (toad_rules_new(&def, 1, &rules, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    options.rules = rules;
    if (toad_engine_new(&options, &engine) || toad_scanner_new(engine, &scanner)) return 1;
    toad_rules_free(rules); /* the engine has its own copy */
    if (toad_scan(scanner, (toad_str){ line, strlen(line) }, NULL, &verdict)) return 1;
    const toad_finding *worst = toad_verdict_worst(verdict);
    int found = worst && !strcmp(worst->rule, "pod_bay");
    printf("%s (of %zu built-in rules and one)\n", worst ? worst->rule : "nothing", toad_rules_count(NULL));
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return found ? 0 : 1;
}

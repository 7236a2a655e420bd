/* builtin.c - the findings that C code makes itself, beside the rules: what the sanitizer counted, what links and
 * spacing give away. Ids are stable; the severity is that of the plain case and may be raised or lowered by the
 * reporter. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

const toad__builtin toad__builtins[] = {
    { "invisible_tags", "unicode", "Unicode tag characters carry text that no one sees.", TOAD_MEDIUM },
    { "invisible_variation_selectors", "unicode",
      "Variation selectors stand where they select nothing, or in runs that can carry hidden bytes.", TOAD_LOW },
    { "invisible_zero_width", "unicode", "Zero-width characters stand where no script needs them.", TOAD_LOW },
    { "invisible_fillers", "unicode", "Invisible filler characters stand in the text.", TOAD_LOW },
    { "invisible_soft_hyphen", "unicode", "Soft hyphens split short words.", TOAD_LOW },
    { "bidi_control", "unicode", "Bidirectional controls make the text read other than it is stored.", TOAD_LOW },
    { "control_characters", "unicode", "Control characters stand in the text.", TOAD_LOW },
    { "terminal_escape", "hidden", "A terminal sequence hides, overwrites, links or answers.", TOAD_LOW },
    { "terminal_style", "hidden", "A terminal sequence colors the text.", TOAD_NONE },
    { "interlinear_annotation", "unicode", "Interlinear annotation characters hide text beside text.", TOAD_LOW },
    { "private_use_run", "unicode", "A run of private-use characters can carry text in no font.", TOAD_LOW },
    { "noncharacters", "unicode", "Code points that are no characters stand in the text.", TOAD_LOW },
    { "combining_flood", "unicode", "More combining marks than any script stacks stand on one letter.", TOAD_LOW },
    { "invalid_utf8", "unicode", "Bytes that are not well-formed UTF-8 stand in the text.", TOAD_LOW },
    { "line_separator", "unicode", "Unicode line separators were turned into line feeds.", TOAD_NONE },
    { "byte_order_mark", "unicode", "A byte order mark stands at the start.", TOAD_NONE },
    { "foreign_encoding", "encoding", "The text is UTF-16 or UTF-32.", TOAD_NONE },
    { "lookalike_text", "unicode", "Much of the text is written in look-alikes of other scripts.", TOAD_LOW },
    { "blank_padding", "hidden", "A long run of blanks or empty lines pushes what follows out of sight.", TOAD_LOW },
    { "exfiltration_link", "exfiltration", "A link or image that is fetched by itself has room for data in its URL.",
      TOAD_MEDIUM },
    { "deceptive_host", "ssrf_url", "A host name imitates another with look-alike letters.", TOAD_LOW },
    { "internal_address", "ssrf_url", "A URL leads to a local, private or metadata address, or hides its host.",
      TOAD_LOW },
    { "nested_encoding", "encoding", "Text is encoded in more layers than are looked into.", TOAD_LOW },
    { "dangerous_scheme", "ssrf_url",
      "A URL uses a scheme that reads local files or reaches services other than the web.", TOAD_LOW },
    { "learned_injection", "learned", "The text reads like an attack to the learned model.", TOAD_MEDIUM },
    { "many_turns", "role_forgery", "The text plays a long conversation between a user and an assistant.", TOAD_LOW },
    { 0 },
};

const toad__builtin *toad__builtin_find(const char *id, size_t *ret_index) {
    for (size_t i = 0; toad__builtins[i].id; i++) {
        if (strcmp(toad__builtins[i].id, id)) continue;
        *ret_index = i;
        return &toad__builtins[i];
    }
    return NULL;
}

/* What a file of a repository is to an agent (app/repository/artifact.c), where words stand in it
 * (app/repository/standing.c), what git tracks (app/repository/tracked.c). */
#include "app/repository/artifact.h"
#include "app/repository/standing.h"
#include "app/repository/tracked.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

static const char *artifact(const char *path) {
    char *copy = exact_dup(path, strlen(path));
    const char *name = toad__artifact_name(toad__artifact_of(toad__str(copy, strlen(path))));
    free(copy);
    return name;
}

static void artifacts(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "AGENTS.md", "agent_instructions" },
        { "agents.md", "agent_instructions" },
        { "sub/dir/CLAUDE.md", "agent_instructions" },
        { "docs/agents.md", "document" },
        { "GEMINI.md", "agent_instructions" },
        { ".cursorrules", "agent_instructions" },
        { ".cursor/rules/style.mdc", "agent_instructions" },
        { "x/y.mdc", "agent_instructions" },
        { ".github/copilot-instructions.md", "agent_instructions" },
        { ".github/instructions/c.instructions.md", "agent_instructions" },
        { ".github/workflows/ci.yml", "data" },
        { ".windsurfrules", "agent_instructions" },
        { "skills/pdf/SKILL.md", "agent_instructions" },
        { ".claude/commands/x.md", "agent_instructions" },
        { ".claude/hooks/run.sh", "code" },
        { ".claude/worktrees/x/a.c", "code" },
        { ".claude/settings.json", "agent_settings" },
        { ".claude/settings.local.json", "agent_settings" },
        { ".codex/config.toml", "agent_settings" },
        { ".vscode/tasks.json", "agent_settings" },
        { ".vscode/mcp.json", "mcp_config" },
        { ".mcp.json", "mcp_config" },
        { ".cursor/mcp.json", "mcp_config" },
        { "claude_desktop_config.json", "mcp_config" },
        { "MEMORY.md", "agent_memory" },
        { "docs/memory.md", "document" },
        { ".git/COMMIT_EDITMSG", "commit_message" },
        { "COMMIT_EDITMSG", "other" },
        { "README", "readme" },
        { "readme.de.md", "readme" },
        { "README.md.gz", "other" },
        { "CONTRIBUTING", "document" },
        { "docs/a.rst", "document" },
        { "src/main.c", "code" },
        { "Makefile", "code" },
        { "Dockerfile", "code" },
        { "package.json", "data" },
        { "tests/a/b.c", "fixture" },
        { "pkg/x_test.go", "fixture" },
        { "tests/fixtures/README.md", "fixture" },
        { "tests/fixtures/.mcp.json", "fixture" },
        { "tests/fixtures/AGENTS.md", "agent_instructions" },
        { "data/rules/shell.yaml", "detection_rules" },
        { "data/words.txt", "fixture" },
        { "rules/README.md", "readme" },
        { "a.bin", "data" },
        { "noending", "other" },
        { "", "other" },
        { "./AGENTS.md", "agent_instructions" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(artifact(rows[i][0]), rows[i][1]))
            fail_msg("%s: %s, not %s", rows[i][0], artifact(rows[i][0]), rows[i][1]);
}

/* The last '@' of the text, in the language of `name`. */
static const char *stands(const char *name, const char *text) {
    size_t n = strlen(text);
    char *copy = exact_dup(text, n);
    const char *at = strrchr(text, '@');
    toad_span span = { (uint64_t)(at - text), (uint64_t)(at - text) + 1 };
    toad__standing got;
    toad__stand(toad__str(copy, n), toad__language_of(toad__str_z(name)), &span, 1, &got);
    free(copy);
    return toad__standing_name(got);
}

static void standings(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        { "a.c", "int a; // @", "comment" },
        { "a.c", "/* one\n @ */", "comment" },
        { "a.c", "/* one */ @", "" },
        { "a.c", "/* open @", "comment" },
        { "a.c", "s = \"x @ y\";", "string" },
        { "a.c", "s = \"x \\\" @ y\";", "string" },
        { "a.c", "s = \"x\n// @", "comment" },
        { "a.c", "c = '\"'; // @", "comment" },
        { "a.c", "// says \"x @ y\" here", "quoted" },
        { "a.c", "// it's @ and that's all", "comment" },
        { "a.c", "u = \"http://x\"; @", "" },
        { "a.rs", "fn f<'a>(x: &'a str) {} // @", "comment" },
        { "a.js", "s = `one\n@ two`;", "text" },
        { "a.js", "s = 'x @';", "string" },
        { "a.js", "r = `open @\n", "" },
        { "a.py", "x = 1 # @", "comment" },
        { "a.py", "def f():\n    \"\"\"one\n    @\"\"\"\n", "docstring" },
        { "a.py", "def f():\n    \"\"\"say 'x @ y' now\"\"\"\n", "quoted" },
        { "a.py", "x = \"\"\"one\n@\"\"\"\n", "text" },
        { "a.py", "x = \"\"\"one\"\"\"\n@", "" },
        { "a.sh", "echo $# @", "" },
        { "a.sh", "echo \"# @\"", "string" },
        { "a.sql", "select 1; -- @", "comment" },
        { "a.lua", "--[[ one\n@ ]]", "comment" },
        { "a.hs", "{- @ -}", "comment" },
        { "a.el", "(x) ; @", "comment" },
        { "a.tex", "50\\% @", "" },
        { "a.html", "<p><!-- @ --></p>", "comment" },
        { "a.md", "text @", "" },
        { "a.md", "```\n@\n```\n", "fenced" },
        { "a.md", "```\nx\n```\n@", "" },
        { "a.md", "```\n@ never closed", "" },
        { "a.md", "~~~~\n```\n@\n~~~~\n", "fenced" },
        { "a.md", "so `x @ y` it is", "fenced" },
        { "a.md", "so ``x ` @ y`` it is", "fenced" },
        { "a.md", "a ` alone @", "" },
        { "a.md", "> ```\n> @\n> ```\n", "fenced" },
        { "a.java", "String s = \"\"\"\n  \"x\" @\n\"\"\";", "text" },
        { "a.kt", "val s = \"\"\"one\n@ two\"\"\" // x", "text" },
        { "a.swift", "let s = \"\"\"\n@\n\"\"\"\n", "text" },
        { "a.cs", "var s = \"\"\"\n@\n\"\"\"; // x", "text" },
        { "a.scala", "val c = '\"'; /* @ */", "comment" },
        { "a.go", "s := `one\n@ two`", "text" },
        { "a.cpp", "f(\"x\"); // @", "comment" },
        { "a.ts", "const a: string = 'x @';", "string" },
        { "a.css", "a { b: url(//x) } @", "" },
        { "a.css", "/* @ */", "comment" },
        { "a.php", "$a = <<<EOT\none @\nEOT;\n", "text" },
        { "a.php", "// @", "comment" },
        { "a.rb", "a = <<~TXT\n  one @\n  TXT\n", "text" },
        { "a.rb", "x\n=begin\n@\n=end\n", "comment" },
        { "a.rb", "x\n=begin\none\n=end\n@", "" },
        { "a.pl", "print <<\"END\";\n@\nEND\n", "text" },
        { "a.sh", "cat <<'EOF'\n# @\nEOF\n", "text" },
        { "a.sh", "cat <<EOF\nx\nEOF\n@", "" },
        { "a.sh", "cat <<EOF\n@ never closed", "" },
        { "a.sh", "echo $((1 << 2)) # @", "comment" },
        { "a.ps1", "<# one\n@ #>", "comment" },
        { "a.ps1", "x # @", "comment" },
        { "a.r", "x <- 1 # @", "comment" },
        { "a.toml", "s = \"\"\"\n@\n\"\"\"", "text" },
        { "a.yaml", "a: b # @", "comment" },
        { "Dockerfile", "RUN x # @", "comment" },
        { "Makefile", "all: # @", "comment" },
        { "a.unknown", "// @", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(stands(rows[i][0], rows[i][1]), rows[i][2]))
            fail_msg("%s: %s: '%s', not '%s'", rows[i][0], rows[i][1], stands(rows[i][0], rows[i][1]), rows[i][2]);
}

static void raw_standings(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        { "a.rs", "let s = r#\"one \"two\"\n// @\"#;", "text" },
        { "a.rs", "let s = br##\"x\"# @\"##;", "string" },
        { "a.rs", "let s = r\"\\\"; // @", "comment" },
        { "a.rs", "let s = r#\"x\"#; @", "" },
        { "a.rs", "#[attr] // @", "comment" },
        { "a.rs", "for\"x\\\" @\"", "string" },
        { "a.cpp", "auto s = R\"x(one \")\" // @\n)x\"; y", "text" },
        { "a.cpp", "auto s = u8R\"(a\\)\"; // @", "comment" },
        { "a.cpp", "auto s = LR\"(a\"b)\"; @", "" },
        { "a.cpp", "FOR\"(x\"; // @", "comment" },
        { "a.cpp", "R\"(never // @", "comment" },
        { "a.cs", "var s = @\"one \"\"two\"\"\n// @\"; x", "text" },
        { "a.cs", "var s = $@\"c:\\\"; // @", "comment" },
        { "a.lua", "s = [[one\n-- @ ]]", "text" },
        { "a.lua", "s = [==[ ]] @ ]==] x", "string" },
        { "a.lua", "--[==[ ]]\n@ ]==] x", "comment" },
        { "a.lua", "--[[ one ]] @", "" },
        { "a.lua", "t[a[1]] = 2 -- @", "comment" },
        { "a.lua", "--[ @\nx", "comment" },
        { "a.yaml", "a: |\n  # @\nb: c", "text" },
        { "a.yaml", "a: >-  # why\n\n  one\n\n  'x @\n", "text" },
        { "a.yaml", "a: |2+\n    @\n", "text" },
        { "a.yaml", "- a: |\n    one\n  b: c # @", "comment" },
        { "a.yaml", "- |\n  @\n- b", "text" },
        { "a.yaml", "a: |\n  one\nb: @", "" },
        { "a.yaml", "a: x | y\n  # @", "comment" },
        { "a.yaml", "a: !!str |\n  @", "text" },
        { "a.yaml", "a: |\nb: # @", "comment" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(stands(rows[i][0], rows[i][1]), rows[i][2]))
            fail_msg("%s: %s: '%s', not '%s'", rows[i][0], rows[i][1], stands(rows[i][0], rows[i][1]), rows[i][2]);
}

static toad_status read_index(toad_str bytes, toad__tracked **ret) {
    char *copy = exact_dup(bytes.p, bytes.n);
    toad_status status = toad__tracked_new(toad__str(copy, bytes.n), ret);
    free(copy);
    return status;
}

static void add_be(toad__buf *b, uint32_t v, int bytes) {
    while (bytes-- > 0) toad__buf_add_c(b, (char)(v >> 8 * bytes));
}

/* An index of version 2 or 4 with these paths. */
static void write_index(toad__buf *b, const char *const *paths, size_t n, unsigned version, size_t id) {
    const char *before = "";
    toad__buf_init(b, 1u << 20);
    toad__buf_add_z(b, "DIRC");
    add_be(b, version, 4);
    add_be(b, (uint32_t)n, 4);
    for (size_t i = 0; i < n; i++) {
        size_t start = b->n, len = strlen(paths[i]), same = 0;
        for (size_t k = 0; k < 40 + id; k++) toad__buf_add_c(b, (char)(k * 7));
        add_be(b, (uint32_t)len, 2);
        while (version == 4 && before[same] && before[same] == paths[i][same]) same++;
        if (version == 4) toad__buf_add_c(b, (char)(strlen(before) - same));
        toad__buf_add(b, paths[i] + same, len - same + 1);
        while (version < 4 && (b->n - start) % 8) toad__buf_add_c(b, 0);
        before = paths[i];
    }
    for (size_t k = 0; k < id; k++) toad__buf_add_c(b, 0x55);
}

static void indexes(void **state) {
    (void)state;
    static const char *const paths[] = { "a.txt", "dir-x", "dir/a", "dir/sub/b", "dir0", "z" };
    for (int form = 0; form < 4; form++) {
        toad__buf b;
        toad__tracked *t = NULL;
        write_index(&b, paths, 6, form % 2 ? 4 : 2, form / 2 ? 32 : 20);
        assert_int_equal(read_index(toad__buf_str(&b), &t), TOAD_OK);
        assert_int_equal(toad__tracked_count(t), 6);
        for (size_t i = 0; i < 6; i++) assert_true(toad__tracked_has(t, toad__str_z(paths[i]), false));
        assert_true(toad__tracked_has(t, TOAD__S("dir"), true));
        assert_true(toad__tracked_has(t, TOAD__S("dir/sub"), true));
        assert_false(toad__tracked_has(t, TOAD__S("dir"), false));
        assert_false(toad__tracked_has(t, TOAD__S("di"), true));
        assert_false(toad__tracked_has(t, TOAD__S("z"), true));
        assert_false(toad__tracked_has(t, TOAD__S("dir/su"), true));
        assert_false(toad__tracked_has(t, TOAD__S(""), false));
        toad__tracked_free(t);
        for (size_t n = 0; n < b.n; n++) { /* every cut is refused, none is read beyond */
            t = NULL;
            if (!read_index(toad__str(b.p, n), &t)) fail_msg("form %d: %zu of %zu bytes were taken", form, n, b.n);
        }
        toad__buf_free(&b);
    }
    assert_false(toad__tracked_has(NULL, TOAD__S("a"), false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(artifacts),
        cmocka_unit_test(standings),
        cmocka_unit_test(raw_standings),
        cmocka_unit_test(indexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

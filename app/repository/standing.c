/* standing.c - the text cut into regions, one after the other: a comment, a string, a fenced block, or what lies
 * between.
 *
 * A string that is not closed on its line is none, so that one stray quotation mark in a language we read badly costs a
 * line and not the file; a fence or a back quote that is never closed is none either. What was looked for once and not
 * found is not looked for again before that place is passed, so the cost is linear whatever the text.
 *
 * Invariant: regions do not overlap, leave nothing out, and are not empty. */
#include "app/repository/standing.h"
#include "lib/base/str.h"

#define QUOTE_REACH 200u
#define TICK_REACH  400u
#define CHAR_REACH  12u
#define RAW_MARK    16u /* bytes that a raw string's own mark may have */

/* Strings in which nothing is escaped: R"x(..)x", r#".."#, @"..". */
typedef enum raw_form { RAW_NONE, RAW_CPP, RAW_RUST, RAW_AT } raw_form;

typedef struct syntax {
    const char *line, *open, *close;             /* openers of comments, or NULL */
    const char *quotes;                          /* of strings that end on their line */
    bool back, triple, chars, fences, documents; /* documents: <<END up to a line END */
    bool blocks, brackets;                       /* YAML: lines deeper than "key: |"; Lua: between [==[ and ]==] */
    raw_form raw;
} syntax;

static const syntax syntaxes[] = {
    [TOAD__LANGUAGE_NONE] = { .quotes = "" },
    [TOAD__LANGUAGE_C] = { "//", "/*", "*/", "\"", .chars = true, .raw = RAW_CPP },
    [TOAD__LANGUAGE_RUST] = { "//", "/*", "*/", "\"", .chars = true, .raw = RAW_RUST },
    [TOAD__LANGUAGE_JAVA] = { "//", "/*", "*/", "\"", .chars = true, .triple = true, .raw = RAW_AT },
    [TOAD__LANGUAGE_JS] = { "//", "/*", "*/", "\"'", .back = true },
    [TOAD__LANGUAGE_CSS] = { NULL, "/*", "*/", "\"'", .back = false },
    [TOAD__LANGUAGE_PHP] = { "//", "/*", "*/", "\"'", .back = true, .documents = true },
    [TOAD__LANGUAGE_PYTHON] = { "#", NULL, NULL, "\"'", .triple = true },
    [TOAD__LANGUAGE_HASH] = { "#", NULL, NULL, "\"'", .back = false },
    [TOAD__LANGUAGE_YAML] = { "#", NULL, NULL, "\"'", .blocks = true },
    [TOAD__LANGUAGE_SHELL] = { "#", NULL, NULL, "\"'", .documents = true },
    [TOAD__LANGUAGE_RUBY] = { "#", "\n=begin", "\n=end", "\"'", .documents = true },
    [TOAD__LANGUAGE_POWERSHELL] = { "#", "<#", "#>", "\"'", .back = false },
    [TOAD__LANGUAGE_SQL] = { "--", "/*", "*/", "\"'", .back = false },
    [TOAD__LANGUAGE_LUA] = { "--", NULL, NULL, "\"'", .brackets = true },
    [TOAD__LANGUAGE_HASKELL] = { "--", "{-", "-}", "\"", .chars = true },
    [TOAD__LANGUAGE_LISP] = { ";", "#|", "|#", "\"", .back = false },
    [TOAD__LANGUAGE_TEX] = { "%", NULL, NULL, "", .back = false },
    [TOAD__LANGUAGE_MARKUP] = { NULL, "<!--", "-->", "", .back = false },
    [TOAD__LANGUAGE_MARKDOWN] = { .quotes = "", .fences = true },
};

static const struct {
    toad__language language;
    const char *endings;
} languages[] = {
    { TOAD__LANGUAGE_C, " c h cc cpp cxx hpp hh hxx inl m mm v sv td proto thrift glsl hlsl cu idl y l " },
    { TOAD__LANGUAGE_RUST, " rs " },
    { TOAD__LANGUAGE_YAML, " yaml yml " },
    { TOAD__LANGUAGE_JAVA, " java kt kts scala sc swift cs csx " },
    { TOAD__LANGUAGE_CSS, " css " },
    { TOAD__LANGUAGE_PHP, " php phtml " },
    { TOAD__LANGUAGE_SHELL, " sh bash zsh fish ksh bats pl pm t tcl dockerfile containerfile tf hcl " },
    { TOAD__LANGUAGE_RUBY, " rb rake gemspec rakefile gemfile vagrantfile " },
    { TOAD__LANGUAGE_POWERSHELL, " ps1 psm1 psd1 " },
    { TOAD__LANGUAGE_JS,
      " js mjs cjs map jsx ts mts cts tsx go dart groovy gradle zig scss sass less sol vue svelte " },
    { TOAD__LANGUAGE_PYTHON, " py pyi pyx pxd jl ex exs toml bzl star " },
    { TOAD__LANGUAGE_HASH, " r mk cmake nix conf ini cfg "
                           "awk sed gitignore makefile "
                           "justfile gnumakefile env properties build am ac m4 d rules " },
    { TOAD__LANGUAGE_SQL, " sql ddl pgsql ada adb ads vhd vhdl elm " },
    { TOAD__LANGUAGE_LUA, " lua " },
    { TOAD__LANGUAGE_HASKELL, " hs lhs purs " },
    { TOAD__LANGUAGE_LISP, " lisp lsp el clj cljs scm ss rkt asm s " },
    { TOAD__LANGUAGE_TEX, " tex sty cls bib erl hrl " },
    { TOAD__LANGUAGE_MARKUP, " html htm xhtml xml svg xsl xslt plist " },
    { TOAD__LANGUAGE_MARKDOWN, " md mdx markdown mdc rst adoc asciidoc txt readme " },
};

static bool in_list(const char *list, toad_str word) {
    for (size_t i = 1, end; list[i]; i = end + 1) {
        end = i;
        while (list[end] != ' ') end++;
        if (toad__str_ieq(toad__str(list + i, end - i), word)) return true;
    }
    return false;
}

toad__language toad__language_of(toad_str name) {
    size_t at = name.n;
    while (at && name.p[at - 1] != '.' && name.p[at - 1] != '/') at--;
    toad_str ending = toad__str_part(name, at, name.n);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (in_list(languages[i].endings, ending)) return languages[i].language;
    return TOAD__LANGUAGE_NONE;
}

typedef struct lexer {
    toad_str text;
    const syntax *s;
    size_t line, eol;    /* what lies between them holds no line feed */
    size_t no_string[2]; /* of '"' and '\'': none begins before this place */
    size_t no_block;     /* the same for blocks of YAML */
    bool no_back, no_triple[2], no_fence[2], no_document, no_raw;
} lexer;

static bool here(const lexer *l, size_t at, const char *word) {
    return word && toad__str_starts(toad__str_part(l->text, at, l->text.n), toad__str_z(word));
}

static bool is_word(const lexer *l, size_t at) {
    unsigned char c = (unsigned char)l->text.p[at];
    return toad__is_alnum(c) || c == '_' || c >= 0x80;
}

/* Remembered, since a line may be as long as the file and hold a string every two bytes. */
static size_t line_end(lexer *l, size_t at) {
    if (at < l->line || at > l->eol) {
        l->line = at;
        l->eol = toad__str_find(l->text, TOAD__S("\n"), at);
    }
    return l->eol;
}

static bool begins_line(const lexer *l, size_t at) {
    while (at && (l->text.p[at - 1] == ' ' || l->text.p[at - 1] == '\t')) at--;
    return !at || l->text.p[at - 1] == '\n';
}

/* Past the closing mark, or 0. A backslash takes the byte after it along. */
static size_t closed_by(const lexer *l, size_t at, size_t end, const char *mark) {
    for (; at < end; at++) {
        if (l->text.p[at] == '\\')
            at++;
        else if (here(l, at, mark))
            return at + strlen(mark);
    }
    return 0;
}

static size_t triple_end(lexer *l, size_t at, toad__standing *ret) {
    static const char *const marks[] = { "\"\"\"", "'''" };
    for (size_t i = 0; i < 2; i++) {
        if (l->no_triple[i] || !here(l, at, marks[i])) continue;
        size_t end = closed_by(l, at + 3, l->text.n, marks[i]);
        l->no_triple[i] = !end;
        *ret = begins_line(l, at) ? TOAD__STANDS_DOCSTRING : TOAD__STANDS_STRING;
        return end;
    }
    return 0;
}

static size_t string_end(lexer *l, size_t at) {
    char mark[2] = { l->text.p[at], 0 };
    size_t end, *none = &l->no_string[mark[0] == '\''];
    if (at < *none || (at && mark[0] == '\'' && is_word(l, at - 1))) return 0;
    size_t eol = line_end(l, at);
    end = closed_by(l, at + 1, eol, mark);
    if (!end) *none = eol;
    return end;
}

/* 'x' and '\u{1F600}', but no lifetime and no apostrophe. */
static size_t char_end(const lexer *l, size_t at) {
    size_t end = at + CHAR_REACH < l->text.n ? at + CHAR_REACH : l->text.n;
    return at && is_word(l, at - 1) ? 0 : closed_by(l, at + 1, end, "'");
}

/* <<END, <<-"END", <<~'END', <<<END: past the line that holds nothing but END, or 0. */
static size_t document_end(lexer *l, size_t at) {
    size_t word = at + 2;
    while (word < l->text.n && strchr("<-~ \"'\\", l->text.p[word]) && word - at < 6) word++;
    size_t end = word;
    while (end < l->text.n && is_word(l, end)) end++;
    if (end == word || toad__is_digit((unsigned char)l->text.p[word])) return 0;
    toad_str mark = toad__str_part(l->text, word, end);
    for (size_t i = line_end(l, end) + 1; i < l->text.n; i = line_end(l, i) + 1) {
        while (i < l->text.n && (l->text.p[i] == ' ' || l->text.p[i] == '\t')) i++;
        size_t after = i + mark.n;
        if (toad__str_starts(toad__str_part(l->text, i, l->text.n), mark) && (after == l->text.n || !is_word(l, after)))
            return after;
    }
    l->no_document = true;
    return 0;
}

/* Past the mark of `n` bytes behind `from`, or 0; no other is looked for then. */
static size_t raw_closed(lexer *l, size_t from, const char *mark, size_t n) {
    size_t close = toad__str_find(l->text, toad__str(mark, n), from);
    l->no_raw = close == l->text.n;
    return l->no_raw ? 0 : close + n;
}

/* Does a word of these letters and nothing else end before `at`? */
static bool is_prefixed(const lexer *l, size_t at, char last, const char *before) {
    if (!at || l->text.p[at - 1] != last) return false;
    for (at--; at && is_word(l, at - 1); at--)
        if (!strchr(before, l->text.p[at - 1])) return false;
    return true;
}

/* R"mark( to )mark" */
static size_t cpp_end(lexer *l, size_t at) {
    char mark[RAW_MARK + 2] = ")";
    size_t n = 1;
    if (l->text.p[at] != '"' || !is_prefixed(l, at, 'R', "u8UL")) return 0;
    for (at++; at < l->text.n && l->text.p[at] != '('; at++) {
        if (n > RAW_MARK || toad__is_space((unsigned char)l->text.p[at]) || strchr(")\\\"", l->text.p[at])) return 0;
        mark[n++] = l->text.p[at];
    }
    mark[n++] = '"';
    return raw_closed(l, at, mark, n);
}

/* r#" to "# */
static size_t rust_end(lexer *l, size_t at) {
    char mark[RAW_MARK + 1] = "\"";
    size_t n = 0;
    if (!is_prefixed(l, at, 'r', "bc")) return 0;
    while (at + n < l->text.n && l->text.p[at + n] == '#' && n < RAW_MARK) mark[1 + n++] = '#';
    if (at + n == l->text.n || l->text.p[at + n] != '"') return 0;
    return raw_closed(l, at + n + 1, mark, n + 1);
}

/* @" to ", where two of them are one */
static size_t at_end(lexer *l, size_t at) {
    size_t before = at && l->text.p[at - 1] == '$' ? at - 1 : at;
    if (l->text.p[at] != '"' || !before || l->text.p[before - 1] != '@') return 0;
    for (size_t i = at + 1; i < l->text.n; i++) {
        if (l->text.p[i] != '"') continue;
        if (i + 1 == l->text.n || l->text.p[i + 1] != '"') return i + 1;
        i++;
    }
    l->no_raw = true;
    return 0;
}

static size_t raw_end(lexer *l, size_t at) {
    if (l->no_raw || (l->text.p[at] != '"' && l->text.p[at] != '#')) return 0;
    return l->s->raw == RAW_CPP    ? cpp_end(l, at)
           : l->s->raw == RAW_RUST ? rust_end(l, at)
           : l->s->raw == RAW_AT   ? at_end(l, at)
                                   : 0;
}

/* [==[ to ]==] of Lua, or 0. */
static size_t bracket_end(lexer *l, size_t at) {
    char mark[RAW_MARK + 2] = "]";
    size_t n = 1;
    if (l->no_raw || !here(l, at, "[")) return 0;
    for (at++; at < l->text.n && l->text.p[at] == '=' && n <= RAW_MARK; at++) mark[n++] = '=';
    if (!here(l, at, "[")) return 0;
    mark[n++] = ']';
    return raw_closed(l, at + 1, mark, n);
}

/* The column of the key, or of the dash, that a block of YAML at `at` belongs to: its lines are deeper. */
static size_t block_column(const lexer *l, size_t at) {
    size_t start = at, i;
    while (start && l->text.p[start - 1] != '\n') start--;
    size_t column = start;
    for (i = start; i < at && (l->text.p[i] == ' ' || l->text.p[i] == '-'); i++)
        if (l->text.p[i] == '-') column = i;
    return (i < at ? i : column) - start;
}

/* Does the line say no more than "|" or ">", how line ends count, and a comment? */
static bool is_block_mark(const lexer *l, size_t at, size_t eol) {
    size_t before = at;
    while (before && l->text.p[before - 1] == ' ') before--;
    if (before == at || !before || l->text.p[before - 1] == '\n') return false;
    size_t i = at + 1;
    while (i < eol && i < at + 3 && strchr("+-123456789", l->text.p[i])) i++;
    while (i < eol && (l->text.p[i] == ' ' || l->text.p[i] == '\t' || l->text.p[i] == '\r')) i++;
    return i == eol || (l->text.p[i] == '#' && l->text.p[i - 1] == ' ');
}

/* Past the last line of a block of YAML, or 0. */
static size_t block_end(lexer *l, size_t at) {
    size_t eol = line_end(l, at), end = 0;
    if (at < l->no_block || !is_block_mark(l, at, eol)) return 0;
    size_t column = block_column(l, at);
    for (size_t i = eol + 1; i < l->text.n; i = eol + 1) {
        size_t deep = i;
        while (deep < l->text.n && l->text.p[deep] == ' ') deep++;
        eol = line_end(l, i);
        bool blank = toad__str_is_blank(toad__str_part(l->text, deep, eol));
        if (!blank && deep - i <= column) break;
        if (!blank) end = eol;
    }
    if (!end) l->no_block = line_end(l, at);
    return end;
}

/* Is there a line comment? '#' and '%' also stand inside words. */
static bool is_line_comment(const lexer *l, size_t at) {
    if (!here(l, at, l->s->line)) return false;
    char before = at ? l->text.p[at - 1] : '\n';
    return l->s->line[1] ? before != ':'
                         : before != '\\' && before != '$' && before != '&' && !is_word(l, at ? at - 1 : at);
}

/* The end of the special region that begins at `at`, or 0. */
static size_t code_region(lexer *l, size_t at, toad__standing *ret) {
    const syntax *s = l->s;
    char c = l->text.p[at];
    size_t end = 0;
    *ret = TOAD__STANDS_COMMENT;
    if (here(l, at, s->open)) {
        size_t close = toad__str_find(l->text, toad__str_z(s->close), at + strlen(s->open));
        return close < l->text.n ? close + strlen(s->close) : l->text.n;
    }
    if (s->brackets && here(l, at, "--[") && (end = bracket_end(l, at + 2))) return end;
    if (s->line && is_line_comment(l, at)) return line_end(l, at);
    if (s->triple && (end = triple_end(l, at, ret))) return end;
    *ret = TOAD__STANDS_STRING;
    if (s->raw && (end = raw_end(l, at))) return end;
    if (s->brackets && c == '[') return bracket_end(l, at);
    if (s->blocks && (c == '|' || c == '>')) return block_end(l, at);
    if (s->documents && !l->no_document && here(l, at, "<<") && (end = document_end(l, at))) return end;
    if (s->back && c == '`' && !l->no_back) {
        end = closed_by(l, at + 1, l->text.n, "`");
        l->no_back = !end;
        return end;
    }
    if (s->chars && c == '\'') return char_end(l, at);
    return c && strchr(s->quotes, c) ? string_end(l, at) : 0;
}

static size_t run_of(const lexer *l, size_t at) {
    size_t n = 1;
    while (at + n < l->text.n && l->text.p[at + n] == l->text.p[at]) n++;
    return n;
}

/* Past the line that closes a fence of `n` marks, or 0. */
static size_t fence_end(lexer *l, size_t at, size_t n) {
    char mark = l->text.p[at];
    for (size_t i = line_end(l, at) + 1; i < l->text.n; i = line_end(l, i) + 1) {
        size_t k = i;
        while (k < l->text.n && (l->text.p[k] == ' ' || l->text.p[k] == '\t' || l->text.p[k] == '>')) k++;
        if (k < l->text.n && l->text.p[k] == mark && run_of(l, k) >= n) return line_end(l, k);
    }
    return 0;
}

static bool opens_fence(const lexer *l, size_t at) {
    while (at && (l->text.p[at - 1] == ' ' || l->text.p[at - 1] == '\t' || l->text.p[at - 1] == '>')) at--;
    return !at || l->text.p[at - 1] == '\n';
}

static size_t markdown_region(lexer *l, size_t at, toad__standing *ret) {
    char c = l->text.p[at];
    if (c != '`' && c != '~') return 0;
    size_t n = run_of(l, at), end = 0;
    bool *none = &l->no_fence[c == '~'];
    *ret = TOAD__STANDS_FENCED;
    if (n >= 3 && !*none && opens_fence(l, at)) {
        end = fence_end(l, at, n);
        *none = !end;
        return end ? end : at + n;
    }
    size_t stop = at + TICK_REACH < l->text.n ? at + TICK_REACH : l->text.n;
    for (size_t i = at + n; c == '`' && i < stop; i++) {
        if (l->text.p[i] != '`') continue;
        size_t run = run_of(l, i);
        if (run == n) return i + n;
        i += run - 1;
    }
    *ret = TOAD__STANDS_PLAIN;
    return at + n;
}

static size_t region(lexer *l, size_t from, toad__standing *ret) {
    size_t end = 0;
    for (size_t at = from; at < l->text.n; at++) {
        toad__standing standing = TOAD__STANDS_PLAIN;
        if (is_word(l, at)) continue; /* no mark begins with one */
        end = l->s->fences ? markdown_region(l, at, &standing) : code_region(l, at, &standing);
        if (end <= at) continue;
        *ret = at == from ? standing : TOAD__STANDS_PLAIN;
        return at == from ? end : at;
    }
    *ret = TOAD__STANDS_PLAIN;
    return l->text.n;
}

static bool is_mark(char c) { return c == '"' || c == '\'' || c == '`'; }

/* Between two quotation marks of one kind within [from,to)? */
static bool is_quoted(const lexer *l, size_t from, size_t to, toad_span span) {
    size_t start = (size_t)span.start, end = span.end < to ? (size_t)span.end : to;
    while (start < end && !is_word(l, start)) start++;
    size_t low = start > from + QUOTE_REACH ? start - QUOTE_REACH : from,
           high = to > end + QUOTE_REACH ? end + QUOTE_REACH : to;
    for (size_t i = start; i > low; i--) {
        char c = l->text.p[i - 1];
        if (!is_mark(c) || (i - 1 > from && is_word(l, i - 2))) continue;
        for (size_t k = end > i ? end - 1 : i; k < high; k++)
            if (l->text.p[k] == c && (k + 1 == to || !is_word(l, k + 1))) return true;
        return false;
    }
    return false;
}

void toad__stand(toad_str text, toad__language language, const toad_span *spans, size_t n, toad__standing *ret) {
    lexer l = { .text = text, .s = &syntaxes[language], .line = 1 };
    size_t i = 0;
    for (size_t at = 0, end; at < text.n && i < n && language != TOAD__LANGUAGE_NONE; at = end) {
        toad__standing standing;
        end = region(&l, at, &standing);
        if (standing == TOAD__STANDS_STRING && i < n && spans[i].start < end && memchr(text.p + at, '\n', end - at))
            standing = TOAD__STANDS_TEXT;
        for (; i < n && spans[i].start < end; i++) {
            bool said = standing == TOAD__STANDS_COMMENT || standing == TOAD__STANDS_DOCSTRING;
            size_t marks = standing == TOAD__STANDS_DOCSTRING ? 3 : 0;
            bool quoted = said && is_quoted(&l, at + marks, end - marks, spans[i]);
            ret[i] = quoted ? TOAD__STANDS_QUOTED : standing;
        }
    }
    for (; i < n; i++) ret[i] = TOAD__STANDS_PLAIN;
}

const char *toad__standing_name(toad__standing s) {
    static const char *const names[] = { "", "comment", "docstring", "text", "quoted", "string", "fenced" };
    return names[s];
}

bool toad__standing_is_shown(toad__standing s) { return s >= TOAD__STANDS_QUOTED; }

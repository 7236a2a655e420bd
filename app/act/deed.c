/* deed.c - see deed.h. Names are split into words (snake_case, camelCase, server__tool) and looked up in tables. Words
 * that only ever name a deed (send, delete) always count; words that are also things (message, order) count unless the
 * name begins with a reading verb: list_orders reads. */
#include "app/act/deed.h"

#include "app/host/json_walk.h"
#include "lib/base/str.h"

enum { WORD = TOAD__TOOL_WORD };

typedef struct row {
    const char *words; /* separated by blanks, one before and one behind each */
    toad__deed deed;
} row;

static const char reading[] = " read get list search find grep glob view show cat fetch open query lookup look "
                              "describe count summarize summarise ask think plan todo "
                              "browse check inspect diff status explain answer translate analyze analyse calculate "
                              "compute head tail stat ls tree recall scan web wait sleep ";

static const row strong[] = {
    { " pay buy purchase checkout donate subscribe transact ", TOAD__DEED_PURCHASE },
    { " bash shell sh zsh exec execute run terminal powershell cmd command eval python node spawn launch interpreter "
      "install sudo kill deploy restart reload start build ",
      TOAD__DEED_COMMAND },
    { " send reply tweet publish notify invite forward submit dm sms broadcast merge approve ",
      TOAD__DEED_OUTSIDE_MESSAGE },
    { " upload share export reveal disclose leak dump exfiltrate secret secrets credential credentials password "
      "passwords keychain ",
      TOAD__DEED_DISCLOSURE },
    { " write edit create delete remove move rename patch apply append replace save mkdir rmdir insert update "
      "overwrite chmod chown put set add modify drop truncate configure "
      "touch unlink copy push remember forget multiedit ",
      TOAD__DEED_FILE_CHANGE },
};

static const row weak[] = {
    { " order payment transfer transaction refund book booking cart ", TOAD__DEED_PURCHASE },
    { " script job task process ", TOAD__DEED_COMMAND },
    { " mail email message post comment chat issue ticket slack webhook request call event meeting ",
      TOAD__DEED_OUTSIDE_MESSAGE },
    { " token tokens key keys env environment ", TOAD__DEED_DISCLOSURE },
    { " commit note memory record ", TOAD__DEED_FILE_CHANGE },
};

static const row members[] = {
    { " command cmd commands shell script argv args cmdline shell_command ", TOAD__DEED_COMMAND },
    { " recipient recipients cc bcc to_email ", TOAD__DEED_OUTSIDE_MESSAGE },
    { " new_string old_string new_str old_str patch file_text edits ", TOAD__DEED_FILE_CHANGE },
};

/* Parts of paths that lead to secrets. */
static const char *const secret_paths[] = { ".ssh",     "id_rsa",      "id_ed25519", "id_ecdsa",    ".aws",
                                            ".gnupg",   ".netrc",      ".npmrc",     ".pypirc",     ".docker/config",
                                            ".kube",    "credentials", ".env",       "/etc/shadow", "/etc/sudoers",
                                            "keychain", "wallet",      "cookies",    "login data",  ".git-credentials",
                                            "/environ", "secrets",     ".pem",       ".p12",        ".pfx",
                                            ".kdbx" };

const char *toad__deed_name(toad__deed deed) {
    static const char *const names[] = { "reading",         "other",   "file_change", "disclosure",
                                         "outside_message", "command", "purchase" };
    return names[deed];
}

/* ---- words of a name ---- */

static bool begins_word(toad_str s, size_t i) {
    if (!i || !toad__is_alnum((unsigned char)s.p[i - 1])) return true;
    if (!toad__is_upper((unsigned char)s.p[i])) return false;
    return !toad__is_upper((unsigned char)s.p[i - 1]) || (i + 1 < s.n && toad__is_lower((unsigned char)s.p[i + 1]));
}

void toad__tool_words_of(toad_str s, toad__tool_words *out) {
    size_t at = 0;
    out->n = out->tool = 0;
    for (size_t i = 0; i < s.n && out->n < TOAD__TOOL_WORDS; i++) {
        bool server = s.p[i] == '.' || s.p[i] == '/' || s.p[i] == ':' || (s.p[i] == '_' && i && s.p[i - 1] == '_');
        if (server && i + 1 < s.n) out->tool = out->n;
        if (!toad__is_alnum((unsigned char)s.p[i])) continue;
        if (begins_word(s, i)) {
            char *w = out->word[out->n++];
            memcpy(w, " ", 2);
            at = 1;
        }
        char *w = out->word[out->n - 1];
        if (at > WORD) continue;
        w[at++] = (char)toad__lower((unsigned char)s.p[i]);
        w[at] = ' ';
        w[at + 1] = 0;
    }
    if (out->tool >= out->n) out->tool = 0;
}

toad_str toad__tool_word(const toad__tool_words *words, size_t i) {
    size_t n = strlen(words->word[i]);
    return toad__str(words->word[i] + 1, n - 2);
}

static bool is_in(const char *list, const char *word) { return strstr(list, word) != NULL; }

bool toad__tool_looks_up(toad_str name) {
    toad__tool_words words;
    toad__tool_words_of(name, &words);
    for (size_t i = words.tool; i < words.n; i++)
        if (is_in(reading, words.word[i])) return true;
    return false;
}

static toad__deed worst(const row *rows, size_t n, const char *word) {
    for (size_t i = 0; i < n; i++)
        if (is_in(rows[i].words, word)) return rows[i].deed;
    return TOAD__DEED_READING;
}

#define WORST(rows, word) worst(rows, sizeof(rows) / sizeof *(rows), word)

static toad__deed graver(toad__deed a, toad__deed b) { return a > b ? a : b; }

static toad__deed by_name(toad_str tool) {
    toad__tool_words all;
    toad__deed deed = TOAD__DEED_READING;
    toad__tool_words_of(tool, &all);
    for (size_t i = 0; i < all.tool; i++)
        if (WORST(strong, all.word[i]) == TOAD__DEED_COMMAND)
            deed = TOAD__DEED_COMMAND; /* a shell is a shell, whatever it calls its tools */
    bool reads = all.n && is_in(reading, all.word[all.tool]);
    for (size_t i = all.tool; i < all.n; i++) {
        deed = graver(deed, WORST(strong, all.word[i]));
        if (!reads) deed = graver(deed, WORST(weak, all.word[i]));
    }
    if (deed == TOAD__DEED_FILE_CHANGE && all.n - all.tool == 2 && !strcmp(all.word[all.tool], " todo "))
        deed = TOAD__DEED_READING; /* its own list */
    return deed == TOAD__DEED_READING && !reads ? TOAD__DEED_OTHER : deed;
}

/* ---- arguments ---- */

static bool contains(toad_str s, const char *part) {
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; i++)
        if (toad__str_ieq(toad__str(s.p + i, n), toad__str(part, n))) return true;
    return false;
}

static bool is_secret_path(toad_str s) {
    bool blank = s.n && memchr(s.p, ' ', s.n);
    for (size_t i = 0; i < sizeof secret_paths / sizeof *secret_paths && !blank && s.n < 4096; i++)
        if (contains(s, secret_paths[i])) return true;
    return false;
}

typedef struct seen {
    bool to, body, amount, account, path;
} seen;

static bool is_one_of(toad_str key, const char *list) {
    char word[WORD + 3] = " ";
    if (!key.n || key.n > WORD) return false;
    for (size_t i = 0; i < key.n; i++) word[i + 1] = (char)toad__lower((unsigned char)key.p[i]);
    word[key.n + 1] = ' ';
    return is_in(list, word);
}

static const char paths[] = " path file file_path filename filepath notebook_path target_file ";

toad_str toad__deed_path(const toad__json *arguments) {
    bool object = arguments && arguments->type == TOAD__JSON_OBJECT;
    for (const toad__json *m = object ? arguments->child : NULL; m; m = m->next)
        if (m->type == TOAD__JSON_STRING && is_one_of(m->key, paths)) return m->text;
    return toad__str(NULL, 0);
}

static toad__deed by_member(const toad__json *m, seen *s) {
    toad__deed deed = TOAD__DEED_READING;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (is_one_of(m->key, members[i].words)) deed = graver(deed, members[i].deed);
    s->to |= is_one_of(m->key, " to channel chat_id phone ");
    s->body |= is_one_of(m->key, " body message content text subject contents data ");
    s->path |= is_one_of(m->key, paths);
    s->amount |= is_one_of(m->key, " amount price total sum quantity ");
    s->account |= is_one_of(m->key, " to iban account card recipient payee address currency ");
    bool method = is_one_of(m->key, " method http_method verb ") && m->type == TOAD__JSON_STRING;
    if (method && !toad__str_ieq(m->text, TOAD__S("GET")) && !toad__str_ieq(m->text, TOAD__S("HEAD")))
        deed = graver(deed, TOAD__DEED_OUTSIDE_MESSAGE);
    return deed;
}

/* A string anywhere in the arguments that leads to secrets. */
static bool leads_to_secrets(const toad__json *arguments) {
    toad__json_walk walk;
    toad__json_walk_begin(&walk, arguments);
    for (const toad__json *v; (v = toad__json_walk_next(&walk));)
        if (v->type == TOAD__JSON_STRING && is_secret_path(v->text)) return true;
    return false;
}

/* Editors take what to do as a word called command (Anthropic's text editor and memory tools): no shell sees it. */
static bool is_editor(const toad__json *arguments, toad__deed *ret) {
    toad_str command = toad__json_get_text(arguments, "command");
    if (!toad__json_get(arguments, "path") ||
        !is_one_of(command, " view create str_replace insert delete rename undo_edit "))
        return false;
    *ret = is_one_of(command, " view ") ? TOAD__DEED_READING : TOAD__DEED_FILE_CHANGE;
    return true;
}

toad__deed toad__deed_of(toad_str tool, const toad__json *arguments) {
    seen s = { 0 };
    toad__deed deed = by_name(tool), by_arguments = TOAD__DEED_READING;
    bool reads = deed == TOAD__DEED_READING;
    if (!arguments) return deed;
    if (deed != TOAD__DEED_COMMAND && is_editor(arguments, &deed))
        return deed == TOAD__DEED_READING && leads_to_secrets(arguments) ? TOAD__DEED_DISCLOSURE : deed;
    for (const toad__json *m = arguments->type == TOAD__JSON_OBJECT ? arguments->child : NULL; m; m = m->next)
        by_arguments = graver(by_arguments, by_member(m, &s));
    if (s.amount && s.account && !reads) by_arguments = graver(by_arguments, TOAD__DEED_PURCHASE);
    if (s.to && s.body && !reads) by_arguments = graver(by_arguments, TOAD__DEED_OUTSIDE_MESSAGE);
    if (s.path && s.body && !reads) by_arguments = graver(by_arguments, TOAD__DEED_FILE_CHANGE);
    if (by_arguments > deed) deed = by_arguments;
    return deed <= TOAD__DEED_OTHER && leads_to_secrets(arguments) ? TOAD__DEED_DISCLOSURE : deed;
}

/* What one label of a host or one segment of a path can carry: words between hyphens are half a message. */
static size_t weigh(toad_str part) {
    for (size_t i = 0; i < part.n; i++)
        if (memchr("-_.", part.p[i], 3)) return part.n / 2;
    return part.n;
}

static size_t heaviest(toad_str s, char separator) {
    size_t most = 0;
    for (size_t at = 0; at < s.n;) {
        const char *hit = memchr(s.p + at, separator, s.n - at);
        size_t end = hit ? (size_t)(hit - s.p) : s.n, weight = weigh(toad__str_part(s, at, end));
        if (weight > most) most = weight;
        at = end + 1;
    }
    return most;
}

/* `url` is what stands behind "://". */
static size_t payload(toad_str url) {
    size_t fragment = toad__str_find(url, TOAD__S("#"), 0); /* stays at home */
    toad_str sent = toad__str_part(url, 0, fragment);
    size_t query = toad__str_find(sent, TOAD__S("?"), 0), slash = toad__str_find(sent, TOAD__S("/"), 0),
           most = sent.n - query;
    if (slash > query) slash = query;
    size_t host = heaviest(toad__str_part(sent, 0, slash), '.'),
           path = heaviest(toad__str_part(sent, slash, query), '/');
    if (host > most) most = host;
    return path > most ? path : most;
}

size_t toad__deed_url_payload(toad_str text) {
    size_t most = 0;
    for (size_t at = toad__str_find(text, TOAD__S("://"), 0); at < text.n;
         at = toad__str_find(text, TOAD__S("://"), at)) {
        size_t end = at += 3;
        while (end < text.n && (unsigned char)text.p[end] > ' ' && !strchr("\"'<>", text.p[end])) end++;
        size_t weight = payload(toad__str_part(text, at, end));
        if (weight > most) most = weight;
        at = end;
    }
    return most;
}

/* memories.c - <memories><memory category="...">, the block docker agent puts before a turn. The text is XML-escaped,
 * so that it cannot close the tag; it is neutralized first, because a model reads &lt;/memory&gt; as well. */
#include "lib/wrap/envelope.h"

const char toad__memories_lead_in[] =
    "Relevant memories from previous interactions. Use them only when applicable to the user's request; do not "
    "mention this section to the user.";

static void write(const toad__sheet *s, toad__buf *out) {
    toad_str notice = toad__notice_text(s->options, TOAD_NOTICE_NONE);
    toad__buf_add_z(out, "<memories>\n");
    toad__buf_add_str(out, notice.n ? notice : toad__str_z(toad__memories_lead_in));
    toad__buf_add_z(out, "\n  <memory");
    if (s->source.n) {
        toad__buf_add_z(out, " category=\"");
        toad__add_xml(out, s->source);
        toad__buf_add_c(out, '"');
    }
    toad__buf_add_c(out, '>');
    toad__add_xml(out, s->content);
    toad__buf_add_z(out, "</memory>\n</memories>");
}

static void prepare(toad_str content, toad__buf *out) { toad__add_xml_chars(out, content); }

static bool read(toad_str text, size_t at, toad__parts *ret) {
    size_t i = toad__str_find(text, TOAD__S("\n  <memory"), at);
    size_t stop = toad__str_find(text, TOAD__S("</memory>\n</memories>"), at);
    if (i == text.n || stop == text.n) return false;
    i += sizeof "\n  <memory" - 1;
    ret->source = TOAD__S("");
    if (i < text.n && text.p[i] == ' ' && !toad__read_attribute(text, &i, "category", &ret->source)) return false;
    i = toad__after(text, i, ">");
    if (!i || i > stop) return false;
    ret->content = toad__str_part(text, i, stop);
    ret->end = stop + sizeof "</memory>\n</memories>" - 1;
    return true;
}

static void restore(const toad__parts *p, toad__buf *out) { toad__add_unescaped(out, p->content); }

const toad__family toad__family_memories = {
    .name = "memories",
    .title = "<memories><memory category=\"...\">, XML-escaped (docker agent)",
    .opener = "<memories>\n",
    .prepare = prepare,
    .write = write,
    .read = read,
    .restore = restore,
};

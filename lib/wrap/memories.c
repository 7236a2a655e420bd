/* memories.c - <memories><memory category="...">, the block docker agent puts before a turn. The text is XML-escaped,
 * so that it cannot close the tag; it is neutralized first, because a model reads &lt;/memory&gt; as well. */
#include "bezoar/memory.h"
#include "lib/wrap/envelope.h"

static const char lead_in[] =
    "Relevant memories from previous interactions. Use them only when applicable to the user's request; do not "
    "mention this section to the user.";

static void write(const bzr__sheet *s, bzr__buf *out) {
    bzr_str notice = bzr__notice_text(s->options, BZR_NOTICE_NONE);
    bzr__buf_add_z(out, "<memories>\n");
    bzr__buf_add_str(out, notice.n ? notice : BZR__S(lead_in));
    bzr__buf_add_z(out, "\n  <memory");
    if (s->source.n) {
        bzr__buf_add_z(out, " category=\"");
        bzr__add_xml(out, s->source);
        bzr__buf_add_c(out, '"');
    }
    bzr__buf_add_c(out, '>');
    bzr__add_xml(out, s->content);
    bzr__buf_add_z(out, "</memory>\n</memories>");
}

static void prepare(bzr_str content, bzr__buf *out) { bzr__add_xml_chars(out, content); }

static bool read(bzr_str text, size_t at, bzr__parts *ret) {
    size_t i = bzr__str_find(text, BZR__S("\n  <memory"), at);
    size_t stop = bzr__str_find(text, BZR__S("</memory>\n</memories>"), at);
    if (i == text.n || stop == text.n) return false;
    i += sizeof "\n  <memory" - 1;
    ret->source = BZR__S("");
    if (i < text.n && text.p[i] == ' ' && !bzr__read_attribute(text, &i, "category", &ret->source)) return false;
    i = bzr__after(text, i, ">");
    if (!i || i > stop) return false;
    ret->content = bzr__str_part(text, i, stop);
    ret->end = stop + sizeof "</memory>\n</memories>" - 1;
    return true;
}

static void restore(const bzr__parts *p, bzr__buf *out) { bzr__add_unescaped(out, p->content); }

const bzr__family bzr__family_memories = {
    .name = "memories",
    .title = "<memories><memory category=\"...\">, XML-escaped (docker agent, model of seed 003)",
    .opener = "<memories>\n",
    .prepare = prepare,
    .write = write,
    .read = read,
    .restore = restore,
};

bzr_status bzr_memories_xml(const bzr_memory_view *entries, size_t n, bzr_text **ret) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr__buf_add_z(&out, "<memories>\n");
    bzr__buf_add_z(&out, lead_in);
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_z(&out, "\n  <memory");
        if (entries[i].type.n) {
            bzr__buf_add_z(&out, " category=\"");
            bzr__add_xml(&out, entries[i].type);
            bzr__buf_add_c(&out, '"');
        }
        bzr__buf_add_c(&out, '>');
        bzr__add_xml(&out, entries[i].text);
        bzr__buf_add_z(&out, "</memory>");
    }
    bzr__buf_add_z(&out, "\n</memories>");
    return bzr__finish(&out, ret);
}

/* cmd_sources.c - `toadstone sources`: what is known of URLs and domains, and what you say of them. */
#include "app/records/sources.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

static toad_status list(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sources_list(host, a->limit, answer);
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sources_show(host, toad__str_z(a->operands[1]), answer);
}

static toad_status set(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sources_set(host, toad__str_z(a->operands[1]), toad__str_z(a->operands[2]), answer);
}

static const cli_column list_columns[] = {
    { "kind", "kind" },
    { "attributes.trust_score", "trust" },
    { "reputation", "reputation" },
    { "setting", "setting" },
    { "attributes.scan_count", "scanned" },
    { "attributes.blocked_count", "blocked" },
    { "attributes.warned_count", "warned" },
    { "attributes.last_scanned", "last scanned" },
    { "name", "name" },
};
static const cli_column show_columns[] = {
    { "name", "name" },
    { "kind", "kind" },
    { "domain", "domain" },
    { "attributes.trust_score", "trust" },
    { "reputation", "reputation" },
    { "attributes.domain_reputation", "domain's reputation" },
    { "setting", "setting" },
    { "attributes.scan_count", "scanned" },
    { "attributes.blocked_count", "blocked" },
    { "attributes.warned_count", "warned" },
    { "attributes.first_seen", "first seen" },
    { "attributes.last_scanned", "last scanned" },
    { "attributes.last_accessed", "last read" },
    { "attributes.content_ids", "contents" },
};
static const cli_column setting_columns[] = {
    { "kind", "kind" }, { "setting", "setting" }, { "set_at", "since" }, { "pattern", "for" }
};
static const cli_column set_columns[] = { { "kind", "kind" }, { "pattern", "for" }, { "setting", "setting" } };

static void print_list(const toad__json *answer) {
    const toad__json *settings = toad__json_get(answer, "settings");
    cli_table(toad__json_get(answer, "sources"), list_columns, sizeof list_columns / sizeof *list_columns,
              "no source yet");
    if (!settings || !settings->child) return;
    cli_print_z("\n");
    cli_table(settings, setting_columns, sizeof setting_columns / sizeof *setting_columns, "");
}

static const cli_act acts[] = {
    { .name = "list", .operands = "", .run = list, .print = print_list },
    { .name = "show",
      .operands = "URL|DOMAIN",
      .least = 1,
      .most = 1,
      .run = show,
      .columns = show_columns,
      .columns_n = sizeof show_columns / sizeof *show_columns },
    { .name = "set",
      .operands = "URL|DOMAIN|PATTERN trusted|blocked|auto_confirm|default",
      .least = 2,
      .most = 2,
      .run = set,
      .columns = set_columns,
      .columns_n = sizeof set_columns / sizeof *set_columns },
    { 0 },
};

int cmd_sources(args *a) { return cli_run_act(a, acts); }

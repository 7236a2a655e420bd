"""Toadstone: what stands between untrusted text and a language model.

    import toadstone
    seen = toadstone.guard(page, kind="web")    # what the model may see of it: seen.text
    toadstone.scan(page).action                 # "allow", "warn" or "block"

Text is str or bytes; a str is read as UTF-8, and all offsets are bytes of that. A function that fails raises Error: then nothing was decided,
and the text must not pass. Everything may be called from any thread; the lock of the interpreter is not held while the library works."""
from __future__ import annotations

import ctypes
import datetime
import functools
import json as _json
import threading
import weakref
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Callable, Literal, NamedTuple, TypedDict, Union

from . import _abi
from ._abi import Slice, Str, lib

_scan_json_into = lib["toad_scan_json_into"]  # without argument types: it is given ctypes objects alone, and to convert them takes as long as the call
_ROOM = ctypes.c_size_t(4096)  # bytes, for a verdict with a dozen findings; a longer one is made once more

Text = Union[str, bytes, bytearray, memoryview]
Action = Literal["allow", "warn", "redact", "ask", "block"]
Severity = Literal["none", "low", "medium", "high"]
Scope = Literal["relaxed", "strict"]
Kind = Literal["any", "web", "tool_result", "tool_description", "memory", "instruction_file", "email", "code", "search"]
Completeness = Literal["full", "size_limit", "decode_limit", "depth_limit", "match_limit", "time_limit"]
Envelope = Literal["openclaw", "ptc", "external_content", "untrusted_tool_result", "memories", "spotlight"]
Notice = Literal["default", "none", "short", "long", "search"]
Provenance = Literal["user", "agent", "external"]

__version__: str = lib.toad_version().decode()
catalogue_version: str = lib.toad_catalogue_version().decode()


class Error(Exception):
    """The library could not do its work. `status` is its number (toad_status)."""

    def __init__(self, status: int, message: str = "") -> None:
        self.status = status
        super().__init__(message or f"{lib.toad_status_message(status).decode()}; {lib.toad_status_help(status).decode()}")


class RuleError(Error):
    """A rule is not valid; the message says what is wrong and what would be right."""


class NotFound(Error):
    """There is none: no envelope, no memory entry, no prompt of that name."""


def _check(status: int) -> None:
    if status:
        raise (NotFound if status == -7 else Error)(status)


def _value(names: tuple[Any, ...], name: Any, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ValueError(f"{what} is one of {', '.join(names)}") from None


def _bytes(text: Text) -> bytes:
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:  # half a surrogate pair: U+FFFD, as everywhere else
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"text is str or bytes, not {type(text).__name__}")


def _in(text: Text) -> Str:
    data = _bytes(text)
    return Str(data, len(data))


def _z(text: str) -> bytes:
    """For the few arguments that end at NUL: one inside would cut them."""
    data = _bytes(text)
    if b"\0" in data:
        raise ValueError("NUL in a field of a rule")
    return data


def _out(s: Slice) -> str:
    return ctypes.string_at(s.p, s.n).decode("utf-8", "replace")


def _made(call: Callable[..., int], *arguments: Any) -> bytes:
    """The text that `call` makes into its last argument."""
    text = ctypes.c_void_p()
    _check(call(*arguments, ctypes.byref(text)))
    try:
        s = lib.toad_text_str(text)
        return ctypes.string_at(s.p, s.n)
    finally:
        lib.toad_text_free(text)


def _text(call: Callable[..., int], *arguments: Any) -> str:
    return _made(call, *arguments).decode("utf-8", "replace")


# ---- what comes out ----


class Finding(NamedTuple):
    """One match of one rule; start and end are bytes of the original text."""
    rule: str
    severity: Severity
    start: int
    end: int
    path: list[str]
    excerpt: str
    why: str
    decoded: str = ""


class Verdict:
    """What was found. `json` is its one line, the same bytes in every language; it is read when a member is asked for."""
    __slots__ = ("_line", "_read")
    _read: dict[str, Any]

    def __init__(self, line: bytes) -> None:
        self._line = line

    def _get(self, name: str) -> Any:
        try:
            return self._read[name]
        except AttributeError:
            self._read = _json.loads(self._line)
            return self._read[name]

    json = property(lambda self: self._line.decode("ascii"), doc="one line of JSON (docs/verdict.md)")

    action = property(lambda self: self._get("action"), doc="allow, warn or block, by the usual policy")
    severity = property(lambda self: self._get("severity"), doc="of the gravest finding, or none")
    completeness = property(lambda self: self._get("completeness"), doc="full, or what cut the scan short; not full and without finding is not clean")
    score = property(lambda self: self._get("score"), doc="how much it reads like an attack to the learned model, 0 to 1")
    bytes = property(lambda self: self._get("bytes"), doc="of the text")
    catalogue = property(lambda self: self._get("catalogue"), doc="version of the built-in rules")
    findings_total = property(lambda self: self._get("findings_total"), doc="how many there were; at most 1000 are kept")

    @property
    def findings(self) -> list[Finding]:
        return [Finding(**{k: f[k] for k in Finding._fields if k in f}) for f in self._get("findings")]

    def __repr__(self) -> str:
        return f"Verdict({self.json})"


class Guarded(NamedTuple):
    """What the model may see, and why."""
    text: str
    action: Action
    verdict: Verdict


class Removed(NamedTuple):
    name: str
    count: int  # type: ignore[assignment] # of a tuple, hidden by the field
    start: int
    end: int
    reported: bool


class Sanitized(NamedTuple):
    text: str
    removed: list[Removed]


class Unwrapped(NamedTuple):
    content: str
    source: str
    id: str
    envelope: Envelope
    genuine: bool


class Hidden(NamedTuple):
    text: str
    reason: str
    start: int
    end: int


class Link(NamedTuple):
    url: str
    start: int
    end: int
    auto_fetch: bool


class Extracted(NamedTuple):
    visible: str
    rendered: str
    title: str
    hidden: list[Hidden]
    links: list[Link]
    complete: bool


class MemoryEntry(NamedTuple):
    text: str
    provenance: Provenance
    source: str
    date: str


# ---- what goes in ----


class Policy(TypedDict, total=False):
    """What is done by severity, over the built-in policy of the kind."""
    none: Action
    low: Action
    medium: Action
    high: Action
    incomplete: Action


class Rule(TypedDict, total=False):
    """A rule of one's own (docs/rules.md); id, title, family, why, severity and patterns are needed."""
    id: str
    title: str
    family: str
    why: str
    severity: Severity
    hidden_severity: Severity
    scope: Scope
    skeleton: bool
    gate: str
    verify: str
    lang: str
    mapping: str
    patterns: list[str]


class WrapOptions(TypedDict, total=False):
    """As the arguments of wrap()."""
    envelope: Envelope
    source: str
    sender: str
    subject: str
    task: str
    notice: Notice
    notice_text: str | None
    id: str | Literal[False] | None
    preamble: bool
    keep_raw: bool
    quote_lines: bool
    spotlight: Literal["delimit", "datamark", "base64"]
    max_bytes: int


def _wrap_options(envelope: str = "openclaw", source: str = "", sender: str = "", subject: str = "", task: str = "", notice: str = "default",
                  notice_text: str | None = None, id: str | bool | None = None, preamble: bool = False, keep_raw: bool = False,
                  quote_lines: bool = False, spotlight: str = "delimit", max_bytes: int = 0) -> _abi.WrapOptions:
    if id is True or id == "":
        raise ValueError("id is the marker's own, None for a random one, or False for none")
    return _abi.WrapOptions(
        envelope=_value(_abi.ENVELOPES, envelope, "envelope"), source=_in(source), sender=_in(sender), subject=_in(subject), task=_in(task),
        notice=_value(_abi.NOTICES, notice if notice_text is None else "custom", "notice"), notice_text=_in(notice_text or ""),
        id_mode=0 if id is None else 2 if id is False else 1, id=_in(id or ""), preamble=preamble, keep_raw=keep_raw, quote_lines=quote_lines,
        spotlight=_value(_abi.SPOTLIGHTS, spotlight, "spotlight"), max_bytes=max_bytes)


@functools.lru_cache(maxsize=64)
def _scan_options(kind: str, scope: str, max_bytes: int) -> Any:
    """A reference to them, which keeps them; they are never changed."""
    return ctypes.byref(_abi.ScanOptions(scope=_value(_abi.SCOPES, scope, "scope"), kind=_value(_abi.KINDS, kind, "kind"), max_bytes=max_bytes))


def _policy(kind: int, over: Policy) -> _abi.Policy:
    policy: _abi.Policy = lib.toad_policy_for(kind)
    for severity, action in over.items():
        if severity not in Policy.__annotations__:
            raise ValueError(f"a policy has no {severity!r}")
        setattr(policy, severity, _value(_abi.ACTIONS, action, "an action"))
    return policy


def _rules(rules: Iterable[Rule]) -> ctypes.c_void_p:
    """The compiled rules, for toad_rules_free."""
    defs = []
    for rule in rules:
        unknown = rule.keys() - Rule.__annotations__.keys()
        if unknown:
            raise ValueError(f"a rule has no {sorted(unknown)[0]!r}")
        fields: dict[str, Any] = dict(rule)
        patterns = [_z(p) for p in fields.pop("patterns", [])]
        for name, names in (("severity", _abi.SEVERITIES), ("hidden_severity", _abi.SEVERITIES), ("scope", _abi.SCOPES)):
            if name in fields:
                fields[name] = _value(names, fields[name], name)
        fields = {k: _z(v) if isinstance(v, str) else v for k, v in fields.items()}
        defs.append(_abi.RuleDef(patterns=(ctypes.c_char_p * len(patterns))(*patterns), patterns_n=len(patterns), **fields))
    made, message = ctypes.c_void_p(), ctypes.create_string_buffer(400)
    status = lib.toad_rules_new((_abi.RuleDef * len(defs))(*defs), len(defs), ctypes.byref(made), message, len(message))
    if status == -5:
        raise RuleError(status, message.value.decode("utf-8", "replace"))
    _check(status)
    return made


class _Scanner:
    """The working memory of one call at a time, with the call's arguments: a scan of 2 KB takes less than 10 us, so that making them anew counts."""
    __slots__ = ("handle", "given", "room", "line", "length", "ret")

    def __init__(self, engine: ctypes.c_void_p) -> None:
        self.handle, self.given, room, self.length = ctypes.c_void_p(), Str(), ctypes.create_string_buffer(_ROOM.value), ctypes.c_size_t()
        self.line, self.room, self.ret = memoryview(room).cast("B"), ctypes.cast(room, ctypes.c_void_p), ctypes.byref(self.length)
        _check(lib.toad_scanner_new(engine, ctypes.byref(self.handle)))


def _release(handle: ctypes.c_void_p, idle: list[_Scanner]) -> None:
    for scanner in idle:
        lib.toad_scanner_free(scanner.handle)
    lib.toad_engine_free(handle)


class Engine:
    """The rules: the built-in catalogue, and over it rules of one's own. It never changes; any number of threads may use it.

    A scanner is the working memory of one call (about 3 MiB); as many are made as calls ever ran at once, and kept."""

    def __init__(self, rules: Iterable[Rule] = (), *, model: bool = True) -> None:
        rules = list(rules)
        self._handle, self._idle = ctypes.c_void_p(), list[_Scanner]()
        own = _rules(rules) if rules else None
        try:
            options = _abi.EngineOptions(rules=own, weights=Str(None if model else b"", 0))
            _check(lib.toad_engine_new(ctypes.byref(options), ctypes.byref(self._handle)))
        finally:
            lib.toad_rules_free(own)
        weakref.finalize(self, _release, self._handle, self._idle).atexit = False  # at exit another thread may still scan

    def _take(self) -> _Scanner:
        try:
            return self._idle.pop()
        except IndexError:
            return _Scanner(self._handle)

    def scan(self, text: Text, *, kind: Kind = "any", scope: Scope = "relaxed", max_bytes: int = 0) -> Verdict:
        """Any text to a verdict. Not full and without finding is not clean."""
        options, data = _scan_options(kind, scope, max_bytes), _bytes(text)
        scanner = self._take()
        given = scanner.given
        given.p, given.n = data, len(data)
        try:
            status = _scan_json_into(scanner.handle, given, options, scanner.room, _ROOM, scanner.ret)
            if not status:
                return Verdict(scanner.line[:scanner.length.value].tobytes())
            if status == -2:
                return Verdict(_made(lib.toad_scan_json, scanner.handle, given, options))
            raise Error(status)
        finally:
            given.p = None
            self._idle.append(scanner)

    def guard(self, text: Text, *, kind: Kind = "any", scope: Scope = "relaxed", max_bytes: int = 0, policy: Policy | None = None,
              wrap: WrapOptions | None = None, bare: bool = False) -> Guarded:
        """Scan, decide, and make what the model may see: the text in an envelope, without what was found, or a notice in its place.

        policy  What is done by severity, where it is not the built-in policy: {"high": "redact"}.
        wrap    The envelope (as the arguments of wrap()).
        bare    No envelope: what passes passes byte for byte."""
        envelope, given = _wrap_options(**(wrap or {})), _in(text)
        options = _abi.GuardOptions(scope=_value(_abi.SCOPES, scope, "scope"), kind=_value(_abi.KINDS, kind, "kind"), max_bytes=max_bytes,
                                    wrap=ctypes.pointer(envelope), flags=1 if bare else 0)
        if policy:
            options.policy = ctypes.pointer(_policy(options.kind, policy))
        made, scanner = ctypes.c_void_p(), self._take()
        try:
            _check(lib.toad_guard(scanner.handle, given, ctypes.byref(options), ctypes.byref(made)))
        finally:
            self._idle.append(scanner)
        try:
            action: Any = _abi.ACTIONS[lib.toad_guarded_action(made)]
            return Guarded(_out(lib.toad_guarded_text(made)), action, Verdict(_out(lib.toad_guarded_json(made)).encode()))
        finally:
            lib.toad_guarded_free(made)

    def stream(self, *, kind: Kind = "any", scope: Scope = "relaxed", max_bytes: int = 0) -> Stream:
        """A scan in chunks; the verdict is that of the whole text."""
        return Stream(self, _scan_options(kind, scope, max_bytes))


class Stream:
    """write() chunks, then close() gives the verdict. As a context manager it is closed at the end of the block, and `verdict` is set."""

    def __init__(self, engine: Engine, options: Any) -> None:
        self.verdict: Verdict | None = None
        self._lock, self._engine, self._stream = threading.Lock(), engine, ctypes.c_void_p()
        self._scanner: _Scanner | None = engine._take()
        status = lib.toad_stream_open(self._scanner.handle, options, ctypes.byref(self._stream))
        if status:
            engine._idle.append(self._scanner)
            self._scanner = None
            raise Error(status)

    def write(self, chunk: Text) -> None:
        """A str must be whole characters; bytes may be cut anywhere."""
        with self._lock:
            if not self._scanner:
                raise Error(-8)
            _check(lib.toad_stream_write(self._stream, _in(chunk)))

    def close(self) -> Verdict:
        with self._lock:
            if self.verdict:
                return self.verdict
            if not self._scanner:
                raise Error(-8)
            scanner, self._scanner, last = self._scanner, None, ctypes.c_void_p()
            try:
                _check(lib.toad_stream_close(self._stream, ctypes.byref(last)))
                self.verdict = Verdict(_made(lib.toad_verdict_json, last))
                return self.verdict
            finally:
                self._engine._idle.append(scanner)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not error:
            self.close()

    def __del__(self) -> None:
        scanner = getattr(self, "_scanner", None)
        if scanner:  # left open: the scanner is used up, and its stream with it
            lib.toad_scanner_free(scanner.handle)


# ---- the engine that everybody shares ----

_engine = Engine()
scan, guard, stream = _engine.scan, _engine.guard, _engine.stream


# ---- texts, without an engine ----


def sanitize(text: Text) -> Sanitized:
    """The text without what only serves to hide, and what that was."""
    removed = _abi.Removed()
    clean = _text(lambda *a: lib.toad_sanitize(*a, ctypes.byref(removed)), _in(text), None)
    sorts = [Removed(c.name.decode(), c.count, c.first.start, c.first.end, c.reported) for c in removed.list[:removed.n]]
    return Sanitized(clean, sorts)


def is_clean(text: Text) -> bool:
    """True where sanitize() would change nothing."""
    return bool(lib.toad_is_clean(_in(text)))


def wrap(text: Text, *, envelope: Envelope = "openclaw", source: str = "", sender: str = "", subject: str = "", task: str = "",
         notice: Notice = "default", notice_text: str | None = None, id: str | Literal[False] | None = None, preamble: bool = False,
         keep_raw: bool = False, quote_lines: bool = False, spotlight: Literal["delimit", "datamark", "base64"] = "delimit",
         max_bytes: int = 0) -> str:
    """The text in an envelope that it cannot end itself. id: the marker's own, None for a random one, False for none."""
    options = _wrap_options(envelope, source, sender, subject, task, notice, notice_text, id, preamble, keep_raw, quote_lines, spotlight, max_bytes)
    return _text(lib.toad_wrap, _in(text), ctypes.byref(options))


def neutralize(text: Text, *, sanitize: bool = False) -> str:
    """Only what wrap() does to the text: no marker and no template token is live in it."""
    return _text(lib.toad_neutralize, _in(text), sanitize)


def unwrap(text: Text, id: str = "") -> Unwrapped:
    """The first envelope of a text, taken apart. It is genuine only where an id was asked for and it bears that. Raises NotFound."""
    made = ctypes.c_void_p()
    _check(lib.toad_unwrap(_in(text), _in(id), ctypes.byref(made)))
    try:
        envelope: Any = _abi.ENVELOPES[lib.toad_unwrapped_envelope(made)]
        return Unwrapped(_out(lib.toad_unwrapped_content(made)), _out(lib.toad_unwrapped_source(made)), _out(lib.toad_unwrapped_id(made)),
                         envelope, lib.toad_unwrapped_genuine(made))
    finally:
        lib.toad_unwrapped_free(made)


def extract(text: Text, *, format: Literal["auto", "html", "markdown"] = "auto", render: Literal["none", "text", "markdown"] = "none") -> Extracted:
    """A page as a person sees it, what it keeps from them and why, and where it leads."""
    options = _abi.ExtractOptions(format=_value(_abi.FORMATS, format, "format"), render=_value(_abi.RENDERS, render, "render"))
    made = ctypes.c_void_p()
    _check(lib.toad_extract(_in(text), ctypes.byref(options), ctypes.byref(made)))
    try:
        hidden = (lib.toad_extracted_hidden(made, i) for i in range(lib.toad_extracted_hidden_count(made)))
        links = (lib.toad_extracted_link(made, i) for i in range(lib.toad_extracted_link_count(made)))
        return Extracted(_out(lib.toad_extracted_visible(made)), _out(lib.toad_extracted_rendered(made)), _out(lib.toad_extracted_title(made)),
                         [Hidden(_out(h.text), h.reason.decode(), h.span.start, h.span.end) for h in hidden],
                         [Link(_out(k.url), k.span.start, k.span.end, k.auto_fetch) for k in links], lib.toad_extracted_complete(made))
    finally:
        lib.toad_extracted_free(made)


def memory_line(text: Text, *, provenance: Provenance = "agent", date: str = "") -> str:
    """An entry of memory as a line of Markdown; date is YYYY-MM-DD, today where it is empty."""
    day = date or datetime.date.today().isoformat()
    return _text(lib.toad_memory_line, _in(text), _value(_abi.PROVENANCES, provenance, "provenance"), _in(day))


def memory_parse(line: Text) -> MemoryEntry:
    """What a line of memory says, and who authored it. Raises NotFound where no entry stands on the line."""
    made = ctypes.c_void_p()
    _check(lib.toad_memory_parse_line(_in(line), ctypes.byref(made)))
    try:
        provenance: Any = _abi.PROVENANCES[lib.toad_memory_entry_provenance(made)]
        return MemoryEntry(_out(lib.toad_memory_entry_text(made)), provenance, _out(lib.toad_memory_entry_source(made)),
                           _out(lib.toad_memory_entry_date(made)))
    finally:
        lib.toad_memory_entry_free(made)


def memory_prompt_line(text: Text, *, provenance: Provenance = "agent") -> str:
    """An entry of memory as one line of a system prompt."""
    return _text(lib.toad_memory_prompt_line, _in(text), _value(_abi.PROVENANCES, provenance, "provenance"))


def memory_refusal(rule: str) -> str:
    """The answer to a write of memory that is refused."""
    return _text(lib.toad_memory_refusal, _in(rule))


def memory_placeholder(rules: Iterable[str], entry: str) -> str:
    """What stands in a prompt in the place of a blocked entry."""
    ids = [_in(rule) for rule in rules]
    return _text(lib.toad_memory_placeholder, (Str * len(ids))(*ids), len(ids), _in(entry))


def prompt(name: str) -> str:
    """A section for a system prompt (docs/envelopes.md). Raises NotFound."""
    section = lib.toad_prompt_section(_in(name))
    if not section.p:
        raise NotFound(-7)
    return _out(section)

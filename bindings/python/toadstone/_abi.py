"""libtoadstone as ctypes sees it: structs, enums and functions of include/toadstone/*.h, and nothing else.

The library is the one beside this file (a wheel), the one that TOADSTONE_LIBRARY names, or the system's."""
import ctypes
import os
import pathlib
from typing import Any
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

# By value. tests/bindings holds them against the library's own names.
SEVERITIES = ("none", "low", "medium", "high")
ACTIONS = ("allow", "warn", "redact", "ask", "block")
SCOPES = ("relaxed", "strict")
KINDS = ("any", "web", "tool_result", "tool_description", "memory", "instruction_file", "email", "code", "search")
COMPLETENESS = ("full", "size_limit", "decode_limit", "depth_limit", "match_limit", "time_limit")
ENVELOPES = ("openclaw", "ptc", "external_content", "untrusted_tool_result", "memories", "spotlight")
NOTICES = ("default", "none", "short", "long", "search", "custom")
SPOTLIGHTS = ("delimit", "datamark", "base64")
PROVENANCES = ("user", "agent", "external")
FORMATS = ("auto", "html", "markdown")
RENDERS = ("none", "text", "markdown")


class Str(Structure):
    """A slice that we hand in: `p` keeps the bytes alive."""
    _fields_ = [("p", c_char_p), ("n", c_size_t)]


class Slice(Structure):
    """A slice that the library hands out."""
    _fields_ = [("p", c_void_p), ("n", c_size_t)]


class Span(Structure):
    _fields_ = [("start", c_uint64), ("end", c_uint64)]


class Sized(Structure):
    """Begins with its own size, and is all defaults otherwise."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(ctypes.sizeof(type(self)), **fields)


class EngineOptions(Sized):
    _fields_ = [("size", c_size_t), ("rules", c_void_p), ("weights", Str)]


class ScanOptions(Sized):
    _fields_ = [("size", c_size_t), ("scope", c_int), ("kind", c_int), ("max_bytes", c_uint64)]


class Policy(Structure):
    _fields_ = [(name, c_int) for name in ("none", "low", "medium", "high", "incomplete")]


class WrapOptions(Sized):
    _fields_ = [("size", c_size_t), ("envelope", c_int), ("source", Str), ("sender", Str), ("subject", Str), ("task", Str), ("notice", c_int),
                ("notice_text", Str), ("id_mode", c_int), ("id", Str), ("preamble", c_bool), ("keep_raw", c_bool), ("quote_lines", c_bool),
                ("spotlight", c_int), ("max_bytes", c_uint64), ("random", c_void_p), ("random_ctx", c_void_p)]


class GuardOptions(Sized):
    _fields_ = [("size", c_size_t), ("scope", c_int), ("kind", c_int), ("max_bytes", c_uint64), ("policy", POINTER(Policy)),
                ("wrap", POINTER(WrapOptions)), ("flags", c_uint64)]


class ExtractOptions(Sized):
    _fields_ = [("size", c_size_t), ("format", c_int), ("render", c_int)]


class Hidden(Structure):
    _fields_ = [("text", Slice), ("reason", c_char_p), ("span", Span)]


class Link(Structure):
    _fields_ = [("url", Slice), ("span", Span), ("auto_fetch", c_bool)]


class RemovedClass(Structure):
    _fields_ = [("name", c_char_p), ("count", c_uint32), ("first", Span), ("reported", c_bool)]


class Removed(Structure):
    _fields_ = [("n", c_size_t), ("list", RemovedClass * 24)]


class RuleDef(Sized):
    _fields_ = [("size", c_size_t), ("id", c_char_p), ("title", c_char_p), ("family", c_char_p), ("why", c_char_p), ("severity", c_int),
                ("hidden_severity", c_int), ("scope", c_int), ("skeleton", c_bool), ("gate", c_char_p), ("verify", c_char_p), ("lang", c_char_p),
                ("mapping", c_char_p), ("patterns", POINTER(c_char_p)), ("patterns_n", c_size_t)]


_P, _I, _N = c_void_p, c_int, c_size_t
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "version": (c_char_p,), "catalogue_version": (c_char_p,), "status_message": (c_char_p, _I), "status_help": (c_char_p, _I),
    "severity_name": (c_char_p, _I), "action_name": (c_char_p, _I), "completeness_name": (c_char_p, _I), "scope_name": (c_char_p, _I),
    "kind_name": (c_char_p, _I), "envelope_name": (c_char_p, _I), "provenance_name": (c_char_p, _I),
    "text_str": (Slice, _P), "text_free": (None, _P),
    "engine_new": (_I, _P, _P), "engine_free": (None, _P), "scanner_new": (_I, _P, _P), "scanner_free": (None, _P),
    "scan_json": (_I, _P, Str, _P, _P), "scan_json_into": (_I, _P, Str, _P, _P, _N, _P), "verdict_json": (_I, _P, _P),
    "stream_open": (_I, _P, _P, _P), "stream_write": (_I, _P, Str), "stream_close": (_I, _P, _P),
    "policy_for": (Policy, _I), "guard": (_I, _P, Str, _P, _P), "guarded_free": (None, _P), "guarded_text": (Slice, _P),
    "guarded_action": (_I, _P), "guarded_json": (Slice, _P),
    "sanitize": (_I, Str, _P, _P, _P), "is_clean": (c_bool, Str),
    "wrap": (_I, Str, _P, _P), "neutralize": (_I, Str, c_bool, _P), "unwrap": (_I, Str, Str, _P), "unwrapped_free": (None, _P),
    "unwrapped_content": (Slice, _P), "unwrapped_source": (Slice, _P), "unwrapped_id": (Slice, _P), "unwrapped_envelope": (_I, _P),
    "unwrapped_genuine": (c_bool, _P),
    "extract": (_I, Str, _P, _P), "extracted_free": (None, _P), "extracted_visible": (Slice, _P), "extracted_rendered": (Slice, _P),
    "extracted_title": (Slice, _P), "extracted_hidden_count": (_N, _P), "extracted_hidden": (Hidden, _P, _N),
    "extracted_link_count": (_N, _P), "extracted_link": (Link, _P, _N), "extracted_complete": (c_bool, _P),
    "rules_new": (_I, POINTER(RuleDef), _N, _P, c_char_p, _N), "rules_free": (None, _P),
    "memory_line": (_I, Str, _I, Str, _P), "memory_parse_line": (_I, Str, _P), "memory_entry_free": (None, _P),
    "memory_entry_text": (Slice, _P), "memory_entry_provenance": (_I, _P), "memory_entry_source": (Slice, _P), "memory_entry_date": (Slice, _P),
    "memory_prompt_line": (_I, Str, _I, _P), "memory_refusal": (_I, Str, _P), "memory_placeholder": (_I, POINTER(Str), _N, Str, _P),
    "prompt_section": (Slice, Str),
}


def _open() -> ctypes.CDLL:
    beside = pathlib.Path(__file__).with_name("libtoadstone.so")
    library = ctypes.CDLL(os.environ.get("TOADSTONE_LIBRARY") or (str(beside) if beside.exists() else "libtoadstone.so.0"))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = library["toad_" + name]
        function.restype, function.argtypes = result, arguments
        setattr(library, "toad_" + name, function)
    return library


lib = _open()

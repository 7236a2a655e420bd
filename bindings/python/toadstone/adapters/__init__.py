"""Adapters for frameworks, one a module; what they share is `seen`: from what a tool gave to what the model may see of it."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import toadstone

WITHHELD = "[Content withheld: it reads like an attack on its reader, or not all of it could be looked at.]"


def _texts(value: Any, found: list[str]) -> None:
    """Every text in a value: names as well as what they name, and bytes. What is none of the usual is what it is shown as."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        found.append(bytes(value).decode("utf-8", "replace"))
    elif isinstance(value, Mapping):
        for name, part in value.items():
            _texts(name, found)
            _texts(part, found)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            _texts(part, found)
    elif hasattr(value, "model_dump"):
        _texts(value.model_dump(), found)
    elif value is not None and not isinstance(value, (bool, int, float)):
        found.append(str(value))


def seen(value: Any, *, guard: Callable[..., toadstone.Guarded] | None = None, **options: Any) -> Any:
    """The value itself where it may pass, else the text that stands in its place. An error of ours is no reason to let anything pass.

    guard    In the place of the guard of the built-in rules: that of an Engine with rules of one's own.
    options  As of guard(); by default the text is the result of a tool, and the policy the built-in one."""
    try:
        found: list[str] = []
        _texts(value, found)
        result = (guard or toadstone.guard)("\n".join(found), **{"kind": "tool_result", **options, "bare": True})
        return value if result.action in ("allow", "warn") else result.text
    except Exception:  # whatever it is; nothing was decided
        return WITHHELD

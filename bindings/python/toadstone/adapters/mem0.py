"""mem0: memory = screened(Memory()). What add and update are to write is screened first, as strictly as memory is; a refused write raises Refused, and nothing
is written."""
from typing import Any

import toadstone

from . import seen


class Refused(ValueError):
    """Says which rule matched: {"success":false,"error":"Content blocked: ..."}."""


def before_write(content: Any, **options: Any) -> None:
    """Raise Refused where the content (a text, or messages) must not be remembered."""
    rules: list[str] = []

    def guard(text: str, **given: Any) -> toadstone.Guarded:
        result = (options.get("guard") or toadstone.guard)(text, **given)
        rules.extend(f.rule for f in result.verdict.findings)
        return result

    if seen(content, guard=guard, **{"kind": "memory", **{name: value for name, value in options.items() if name != "guard"}}) is not content:
        raise Refused(toadstone.memory_refusal(rules[0] if rules else "incomplete"))


def screened(memory: Any, **options: Any) -> Any:
    add, update = memory.add, memory.update

    def screened_add(messages: Any, *arguments: Any, **named: Any) -> Any:
        before_write(messages, **options)
        return add(messages, *arguments, **named)

    def screened_update(memory_id: Any, data: Any, *arguments: Any, **named: Any) -> Any:
        before_write(data, **options)
        return update(memory_id, data, *arguments, **named)

    memory.add, memory.update = screened_add, screened_update
    return memory

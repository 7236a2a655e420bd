"""pydantic-ai: Agent(..., capabilities=[Toadstone()]). A tool's result is screened before it is a message."""
from typing import Any

from pydantic_ai.capabilities import AbstractCapability

from . import seen


class Toadstone(AbstractCapability[Any]):
    def __init__(self, **options: Any) -> None:
        self.options = options

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        return seen(result, **self.options)

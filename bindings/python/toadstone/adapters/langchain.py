"""LangChain and LangGraph: create_agent(..., middleware=[Toadstone()]). A tool's result is screened before it is a message."""
from typing import Any

from langchain.agents.middleware import AgentMiddleware

from . import seen


class Toadstone(AgentMiddleware):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def _screened(self, result: Any) -> Any:
        """A message of a tool, or a command that has some."""
        update = getattr(result, "update", None)
        for message in update.get("messages", ()) if isinstance(update, dict) else [result]:
            content = getattr(message, "content", None)
            may = seen(content, **self.options)
            if may is not content:
                message.content, message.artifact = may, None
        return result

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._screened(handler(request))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._screened(await handler(request))

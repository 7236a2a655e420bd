"""MCP Python SDK: session = screened(ClientSession(read, write)). What servers answer is screened: a blocked result of a tool is an error of that tool, which says
so; tools whose description is blocked are not listed; anything else that is blocked is an McpError."""
from typing import Any

from mcp import McpError
from mcp.types import CallToolResult, ErrorData, TextContent

from . import WITHHELD, seen


def _result(given: Any, options: dict[str, Any]) -> Any:
    tools = getattr(given, "tools", None)
    if tools is not None:
        options = {"kind": "tool_description", **options}
        given.tools = [tool for tool in tools if seen(tool, **options) is tool]
    may = seen(given, **options)
    if may is given:
        return given
    if isinstance(given, CallToolResult):
        return CallToolResult(content=[TextContent(type="text", text=may)], isError=True)
    raise McpError(ErrorData(code=-32000, message=WITHHELD))


def screened(session: Any, **options: Any) -> Any:
    send = session.send_request

    async def send_request(*arguments: Any, **named: Any) -> Any:
        return _result(await send(*arguments, **named), options)

    session.send_request = send_request
    return session

"""OpenAI Agents SDK: function_tool(..., tool_output_guardrails=[toadstone()]). Its guardrails replace a result or let it pass; what is redacted is replaced by
what is left."""
from typing import Any

from agents import ToolGuardrailFunctionOutput, ToolOutputGuardrail

from . import seen


def toadstone(**options: Any) -> ToolOutputGuardrail:
    def screen(data: Any) -> ToolGuardrailFunctionOutput:
        may = seen(data.output, **options)
        return ToolGuardrailFunctionOutput.allow() if may is data.output else ToolGuardrailFunctionOutput.reject_content(message=may)

    return ToolOutputGuardrail(guardrail_function=screen, name="toadstone")

"""LiteLLM's proxy: guardrail: toadstone.adapters.litellm.Toadstone. What is sent to a model is screened, text by text; what a model answers is not."""
from typing import Any

from litellm.integrations.custom_guardrail import CustomGuardrail

from . import seen


class Toadstone(CustomGuardrail):
    def __init__(self, screen: Any = None, **kwargs: Any) -> None:
        self.screen = screen or {}
        super().__init__(**kwargs)

    async def apply_guardrail(self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None) -> Any:
        if input_type == "request":
            inputs["texts"] = [seen(text, **self.screen) for text in inputs.get("texts") or []]
        return inputs

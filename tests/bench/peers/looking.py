"""The least that a guard in LiteLLM's proxy does: it reads the answer and lets it pass.

A copy of this file stands beside LiteLLM's configuration and runs in LiteLLM's environment, so that
it imports nothing of the bench.
"""

import os
import re
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any, TypeAlias

from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

Request: TypeAlias = dict[str, Any]
# Named by the bench, so that every peer looks for the same.
RULE = re.compile(os.environ["LOOKED_FOR"])


class Look(CustomLogger):
    async def async_post_call_success_hook(
        self, data: Request, user_api_key_dict: object, response: object
    ) -> object:
        assert isinstance(response, ModelResponse)
        for choice in response.choices:
            refuse_if_found(choice.message.content or "")
        return response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: object,
        response: AsyncIterable[ModelResponseStream],
        request_data: Request,
    ) -> AsyncGenerator[ModelResponseStream, None]:
        said: list[str] = []
        async for chunk in response:
            said.extend(choice.delta.content or "" for choice in chunk.choices)
            yield chunk
        refuse_if_found("".join(said))


def refuse_if_found(answer: str) -> None:
    if RULE.search(answer):
        raise ValueError("the answer has what it must not have")


look = Look()

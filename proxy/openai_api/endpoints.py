"""All endpoints whose answers are guarded."""

from typing import Any, Final

from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.completions import CompletionsEndpoint
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.responses import ResponsesEndpoint

ENDPOINTS: Final[tuple[Endpoint[Any], ...]] = (
    ChatEndpoint(),
    ResponsesEndpoint(),
    CompletionsEndpoint(),
)

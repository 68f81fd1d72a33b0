"""All doors: the endpoints whose answers are guarded."""

from typing import Any, Final

from proxy.openai_api.chat import ChatDoor
from proxy.openai_api.completions import CompletionsDoor
from proxy.openai_api.door import Door
from proxy.openai_api.responses import ResponsesDoor

DOORS: Final[tuple[Door[Any], ...]] = (ChatDoor(), ResponsesDoor(), CompletionsDoor())

"""A scripted model server that remembers what it was asked."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from proxy.demo import Said, Script, model_server
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.pipeline.regeneration import OPENING
from proxy.server.serving import served


@dataclass
class ScriptedUpstream:
    """What it says is decided by `script`; `requests` holds every body it was sent."""

    script: Script = field(default=lambda _: Said(("네.",)))
    requests: list[JsonObject] = field(default_factory=list)
    address: str = ""

    def tidied(self) -> "ScriptedUpstream":
        """Forget what was asked and what was to be said."""
        self.requests.clear()
        self.script = ScriptedUpstream().script
        return self

    def says(self, *texts: str) -> None:
        """Say the first text; when told what was wrong, the second (or the first again)."""
        self.script = lambda body: Said((texts[-1] if is_second_attempt(body) else texts[0],))

    def says_choices(self, first: Sequence[str], second: Sequence[str] = ()) -> None:
        """Say several choices, and others when told what was wrong."""
        self.script = lambda body: Said(second if is_second_attempt(body) else first)

    def _answer(self, body: JsonObject) -> Said:
        self.requests.append(body)
        return self.script(body)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["ScriptedUpstream", None]:
        async with served(model_server(self._answer)) as self.address:
            yield self


def is_second_attempt(body: JsonObject) -> bool:
    return OPENING in str(member(objects(body.get("messages"))[-1], "content"))

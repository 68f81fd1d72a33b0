"""A set without a model: a scripted model server, and a proxy by the policy that is tried out.

Both listen on loopback and are gone with the block. The model says what each case says that it
says; a case is known by a tag in the request's `metadata`, and the second attempt by the note that
the proxy adds. The policy is what it would be for its tenant, without what asks other servers (a
judge) or counts requests.
"""

import contextlib
import json
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

from policies.schema.keys import new_key
from policies.schema.policy import Policy
from proxy.app import create_app, open_services
from proxy.demo.model_server import MODEL, Said, Script, model_server
from proxy.golden.client import Target
from proxy.golden.shape import GoldenSet
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.pipeline.regeneration import OPENING
from proxy.server.serving import served
from proxy.settings import Settings

TENANT = "golden"
_TAG = "golden_turn"
_LEFT_OUT = {"extends", "tenant", "keys", "upstream", "judge", "shadow_policy", "limits"}


def tagged(body: JsonObject, case: str, turn: int) -> JsonObject:
    """Return a request's body with the mark by which the script knows its turn."""
    own = body.get("metadata")
    known = own if isinstance(own, dict) else {}
    return body | {"metadata": known | {_TAG: _tag_of(case, turn)}}


def script_of(golden: GoldenSet) -> Script:
    """Return what the model says in each turn of a set."""
    lines: Mapping[str, Sequence[str]] = {
        _tag_of(case.id, number): turn.model or ("",)
        for case in golden.cases
        for number, turn in enumerate(case.asked)
    }

    def say(body: JsonObject) -> Said:
        texts = lines[str(member(body.get("metadata"), _TAG))]
        asked = str(member(objects(body.get("messages"))[-1], "content"))
        return Said((texts[-1 if OPENING in asked else 0],))

    return say


@contextlib.asynccontextmanager
async def scripted(
    golden: GoldenSet, policy: Policy, timeout_s: float
) -> AsyncGenerator[Target, None]:
    """Run both servers inside this block; yields who is to be asked.

    Raises:
        PolicyError: the policy cannot serve a tenant.
    """
    key, hashed = new_key(TENANT)
    with tempfile.TemporaryDirectory(prefix="guard-proxy-eval-") as name:
        async with served(model_server(script_of(golden))) as model:
            folder = Path(name) / "policies"
            folder.mkdir()
            text = _tenant_file(policy, hashed, model)
            (folder / f"{TENANT}.yaml").write_text(text, encoding="utf-8")
            # The machine's own settings are those of its service, not of this one.
            settings = Settings.model_construct(
                policies=folder, sqlite_path=Path(name) / "traces.sqlite3"
            )
            async with (
                open_services(settings, telemetry_wanted=False) as services,
                served(create_app(services)) as proxy,
            ):
                yield Target(f"{proxy}/v1", MODEL, key, timeout_s)


def _tag_of(case: str, turn: int) -> str:
    return f"{turn}:{case}"


def _tenant_file(policy: Policy, hashed: str, model: str) -> str:
    own = policy.model_dump(mode="json", exclude=_LEFT_OUT)
    serving = {"tenant": TENANT, "keys": [hashed], "upstream": {"base_url": f"{model}/v1"}}
    return json.dumps(own | serving, ensure_ascii=False)  # which is YAML as well

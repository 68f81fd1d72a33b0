"""What is refused by design, row by row, and that nothing of OpenAI's client is left unsaid."""

import re
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from policies.schema.passing import WITHOUT_ANSWERS, open_methods, read_rule
from proxy.openai_api.endpoints import ENDPOINTS as GUARDED_ENDPOINTS
from tests.fakes.open_upstream import OpenUpstream
from tests.fakes.running_proxy import RunningProxy
from tests.flow.passing import Both, ask, error_of
from tests.flow.refusals import BODIES, ENDPOINTS, REQUESTS, Refusal, fields, stored_state
from tests.tables import each_row

GUARDED = {("POST", f"/{door.path}") for door in GUARDED_ENDPOINTS}
_CALL = re.compile(
    r"self\._(get_api_list|get|post|delete|put|patch)\(\s*(?:path_template\(\s*)?\"(/[^\"?]*)"
)


def calls_of_the_sdk() -> Iterator[tuple[str, str]]:
    """Yield method and path of every call that OpenAI's client for Python can make."""
    resources = Path(openai.__file__).parent / "resources"
    for module in sorted(resources.rglob("*.py")):
        for method, path in _CALL.findall(module.read_text(encoding="utf-8")):
            verb = "GET" if method == "get_api_list" else method.upper()
            yield verb, re.sub(r"\{\w+\}", "x_1", path)


CALLS = sorted({call for call in calls_of_the_sdk() if call not in GUARDED})


def is_open(method: str, path: str) -> bool:
    """Tell whether the default policy hands a call through."""
    return method in open_methods(WITHOUT_ANSWERS, tuple(path[1:].split("/")))


@pytest.fixture
def proxy(both: Both) -> RunningProxy:
    return both[0]


@pytest.fixture
def upstream(both: Both) -> OpenUpstream:
    return both[1].tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


@each_row("refusal", {each.what: each for each in (*fields(), *REQUESTS, *stored_state())})
async def test_what_is_refused_reaches_no_model_server(
    proxy: RunningProxy, upstream: OpenUpstream, refusal: Refusal
) -> None:
    upstream.tidied()
    reply = await ask(
        proxy,
        refusal.method,
        refusal.path,
        tenant=refusal.tenant,
        content=refusal.content,
        headers=[*refusal.headers],
    )

    error = error_of(reply, refusal.status)
    assert error["code"] == refusal.code
    if refusal.param is not None:
        assert error["param"] == refusal.param
    assert upstream.visits == []


@each_row("path", [*BODIES])
async def test_without_what_is_refused_the_model_server_is_asked(
    proxy: RunningProxy, upstream: OpenUpstream, path: str
) -> None:
    upstream.tidied()
    await proxy.client.post(
        f"{proxy.base_url}/{path}",
        json=BODIES[path],
        headers={"authorization": f"Bearer {proxy.keys['open']}"},
    )

    assert len(upstream.visits) == 1


@each_row("method, path", CALLS)
async def test_every_call_of_the_client_is_passed_or_in_the_table(
    proxy: RunningProxy, upstream: OpenUpstream, method: str, path: str
) -> None:
    segments = tuple(path[1:].split("/"))
    rules = [read_rule(rule) for closed in ENDPOINTS for rule in closed.rules]
    named = [rule for rule in rules if rule.fits(segments) and method in rule.methods]

    upstream.tidied()
    reply = await ask(proxy, method, path, headers=[("content-type", "application/json")])

    if is_open(method, path):
        assert reply.status_code == 200
        assert named == []
    elif path == "/chat/completions":
        assert reply.status_code == 405
    else:
        assert reply.status_code in (404, 405)
        assert upstream.visits == []
        assert named, f"no row tells of {method} {path}"


async def test_the_client_was_searched_for_its_calls() -> None:
    assert len(CALLS) > 300
    assert {("GET", "/models"), ("POST", "/batches"), ("DELETE", "/responses/x_1")} <= {*CALLS}

import json
from collections.abc import AsyncGenerator

import httpx
import openai
import pytest
import pytest_asyncio
from pydantic import JsonValue

from tests.fakes.log_lines import json_logs
from tests.fakes.open_upstream import OpenUpstream
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.flow.passing import (
    ANYTHING,
    Both,
    ask,
    error_of,
    eventually_passed,
    open_both,
    passed,
    says_json,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Both, None]:
    async with open_both(tmp_path_factory.mktemp("passing")) as opened:
        yield opened


@pytest.fixture
def proxy(both: Both) -> RunningProxy:
    return both[0]


@pytest.fixture
def upstream(both: Both) -> OpenUpstream:
    return both[1].tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


# What a policy opens.

RULES = [
    pytest.param("narrow", "GET", "/files/f", 200, id="one-segment"),
    pytest.param("narrow", "HEAD", "/files/f", 200, id="get-opens-head"),
    pytest.param("narrow", "DELETE", "/files/f/content", 200, id="one-of-several-methods"),
    pytest.param("narrow", "POST", "/rerank", 200, id="endpoint-of-another-make"),
    pytest.param("narrow", "GET", "/files", 404, id="a-segment-too-few"),
    pytest.param("narrow", "GET", "/files/f/g/h", 404, id="a-segment-too-many"),
    pytest.param("narrow", "POST", "/embeddings", 404, id="a-default-that-was-taken-away"),
    pytest.param("narrow", "DELETE", "/files/f", 405, id="another-method"),
    pytest.param("closed", "GET", "/models", 404, id="nothing-is-open"),
    pytest.param("open", "GET", "/responses/resp_1", 200, id="an-answer-that-was-opened"),
    pytest.param("open", "POST", "/batches", 200, id="everything-is-open"),
    pytest.param("open", "POST", "/engines/m/completions", 404, id="ends-as-a-guarded-one"),
    pytest.param("open", "GET", "/organization/usage/completions", 200, id="counts-of-requests"),
    pytest.param("app", "GET", "/organization/usage/completions", 404, id="counts-not-opened"),
    pytest.param("open", "GET", "/organization/users/completions", 404, id="not-those-counts"),
    pytest.param("open", "GET", "/chat/completions", 405, id="guarded-with-another-method"),
    pytest.param("app", "GET", "/responses/resp_1", 404, id="answers-are-closed-by-default"),
    pytest.param("app", "GET", "/batches/b", 404, id="batches-are-closed-by-default"),
]


@pytest.mark.parametrize(("tenant", "method", "path", "status"), RULES)
async def test_what_the_policy_opens_is_handed_through(
    proxy: RunningProxy,
    upstream: OpenUpstream,
    tenant: str,
    method: str,
    path: str,
    status: int,
) -> None:
    before = passed(proxy, tenant, status)

    reply = await ask(proxy, method, path, tenant=tenant)

    assert reply.status_code == status
    assert len(upstream.visits) == (status == 200)
    await eventually_passed(proxy, tenant, status, before + 1)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/files/f", "GET, HEAD, OPTIONS"), ("/chat/completions", "OPTIONS, POST")],
)
async def test_options_name_the_methods(
    proxy: RunningProxy, upstream: OpenUpstream, path: str, allowed: str
) -> None:
    reply = await ask(proxy, "OPTIONS", path, tenant="narrow")

    assert (reply.status_code, reply.headers["allow"]) == (204, allowed)
    assert upstream.visits == []


@pytest.mark.parametrize("path", ["/files", "/batches", "/nothing", "/chat/completions", ""])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_without_a_key_nothing_is_told_about_a_path(
    proxy: RunningProxy, upstream: OpenUpstream, method: str, path: str
) -> None:
    reply = await proxy.client.request(method, f"{proxy.base_url}{path}")

    assert error_of(reply, 401)["code"] == "invalid_api_key"
    assert upstream.visits == []


async def test_what_a_policy_opens_at_a_risk_is_logged_at_the_start(
    tmp_path_factory: pytest.TempPathFactory,
    upstream: OpenUpstream,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path_factory.mktemp("warned")

    with json_logs():
        async with running_proxy(folder, upstream, "passthrough:\n  - /batches/**\n"):
            pass

    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["level"]) == ("policy.odd", "warning")
    assert "app.yaml:8:5: passthrough[0]: lets answers out that no guard has seen" in line["said"]


# A tenant with a list of models.


async def ask_json(
    proxy: RunningProxy, path: str, body: JsonValue, *, tenant: str = "listed"
) -> httpx.Response:
    content = json.dumps(body).encode()
    return await ask(
        proxy, "POST", path, tenant=tenant, content=content, headers=[("content-type", "text/json")]
    )


async def test_a_listed_model_gets_its_servers_name(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    for path in ("/embeddings", "/images/generations", "/moderations"):
        await ask_json(proxy, path, {"model": "public", "input": "가"})

    assert [json.loads(body)["model"] for body in upstream.bodies] == ["private"] * 3


FORM = "application/x-www-form-urlencoded"
NOT_LISTED = [
    pytest.param("/embeddings", {"model": "private"}, 404, id="another-model"),
    pytest.param("/moderations", {"input": "가"}, 400, id="no-model"),
    pytest.param("/embeddings", {"model": ["public"]}, 400, id="not-a-name"),
    pytest.param("/embeddings", ["public"], 400, id="not-an-object"),
    pytest.param("/embeddings?model=private", {"model": "public"}, 400, id="in-the-query"),
    pytest.param("/embeddings?a=1;%6dodel=x", {"model": "public"}, 400, id="hidden-in-the-query"),
]


@pytest.mark.parametrize(("path", "body", "status"), NOT_LISTED)
async def test_no_other_model_is_reached_by_json(
    proxy: RunningProxy, upstream: OpenUpstream, path: str, body: JsonValue, status: int
) -> None:
    reply = await ask_json(proxy, path, body)

    error_of(reply, status)
    assert upstream.visits == []


@pytest.mark.parametrize("model", ["private", "public"])
async def test_no_model_is_reached_by_a_form(
    proxy: RunningProxy, upstream: OpenUpstream, model: str
) -> None:
    async with proxy.sdk("listed") as client:
        with pytest.raises(openai.BadRequestError) as caught:
            await client.audio.transcriptions.create(model=model, file=("a.wav", b"RIFF"))

    assert caught.value.param == "model"
    assert upstream.visits == []


@pytest.mark.parametrize("types", [("text/json", FORM), (FORM, "text/json")])
async def test_no_model_is_reached_by_what_is_a_form_as_well(
    proxy: RunningProxy, upstream: OpenUpstream, types: tuple[str, str]
) -> None:
    reply = await ask(
        proxy,
        "POST",
        "/embeddings",
        tenant="listed",
        content=b'{"model": "public", "input": "&model=private&"}',
        headers=[("content-type", each) for each in types],
    )

    error_of(reply, 400)
    assert upstream.visits == []


async def test_files_name_no_model_and_travel_as_they_are(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"id": "file-1", "object": "file"})

    async with proxy.sdk("listed") as client:
        await client.files.create(file=("a.txt", ANYTHING), purpose="user_data")

    assert ANYTHING in upstream.bodies[0]


@pytest.mark.parametrize("tenant", ["listed", "open-listed"])
async def test_the_list_of_models_is_the_tenants_own(
    proxy: RunningProxy, upstream: OpenUpstream, tenant: str
) -> None:
    async with proxy.sdk(tenant) as client:
        names = [model.id async for model in client.models.list()]
    others = await ask(proxy, "GET", "/models/private", tenant=tenant)
    removed = await ask(proxy, "DELETE", "/models/public", tenant=tenant)

    assert "public" in names
    assert "private" not in names
    assert (others.status_code, removed.status_code) == (404, 405)
    assert upstream.visits == []

import json
from collections.abc import AsyncGenerator

import openai
import pytest
import pytest_asyncio
from pydantic import JsonValue

from tests.fakes.open_upstream import OpenUpstream
from tests.fakes.running_proxy import RunningProxy
from tests.flow.passing import ANYTHING, JSON, Both, open_both, says_json


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


# The real client.


async def test_the_sdk_lists_models(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    model: JsonValue = {"id": "m", "object": "model", "created": 1, "owned_by": "someone"}
    says_json(upstream, {"object": "list", "data": [model]})

    async with proxy.sdk() as client:
        names = [each.id async for each in client.models.list()]

    assert names == ["m"]


async def test_the_sdk_looks_up_a_model_with_a_slash_in_its_name(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"id": "org/m", "object": "model", "created": 1, "owned_by": "org"})

    async with proxy.sdk() as client:
        model = await client.models.retrieve("org/m")

    assert (model.id, upstream.visits[0].target) == ("org/m", "/v1/models/org/m")


async def test_the_sdk_gets_embeddings(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    vector: JsonValue = {"object": "embedding", "index": 0, "embedding": [0.5, 1.0]}
    says_json(upstream, {"object": "list", "data": [vector], "model": "m", "usage": {}})

    async with proxy.sdk() as client:
        reply = await client.embeddings.create(model="m", input="가", encoding_format="float")

    assert reply.data[0].embedding == [0.5, 1.0]
    assert json.loads(upstream.bodies[0])["input"] == "가"


async def test_the_sdk_moderates_a_text(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    result: JsonValue = {"flagged": False, "categories": {}, "category_scores": {}}
    says_json(upstream, {"id": "modr-1", "model": "m", "results": [result]})

    async with proxy.sdk() as client:
        reply = await client.moderations.create(input="안녕하세요")

    assert reply.results[0].flagged is False


async def test_the_sdk_draws_an_image(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    says_json(upstream, {"created": 1, "data": [{"b64_json": "aGk="}]})

    async with proxy.sdk() as client:
        reply = await client.images.generate(model="m", prompt="바다")

    assert reply.data is not None
    assert reply.data[0].b64_json == "aGk="


async def test_the_sdk_has_a_sound_file_transcribed(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"text": "안녕하세요"})

    async with proxy.sdk() as client:
        reply = await client.audio.transcriptions.create(
            model="whisper", file=("말.wav", ANYTHING, "audio/wav")
        )

    [visit] = upstream.visits
    [kind] = visit.values("content-type")
    boundary = kind.partition("boundary=")[2].encode()
    assert reply.text == "안녕하세요"
    assert upstream.bodies[0].startswith(b"--" + boundary)
    assert ANYTHING in upstream.bodies[0]
    assert visit.values("content-length") == [str(len(upstream.bodies[0]))]


async def test_the_sdk_keeps_files(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    file: JsonValue = {
        "id": "file-1",
        "object": "file",
        "bytes": 4,
        "created_at": 1,
        "filename": "규정.txt",
        "purpose": "user_data",
        "status": "processed",
    }
    async with proxy.sdk() as client:
        says_json(upstream, file)
        created = await client.files.create(file=("규정.txt", b"text"), purpose="user_data")
        upstream.says(ANYTHING, (b"content-type", b"application/octet-stream"))
        content = await client.files.content("file-1")
        says_json(upstream, {"id": "file-1", "object": "file", "deleted": True})
        deleted = await client.files.delete("file-1")

    assert (created.id, content.content, deleted.deleted) == ("file-1", ANYTHING, True)
    assert [(visit.method, visit.target) for visit in upstream.visits] == [
        ("POST", "/v1/files"),
        ("GET", "/v1/files/file-1/content"),
        ("DELETE", "/v1/files/file-1"),
    ]


async def test_the_sdk_raises_the_model_servers_own_error(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    error: JsonValue = {"message": "no such file", "type": "t", "param": "id", "code": "gone"}
    upstream.says(json.dumps({"error": error}).encode(), JSON, status=404)

    async with proxy.sdk() as client:
        with pytest.raises(openai.NotFoundError) as caught:
            await client.files.retrieve("file-9")

    assert caught.value.body == error

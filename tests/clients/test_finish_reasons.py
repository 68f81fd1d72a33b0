"""Clients and the two values of `replacement.finish_reason`; the docs say the same in a table."""

import openai
import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai.chat_models.base import OpenAIRefusalError
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel

from proxy.demo import MODEL
from tests.clients.endpoint_server import EndpointRig
from tests.clients.langchain_app import Place, langchain_app
from tests.clients.node_packages import why_not
from tests.clients.processes import Client
from tests.fakes.rig import Rig
from tests.flow.canteen import CHINESE, LANGUAGE_TEMPLATE, QUESTION

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
REASONS = [pytest.param("app", "stop"), pytest.param("filtering", "content_filter")]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def bad(rig: Rig) -> Rig:
    """A rig whose model server never says anything that may leave."""
    rig.scripted.says(CHINESE)
    return rig


def action(reply: BaseModel) -> object:
    """Return what a reply, a chunk or a response says was done."""
    return (reply.model_extra or {})["guard"]["action"]


@pytest.mark.parametrize(("tenant", "reason"), REASONS)
async def test_python_hands_over_the_text_of_a_plain_call(
    bad: Rig, tenant: str, reason: str
) -> None:
    async with bad.proxy.sdk(tenant) as client:
        reply = await client.chat.completions.create(model=MODEL, messages=ASKED)
        stream = await client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        chunks = [chunk async for chunk in stream]

    assert reply.choices[0].message.content == LANGUAGE_TEMPLATE
    assert "".join(one.choices[0].delta.content or "" for one in chunks) == LANGUAGE_TEMPLATE
    assert reply.choices[0].finish_reason == chunks[-1].choices[0].finish_reason == reason
    assert action(reply) == action(chunks[-1]) == "replace"


async def test_python_refuses_to_parse_what_ends_with_content_filter(bad: Rig) -> None:
    async with bad.proxy.sdk("filtering") as client:
        chat = client.chat.completions
        with pytest.raises(openai.ContentFilterFinishReasonError) as plain:
            await chat.parse(model=MODEL, messages=ASKED)
        with pytest.raises(openai.ContentFilterFinishReasonError):
            await chat.parse(model=MODEL, messages=ASKED, response_format=Place)
        async with chat.stream(model=MODEL, messages=ASKED) as stream:
            with pytest.raises(openai.ContentFilterFinishReasonError):
                await stream.get_final_completion()
        async with chat.stream(model=MODEL, messages=ASKED, response_format=Place) as parsed:
            with pytest.raises(openai.ContentFilterFinishReasonError):
                await parsed.until_done()

    assert plain.value.completion is not None
    assert action(plain.value.completion) == "replace"


async def test_python_hands_over_a_refusal_that_ends_with_stop(bad: Rig) -> None:
    async with bad.proxy.sdk() as client:
        reply = await client.chat.completions.parse(
            model=MODEL, messages=ASKED, response_format=Place
        )

    message = reply.choices[0].message
    assert (message.parsed, message.refusal) == (None, LANGUAGE_TEMPLATE)
    assert action(reply) == "replace"


@pytest.mark.parametrize(
    ("tenant", "status", "detail"),
    [
        pytest.param("app", "completed", None, id="stop"),
        pytest.param("filtering", "incomplete", "content_filter", id="content_filter"),
    ],
)
async def test_a_response_is_incomplete_where_it_was_filtered(
    doors: EndpointRig, tenant: str, status: str, detail: str | None
) -> None:
    doors.server.says(CHINESE)

    async with doors.proxy.sdk(tenant) as client:
        plain = await client.responses.create(model=MODEL, input=QUESTION)
        parsed = await client.responses.parse(model=MODEL, input=QUESTION, text_format=Place)
        events = [
            event
            async for event in await client.responses.create(
                model=MODEL, input=QUESTION, stream=True
            )
        ]

    last = events[-1]
    assert last.type == f"response.{status}"
    assert last.type in ("response.completed", "response.incomplete")
    assert plain.output_text == last.response.output_text == LANGUAGE_TEMPLATE
    for response in (plain, parsed, last.response):
        details = response.incomplete_details
        assert (response.status, details and details.reason) == (status, detail)
        assert action(response) == "replace"
    assert parsed.output_parsed is None


@pytest.mark.skipif(bool(why_not()), reason="the clients for Node are not there")
@pytest.mark.parametrize(
    ("tenant", "reason", "error"),
    [
        pytest.param("app", "stop", None),
        pytest.param("filtering", "content_filter", "ContentFilterFinishReasonError"),
    ],
)
async def test_node_refuses_to_parse_it_too(
    bad: Rig, node: Client, tenant: str, reason: str, error: str | None
) -> None:
    assert await node.as_tenant(tenant).run("openai_chat", "ended") == {
        "finishes": [reason] * 2,
        "actions": ["replace"] * 2,
        "error": error,
    }


@pytest.mark.skipif(bool(why_not()), reason="the clients for Node are not there")
async def test_node_hands_over_the_text_of_an_incomplete_response(
    doors: EndpointRig, node_at_doors: Client
) -> None:
    doors.server.says(CHINESE)

    assert await node_at_doors.as_tenant("filtering").run("openai_endpoints", "responses") == {
        "plain": LANGUAGE_TEMPLATE,
        "status": "incomplete",
        "streamed": LANGUAGE_TEMPLATE,
        "ends": ["response.created", "response.incomplete"],
        "whole": LANGUAGE_TEMPLATE,
    }


@pytest.mark.parametrize(
    ("tenant", "reason", "error"),
    [
        pytest.param("app", "stop", OpenAIRefusalError),
        pytest.param("filtering", "content_filter", openai.ContentFilterFinishReasonError),
    ],
)
async def test_langchain_hands_over_the_text_and_raises_for_structured_output(
    bad: Rig, tenant: str, reason: str, error: type[Exception]
) -> None:
    async with langchain_app(bad.proxy) as app:
        model = app.chat_model(tenant)
        plain = await model.ainvoke(QUESTION)
        first, *others = [chunk async for chunk in model.astream(QUESTION)]
        structured = model.with_structured_output(Place, method="json_schema")
        with pytest.raises(error):
            await structured.ainvoke(QUESTION)

    streamed = sum(others, first)
    assert isinstance(streamed, AIMessageChunk)
    for message in (plain, streamed):
        assert message.text == LANGUAGE_TEMPLATE
        assert message.response_metadata["finish_reason"] == reason


@pytest.mark.parametrize(("tenant", "status"), [("app", "completed"), ("filtering", "incomplete")])
async def test_langchain_over_responses_keeps_the_status(
    doors: EndpointRig, tenant: str, status: str
) -> None:
    doors.server.says(CHINESE)
    async with langchain_app(doors.proxy) as app:
        model = app.chat_model(tenant, responses=True)
        plain = await model.ainvoke(QUESTION)
        first, *others = [chunk async for chunk in model.astream(QUESTION)]

    streamed = sum(others, first)
    assert isinstance(streamed, AIMessageChunk)
    for message in (plain, streamed):
        assert message.text == LANGUAGE_TEMPLATE
        assert message.response_metadata["status"] == status

"""What OpenTelemetry is told of whole requests, and what that costs them: nothing."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from proxy.demo import Said, completion
from tests.fakes.exposition import samples, value
from tests.fakes.log_lines import json_logs
from tests.fakes.otlp_collector import Collector
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import is_second_attempt

SOURCES: list[JsonValue] = [
    {
        "section_title": "제31조(주차비)",
        "section_content": "방문객의 주차비는 1시간에 2천원이다.",
    }
]
QUESTION = "방문객 주차비는 1시간에 얼마인가요?"
RIGHT = "방문객의 주차비는 1시간에 2천원입니다."
WRONG = "방문객의 주차비는 1시간에 9천원입니다."
PARENT = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{PARENT}-00f067aa0ba902b7-01"
ELSEWHERE = {"traceparent": TRACEPARENT, "tracestate": "desk=7", "baggage": "team=night"}
UNCONSTRAINED = "regeneration:\n  constraint: off\n"
"""The model server is asked for answers and nothing else."""
FOR_EVER_MS = "3600000"
"""Far less than an exporter would try if it were let."""


@pytest.fixture
async def collector() -> AsyncGenerator[Collector, None]:
    async with Collector().running() as server:
        yield server


@pytest.fixture
async def model() -> AsyncGenerator[RawUpstream, None]:
    async with RawUpstream().running() as server:
        says(server, RIGHT)
        yield server


@pytest.fixture
def telemetry(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> Collector:
    """A collector that the proxy is told to send to."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    return collector


def says(server: RawUpstream, *texts: str, finish_reason: str = "stop") -> None:
    """Say the first text; when told what was wrong, the last."""

    async def answer(talk: Talk) -> None:
        asked = json.loads(talk.request.body)
        text = texts[-1] if is_second_attempt(asked) else texts[0]
        reply = completion(asked, Said((text,), finish_reason=finish_reason))
        await talk.send(http_reply(json.dumps(reply).encode()))

    server.act = answer


async def asked(
    folder: Path,
    model: RawUpstream,
    *,
    headers: Mapping[str, str] | None = None,
    debug: bool = False,
) -> str:
    """Ask once through a proxy of its own, which has ended afterwards; return the request's id."""
    async with running_proxy(folder, model, UNCONSTRAINED, debug=debug) as proxy:
        body = json.dumps(chat_body(QUESTION, SOURCES)).encode()
        reply = await proxy.send(body, headers=headers)
        return reply.headers["x-guard-request-id"]


def sent(model: RawUpstream, name: str) -> list[str]:
    """Return a header of each request that the model server got."""
    return [value for request in model.requests for value in request.values(name)]


# --- spans ---------------------------------------------------------------------------------------


async def test_a_request_is_a_span_with_its_calls_and_steps_within(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    request_id = await asked(tmp_path, model)

    whole = telemetry.server_span
    assert whole.name == "POST /v1/chat/completions"
    assert not whole.failed
    policy = whole.attributes["guard.policy"]
    assert str(policy).startswith("app@")
    assert whole.attributes == {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "url.path": "/v1/chat/completions",
        "url.scheme": "http",
        "http.response.status_code": 200,
        "guard.action": "pass",
        "guard.attempts": 1,
        "guard.policy": policy,
        "guard.request_id": request_id,
        "guard.tenant": "app",
        "langfuse.trace.tags": ["guard:pass"],
        "openinference.span.kind": "CHAIN",
    }
    [call] = telemetry.of_kind("CLIENT")
    host, _, port = model.address.removeprefix("http://").rpartition(":")
    usage = completion(json.loads(model.requests[0].body), Said((RIGHT,)))["usage"]
    assert isinstance(usage, dict)
    assert call.name == "chat scripted-ko"
    assert call.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "scripted-ko",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": usage["prompt_tokens"],
        "gen_ai.usage.output_tokens": usage["completion_tokens"],
        "openinference.span.kind": "LLM",
        "server.address": host,
        "server.port": int(port),
    }
    steps = telemetry.of_kind("INTERNAL")
    assert [(step.name, step.attributes) for step in steps] == [
        ("read", {"openinference.span.kind": "CHAIN"}),
        ("inspect_question", {"openinference.span.kind": "GUARDRAIL"}),
        ("inspect_answer_1", {"openinference.span.kind": "GUARDRAIL"}),
        ("write", {"openinference.span.kind": "CHAIN"}),
    ]
    for span in (call, *steps):
        assert (span.trace_id, span.parent_id) == (whole.trace_id, whole.span_id)
        assert whole.start_ns <= span.start_ns <= span.end_ns <= whole.end_ns


async def test_both_attempts_are_calls_of_their_own(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    says(model, WRONG, RIGHT)

    await asked(tmp_path, model)

    first, second = telemetry.of_kind("CLIENT")
    assert first.end_ns <= second.start_ns
    told = [said.split("-")[1:3] for said in sent(model, "traceparent")]
    assert told == [[call.trace_id, call.span_id] for call in (first, second)]
    whole = telemetry.server_span.attributes
    assert (whole["guard.action"], whole["guard.attempts"]) == ("regenerate", 2)
    assert whole["guard.reasons"] == ["numbers.value_differs"]
    found = {
        step.name: step.attributes.get("guard.findings") for step in telemetry.of_kind("INTERNAL")
    }
    assert found["inspect_answer_1"] == ["numbers.value_differs"]
    assert found["inspect_question"] is found["inspect_answer_2"] is None


async def test_no_word_of_anybody_is_sent(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    says(model, WRONG)

    await asked(tmp_path, model)

    everything = b"".join(telemetry.raw)
    assert telemetry.server_span.attributes["guard.action"] == "replace"
    for word in ("주차비", "방문객", "9천원", "제31조"):
        assert word.encode() not in everything


async def test_words_are_sent_masked_where_they_are_asked_for(
    tmp_path: Path, telemetry: Collector, model: RawUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    says(model, f"{WRONG} \ud800", RIGHT)
    question = f"{QUESTION} 제 번호는 010-9876-5432입니다."
    async with running_proxy(
        tmp_path, model, UNCONSTRAINED, others={"silent": "tracing: {text: none}"}
    ) as proxy:
        await proxy.chat(chat_body(question, SOURCES))
        await proxy.chat(chat_body(question, SOURCES), key=proxy.keys["silent"])

    masked = f"{QUESTION} 제 번호는 [전화번호]입니다."
    whole, silent = sorted(telemetry.of_kind("SERVER"), key=lambda one: one.start_ns)
    assert (whole.attributes["input.value"], whole.attributes["output.value"]) == (masked, RIGHT)
    calls = [call for call in telemetry.of_kind("CLIENT") if call.trace_id == whole.trace_id]
    assert [call.attributes["input.value"] for call in calls] == [masked, masked]
    assert [call.attributes["output.value"] for call in calls] == [f"{WRONG} \ufffd", RIGHT]
    for span in telemetry.spans:
        if span.trace_id == silent.trace_id:
            assert not {"input.value", "output.value"} & set(span.attributes)


async def test_half_a_character_in_a_name_spoils_nothing(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    async with running_proxy(tmp_path, model) as proxy:
        named = chat_body(QUESTION, SOURCES) | {"model": "m\ud800" + "x" * 200}
        await proxy.send(json.dumps(named).encode())

    [call] = telemetry.of_kind("CLIENT")
    assert call.attributes["gen_ai.request.model"] == "m?" + "x" * 98


async def test_a_failed_call_names_its_error(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    model.says(b"{}", status="503 Service Unavailable")

    await asked(tmp_path, model)

    [call] = telemetry.of_kind("CLIENT")
    whole = telemetry.server_span
    assert call.failed
    assert call.attributes["error.type"] == "upstream_refused"
    assert whole.failed
    assert whole.attributes["error.type"] == "upstream_refused"
    assert whole.attributes["http.response.status_code"] == 503
    [took] = telemetry.metric("gen_ai.client.operation.duration")
    assert took.attributes["error.type"] == "upstream_refused"
    assert "gen_ai.request.model" not in took.attributes


async def test_what_the_caller_did_wrong_is_no_failure_of_the_server(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    async with running_proxy(tmp_path, model) as proxy:
        await proxy.chat({"model": 3})

    whole = telemetry.server_span
    assert not whole.failed
    assert "error.type" not in whole.attributes
    assert whole.attributes["http.response.status_code"] == 400
    assert telemetry.of_kind("CLIENT") == []


async def test_a_client_that_leaves_gets_no_status(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    reached = asyncio.Event()

    async def hang(talk: Talk) -> None:
        reached.set()
        await talk.hang()

    model.act = hang
    async with running_proxy(tmp_path, model) as proxy:
        asking = asyncio.create_task(proxy.chat(chat_body(QUESTION, SOURCES)))
        async with asyncio.timeout(DEADLINE_S):
            await reached.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(DEADLINE_S):
            await model.hung_up.wait()

    [call] = telemetry.of_kind("CLIENT")
    whole = telemetry.server_span
    assert whole.failed
    assert call.attributes["error.type"] == whole.attributes["error.type"] == "client_gone"
    assert "http.response.status_code" not in whole.attributes


async def test_verifying_asks_no_model(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    body = {"question": QUESTION, "answer": RIGHT, "sources": SOURCES}
    async with running_proxy(tmp_path, model) as proxy:
        await proxy.send(json.dumps(body).encode(), path="/v1/verify")

    whole = telemetry.server_span
    assert whole.name == "POST /v1/verify"
    assert whole.attributes["guard.attempts"] == 0
    assert telemetry.of_kind("CLIENT") == []
    assert [step.name for step in telemetry.of_kind("INTERNAL")] == ["read", "inspect_answer"]


# --- where a request comes from and goes to ------------------------------------------------------


async def test_the_callers_span_is_the_parent_and_the_models_is_ours(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    await asked(tmp_path, model, headers=ELSEWHERE)

    whole, [call] = telemetry.server_span, telemetry.of_kind("CLIENT")
    assert (whole.trace_id, whole.parent_id) == (PARENT, TRACEPARENT.split("-")[2])
    assert sent(model, "traceparent") == [f"00-{PARENT}-{call.span_id}-01"]
    assert sent(model, "tracestate") == ["desk=7"]
    assert sent(model, "baggage") == ["team=night"]


async def test_what_goes_with_a_trace_that_cannot_be_read_does_not_travel(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    await asked(tmp_path, model, headers=ELSEWHERE | {"traceparent": "00-odd"})

    [call] = telemetry.of_kind("CLIENT")
    [passed_on] = sent(model, "traceparent")
    assert passed_on.startswith(f"00-{call.trace_id}-{call.span_id}-")
    assert sent(model, "tracestate") == []


async def test_a_caller_that_is_not_sampled_leaves_no_spans_and_is_measured_all_the_same(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    await asked(tmp_path, model, headers={"traceparent": TRACEPARENT[:-1] + "0"})

    assert telemetry.spans == []
    [passed_on] = sent(model, "traceparent")
    assert passed_on.startswith(f"00-{PARENT}-")
    assert passed_on.endswith("-00")
    assert [point.total for point in telemetry.metric("guard_proxy.requests")] == [1]


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({}, id="no-endpoint"),
        pytest.param({"OTEL_SDK_DISABLED": "true"}, id="disabled"),
        pytest.param({"OTEL_TRACES_EXPORTER": "none"}, id="metrics-only"),
    ],
)
async def test_without_spans_the_callers_headers_pass_as_they_came(
    tmp_path: Path,
    collector: Collector,
    model: RawUpstream,
    monkeypatch: pytest.MonkeyPatch,
    environment: Mapping[str, str],
) -> None:
    if environment:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    for name, setting in environment.items():
        monkeypatch.setenv(name, setting)

    await asked(tmp_path, model, headers=ELSEWHERE)

    assert {name: sent(model, name) for name in ELSEWHERE} == {
        name: [value] for name, value in ELSEWHERE.items()
    }
    assert collector.spans == []


async def test_log_lines_say_which_request_and_which_trace(
    tmp_path: Path, telemetry: Collector, model: RawUpstream, capsys: pytest.CaptureFixture[str]
) -> None:
    with json_logs():
        request_id = await asked(tmp_path, model, debug=True)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    [decided] = [line for line in lines if line["event"] == "request.decided"]
    assert decided["request_id"] == request_id
    assert decided["trace_id"] == telemetry.server_span.trace_id
    assert all("trace_id" not in line for line in lines if line is not decided)


# --- metrics -------------------------------------------------------------------------------------


async def test_the_model_and_the_guards_are_measured(
    tmp_path: Path, telemetry: Collector, model: RawUpstream
) -> None:
    says(model, WRONG, RIGHT)

    await asked(tmp_path, model)

    [took] = telemetry.metric("gen_ai.client.operation.duration")
    assert (took.unit, took.count) == ("s", 2)
    assert took.bounds[:3] == (0.01, 0.02, 0.04)
    assert took.attributes["gen_ai.request.model"] == "scripted-ko"
    calls = telemetry.of_kind("CLIENT")
    for kind in ("input", "output"):
        [tokens] = [
            point
            for point in telemetry.metric("gen_ai.client.token.usage")
            if point.attributes["gen_ai.token.type"] == kind
        ]
        assert (tokens.unit, tokens.count) == ("{token}", 2)
        assert tokens.total == sum(
            int(str(call.attributes[f"gen_ai.usage.{kind}_tokens"])) for call in calls
        )
    guards = telemetry.metric("guard_proxy.guard.duration")
    assert {str(point.attributes["guard.stage"]): point.count for point in guards} == {
        "input": 1,
        "output": 2,
    }
    [requests] = telemetry.metric("guard_proxy.requests")
    assert requests.attributes["guard.action"] == "regenerate"


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        pytest.param({}, "guard-proxy", id="ours"),
        pytest.param({"OTEL_SERVICE_NAME": "desk-7"}, "desk-7", id="given"),
        pytest.param({"OTEL_RESOURCE_ATTRIBUTES": "service.name=hall"}, "hall", id="attributes"),
    ],
)
async def test_the_service_has_a_name(
    tmp_path: Path,
    telemetry: Collector,
    model: RawUpstream,
    monkeypatch: pytest.MonkeyPatch,
    environment: Mapping[str, str],
    name: str,
) -> None:
    for variable, setting in environment.items():
        monkeypatch.setenv(variable, setting)

    await asked(tmp_path, model)

    assert {resource["service.name"] for resource in telemetry.resources} == {name}
    assert all("service.version" in resource for resource in telemetry.resources)


# --- a collector that is away --------------------------------------------------------------------


async def asked_often(proxy: RunningProxy, times: int) -> None:
    for _ in range(times):
        reply = await proxy.chat(chat_body(QUESTION, SOURCES))
        assert reply.status_code == httpx.codes.OK


async def ended(folder: Path, model: RawUpstream, times: int) -> RunningProxy:
    """Ask so often, and end the proxy, which gets half a second for that."""
    async with running_proxy(folder, model, shutdown_s=0.5) as proxy:
        await asked_often(proxy, times)
    return proxy


async def test_a_collector_that_refuses_costs_no_request_and_is_logged_once(
    tmp_path: Path,
    telemetry: Collector,
    model: RawUpstream,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    telemetry.status = 400
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2")

    with json_logs():
        proxy = await ended(tmp_path, model, 3)

    seen = samples(proxy.services.metrics.as_text().decode())
    assert value(seen, "guard_proxy_telemetry_dropped_spans_total") == 3 * 6
    assert value(seen, "guard_proxy_telemetry_failed_exports_total", signal="traces") >= 9
    assert value(seen, "guard_proxy_telemetry_failed_exports_total", signal="metrics") == 1
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    troubles = [line["said"] for line in lines if line["event"] == "telemetry.troubled"]
    assert len(troubles) == len(set(troubles)) <= 2


async def test_a_collector_that_nobody_can_reach_delays_no_end(
    tmp_path: Path, collector: Collector, model: RawUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")

    proxy = await ended(tmp_path, model, 1)

    seen = samples(proxy.services.metrics.as_text().decode())
    assert value(seen, "guard_proxy_telemetry_dropped_spans_total") == 6


async def test_a_collector_that_never_answers_delays_no_end(
    tmp_path: Path, model: RawUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with RawUpstream().running() as silent:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", silent.address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", FOR_EVER_MS)

        await ended(tmp_path, model, 1)

        assert silent.requests  # none of which has got an answer


async def test_spans_that_find_no_room_are_counted(
    tmp_path: Path, model: RawUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with RawUpstream().running() as silent:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{silent.address}/v1/traces")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "3")
        monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
        monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4")
        async with running_proxy(tmp_path, model, shutdown_s=0.5) as proxy:
            await asked_often(proxy, 5)
            seen = samples(proxy.services.metrics.as_text().decode())

    # At most four are on their way and four wait.
    assert value(seen, "guard_proxy_telemetry_dropped_spans_total") >= 5 * 6 - 8

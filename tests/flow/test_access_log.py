"""The access log, as an operator reads it from the service's standard output."""

import asyncio
import json
import re
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from policies.schema.keys import new_key
from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, write_event
from tests.fakes.command import DEADLINE_S, Running, running
from tests.fakes.raw_upstream import RawUpstream, Talk, http_head, http_reply
from tests.fakes.running_proxy import chat_body, tenant_yaml
from tests.flow.replies import said

SOURCE = "1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 준다."
QUESTION = "연차휴가 규정은 며칠인가요?"
ANSWER = "1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 줍니다."
WRONG = "1년간 80퍼센트 이상 출근한 직원에게 25일의 연차휴가를 줍니다."
COMBINED = re.compile(
    r'(?P<client>\S+) - (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<request>(?:[^"\\]|\\.)*)" '
    r'(?P<status>\d{3}) (?P<bytes>\d+|-) "(?P<referer>[^"]*)" "(?P<agent>[^"]*)"(?P<more>.*)'
)
"""As readers of the Combined Log Format have it, with room for more at the end."""


def body(*, stream: bool = False, model: str = "scripted-ko") -> JsonObject:
    sources: list[JsonObject] = [{"section_title": "제15조", "section_content": SOURCE}]
    return chat_body(QUESTION, [*sources], stream=stream) | {"model": model}


class Served:
    """The service under way with its tenant's key, and a model server that says what it is told."""

    def __init__(self, command: Running, address: str, key: str, client: httpx.AsyncClient) -> None:
        self.command, self.address, self.key, self.client = command, address, key, client

    async def chat(self, asked: JsonObject, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(
            f"{self.address}/v1/chat/completions",
            json=asked,
            headers={"authorization": f"Bearer {self.key}"} | named,
        )

    async def lines(self, count: int) -> list[str]:
        """Stop the service, and return its lines; there must be so many."""
        self.command.signal(signal.SIGTERM)
        assert await self.command.ended() == 0
        assert len(self.command.out) == count, self.command.out
        return self.command.out

    async def records(self, count: int) -> list[JsonObject]:
        return [json.loads(line) for line in await self.lines(count)]


class Model:
    """A model server: whole answers or streams, which stop before their end until it is let go."""

    def __init__(self) -> None:
        self.text = ANSWER
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def act(self, talk: Talk) -> None:
        asked = json.loads(talk.request.body or b"{}")  # without a body it is a probe
        if not asked.get("stream"):
            reply = json.dumps(completion(asked, Said((self.text,))), ensure_ascii=False).encode()
            await talk.send(http_reply(reply))
            return
        events = [write_event(chunk) for chunk in chunks(asked, Said((self.text,)))]
        await talk.send(http_head(content_type="text/event-stream") + b"".join(events[:-1]))
        await self.may_end.wait()
        await talk.send(events[-1] + DONE)


@asynccontextmanager
async def serving(folder: Path, model: Model, **settings: str) -> AsyncGenerator[Served, None]:
    async with RawUpstream().running() as upstream:
        upstream.act = model.act
        key, key_hash = new_key("app")
        (folder / "policies.d").mkdir()
        (folder / "policies.d" / "app.yaml").write_text(
            tenant_yaml("app", key_hash, upstream.address)
        )
        async with (
            running(folder, "serve", port="0", **settings) as command,
            httpx.AsyncClient(timeout=DEADLINE_S) as client,
        ):
            started = await command.logged("service.started")
            yield Served(command, str(started["address"]), key, client)


async def test_without_the_setting_nothing_is_written(tmp_path: Path) -> None:
    async with serving(tmp_path, Model()) as service:
        assert (await service.chat(body())).status_code == 200

        assert await service.lines(0) == []


async def test_a_line_says_who_asked_what_and_what_came_of_it(tmp_path: Path) -> None:
    model = Model()
    async with serving(tmp_path, model, access_log="json") as service:
        clean = await service.chat(body(), user_agent="hr-app/1.2")
        model.text = WRONG
        replaced = await service.chat(body())
        streamed = await service.chat(body(stream=True))
        await service.chat(body(), authorization="Bearer gp-app-nobody")
        health = await service.client.get(f"{service.address}/healthz?text=연차")
        first, second, third, fourth, fifth = await service.records(5)

    assert said(clean) == ANSWER
    assert first == {
        "time": first["time"],
        "client": "127.0.0.1",
        "tenant": "app",
        "method": "POST",
        "path": "/v1/chat/completions",
        "protocol": "HTTP/1.1",
        "status": 200,
        "bytes": len(clean.content),
        "duration_ms": first["duration_ms"],
        "model": "scripted-ko",
        "action": "pass",
        "error": None,
        "request_id": clean.headers["x-guard-request-id"],
        "referer": None,
        "user_agent": "hr-app/1.2",
    }
    assert datetime.fromisoformat(str(first["time"])).utcoffset() is not None
    assert (second["action"], second["bytes"]) == ("replace", len(replaced.content))
    assert (third["status"], third["bytes"]) == (200, len(streamed.content))
    # The headers of a stream may have left before that was known.
    assert third["action"] == "replace"
    assert third["request_id"] == streamed.headers["x-guard-request-id"]
    assert (fourth["status"], fourth["tenant"], fourth["action"]) == (401, None, None)
    assert (fifth["path"], fifth["status"]) == ("/healthz", health.status_code)


async def test_a_client_that_leaves_a_stream_has_its_line(tmp_path: Path) -> None:
    model = Model()
    model.may_end.clear()
    async with serving(tmp_path, model, access_log="json") as service:
        asked = service.client.stream(
            "POST",
            f"{service.address}/v1/chat/completions",
            json=body(stream=True),
            headers={"authorization": f"Bearer {service.key}"},
        )
        async with asked as reply:
            request_id = reply.headers["x-guard-request-id"]
        written = await service.command.out_line(r".*")
        line = json.loads(written[0])
        model.may_end.set()
        await service.lines(1)

    assert (line["request_id"], line["status"], line["error"]) == (request_id, 499, "client_gone")
    assert (line["tenant"], line["model"]) == ("app", "scripted-ko")


async def test_the_combined_format_is_one_that_its_readers_know(tmp_path: Path) -> None:
    model = Model()
    async with serving(tmp_path, model, access_log="combined") as service:
        reply = await service.chat(
            body(model='qwen3" 4'), user_agent='a"b', referer="https://intra.example/q?text=secret"
        )
        await service.client.get(f"{service.address}/t/app/v1/%EC%97%B0", headers={})
        first, second = await service.lines(2)

    found = COMBINED.fullmatch(first)
    assert found, first
    assert datetime.strptime(found["time"], "%d/%b/%Y:%H:%M:%S %z")
    assert found["client"] == "127.0.0.1"
    assert found["user"] == "app"
    assert found["request"] == "POST /v1/chat/completions HTTP/1.1"
    assert (found["status"], found["bytes"]) == ("200", str(len(reply.content)))
    assert (found["referer"], found["agent"]) == ("https://intra.example/q", r"a\x22b")
    assert r'model="qwen3\x22 4" action=pass error=- duration_ms=' in found["more"]
    assert found["more"].endswith(f" request_id={reply.headers['x-guard-request-id']}")
    other = COMBINED.fullmatch(second)
    assert other, second
    assert (other["user"], other["status"]) == ("-", "404")


@pytest.mark.parametrize("form", ["combined", "json"])
async def test_a_line_has_no_words_no_keys_no_identifiers_and_one_piece(
    tmp_path: Path, form: str
) -> None:
    texts = dict.fromkeys((b"user-agent", b"referer"), b"\xe9" * 1000)
    async with serving(tmp_path, Model(), access_log=form) as service:
        key = f"Bearer {service.key}"
        await service.chat(body(model="010-1234-5678"), user_agent="hong@example.com")
        wrong = f"{service.address}/v1/010-1234-5678?key={service.key}&text=%EC%97%B0%EC%B0%A8"
        await service.client.get(wrong, headers={"authorization": key})
        for path in ("hong%40example.com", "%30%31%30-1234-5678"):
            await service.client.get(f"{service.address}/v1/{path}")
        for model in ("가" * 1_000, "\x01" * 1_000):
            await service.client.post(
                f"{service.address}/v1/chat/completions",
                json=body(model=model),
                headers=[(b"authorization", key.encode()), *texts.items()],
            )
        lines = await service.lines(6)

    text = "\n".join(lines)
    identifiers = ("010-1234", "%30-1234", "hong@", "hong%40")
    for words in (QUESTION, ANSWER, SOURCE, "%EC%97%B0", "text=", service.key, *identifiers):
        assert words not in text
    assert "gp-app-" not in text
    for line in lines[-2:]:
        # Longer ones would mix with those of other workers in a pipe.
        assert len(line.encode()) < 4_096
        assert "app" in line


@pytest.mark.parametrize(
    ("trusted", "client"), [("127.0.0.1", "203.0.113.7"), ("192.0.2.1", "127.0.0.1")]
)
async def test_the_client_is_the_one_that_a_trusted_proxy_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: str, client: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    async with serving(tmp_path, Model(), access_log="json") as service:
        await service.chat(body(), x_forwarded_for="203.0.113.7")
        [line] = await service.records(1)

    assert line["client"] == client


async def test_several_workers_write_whole_lines(tmp_path: Path) -> None:
    async with serving(tmp_path, Model(), access_log="json", workers="2") as service:
        replies = await asyncio.gather(*(service.chat(body()) for _ in range(24)))
        lines = await service.records(24)

    assert {line["request_id"] for line in lines} == {
        reply.headers["x-guard-request-id"] for reply in replies
    }


async def test_nobody_waits_for_a_reader_that_has_gone(tmp_path: Path) -> None:
    async with serving(tmp_path, Model(), access_log="json") as service:
        stdout = service.command.process.stdout
        assert stdout is not None
        stdout._transport.close()  # type: ignore[attr-defined]  # as `| head` does
        statuses = [(await service.chat(body())).status_code for _ in range(3)]
        failed = await service.command.logged("access_log.failed")
        service.command.signal(signal.SIGTERM)
        status = await service.command.process.wait()

    assert (statuses, status) == ([200, 200, 200], 0)
    assert failed["level"] == "warning"

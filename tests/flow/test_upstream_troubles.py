"""What an operator reads in the log while a model server is away."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from proxy.demo import Said, completion
from proxy.openai_api.json_body import JsonObject
from tests.fakes.log_lines import json_logs
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.rig import RAW, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body

BODY = chat_body("구내식당은 어디에 있나요?")


async def test_a_model_server_that_goes_and_comes_back_is_told_of_once_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def hang_up(_: Talk) -> None:
        return

    reply = http_reply(json.dumps(completion(BODY, Said(("본관 지하에 있습니다.",)))).encode())
    async with open_rig(tmp_path, upstream_yaml(RAW)) as rig:
        with json_logs():
            rig.raw.act = hang_up
            failed = [(await rig.proxy.chat(BODY)).status_code for _ in range(3)]
            rig.raw.act = lambda talk: talk.send(reply)
            answered = [(await rig.proxy.chat(BODY)).status_code for _ in range(2)]

    assert (failed, answered) == ([502, 502, 502], [200, 200])
    failing, back = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (failing["event"], failing["level"]) == ("upstream.failing", "warning")
    assert failing["server"] == back["server"] == urlsplit(rig.raw.address).netloc
    assert failing["error"] == "upstream_unreachable"
    assert (back["event"], back["failures"]) == ("upstream.back", 3)


SERVER_KEY_VARIABLE = "TEST_KEY_OF_A_SERVER_THAT_REFUSES"
REFUSALS = [
    pytest.param(
        "404 Not Found", {"detail": "Not Found"}, "must end with the API's path", id="path"
    ),
    pytest.param(
        "404 Not Found", {"error": {"message": "no such model"}}, "the model's name", id="model"
    ),
    pytest.param(
        "401 Unauthorized",
        {"error": {"message": "no"}},
        "that upstream.api_key_env names",
        id="key",
    ),
    pytest.param(
        "403 Forbidden", {"error": {"message": "no"}}, "may not do this", id="not-allowed"
    ),
]


@pytest.mark.parametrize(("status", "body", "hint"), REFUSALS)
async def test_a_server_that_refuses_a_tenant_is_logged_once_with_the_likely_cause(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    body: JsonObject,
    hint: str,
) -> None:
    monkeypatch.setenv(SERVER_KEY_VARIABLE, "sk-nobody-may-read-this")
    policy = upstream_yaml(RAW, f"api_key_env: {SERVER_KEY_VARIABLE}")
    async with open_rig(tmp_path, policy, others={"other": upstream_yaml(RAW)}) as rig:
        with json_logs():
            rig.raw.says(json.dumps(body).encode(), status=status)
            for _ in range(3):
                await rig.proxy.chat(BODY)
            rig.raw.says(json.dumps(completion(BODY, Said(("지하에 있습니다.",)))).encode())
            await rig.proxy.chat(BODY, key=rig.proxy.keys["other"])
            for _ in range(2):
                await rig.proxy.chat(BODY)

    refusing, accepting = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (refusing["event"], refusing["level"]) == ("upstream.refusing", "warning")
    assert (refusing["tenant"], refusing["status"]) == ("app", int(status[:3]))
    assert refusing["base_url"] == f"{rig.raw.address}/v1"
    assert hint in refusing["hint"]
    assert "sk-nobody" not in json.dumps(refusing)
    assert (accepting["event"], accepting["tenant"]) == ("upstream.accepting", "app")


async def test_a_refusal_of_another_kind_is_another_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rig(tmp_path, upstream_yaml(RAW)) as rig:
        with json_logs():
            for status in ("404 Not Found", "401 Unauthorized", "429 Too Many Requests"):
                rig.raw.says(b"{}", status=status)
                await rig.proxy.chat(BODY)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["event"], line["status"]) for line in lines] == [
        ("upstream.refusing", 404),
        ("upstream.refusing", 401),
    ]
    assert "requires a key" in lines[1]["hint"]


async def test_a_path_that_the_caller_chose_may_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_rig(tmp_path, upstream_yaml(RAW)) as rig:
        with json_logs():
            rig.raw.says(b"{}", status="404 Not Found")
            reply = await rig.proxy.client.get(
                f"{rig.proxy.base_url}/models/none",
                headers={"authorization": f"Bearer {rig.proxy.key}"},
            )

    assert reply.status_code == 404
    assert capsys.readouterr().err == ""

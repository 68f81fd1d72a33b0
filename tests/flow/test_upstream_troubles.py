"""What an operator reads in the log while a model server is away."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from proxy.demo.model_server import Said, completion
from tests.fakes.house import RAW, open_house, upstream_yaml
from tests.fakes.log_lines import json_logs
from tests.fakes.raw_upstream import Talk, http_reply
from tests.fakes.running_proxy import chat_body

BODY = chat_body("구내식당은 어디에 있나요?")


async def test_a_model_server_that_goes_and_comes_back_is_told_of_once_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def hang_up(_: Talk) -> None:
        return

    reply = http_reply(json.dumps(completion(BODY, Said(("본관 지하에 있습니다.",)))).encode())
    async with open_house(tmp_path, upstream_yaml(RAW)) as house:
        with json_logs():
            house.raw.act = hang_up
            failed = [(await house.proxy.chat(BODY)).status_code for _ in range(3)]
            house.raw.act = lambda talk: talk.send(reply)
            answered = [(await house.proxy.chat(BODY)).status_code for _ in range(2)]

    assert (failed, answered) == ([502, 502, 502], [200, 200])
    failing, back = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (failing["event"], failing["level"]) == ("upstream.failing", "warning")
    assert failing["server"] == back["server"] == urlsplit(house.raw.address).netloc
    assert failing["error"] == "upstream_unreachable"
    assert (back["event"], back["failures"]) == ("upstream.back", 3)

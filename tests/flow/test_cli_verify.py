"""`guard-proxy verify`: a page for people, JSON for programs, and an exit status for scripts."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from policies.verification.shape import Verification
from tests.fakes.command import Ended, assert_refused, run, run_process
from tests.policies.shop import (
    FAITHFUL,
    FIVE_CITATIONS,
    QUESTION,
    REFUND,
    REFUND_SAID,
    SOURCES,
    THREE_CITATIONS,
    WRONG_FIGURE,
)

GIVEN: list[JsonValue] = [
    {"title": source.title, "text": source.text, "file": source.file, "page": source.page}
    for source in SOURCES
]


def verify(
    folder: Path, answer: str, *words: str, how: Callable[..., Ended] = run, **more: JsonValue
) -> Ended:
    body = {"question": QUESTION, "answer": answer, "sources": GIVEN, **more}
    return how(folder, "verify", "-", *words, stdin=json.dumps(body).encode())


def test_a_verified_answer_ends_with_zero(tmp_path: Path) -> None:
    ended = verify(tmp_path, FAITHFUL)

    assert ended.status == 0, ended
    assert ended.out.startswith(
        "✓ verified   verdict pass, confidence 1.00 (high), policy default@"
    )
    assert "✓ 출처 인용이 유효합니다 | ✓ " in ended.out
    assert "citations (100% accurate)" in ended.out
    assert "corrected answer" not in ended.out


def test_a_wrong_answer_ends_with_one_and_says_what_and_why(tmp_path: Path) -> None:
    ended = verify(tmp_path, WRONG_FIGURE, how=run_process)

    assert ended.status == 1, ended
    assert ended.out.startswith("✗ not verified   verdict regenerate, confidence 0.30 (low, contra")
    assert '- 수치: "45일" - 자료와 다릅니다 (자료: 20일 이내)' in ended.out
    assert "(contradicted)" in ended.out
    assert "numbers.value_differs: 45일 → 20일 이내" in ended.out
    assert 'source 1: "물품을 받은 날부터 20일 이내에' in ended.out


def test_the_corrected_answer_is_shown_with_what_became_of_its_citations(tmp_path: Path) -> None:
    ended = verify(tmp_path, FIVE_CITATIONS)

    assert ended.status == 1, ended
    shown = ended.out.partition("corrected answer\n")[2]
    for line in filter(None, THREE_CITATIONS.splitlines()):
        assert line in shown
    assert "removed citations: 3, 5" in shown
    assert "renumbered: 4 → 3" in shown
    assert "✗ [3] points.pdf, p.2: 표시된 출처에 없는 내용입니다." in ended.out


def test_what_could_not_be_checked_is_said(tmp_path: Path) -> None:
    ended = verify(tmp_path, FAITHFUL, sources=[], options={"judge": "force"})

    assert ended.status == 1, ended
    assert "confidence unknown" in ended.out
    assert "대조할 자료가 없어" in ended.out
    assert re.search(r"\? .*\(not_checkable", ended.out)
    assert "numbers (no_sources)" in ended.out
    assert "degraded: judge:not_configured" in ended.out


def test_programs_get_the_report_as_json(tmp_path: Path) -> None:
    ended = verify(tmp_path, FIVE_CITATIONS, "--json")

    assert ended.status == 1, ended
    report = Verification.model_validate_json(ended.out)
    assert report.corrected_answer == THREE_CITATIONS


def test_the_option_goes_before_the_bodys_own(tmp_path: Path) -> None:
    body: JsonValue = {"correction": "trim"}

    ended = verify(tmp_path, FIVE_CITATIONS, "--json", "--correction", "none", options=body)

    assert json.loads(ended.out)["corrected_answer"] == FIVE_CITATIONS


def test_a_file_and_a_policy_file_are_read(tmp_path: Path) -> None:
    body = {"question": QUESTION, "answer": FAITHFUL, "sources": GIVEN}
    (tmp_path / "answer.json").write_text(json.dumps(body), encoding="utf-8")
    (tmp_path / "own.yaml").write_text("extends: default\n", encoding="utf-8")

    ended = run(tmp_path, "verify", "answer.json", "--policy", "own.yaml", "--json")

    assert ended.status == 0, ended
    assert json.loads(ended.out)["policy"].startswith("own@")


@pytest.mark.parametrize(
    ("name", "by"),
    [
        pytest.param("courses", "school@", id="tenant"),
        pytest.param("school", "school@", id="policy"),
        pytest.param("strict", "strict@", id="shipped"),
    ],
)
@pytest.mark.parametrize("is_said", [True, False], ids=["directory-said", "of-the-service"])
def test_policies_of_a_directory_are_known_by_name(
    tmp_path: Path, name: str, by: str, *, is_said: bool
) -> None:
    tenant = "extends: default\ntenant: courses\nupstream: {base_url: 'http://127.0.0.1:9/v1'}\n"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "school.yaml").write_text(tenant)
    body = json.dumps({"question": QUESTION, "answer": FAITHFUL, "sources": GIVEN})
    words = ("verify", "-", "--policy", name, "--json")

    if is_said:
        ended = run(tmp_path, *words, "--policies", "own", stdin=body)
    else:
        ended = run(tmp_path, *words, stdin=body, policies="own")

    assert json.loads(ended.out)["policy"].startswith(by), ended


def test_without_a_policy_no_directory_is_read(tmp_path: Path) -> None:
    (tmp_path / "policies.d").mkdir()
    (tmp_path / "policies.d" / "broken.yaml").write_text("guards:\n  nubmers: {}\n")

    ended = verify(tmp_path, FAITHFUL)

    assert ended.status == 0, ended


def test_a_byte_order_mark_is_no_part_of_the_body(tmp_path: Path) -> None:
    body = {"question": QUESTION, "answer": FAITHFUL, "sources": GIVEN}
    (tmp_path / "answer.json").write_text(json.dumps(body), encoding="utf-8-sig")

    ended = run(tmp_path, "verify", "answer.json")

    assert ended.status == 0, ended


def test_messages_are_read_as_the_proxy_reads_them(tmp_path: Path) -> None:
    context = f"아래 자료만 보고 답하세요.\n\n<context>\n{REFUND.text}\n</context>"
    messages = [
        {"role": "system", "content": context},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": f"{REFUND_SAID}."},
    ]

    ended = run(tmp_path, "verify", "-", stdin=json.dumps({"messages": messages}).encode())

    assert ended.status == 0, ended


def test_words_of_others_cannot_command_the_terminal(tmp_path: Path) -> None:
    ended = verify(tmp_path, "\x1b]0;제목\x07 [red]배송은[/] \x9b31m \ud800 9일 걸립니다.[†8]")

    assert ended.status == 1, ended
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ended.out)
    assert "[red]배송은[/]" in ended.out


REFUSED = [
    pytest.param(b"", "-: The body is not a JSON object: Expecting value at line 1", id="empty"),
    pytest.param(b'{"answer":\n"a",}', "at line 2, column 5", id="malformed"),
    pytest.param(b'{"question": "q"}', "'answer' is missing", id="no-answer"),
    pytest.param(b'{"answer": "a", "sorces": []}', "'sorces'", id="unknown-member"),
    pytest.param(
        b'{"answer": "a", "sources": [{"text": 1}]}', "'sources[0].text'", id="wrong-type"
    ),
    pytest.param(
        b'{"answer": "a", "options": {"guards": ["nubmers"]}}',
        "options.guards: there is no guard 'nubmers' for answers; did you mean 'numbers'?",
        id="unknown-guard",
    ),
]


@pytest.mark.parametrize(("body", "said"), REFUSED)
def test_bad_input_is_named(tmp_path: Path, body: bytes, said: str) -> None:
    assert_refused(run(tmp_path, "verify", "-", stdin=body), said)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "verify", "gone.json"), "gone.json: No such file or directory")


POLICIES = [
    pytest.param("defualt", "did you mean 'default'", id="no-such-name"),
    pytest.param("gone.yaml", "gone.yaml: cannot be read: No such file", id="no-such-file"),
    pytest.param("broken.yaml", "broken.yaml:2:3: guards.nubmers", id="broken-file"),
]


@pytest.mark.parametrize(("policy", "said"), POLICIES)
def test_a_policy_that_cannot_be_used_is_named(tmp_path: Path, policy: str, said: str) -> None:
    (tmp_path / "broken.yaml").write_text("guards:\n  nubmers: {}\n", encoding="utf-8")

    ended = run(tmp_path, "verify", "-", "--policy", policy, stdin=b'{"answer": "a"}')

    assert_refused(ended, said)

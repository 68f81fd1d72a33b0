"""A tiny set through the shipped policy, from its files to its page."""

import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pydantic import JsonValue, ValidationError
from typer.testing import CliRunner, Result

from guards.core.finding import Span
from tests.quality.__main__ import app
from tests.quality.cases import AnswerCase, Twin, read_sets
from tests.quality.examining import place_of_error
from tests.quality.figures import AnswerFigures, Results, Share

SOURCE = (
    "샛별관 대관료는 1시간에 35,000원입니다. 예약은 이용일 3일 전까지 누리집에서 받습니다. "
    "문의는 02-555-0100으로 하시면 됩니다."
)
FAITHFUL = "대관료는 1시간에 35,000원입니다. 문의는 02-555-0100으로 해 주세요."
OTHER_PHONE = FAITHFUL.replace("0100", "0199")
HAN = "대관료는 一小时에 35,000원입니다. 문의는 02-555-0100으로 해 주세요."
ANSWER: dict[str, JsonValue] = {
    "id": "hall-1",
    "domain": "hall",
    "question": "대관료와 문의처를 알려 주세요.",
    "sources": [{"section_title": "이용 안내", "section_content": SOURCE}],
    "history": [
        {"role": "user", "content": "안녕하세요"},
        {"role": "assistant", "content": "무엇을 도와드릴까요?"},
    ],
    "faithful": FAITHFUL,
    "twins": [
        {"kind": "contact", "answer": OTHER_PHONE, "wrong": "02-555-0199", "why": "0100"},
        {"kind": "language", "find": "1시간", "replace": "一小时", "wrong": "一小时"},
        # The finding is about the telephone number, and not where the case has its error.
        {"kind": "elsewhere", "answer": OTHER_PHONE, "wrong": "35,000원", "why": "as it may be"},
    ],
}
COMPLAINTS: list[dict[str, JsonValue]] = [
    {"text": "아니 왜 이렇게 답답하게 대답해요?", "label": "complaint"},
    {"text": "샛별관 대관료는 얼마인가요?", "label": "question"},
]
NEAR_MISS: dict[str, JsonValue] = {
    "id": "q",
    "question": "주차료는 얼마인가요?",
    "sources": ANSWER["sources"],
    "answerable": False,
}
DIRECT: list[dict[str, JsonValue]] = [
    {
        "id": "right",
        "question": "샛별관 대관료는 얼마인가요?",
        "right": [SOURCE.partition(". ")[0]],
    },
    {"id": "wrong", "question": "샛별관 대관료는 얼마인가요?", "right": ["문의는 02-555-0100"]},
    {"id": "silent", "question": "예약 취소는 어떻게 하나요?", "right": ["3일 전까지 누리집에서"]},
    {"id": "none", "question": "주차료는 얼마인가요?", "right": []},
]
INDEX = """
hall: {kind: answers, role: dev, frozen: 2026-01-02}
fresh: {kind: answers, role: unseen, frozen: 2026-01-03, first_run: 2026-01-04}
talk: {kind: complaints, role: dev, frozen: 2026-01-02}
asked: {kind: answerability, role: dev, frozen: 2026-01-02}
quoted: {kind: direct_answers, role: dev, frozen: 2026-01-02}
"""
LENIENT = """
extends: default
guards:
  contact: {weak: [contact.invented]}
  personal_data: {mode: off}
"""


@dataclass(frozen=True)
class Bench:
    """A folder with tiny sets, and what is run over them."""

    folder: Path

    def run(self, *options: str) -> Result:
        from_here = ["--sets-from", str(self.folder), "--processes", "1"]
        result = CliRunner().invoke(app, [*from_here, *options])
        assert result.exception is None, result.output
        return result

    def results(self, *options: str) -> Results:
        file = self.folder / "r.json"
        self.run("--json", str(file), *options)
        return Results.model_validate_json(file.read_bytes())


def written(cases: list[dict[str, JsonValue]]) -> str:
    return "".join(f"{json.dumps(case, ensure_ascii=False)}\n" for case in cases)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "sets.yaml").write_text(INDEX, "utf-8")
    for name, cases in {
        "hall": [ANSWER],
        "fresh": [ANSWER],
        "talk": COMPLAINTS,
        "asked": [NEAR_MISS],
        "quoted": [{**one, "sources": ANSWER["sources"], "kind": "prose"} for one in DIRECT],
    }.items():
        (tmp_path / f"{name}.jsonl").write_text(written(cases), "utf-8")
    return Bench(tmp_path)


def share(count: int, total: int) -> Share:
    return Share(count=count, total=total)


def answers(results: Results, set_name: str = "hall", policy: str = "default") -> AnswerFigures:
    figures = results.of(set_name, policy).answers
    assert figures is not None
    return figures


# --- what is counted ---------------------------------------------------------------------------


def test_an_error_is_found_only_where_it_stands(bench: Bench) -> None:
    figures = answers(bench.results("--policy", "default"))

    assert figures.faithful_acted_on == share(0, 1)
    assert figures.by_kind == {
        "contact": share(1, 1),
        "language": share(1, 1),
        "elsewhere": share(0, 1),
    }
    assert (figures.verified_faithful, figures.verified_wrong) == (share(1, 1), share(0, 3))


def test_what_a_policy_only_notes_finds_nothing_and_is_counted_among_the_codes(
    bench: Bench,
) -> None:
    lenient = bench.folder / "lenient.yaml"
    lenient.write_text(LENIENT, "utf-8")

    results = bench.results("--policy", str(lenient), "--unseen")

    assert answers(results, policy=str(lenient)).by_kind["contact"] == share(0, 1)
    [code] = [one for one in results.codes[str(lenient)] if one.code == "contact.invented"]
    assert (code.right, code.wrong, code.acts) == (share(1, 3), share(0, 1), False)


def test_a_quote_is_right_only_if_it_is_of_the_lines_that_answer(bench: Bench) -> None:
    results = bench.results("--set", "quoted")

    assert results.of("quoted", "default").questions == {
        "quoted_right": share(1, 3),
        "quoted_wrong": share(1, 3),
        "quoted_without_answer": share(0, 1),
    }
    assert results.of("quoted", "strict").questions["quoted_right"] == share(0, 3)


def test_questions_are_judged_before_any_model_is_asked(bench: Bench) -> None:
    results = bench.results("--policy", "default")

    assert results.of("talk", "default").questions == {
        "complaint": share(1, 1),
        "question": share(0, 1),
    }
    assert results.of("asked", "default").questions == {"near_miss": share(0, 1)}


def test_codes_are_counted_over_the_sets_that_were_run_unread(bench: Bench) -> None:
    everything = bench.results("--policy", "default", "--unseen").codes
    unread = bench.results("--policy", "default", "--set", "fresh").codes
    read = bench.results("--policy", "default", "--set", "hall").codes

    assert everything == unread
    assert read == {"default": []}


def test_the_error_is_the_occurrence_nearest_to_where_the_answers_part() -> None:
    twin = Twin(kind="number", wrong="9일", find="3일 전", replace="9일 전")
    case = AnswerCase(
        id="x",
        domain="hall",
        question="?",
        sources=(),
        faithful="9일부터 엽니다. 예약은 3일 전까지 받습니다.",
        twins=(twin,),
    )

    start = case.answer_of(twin).rindex("9일")
    assert place_of_error(case, twin) == Span(start, start + len("9일"))


@pytest.mark.parametrize(
    ("twin", "said"),
    [
        ({"find": "0", "replace": "1", "wrong": "1"}, "exactly once"),
        ({"find": "35,000원", "replace": "9원", "wrong": "7원"}, "does not stand in its answer"),
    ],
)
def test_a_case_that_says_nothing_clear_is_refused(
    bench: Bench, twin: dict[str, JsonValue], said: str
) -> None:
    case = ANSWER | {"twins": [{"kind": "number", **twin}]}
    (bench.folder / "hall.jsonl").write_text(written([case]), "utf-8")

    with pytest.raises(ValidationError, match=said):
        read_sets(bench.folder)


# --- what is said ------------------------------------------------------------------------------


def test_misses_and_false_alarms_are_listed(bench: Bench) -> None:
    alarm = ANSWER | {"id": "hall-2", "faithful": HAN, "twins": []}
    (bench.folder / "hall.jsonl").write_text(written([ANSWER, alarm]), "utf-8")

    said = bench.run("--policy", "default", "--list-missed", "--list-false-alarms").output

    [missed] = [line for line in said.splitlines() if line.startswith("missed: ")]
    assert missed.startswith(
        "missed: hall default hall-1 elsewhere: '35,000원' (as it may be); "
        "elsewhere contact.invented"
    )
    [alarmed] = [line for line in said.splitlines() if line.startswith("false alarm: ")]
    assert alarmed.startswith("false alarm: hall default hall-2 (hall): ")
    assert "korean_only.han" in alarmed


def test_unseen_sets_are_run_on_request_and_their_cases_never_printed(bench: Bench) -> None:
    alarm = ANSWER | {"faithful": HAN, "twins": []}
    (bench.folder / "fresh.jsonl").write_text(written([alarm]), "utf-8")
    lists = ("--policy", "default", "--list-missed", "--list-false-alarms")

    as_a_rule = bench.run("--policy", "default")
    asked_for = bench.run(*lists, "--unseen")
    named = bench.run(*lists, "--set", "fresh")

    assert "not run without --unseen: fresh" in as_a_rule.output
    for run in (asked_for, named):
        assert "Cases of unseen sets are not printed" in run.output
        assert "fresh default" not in run.output
    assert "missed: hall default" in asked_for.output


def test_a_set_that_does_not_exist_is_refused(bench: Bench) -> None:
    result = CliRunner().invoke(app, ["--sets-from", str(bench.folder), "--set", "hal"])

    assert result.exit_code == 2


def test_the_page_has_the_unseen_sets_first_and_calls_the_others_dev(bench: Bench) -> None:
    docs = bench.folder / "docs"

    bench.run("--docs", str(docs))

    page = (docs / "quality.md").read_text("utf-8")
    unseen, _, dev = page.partition("## Sets that were tuned on")
    assert "fresh (unseen, first run 2026-01-04, here run again on " in unseen
    assert "(dev)" not in unseen
    assert "| hall (dev) | strict |" in dev
    drawn = (docs / "quality" / "quality.svg").read_text("utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert Results.model_validate_json((docs / "quality" / "quality.json").read_bytes()).figures


def test_of_a_part_no_page_is_written(bench: Bench) -> None:
    docs = bench.folder / "docs"

    bench.run("--docs", str(docs), "--set", "hall")

    assert not docs.exists()

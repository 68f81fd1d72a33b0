"""Golden files: three formats, one meaning, and what is wrong named by line and case."""

import json

import pytest
from pydantic import JsonValue

from policies.schema.policy import Action
from proxy.golden.shape import GoldenError, read_golden
from tests.proxy.golden.sets import case_of, golden_of
from tests.tables import each_row

CASES: list[dict[str, JsonValue]] = [
    {
        "id": "loan",
        "category": "대출",
        "scope": "본관",
        "query": "대출 기간은 며칠인가요?",
        "sources": [{"title": "이용 규정", "text": "대출 기간은 16일이다."}],
        "expected_keywords": ["16일", ["칠 권", "7권"]],
        "forbidden_keywords": ["30일"],
        "min_score": 0.5,
        "expected_action": "pass",
    },
    {"id": "talk", "turns": [{"query": "안녕하세요?"}, {"query": "몇 시까지 여나요?"}]},
]
YAML = """\
- id: loan
  category: 대출
  scope: 본관
  query: 대출 기간은 며칠인가요?
  sources:
    - {title: 이용 규정, text: 대출 기간은 16일이다.}
  expected_keywords: [16일, [칠 권, 7권]]
  forbidden_keywords: [30일]
  min_score: 0.5
  expected_action: pass
- id: talk
  turns:
    - query: 안녕하세요?
    - query: 몇 시까지 여나요?
"""
SAME = [
    pytest.param("a.yaml", YAML, id="yaml"),
    pytest.param(
        "a.yml", "cases:\n" + "".join(f"  {x}\n" for x in YAML.splitlines()), id="yaml-map"
    ),
    pytest.param("a.json", json.dumps(CASES), id="json"),
    pytest.param("a.json", json.dumps({"cases": CASES}, indent="\t"), id="json-map"),
    pytest.param("A.JSONL", "\n\n".join(map(json.dumps, CASES)) + "\n", id="jsonl"),
    pytest.param("a.jsonl", "\ufeff" + "\r\n".join(map(json.dumps, CASES)), id="from-windows"),
]


@each_row("file, text", SAME)
def test_the_same_cases_are_read_from_every_format(file: str, text: str) -> None:
    loan, talk = read_golden(text.encode(), file).cases

    assert (loan.id, loan.category, loan.scope) == ("loan", "대출", "본관")
    assert loan.expected_keywords == (("16일",), ("칠 권", "7권"))
    assert loan.expected_action == (Action.PASS,)
    assert loan.min_score == 0.5
    assert [turn.query for turn in talk.asked] == ["안녕하세요?", "몇 시까지 여나요?"]


@each_row("file, text, said", "wrong")
def test_what_is_wrong_is_named_with_its_place(file: str, text: str, said: str) -> None:
    with pytest.raises(GoldenError) as caught:
        read_golden(text.encode(), file)

    assert said in str(caught.value)


def test_everything_wrong_is_named_at_once_in_the_order_of_lines() -> None:
    text = "- id: a\n- id: b\n  query: 네?\n  scoop: x\n"

    with pytest.raises(GoldenError) as caught:
        read_golden(text.encode(), "x.yaml")

    assert [problem.place.line for problem in caught.value.problems] == [1, 4]


def test_lines_are_those_of_the_cases_wherever_their_list_stands() -> None:
    text = '{"passages": {"a": {"text": "\\"cases\\": ["}},\n"cases"\n:\n[\n\n{"id": "a"}\n]}'

    with pytest.raises(GoldenError, match=r"^x\.json:6:1: case 'a': needs either"):
        read_golden(text.encode(), "x.json")


def test_a_file_larger_than_any_set_is_refused() -> None:
    with pytest.raises(GoldenError, match=r"x\.json: is larger than"):
        read_golden(b" " * (33 << 20), "x.json")


def test_a_single_case_asks_one_question_with_all_that_it_says() -> None:
    case = case_of("stream: true\nmodel: 16일입니다.\nforbidden_keywords: [30일]")

    [turn] = case.asked

    assert (turn.query, turn.stream) == ("대출 기간은 며칠인가요?", True)
    assert turn.model == ("16일입니다.",)
    assert turn.forbidden_keywords == ("30일",)


def test_turns_rest_on_the_evidence_of_the_case_unless_they_have_their_own() -> None:
    golden = golden_of(
        "passages: {loan: {text: 16일이다.}, fine: {text: 60원이다.}}\n"
        "cases:\n"
        "  - id: talk\n"
        "    passages: [loan]\n"
        "    request: {temperature: 0, seed: 1}\n"
        "    turns:\n"
        "      - query: 며칠인가요?\n"
        "      - {query: 얼마인가요?, passages: [fine], request: {seed: 2}}\n"
        "      - {query: 그건요?, context: 자료 없음}\n"
    )

    first, second, third = golden.cases[0].asked

    assert (first.passages, second.passages, third.passages) == (("loan",), ("fine",), None)
    assert third.context == "자료 없음"
    assert first.request == {"temperature": 0, "seed": 1}
    assert second.request == {"temperature": 0, "seed": 2}

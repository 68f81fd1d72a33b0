"""Golden files: three formats, one meaning, and what is wrong named by line and case."""

import json

import pytest
from pydantic import JsonValue

from policies.schema.policy import Action
from proxy.golden.loading import GoldenError, read_golden
from tests.proxy.golden.sets import case_of, golden_of

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


@pytest.mark.parametrize(("file", "text"), SAME)
def test_the_same_cases_are_read_from_every_format(file: str, text: str) -> None:
    loan, talk = read_golden(text.encode(), file).cases

    assert (loan.id, loan.category, loan.scope) == ("loan", "대출", "본관")
    assert loan.expected_keywords == (("16일",), ("칠 권", "7권"))
    assert loan.expected_action == (Action.PASS,)
    assert loan.min_score == 0.5
    assert [turn.query for turn in talk.asked] == ["안녕하세요?", "몇 시까지 여나요?"]


LINES = '{"id": "a", "query": "네?"}\n%s\n'
PRETTY = '{\n  "about": "",\n  "cases": [\n    {"id": "a", "query": "네?"},\n    %s\n  ]\n}'
WRONG = [
    pytest.param(
        "x.yaml",
        "- id: a\n  query: 네?\n  expected_keyword: [네]\n",
        "x.yaml:3:3: case 'a': expected_keyword: is not a known key; "
        "did you mean 'expected_keywords'?",
        id="unknown-member",
    ),
    pytest.param(
        "x.yaml",
        "cases:\n  - id: a\n    turns:\n      - query: 네?\n        modle: 네.\n",
        "x.yaml:5:9: case 'a': turns[0].modle: is not a known key; did you mean 'model'?",
        id="unknown-member-of-a-turn",
    ),
    pytest.param(
        "x.jsonl",
        LINES % '{"id": "b", "query": "네?", "expected_action": "block"}',
        "x.jsonl:2:1: case 'b': expected_action[0]: must be 'pass', 'fix', 'trim', 'regenerate' "
        "or 'replace', not 'block'",
        id="unknown-action",
    ),
    pytest.param(
        "x.json",
        PRETTY % '{"id": "b", "min_score": "1", "query": "네?"}',
        "x.json:5:1: case 'b': min_score: must be a valid number, not '1'",
        id="number-as-text",
    ),
    pytest.param(
        "x.json",
        PRETTY % '{"query": "네?"}',
        "x.json:5:1: case number 2: id: is missing",
        id="no-id",
    ),
    pytest.param(
        "x.json",
        PRETTY % '{"id": "a", "query": "네?"}',
        "x.json:5:1: case 'a': id: is already the id of the case in line 4",
        id="id-twice",
    ),
    pytest.param(
        "x.jsonl",
        LINES % '{"id": "a", "query": "네?"}',
        "x.jsonl:2:1: case 'a': id: is already the id of the case in line 1",
        id="id-twice-in-lines",
    ),
    pytest.param(
        "x.yaml",
        "passages: {loan: {text: 네.}}\ncases:\n  - id: a\n    query: 네?\n    passages: [lone]\n",
        "x.yaml:5:16: case 'a': passages[0]: there is no passage 'lone'; did you mean 'loan'?",
        id="unknown-passage",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n",
        "x.yaml:1:3: case 'a': needs either a `query` or `turns`",
        id="nothing-asked",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n  query: 네?\n  turns: [{query: 네?}]\n",
        "x.yaml:1:3: case 'a': needs either a `query` or `turns`",
        id="asked-both-ways",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n  min_score: 0\n  turns: [{query: 네?}]\n",
        "x.yaml:1:3: case 'a': `min_score` belongs into the turns",
        id="expectation-beside-turns",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n  query: 네?\n  context: 네.\n  passages: []\n",
        "x.yaml:1:3: case 'a': `context` cannot stand beside `passages` or `sources`",
        id="evidence-both-ways",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n  query: 네?\n  request: {messages: []}\n",
        "x.yaml:3:3: case 'a': request: cannot hold `messages`, which the runner writes itself",
        id="reserved-member",
    ),
    pytest.param(
        "x.yaml",
        "- id: a\n  query: 네?\n  forbidden_keywords: ['  ']\n",
        "x.yaml:3:24: case 'a': forbidden_keywords[0]: must hold something to look for",
        id="keyword-of-nothing",
    ),
    pytest.param("x.yaml", "cases: []\n", "x.yaml:1:1: holds no cases", id="no-cases"),
    pytest.param("x.yaml", "about: x\n", "x.yaml:1:1: cases: is missing", id="no-list"),
    pytest.param("x.yaml", "", "x.yaml:1:1: holds no cases", id="empty-yaml"),
    pytest.param("x.jsonl", "\n", "x.jsonl:1:1: holds no cases", id="empty-jsonl"),
    pytest.param("x.json", "[{]", "x.json: is not usable: ", id="malformed-json"),
    pytest.param(
        "x.jsonl", LINES % '{"id": 1,,}', "x.jsonl:2:1: is not usable: ", id="malformed-line"
    ),
    pytest.param(
        "x.jsonl", LINES % "[1]", "x.jsonl:2:1: is not usable: expected an object", id="no-object"
    ),
    pytest.param(
        "x.json",
        '{"cases": [], "cases": []}',
        "x.json: is not usable: the key 'cases' appears twice",
        id="member-twice",
    ),
    pytest.param(
        "x.yaml",
        "- &one\n  id: a\n  query: 네?\n- *one\n",
        "is an alias; cases share sources through `passages`",
        id="alias",
    ),
    pytest.param("x.csv", "id,query\n", "x.csv: is none of .yaml, .yml, .json, .jsonl", id="csv"),
]


@pytest.mark.parametrize(("file", "text", "said"), WRONG)
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

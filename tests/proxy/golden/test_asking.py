"""The request of a turn: what an app would send, with the turns before it."""

from typing import Any

from proxy.golden.runner import EarlierTurn, body_of
from proxy.golden.shape import DEFAULT_INSTRUCTIONS
from proxy.openai_api.json_body import JsonObject
from tests.proxy.golden.sets import golden_of

SET = """\
instructions: 도서관 안내원입니다.
passages:
  loan: {title: 이용 규정, text: 대출 기간은 16일이다., page: 3, score: 0.9}
cases:
  - id: one
    query: 며칠인가요?
    %s
"""


def sent(member: str = "stream: false", *before: EarlierTurn) -> JsonObject:
    golden = golden_of(SET % member)
    [case] = golden.cases
    return body_of(golden, case, case.asked[0], before, "ko")


def messages(body: JsonObject) -> list[Any]:
    found = body["messages"]
    assert isinstance(found, list)
    return found


def test_passages_are_given_exactly_and_stand_where_a_model_reads_them() -> None:
    body = sent("passages: [loan]\n    sources: [{id: 가, text: 60원이다.}]")

    assert body["guard"] == {
        "sources": [
            {
                "section_title": "이용 규정",
                "section_content": "대출 기간은 16일이다.",
                "page": 3,
                "score": 0.9,
            },
            {"section_title": "", "section_content": "60원이다.", "id": "가"},
        ]
    }
    assert messages(body)[0]["content"] == (
        "도서관 안내원입니다.\n\n<context>\n"
        '<source id="1" name="이용 규정">\n대출 기간은 16일이다.\n</source>\n'
        '<source id="가" name="">\n60원이다.\n</source>\n'
        "</context>"
    )


def test_a_context_written_out_is_left_for_the_proxy_to_find() -> None:
    body = sent("context: '[Source: a.pdf] 16일이다.'")

    assert "guard" not in body
    assert messages(body)[0]["content"].endswith("\n\n[Source: a.pdf] 16일이다.")


def test_the_turns_before_stand_before_the_question() -> None:
    body = sent("stream: true", EarlierTurn("안녕하세요?", "네, 안녕하세요."))

    assert body["stream"] is True
    assert [(one["role"], one["content"]) for one in messages(body)[1:]] == [
        ("user", "안녕하세요?"),
        ("assistant", "네, 안녕하세요."),
        ("user", "며칠인가요?"),
    ]


def test_instructions_are_the_cases_else_the_sets_else_ours() -> None:
    golden = golden_of("cases: [{id: a, query: 네?}, {id: b, query: 네?, instructions: ''}]")
    first, second = (
        body_of(golden, case, case.asked[0], (), "ko")["messages"] for case in golden.cases
    )

    assert first == [
        {"role": "system", "content": DEFAULT_INSTRUCTIONS},
        {"role": "user", "content": "네?"},
    ]
    assert second == [{"role": "user", "content": "네?"}]

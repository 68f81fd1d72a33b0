"""What of a request the model server does not get to see."""

import json

import pytest

from guards.core.exchange import Source
from policies.schema.base import Mode
from policies.schema.guard_rule import GuardRule
from policies.schema.policy import Policy
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.pipeline.pseudonyms import hidden, pseudonyms_for

PHONE, RESIDENT = "010-0000-1234", "991231-3123456"
OFFICE = "02-000-1234"
SOURCES = (Source("1", "안내", f"문의는 {OFFICE}로 하며 신청인은 {RESIDENT}이다."),)


def policy(mode: Mode = Mode.ENFORCE, **options: object) -> Policy:
    return Policy(guards={"personal_data": GuardRule(mode=mode, options=options)})


MASKING = policy(input="mask")


def body(*messages: JsonObject, **more: object) -> JsonObject:
    made: JsonObject = json.loads(json.dumps({"model": "m", "messages": messages, **more}))
    return made


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def seen(asked: JsonObject, by: Policy = MASKING) -> str:
    """Return what the model server sees of a request."""
    return hidden(json_bytes(asked), pseudonyms_for(asked, SOURCES, by)).decode()


def test_an_identifier_is_hidden_wherever_it_stands() -> None:
    call: JsonObject = {"function": {"name": "find", "arguments": json.dumps({"phone": PHONE})}}
    asked = body(
        {"role": "system", "content": f"고객 번호 {PHONE}"},
        user(f"{PHONE}로 예약했어요"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": f"{PHONE}: 예약 있음"},
        {"role": "user", "content": [{"type": "text", "text": f"{PHONE} 맞죠?"}]},
        documents=[{"text": f"예약자 {PHONE}"}],
    )

    shown = seen(asked)

    assert PHONE not in shown
    assert shown.count("[전화번호-1]") == 6


def test_contacts_that_a_source_publishes_stay() -> None:
    shown = seen(body(user(f"자료: {OFFICE}, {RESIDENT}. 질문: {OFFICE}는 어디인가요?")))

    assert shown.count(OFFICE) == 2
    assert RESIDENT not in shown


def test_contacts_that_only_instructions_hold_stay() -> None:
    asked = body({"role": "system", "content": "대표 전화 010-0000-9999"}, user("누구인가요?"))

    assert hidden(json_bytes(asked), pseudonyms_for(asked, SOURCES, MASKING)) == json_bytes(asked)


@pytest.mark.parametrize("role", ["system", "tool", "user"])
def test_what_no_office_publishes_is_hidden_whoever_says_it(role: str) -> None:
    shown = seen(body({"role": role, "content": f"신청인 {RESIDENT}"}, user("누구인가요?")))

    assert RESIDENT not in shown
    assert "[주민등록번호-1]" in shown


def test_what_a_source_calls_the_number_of_a_thing_stays() -> None:
    sources = (Source("1", "안내", "주문번호 240115-3234567"),)
    asked = body(user("240115-3234567 언제 오나요?"))

    assert not pseudonyms_for(asked, sources, MASKING)


def test_what_is_split_over_two_parts_is_hidden() -> None:
    parts: list[JsonObject] = [
        {"type": "text", "text": "제 번호는 010-0000-"},
        {"type": "image_url", "image_url": {"url": "https://gaon.invalid/1.png"}},
        {"type": "text", "text": "1234입니다"},
    ]
    shown = json.loads(seen(body(json.loads(json.dumps({"role": "user", "content": parts})))))

    [first, picture, last] = shown["messages"][0]["content"]
    assert (first["text"], last["text"]) == ("제 번호는 [전화번호-1]", "입니다")
    assert picture == parts[1]


def test_what_the_request_says_of_the_user_is_hidden() -> None:
    shown = json.loads(
        seen(body(user("네"), user="nobody@gaon.invalid", metadata={"tel": PHONE, "plan": "a"}))
    )

    assert shown["user"] == "[이메일-1]"
    assert shown["metadata"] == {"tel": "[전화번호-1]", "plan": "a"}


def test_words_around_an_identifier_count_also_where_json_escapes_them() -> None:
    arguments = json.dumps({"계좌": "110000123456", "차량번호": "00가0000"})
    call: JsonObject = {"function": {"name": "save", "arguments": arguments}}
    shown = seen(body(user("저장해 주세요"), {"role": "assistant", "tool_calls": [call]}))

    [said] = json.loads(shown)["messages"][1]["tool_calls"]
    assert json.loads(said["function"]["arguments"]) == {
        "계좌": "[계좌번호-1]",
        "차량번호": "[차량번호-1]",
    }


def test_files_are_left_alone() -> None:
    picture: JsonObject = {
        "type": "image_url",
        "image_url": {"url": f"https://gaon.invalid/{PHONE}.png"},
    }
    asked = body({"role": "user", "content": [{"type": "text", "text": PHONE}, picture]})

    assert f"https://gaon.invalid/{PHONE}.png" in seen(asked)


def test_blocking_hides_what_earlier_turns_hold() -> None:
    asked = body(user(PHONE), {"role": "assistant", "content": "받지 않습니다"}, user("알겠어요"))

    assert PHONE not in seen(asked, policy(input="block"))


def test_business_numbers_are_hidden_where_the_policy_says_so() -> None:
    asked = body(user("사업자 000-00-00000"))

    assert "000-00-00000" in seen(asked)
    assert "000-00-00000" not in seen(asked, policy(input="mask", business_numbers=True))

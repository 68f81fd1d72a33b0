"""What of a request the model server does not get to see."""

import json

import pytest

from guards.core.exchange import Source
from guards.text.personal_kinds import PersonalKind
from policies.policy import GuardRule, Mode, Policy
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.personal.request import hidden, stand_ins_for

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
    return hidden(json_bytes(asked), stand_ins_for(asked, SOURCES, by)).decode()


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


def test_what_the_assistant_said_is_hidden_as_well() -> None:
    shown = seen(body(user("내 번호 뭐였죠?"), {"role": "assistant", "content": PHONE}, user("네")))

    assert PHONE not in shown


def test_contacts_that_a_source_publishes_stay() -> None:
    shown = seen(body(user(f"자료: {OFFICE}, {RESIDENT}. 질문: {OFFICE}는 어디인가요?")))

    assert shown.count(OFFICE) == 2
    assert RESIDENT not in shown


def test_what_only_sources_and_instructions_hold_stays() -> None:
    asked = body({"role": "system", "content": f"자료: {RESIDENT}"}, user("누구인가요?"))

    assert hidden(json_bytes(asked), stand_ins_for(asked, SOURCES, MASKING)) == json_bytes(asked)


def test_files_are_left_alone() -> None:
    picture: JsonObject = {
        "type": "image_url",
        "image_url": {"url": f"https://gaon.invalid/{PHONE}.png"},
    }
    asked = body({"role": "user", "content": [{"type": "text", "text": PHONE}, picture]})

    assert f"https://gaon.invalid/{PHONE}.png" in seen(asked)


@pytest.mark.parametrize(
    "by",
    [
        pytest.param(Policy(), id="no-such-guard"),
        pytest.param(policy(), id="by-default"),
        pytest.param(policy(Mode.SHADOW, input="mask"), id="shadow"),
        pytest.param(policy(Mode.OFF, input="mask"), id="off"),
    ],
)
def test_where_the_policy_does_not_ask_for_it_the_bytes_stay(by: Policy) -> None:
    raw = json.dumps(body(user(PHONE)), indent=3).encode()

    assert hidden(raw, stand_ins_for(json.loads(raw), (), by)) is raw


def test_blocking_hides_what_earlier_turns_hold() -> None:
    asked = body(user(PHONE), {"role": "assistant", "content": "받지 않습니다"}, user("알겠어요"))

    assert PHONE not in seen(asked, policy(input="block"))


def test_business_numbers_are_hidden_where_the_policy_says_so() -> None:
    asked = body(user("사업자 000-00-00000"))

    assert "000-00-00000" in seen(asked)
    assert "000-00-00000" not in seen(asked, policy(input="mask", business_numbers=True))


def test_the_kinds_of_what_is_hidden_are_known() -> None:
    found = stand_ins_for(body(user(f"{PHONE} {RESIDENT}")), (), MASKING).identifiers

    assert found == {PHONE: PersonalKind.PHONE, RESIDENT: PersonalKind.RESIDENT_NUMBER}

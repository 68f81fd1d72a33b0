"""Identifiers of the user: hidden from the model, and put back."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.text.personal_data.personal import find_personal
from guards.text.personal_data.rules import PersonalKind
from policies.schema.base import Mode
from policies.schema.policy import GuardRule, Policy
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.pseudonyms import (
    LONGEST_PLACEHOLDER_CHARS,
    Pseudonyms,
    Restorer,
    hidden,
    pseudonyms_for,
)
from proxy.openai_api.sse import json_bytes
from tests.tables import each_row

K = PersonalKind
PHONE, OTHER, MAIL, PLATE = "010-0000-1234", "010-0000-5678", "a@gaon.invalid", "서울 00바 0000"
IDENTIFIERS = {PHONE: K.PHONE, MAIL: K.EMAIL, OTHER: K.PHONE, PLATE: K.VEHICLE}

PIECES = [
    PHONE, OTHER, MAIL, PLATE, "[전화번호-1]", "[전화번호-2]", "[이메일-1]", "[전화번호", "-1]",
    "[", "]", "\\[", "\\", "\\]", "［전화번호-1］", "[ 전화번호 - 2 ]",
    "전화", "번호", "-", "1", " ", "값",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def test_each_identifier_has_a_placeholder_with_its_kind_and_number() -> None:
    pseudonyms = Pseudonyms(IDENTIFIERS)

    hidden = pseudonyms.hide(f"{PHONE}, {OTHER}, {PHONE}, {MAIL}, {PLATE}")

    assert hidden == "[전화번호-1], [전화번호-2], [전화번호-1], [이메일-1], [차량번호-1]"


@given(TEXTS, st.lists(st.integers(0, 200), max_size=10))
def test_pieces_cut_anywhere_say_the_same_as_the_whole(text: str, cuts: list[int]) -> None:
    pseudonyms = Pseudonyms(IDENTIFIERS)
    restorer = Restorer(pseudonyms)
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]

    said = [restorer.feed(text[start:end]) for start, end in pairwise(places)]

    assert "".join([*said, restorer.close()]) == pseudonyms.restore(text)


def test_an_ordinary_text_is_not_kept_back() -> None:
    restorer = Restorer(Pseudonyms(IDENTIFIERS))

    assert restorer.feed("신청서는 [1] 소속 팀장에게 냅니다. (제2조)") == (
        "신청서는 [1] 소속 팀장에게 냅니다. (제2조)"
    )


@each_row("kind", list(PersonalKind))
def test_no_placeholder_is_longer_than_what_is_kept_back(kind: PersonalKind) -> None:
    escaped = json.dumps(kind.noun)[1:-1]

    for longest in (f"[ {escaped} - 999999 ]", rf"\[{escaped}\-999999\]"):
        assert len(longest) <= LONGEST_PLACEHOLDER_CHARS


@each_row("written", "a_model_may_write_a_placeholder_its_own_way")
def test_a_model_may_write_a_placeholder_its_own_way(written: str) -> None:
    assert Pseudonyms(IDENTIFIERS).restore(f"**{written}**로") == f"**{PHONE}**로"


@each_row(
    "written", ["[전화번호-7]", "[전화번호]", "(전화번호 1)", "[1]", "전화번호-1", "[비고-1]"]
)
def test_what_stands_in_for_nothing_stays(written: str) -> None:
    assert Pseudonyms(IDENTIFIERS).restore(written) == written


def test_a_placeholder_that_somebody_wrote_is_not_taken() -> None:
    pseudonyms = Pseudonyms({PHONE: K.PHONE}, ["[전화번호-1]은 무엇인가요?"])

    assert pseudonyms.hide(PHONE) == "[전화번호-2]"
    assert pseudonyms.restore("[전화번호-1]") == "[전화번호-1]"


def test_escaped_characters_of_json_are_hidden_too() -> None:
    arguments = json.dumps({"plate": PLATE})

    assert json.loads(Pseudonyms(IDENTIFIERS).hide(arguments)) == {"plate": "[차량번호-1]"}


@given(
    st.lists(
        st.sampled_from([*'0123456789０１-－ .()+@aM가서울"\\\n\t\u200b\u0301', "계좌", "전화"])
    ).map("".join)
)
def test_what_is_given_back_holds_nothing_that_json_has_to_escape(text: str) -> None:
    for span in find_personal(text, business_numbers=True):
        pseudonyms = Pseudonyms({text[span.start : span.end]: span.kind})
        given_back = pseudonyms.restore(f"[{span.kind.noun}-1]")

        assert json.dumps(given_back, ensure_ascii=False) == f'"{given_back}"'


@each_row("particle, restored", "particles")
@each_row("cut", "the_particle_goes_with_what_is_given_back")
def test_the_particle_goes_with_what_is_given_back(particle: str, restored: str, cut: int) -> None:
    pseudonyms = Pseudonyms({restored[: len(PHONE)]: K.PHONE})
    restorer = Restorer(pseudonyms)
    text = f"번호 [전화번호-1]{particle} 합니다"

    pieces = [restorer.feed(text[:cut]), restorer.feed(text[cut:]), restorer.close()]

    assert "".join(pieces) == pseudonyms.restore(text) == f"번호 {restored} 합니다"


def test_nothing_that_prints_them_shows_them() -> None:
    pseudonyms = Pseudonyms(IDENTIFIERS)

    shown = f"{pseudonyms} {pseudonyms!r} {Restorer(pseudonyms)!r}"

    assert not any(value in shown for value in IDENTIFIERS)


MOBILE, RESIDENT = "010-0000-1234", "991231-3123456"
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
    call: JsonObject = {"function": {"name": "find", "arguments": json.dumps({"phone": MOBILE})}}
    asked = body(
        {"role": "system", "content": f"고객 번호 {MOBILE}"},
        user(f"{MOBILE}로 예약했어요"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": f"{MOBILE}: 예약 있음"},
        {"role": "user", "content": [{"type": "text", "text": f"{MOBILE} 맞죠?"}]},
        documents=[{"text": f"예약자 {MOBILE}"}],
    )

    shown = seen(asked)

    assert MOBILE not in shown
    assert shown.count("[전화번호-1]") == 6


def test_contacts_that_a_source_publishes_stay() -> None:
    shown = seen(body(user(f"자료: {OFFICE}, {RESIDENT}. 질문: {OFFICE}는 어디인가요?")))

    assert shown.count(OFFICE) == 2
    assert RESIDENT not in shown


def test_contacts_that_only_instructions_hold_stay() -> None:
    asked = body({"role": "system", "content": "대표 전화 010-0000-9999"}, user("누구인가요?"))

    assert hidden(json_bytes(asked), pseudonyms_for(asked, SOURCES, MASKING)) == json_bytes(asked)


@each_row("role", ["system", "tool", "user"])
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
        seen(body(user("네"), user="nobody@gaon.invalid", metadata={"tel": MOBILE, "plan": "a"}))
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
        "image_url": {"url": f"https://gaon.invalid/{MOBILE}.png"},
    }
    asked = body({"role": "user", "content": [{"type": "text", "text": MOBILE}, picture]})

    assert f"https://gaon.invalid/{MOBILE}.png" in seen(asked)


def test_blocking_hides_what_earlier_turns_hold() -> None:
    asked = body(user(MOBILE), {"role": "assistant", "content": "받지 않습니다"}, user("알겠어요"))

    assert MOBILE not in seen(asked, policy(input="block"))


def test_business_numbers_are_hidden_where_the_policy_says_so() -> None:
    asked = body(user("사업자 000-00-00000"))

    assert "000-00-00000" in seen(asked)
    assert "000-00-00000" not in seen(asked, policy(input="mask", business_numbers=True))

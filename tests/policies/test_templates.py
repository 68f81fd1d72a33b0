import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from policies.schema.policy import GuardRule, Policy
from policies.templates import BadTemplate, ReplyTemplates, compiled
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

NO_EVIDENCE = """
근거가 되는 자료를 찾지 못했습니다.
{% if sources %}
살펴본 자료:
{% for title in sources[:3] %}
- {{ title }}
{% endfor %}
{% endif %}
다른 말로 다시 질문해 주세요.
"""
COMPLAINT = "불편을 드려 죄송합니다. {{ reason }} 다시 질문해 주시면 살펴보겠습니다."

QUESTION = Exchange(question="연차는 며칠인가요?")
TWO_SOURCES = Exchange(
    question="연차는 며칠인가요?",
    sources=(
        Source(id="1", title="취업규칙\n제10조", text="연차는 15일이다."),
        Source(id="2", title="", text="휴가 안내", file="guide.pdf"),
    ),
)


def templates(**texts: str) -> ReplyTemplates:
    return ReplyTemplates(
        Policy(
            templates={name.replace("__", "."): text for name, text in texts.items()},
            guards={"numbers": GuardRule(template="chosen")},
            reasons={
                "no_evidence": "자료를 찾지 못했습니다.",
                "answerability": "자료를 찾지 못했습니다.",
                "numbers": "수치를 확인하지 못했습니다.",
                "numbers.wrong_unit": "단위를 확인하지 못했습니다.",
            },
        )
    )


# --- choosing --------------------------------------------------------------------------------


def test_the_most_exact_template_is_chosen() -> None:
    every = {name: f"{name} 답변입니다." for name in ("numbers__made_up", "chosen", "numbers")}
    names = ["numbers.made_up", "chosen", "numbers", "fallback"]
    texts = {**every, "fallback": "다른 답변입니다."}
    for expected in names:
        assert templates(**texts).name_for("numbers", "numbers.made_up") == expected
        del texts[expected.replace(".", "__")]


def test_without_any_template_there_is_no_reply() -> None:
    with pytest.raises(KeyError, match="no template for numbers"):
        templates(citations="출처를 확인해 주세요.").reply("numbers", [], QUESTION)


def test_a_guard_that_did_not_run_has_no_code() -> None:
    reply = templates(citations="출처를 확인해 주세요.").reply("citations", [], QUESTION)

    assert (reply.template, reply.text) == ("citations", "출처를 확인해 주세요.")


# --- rendering -------------------------------------------------------------------------------


def test_titles_of_sources_stand_in_the_reply_one_line_each() -> None:
    reply = templates(fallback=NO_EVIDENCE).reply("x", [], TWO_SOURCES)

    assert reply.text == (
        "근거가 되는 자료를 찾지 못했습니다.\n"
        "살펴본 자료:\n- 취업규칙 제10조\n- guide.pdf\n"
        "다른 말로 다시 질문해 주세요."
    )


def test_without_sources_their_heading_is_gone() -> None:
    reply = templates(fallback=NO_EVIDENCE).reply("x", [], QUESTION)

    assert reply.text == "근거가 되는 자료를 찾지 못했습니다.\n다른 말로 다시 질문해 주세요."


def test_a_title_is_never_long() -> None:
    source = Source(id="1", title="가" * 5000, text="나")
    reply = templates(fallback=NO_EVIDENCE).reply("x", [], Exchange("q", sources=(source,)))

    assert "- " + "가" * 120 + "\n" in reply.text


def test_a_title_stands_without_its_markup() -> None:
    source = Source(id="1", title="## **제3조**의 [표](http://a.kr) <b>요금</b><br>안내", text="나")
    reply = templates(fallback=NO_EVIDENCE).reply("x", [], Exchange("q", sources=(source,)))

    assert "- 제3조의 표 요금 안내\n" in reply.text


def test_a_title_is_text_and_never_a_template() -> None:
    source = Source(id="1", title="{{ reason }}{% for %}", text="나")
    reply = templates(fallback=NO_EVIDENCE).reply("x", [], Exchange("q", sources=(source,)))

    assert "- {{ reason }}{% for %}\n" in reply.text


def test_codes_can_be_spoken_of() -> None:
    reply = templates(
        fallback="{% if 'a.b' in codes %}수치{% else %}다른 까닭{% endif %} 때문에 멈추었습니다."
    ).reply("a", ["a.c", "a.b"], QUESTION)

    assert reply.text == "수치 때문에 멈추었습니다."


@each_row("source, message", "refused")
def test_refuses(source: str, message: str) -> None:
    with pytest.raises(BadTemplate, match=message):
        compiled(source)


@each_row("source", ["{{ " + "(" * 3000, "{% if reason %}" * 120 + "가" + "{% endif %}" * 120])
def test_refuses_what_is_nested_too_deep(source: str) -> None:
    with pytest.raises(BadTemplate, match="nested too deep"):
        compiled(source)


# --- ending an answer that has begun to leave -----------------------------------------------------

CUT = "여기까지만 안내해 드립니다."
CORRECTION = "바로잡습니다.\n{% for sentence in wrong %}\n- {{ sentence }}\n{% endfor %}"
LAST = "{% if wrong %}위 답변은 {{ wrong|length }}곳이 틀립니다.{% else %}멈춥니다.{% endif %}"
WRONG = ["연차는 30일입니다.", "신청은 필요 없습니다."]


def closings(**texts: str) -> ReplyTemplates:
    return templates(**{f"closing__{name}": text for name, text in texts.items()}, fallback=LAST)


def test_an_answer_that_goes_no_further_is_cut() -> None:
    reply = closings(cut=CUT, correction=CORRECTION).closing([], ["numbers.made_up"], QUESTION)

    assert (reply.template, reply.text) == ("closing.cut", "여기까지만 안내해 드립니다.")


def test_a_correction_names_what_has_left_and_is_wrong() -> None:
    reply = closings(cut=CUT, correction=CORRECTION).closing(WRONG, ["numbers.made_up"], QUESTION)

    assert reply.template == "closing.correction"
    assert reply.text == "바로잡습니다.\n- 연차는 30일입니다.\n- 신청은 필요 없습니다."


@each_row("wrong, own, said", "the_fallback_ends_an_answer_too")
def test_the_fallback_ends_an_answer_too(wrong: list[str], own: dict[str, str], said: str) -> None:
    reply = closings(**own).closing(wrong, [], QUESTION)

    assert (reply.template, reply.text) == ("fallback", said)


def test_what_ends_an_answer_may_speak_of_sources_and_codes() -> None:
    cut = "{{ codes|join(' ') }} 때문에 멈춥니다. {{ sources|join(', ') }}에서 확인해 주세요."

    reply = closings(cut=cut).closing([], ["a.b", "c.d"], TWO_SOURCES)

    assert reply.text == "a.b c.d 때문에 멈춥니다. 취업규칙 제10조, guide.pdf에서 확인해 주세요."


def test_what_is_wrong_is_text_and_never_a_template() -> None:
    reply = closings(correction=CORRECTION).closing(["{{ reason }}{% for %}"], [], QUESTION)

    assert reply.text == "바로잡습니다.\n- {{ reason }}{% for %}"


def test_a_template_in_the_place_of_an_answer_has_nothing_to_correct() -> None:
    assert templates(fallback=LAST).reply("numbers", [], QUESTION).text == "멈춥니다."


def test_an_answer_that_was_corrected_is_recognised() -> None:
    said = "잘못 알려 드린 내용이 있어 다음을 바로잡습니다."
    replies = closings(cut=CUT, correction=CORRECTION.replace("바로잡습니다.", said))
    closing = replies.closing(WRONG, [], QUESTION).text

    assert replies.recognise(f"연차는 30일입니다.\n\n{closing}") == "closing.correction"


# --- recognising -----------------------------------------------------------------------------


@pytest.mark.parametrize("exchange", [QUESTION, TWO_SOURCES], ids=["bare", "with-titles"])
def test_a_reply_is_recognised_by_what_its_template_always_says(exchange: Exchange) -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)
    text = replies.reply("answerability", [], exchange).text

    assert replies.recognise(text) == "answerability"
    assert replies.recognise(text.replace("\n", "\r\n  ") + "\n") == "answerability"
    assert replies.recognise(text.replace(" ", "\u00a0")) == "answerability"


def test_other_answers_are_not_recognised() -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)

    assert replies.recognise("연차는 15일입니다.") is None
    assert replies.recognise("근거가 되는 자료를 찾지 못했습니다.") is None
    assert replies.recognise("") is None
    assert replies.recognise("\ud800") is None


def test_of_two_templates_the_one_that_says_more_is_meant() -> None:
    replies = templates(
        brief="근거가 되는 자료를 찾지 못했습니다.",
        answerability=NO_EVIDENCE,
    )

    assert replies.recognise(replies.reply("answerability", [], QUESTION).text) == "answerability"


def test_a_template_that_says_next_to_nothing_is_never_recognised() -> None:
    assert templates(fallback="네. {{ reason }}").recognise("네. 연차는 15일입니다.") is None


@each_row("char", "recognising_ends_soon_whatever_the_answer")
def test_recognising_ends_soon_whatever_the_answer(char: str) -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)

    def look(chars: int) -> None:
        text = "근거가 되는 자료를 찾지 못했습니다.\n살펴본 자료:\n" + char * chars
        assert replies.recognise(text) is None

    assert_grows_with_its_input(look, 20_000)


@given(titles=st.lists(st.text(), max_size=6))
def test_whatever_the_titles_say_the_reply_is_recognised(titles: list[str]) -> None:
    sources = tuple(
        Source(id=str(number), title=title, text="내용") for number, title in enumerate(titles)
    )
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)
    text = replies.reply("answerability", [], Exchange("질문", sources=sources)).text

    assert replies.recognise(text) == "answerability"


# --- reasons ---------------------------------------------------------------------------------


@each_row("said, reason", "the_callers_reason_is_put_into_words")
def test_the_callers_reason_is_put_into_words(said: str | None, reason: str) -> None:
    exchange = Exchange(question="답답하네요", last_error_reason=said)

    assert templates(complaint=COMPLAINT).reason_for(exchange) == reason


def test_the_reason_is_seen_in_the_previous_answer() -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)
    previous = replies.reply("answerability", ["answerability.none"], QUESTION).text

    reply = replies.reply("complaint", [], Exchange("답답하네요", previous_answer=previous))

    assert reply.text == (
        "불편을 드려 죄송합니다. 자료를 찾지 못했습니다. 다시 질문해 주시면 살펴보겠습니다."
    )


def test_a_second_complaint_in_a_row_gets_the_same_reason() -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)
    previous = replies.reply("answerability", [], QUESTION).text
    for _ in range(2):
        complaint = Exchange("또 그러네요", previous_answer=previous)
        previous = replies.reply("complaint", [], complaint).text

    assert "자료를 찾지 못했습니다." in previous


def test_what_the_caller_says_comes_before_what_is_seen() -> None:
    replies = templates(answerability=NO_EVIDENCE, complaint=COMPLAINT)
    previous = replies.reply("answerability", [], QUESTION).text

    assert (
        replies.reason_for(
            Exchange("왜 이래요", last_error_reason="numbers", previous_answer=previous)
        )
        == "수치를 확인하지 못했습니다."
    )


def test_an_unknown_failure_gets_the_default_reason() -> None:
    policy = Policy(templates={"fallback": COMPLAINT}, reasons={"default": "원인을 모릅니다."})

    assert ReplyTemplates(policy).reason_for(QUESTION) == "원인을 모릅니다."

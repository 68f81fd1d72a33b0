import pytest

from guards.answerability import Answerability, AnswerabilitySettings
from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Severity, Span
from guards.core.guard import Stage
from guards.core.reading import read
from tests.tables import each_row

QUESTION = "환불 신청 절차를 알려 주세요"
ON_TOPIC = Source("1", "제8조(환불)", "환불을 신청하려면 영수증과 신청서를 함께 제출한다.")
DRESS = (
    "직원은 근무 시간에 근무복을 착용한다. 근무복은 해마다 두 벌을 지급하며, 세탁은 본인이 한다. "
    "명찰은 왼쪽 가슴에 단다. 머리는 단정하게 하고, 슬리퍼와 반바지는 금한다. 근무복을 잃어버리면 "
    "총무팀에 알리고 새 옷을 산다. 여름 근무복은 6월부터 8월까지, "
    "겨울 근무복은 11월부터 2월까지 입는다."
)
OFF_TOPIC = Source("1", "제9조(복장)", DRESS)


def scored(source: Source, score: float) -> Source:
    return Source(source.id, source.title, source.text, score=score)


def policy_question(
    *sources: Source,
    question: str = QUESTION,
    context: ContextState = ContextState.ABSENT,
    answer: str | None = None,
    may_fetch: bool = False,
) -> Exchange:
    return Exchange(
        question,
        sources,
        context=context,
        answer=answer,
        intents=("policy",),
        may_fetch=may_fetch,
    )


@pytest.fixture
def guard() -> Answerability:
    return Answerability(AnswerabilitySettings())


FLAGGED = [
    pytest.param(policy_question(), "no_context", 1.0, id="no-context-block"),
    pytest.param(
        policy_question(context=ContextState.EMPTY), "empty_context", 1.0, id="nothing-retrieved"
    ),
    pytest.param(
        policy_question(Source("1", "제8조(환불)", " \n")), "empty_context", 1.0, id="blank-sources"
    ),
    pytest.param(
        policy_question(scored(ON_TOPIC, 0.325), scored(ON_TOPIC, 0.1)),
        "low_score",
        0.75,
        id="best-score-below-the-gate",
    ),
]
CLEAN = [
    pytest.param(policy_question(ON_TOPIC), id="evidence"),
    pytest.param(policy_question(OFF_TOPIC, ON_TOPIC), id="one-source-is-enough"),
    pytest.param(
        policy_question(scored(ON_TOPIC, 0.65), scored(OFF_TOPIC, 0.2)), id="score-at-the-gate"
    ),
    pytest.param(
        policy_question(scored(OFF_TOPIC, 0.9)), id="passed-score-outweighs-different-words"
    ),
    pytest.param(
        policy_question(OFF_TOPIC, question="반려견이랑 같이 가도 돼요?"), id="told-in-verbs"
    ),
]


@each_row("answer", [None, "신청서를 내시면 됩니다."])
@each_row("exchange, kind, score", FLAGGED)
def test_flags_before_and_after_the_model(
    guard: Answerability, exchange: Exchange, kind: str, score: float, answer: str | None
) -> None:
    reading = read(exchange if answer is None else exchange.answered(answer))

    [finding] = guard.check(reading)

    assert guard.not_checkable(reading) is None
    assert finding.code == f"answerability.{kind}"
    assert finding.score == pytest.approx(score)
    assert (finding.part, finding.observed) == ("question", QUESTION)
    assert finding.span == Span(0, len(QUESTION))


@each_row("exchange", CLEAN)
def test_passes(guard: Answerability, exchange: Exchange) -> None:
    assert guard.check(read(exchange)) == []


def test_an_abstention_needs_no_evidence(guard: Answerability) -> None:
    exchange = policy_question(answer="관련 규정을 찾을 수 없습니다. 담당 부서에 문의해 주세요.")

    assert guard.check(read(exchange)) == []


def test_an_abstention_that_goes_on_to_answer_does(guard: Answerability) -> None:
    exchange = policy_question(answer="관련 규정을 찾을 수 없습니다. 보통은 7일 걸립니다.")

    assert [finding.code for finding in guard.check(read(exchange))] == ["answerability.no_context"]


def test_waits_for_the_answer_while_the_model_may_still_fetch(guard: Answerability) -> None:
    before = read(policy_question(may_fetch=True))
    after = read(policy_question(may_fetch=True, answer="7일 걸립니다."))

    assert guard.not_checkable(before) == "may_still_fetch"
    assert guard.not_checkable(after) is None
    assert len(guard.check(after)) == 1


@each_row("intents", [(), ("greeting",)])
def test_other_questions_demand_evidence_only_if_the_policy_says_always(
    guard: Answerability, intents: tuple[str, ...]
) -> None:
    always = Answerability(AnswerabilitySettings(evidence_always=True))
    reading = read(Exchange(QUESTION, intents=intents))

    assert guard.not_checkable(reading) == "no_evidence_demanded"
    assert always.not_checkable(reading) is None
    assert len(always.check(reading)) == 1


def test_the_policy_names_the_intents() -> None:
    guard = Answerability(AnswerabilitySettings(intents=("benefits",)))

    assert guard.not_checkable(read(Exchange(QUESTION, intents=("chat", "benefits")))) is None
    assert guard.not_checkable(read(policy_question())) == "no_evidence_demanded"


def test_a_blank_question_is_not_judged(guard: Answerability) -> None:
    assert guard.not_checkable(read(policy_question(question=" \n"))) == "no_question"


def test_a_question_about_something_else_is_flagged_whatever_its_intent(
    guard: Answerability,
) -> None:
    reading = read(Exchange(QUESTION, (OFF_TOPIC,)))

    [finding] = guard.check(reading)

    assert guard.not_checkable(reading) is None
    assert finding.code == "answerability.off_topic"
    assert 0.5 < finding.score <= 1


def test_a_name_that_no_source_knows_is_flagged_with_those_they_know(guard: Answerability) -> None:
    sources = (
        Source("1", "강남점 안내", "주차는 무료입니다."),
        Source("2", "잠실점 안내", "10시에 엽니다."),
    )

    [finding] = guard.check(read(Exchange("해운대점은 주차가 되나요?", sources)))

    assert finding.code == "answerability.unknown_name"
    assert finding.severity is Severity.STRONG
    assert finding.expected == ("강남", "잠실")


def test_a_number_of_a_list_is_known(guard: Answerability) -> None:
    sources = (Source("1", "순환버스 안내", "1·2캠퍼스는 정문, 3·4캠퍼스는 후문에서 탑니다."),)

    assert guard.check(read(Exchange("3캠퍼스는 어디에서 타나요?", sources))) == []


LEAVES = Source("1", "휴직 규정", "질병휴직은 1년, 가사휴직은 6개월까지 쓸 수 있습니다.")


@each_row("question", ["육아휴직은 몇 개월이에요?", "무급휴직은 몇 개월이에요?"])
def test_a_compound_is_only_noted_as_it_may_describe_a_known_one(
    guard: Answerability, question: str
) -> None:
    [finding] = guard.check(read(Exchange(question, (LEAVES,))))

    assert finding.code == "answerability.unknown_name"
    assert finding.severity is Severity.WEAK
    assert finding.expected == ("가사휴직", "질병휴직")


def test_a_retrieval_score_says_nothing_of_names(guard: Answerability) -> None:
    source = scored(Source("1", "강남점 안내", "주차는 무료입니다."), 0.9)

    [finding] = guard.check(read(Exchange("해운대점은 주차가 되나요?", (source,))))

    assert finding.code == "answerability.unknown_name"


@each_row("question", "work_on_a_text")
def test_a_request_for_work_or_for_a_person_needs_no_source(
    guard: Answerability, question: str
) -> None:
    assert guard.check(read(Exchange(question, (OFF_TOPIC,)))) == []


def test_rules_are_asked_for_as_they_are_named(guard: Answerability) -> None:
    by_rule = read(Exchange("직원 기숙사 배정 규정을 알려 주세요", (OFF_TOPIC,)))
    by_subject = read(Exchange("직원 기숙사 배정은요?", (OFF_TOPIC,)))

    assert [finding.code for finding in guard.check(by_rule)] == ["answerability.off_topic"]
    assert guard.check(by_subject) == []


@each_row("question, source", "told_otherwise")
def test_a_question_whose_words_need_not_show_is_let_through(
    guard: Answerability, question: str, source: Source
) -> None:
    reading = read(Exchange(question, (source,)))

    assert guard.not_checkable(reading) == "no_evidence_demanded"
    assert guard.check(reading) == []


def test_without_a_gate_scores_are_ignored_and_words_are_compared() -> None:
    guard = Answerability(AnswerabilitySettings(min_score=None))

    assert guard.check(read(policy_question(scored(ON_TOPIC, 0.1)))) == []
    assert guard.check(read(policy_question(scored(OFF_TOPIC, 0.9)))) != []


def test_comparing_words_can_be_switched_off() -> None:
    guard = Answerability(AnswerabilitySettings(off_topic=False, unknown_names=False))
    branches = (Source("1", "강남점 안내", "주차는 무료입니다."),)

    assert guard.check(read(policy_question(OFF_TOPIC))) == []
    assert guard.check(read(policy_question(*branches, question="부산점 주차 되나요?"))) == []


def test_the_span_leaves_white_space_out(guard: Answerability) -> None:
    [finding] = guard.check(read(policy_question(question=f"\n {QUESTION} ")))

    assert finding.span == Span(2, 2 + len(QUESTION))


def test_runs_at_both_stages() -> None:
    assert Answerability.stages == {Stage.INPUT, Stage.OUTPUT}

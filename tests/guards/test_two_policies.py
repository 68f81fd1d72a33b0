"""Two policies over the same sources: what is kept for one is never the other's verdict."""

from collections.abc import Mapping, Sequence

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.guard import Guard, GuardSettings, Stage
from guards.core.reading import Reading, forget_sources
from guards.core.registry import all_guards
from policies.inspection import Run, reading_of
from tests.tables import each_row

SOURCES = (
    Source("1", "새벽숲 이용 규정", "새벽숲은 월요일에 휴관한다. 회원은 무료로 입장할 수 있다."),
    Source(
        "2",
        "새벽숲 요금표",
        "성인 입장료는 5,000원이다. 다만, 야간에는 입장할 수 없다. 문의는 031-555-0101로 한다.",
        score=0.5,
    ),
    Source("3", "새벽숲 이용 규정 (개정)", "대관은 5일 전까지 신청한다. 관리자만 들어갈 수 있다."),
    Source("4", "새벽숲 이용 규정", "대관은 3일 전까지 신청한다. 새벽역 2번 출구에서 5분 걸린다."),
    Source("5", "관리 규정 제3조(대관)", "① 대관료는 10만원으로 한다. ② 대관료는 돌려준다."),
)
QUESTION = (
    "새벽숲 요금표의 야간 입장료가 7,000원인가요? 041-555-0188로 전화하고 7번 출구로 나가나요?"
)
ANSWERS = (
    "새벽숲은 월요일에도 개관합니다. 성인 입장료는 7,000원입니다[2]. 회원은 입장할 수 없습니다.",
    "대관은 5일 전까지 신청합니다[1]. 누구나 들어갈 수 있습니다. 대략 4,800원쯤입니다.",
    "관리 규정 제3조 제2항에 따라 대관료는 10만원입니다. 민법 제12조도 같습니다.",
    "나래 문화재단이 운영하며 수영장도 있습니다. 041-555-0188로 전화하세요. 7번 출구입니다.",
    "회원은 바깥 정원에서 무료로 공연을 볼 수 있습니다. 추가 문의 사항이 있으면 말씀해 주세요.",
    "사업자 번호는 123-45-67891입니다. 請求 절차는 간단합니다. Please call the office now.",
    "새벽숲은 월요일에 휴관한다. 새벽숲은 월요일에 휴관한다. 새벽숲은 월요일에 휴관한다.",
    "대관료는 10만원으로 합니다.",
    "041-555-0188로 전화하세요. 새벽역 7번 출구로 나가세요.",
)
OTHERS: Mapping[str, Sequence[Mapping[str, object]]] = {
    "answerability": (
        {"evidence_always": True},
        {"min_score": 0.1},
        {"min_coverage": 1.0, "min_score": None},
        {"off_topic": False, "min_score": None},
    ),
    "citations": ({"threshold": 1.0}, {"threshold": 0.51, "add_missing": True}),
    "complaint": ({"extra_words": ["입장료"]},),
    "conflict": ({"newest_says_so": False},),
    "contact": ({"allow_from_question": False}, {"allow_from_question": True}),
    "estimates": ({"rounding": 0.5}, {"rounding": 0.0}),
    "korean_only": ({"min_han_chars": 9}, {"latin_sentences": False}),
    "legal_citation": ({"wrong_paragraph_acts": True},),
    "names": (
        {"known_names": ["나래 문화재단"]},
        {"check_facilities": False, "check_bound": False, "check_replaced": False},
    ),
    "negation": (
        {"sure_from": 0.0, "possible_from": 0.0, "widened_from": 0.0, "told_from": 1.0},
        {"sure_from": 1.0, "possible_from": 1.0, "widened_from": 1.0, "told_from": 0.0},
    ),
    "numbers": ({"allow_from_question": True}, {"allow_from_question": False}),
    "overlap": (
        {"min_support": 1.0, "unsupported_below": 1.0, "unsupported_words": 0.5, "min_words": 1},
        {"min_support": 0.0, "unsupported_below": 0.0},
    ),
    "personal_data": ({"business_numbers": True}, {"allow_from_sources": True}),
    "phrases": ({"use_defaults": False},),
    "places": (),
    "quality": ({"sentence_times": 9},),
    "scope": ({"scopes": {"안": ["새벽숲"], "밖": ["바깥 정원"]}},),
    "transport": ({"allow_from_question": True}, {"allow_from_question": False}),
    "uncited_claims": ({"citations_required": True, "min_chars": 0}, {"min_chars": 500}),
}
NO_OPTIONS: Mapping[str, object] = {}

AnyGuard = Guard[GuardSettings]


def built(name: str, options: Mapping[str, object]) -> AnyGuard:
    kind = all_guards()[name]
    return kind(kind.settings_type.model_validate(options))


def policies_of(name: str) -> list[AnyGuard]:
    return [built(name, options) for options in (NO_OPTIONS, *OTHERS[name])]


def found_by(guard: AnyGuard, reading: Reading) -> list[Finding]:
    return [
        finding
        for stage in Stage
        if guard.runs_at(stage)
        for report in reading.once(Run).reports(reading, [guard])
        for finding in report.findings
    ]


def looks(guard: AnyGuard, exchange: Exchange) -> list[list[Finding]]:
    """Return what a policy finds in the answers one after the other, each in two looks."""
    return [
        found_by(guard, reading_of(exchange.answered(answer[:end]), start))
        for answer in ANSWERS
        for start, end in ((0, len(answer) // 2), (0, len(answer)), (len(answer) // 2, len(answer)))
    ]


def asked() -> Exchange:
    return Exchange(QUESTION, SOURCES)


@each_row("name", sorted(all_guards()))
def test_in_whatever_order_they_come_each_finds_what_it_finds_alone(name: str) -> None:
    guards = policies_of(name)
    alone = {}
    for guard in guards:
        forget_sources()
        alone[guard] = looks(guard, asked())

    order = [*guards, *reversed(guards)]
    forget_sources()
    of_their_own_requests = [looks(guard, asked()) for guard in order]
    shared = asked()  # a request that is judged by a shadow policy, too
    of_one_request = [looks(guard, shared) for guard in order]

    assert of_their_own_requests == [alone[guard] for guard in order]
    assert of_one_request == [alone[guard] for guard in order]


def test_the_policies_differ_over_these_sources() -> None:
    same = {
        name
        for name in all_guards()
        if len({repr(looks(guard, asked())) for guard in policies_of(name)}) == 1
    }

    assert same == {"places"}, "what no option changes shows nothing"


def test_every_guard_with_settings_is_among_them() -> None:
    with_settings = {name for name, kind in all_guards().items() if kind.settings_type.model_fields}

    assert with_settings == {name for name, others in OTHERS.items() if others}

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.conflict import Conflict, ConflictSettings
from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read
from tests.tables import each_row

Passage = tuple[str, str]


@pytest.fixture
def guard() -> Conflict:
    return Conflict(ConflictSettings())


def findings(
    guard: Conflict, answer: str, *passages: Passage, question: str = "알려 주세요"
) -> list[Finding]:
    sources = tuple(
        Source(str(number), title, text) for number, (title, text) in enumerate(passages, start=1)
    )
    return guard.check(read(Exchange(question, sources, answer=answer)))


TRIAL = ("취업규칙 - 수습기간", "신규 입사자의 수습기간은 3개월로 한다.")
TRIAL_IN_NOTICE = ("사내 공지 - 수습기간", "신규 입사자의 수습기간은 6개월로 합니다.")
TRIAL_BEFORE = ("취업규칙 - 수습기간 개정 전", "신규 입사자의 수습기간은 2개월로 한다.")
TRIAL_2029 = ("취업규칙(2029년판) - 수습기간", "신규 입사자의 수습기간은 2개월로 한다.")
TRIAL_2031 = ("취업규칙(2031년판) - 수습기간", "신규 입사자의 수습기간은 5개월로 한다.")
SAYS_3 = "신규 입사자의 수습기간은 3개월입니다."
SAYS_2 = "신규 입사자의 수습기간은 2개월입니다."


@each_row("answer, passages, kind, observed, expected", "flagged")
def test_flags(
    guard: Conflict,
    answer: str,
    passages: tuple[Passage, ...],
    kind: str,
    observed: str,
    expected: str,
) -> None:
    [finding] = findings(guard, answer, *passages)

    assert finding.code == f"conflict.{kind}"
    assert finding.observed == observed
    assert finding.expected == (expected,)
    assert answer[finding.span.start : finding.span.end] == observed
    assert {quote.source_id for quote in finding.evidence} == {"1", "2"}


@each_row("answer, passages", "clean")
def test_passes(guard: Conflict, answer: str, passages: tuple[Passage, ...]) -> None:
    assert findings(guard, answer, *passages) == []


def test_contradicted_figure_of_an_older_edition_is_mended(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_2, TRIAL, TRIAL_BEFORE)

    assert (finding.fix, finding.strength) == ("3개월", Strength.C2)


def test_nothing_is_mended_where_the_newer_figure_is_not_unique(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_2, TRIAL_BEFORE, TRIAL, TRIAL_IN_NOTICE)

    assert finding.code == "conflict.outdated"
    assert finding.expected == ("3개월", "6개월")
    assert finding.fix is None


def test_nothing_is_mended_where_nobody_knows_which_source_is_right(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_3, TRIAL, TRIAL_IN_NOTICE)

    assert (finding.fix, finding.strength) == (None, Strength.C1)


def test_question_that_names_the_edition_settles_it(guard: Conflict) -> None:
    asked = "2029년판 취업규칙의 수습기간은요?"

    assert findings(guard, SAYS_2, TRIAL_2029, TRIAL_2031, question=asked) == []


def test_bare_value_is_about_what_the_question_asks(guard: Conflict) -> None:
    on_trial, on_leave = "수습기간은 몇 개월인가요?", "휴직은 몇 개월인가요?"

    assert findings(guard, "3개월입니다.", TRIAL, TRIAL_IN_NOTICE, question=on_trial)
    assert findings(guard, "3개월입니다.", TRIAL, TRIAL_IN_NOTICE, question=on_leave) == []


def test_citing_one_source_discloses_nothing(guard: Conflict) -> None:
    answer = "신규 입사자의 수습기간은 3개월입니다. [출처: 사내 공지 - 수습기간]"

    assert findings(guard, answer, TRIAL, TRIAL_IN_NOTICE)


def test_policy_may_let_the_newest_figure_stand_alone() -> None:
    lenient = Conflict(ConflictSettings(newest_says_so=False))

    assert findings(lenient, SAYS_3, TRIAL, TRIAL_BEFORE) == []
    assert findings(lenient, SAYS_2, TRIAL, TRIAL_BEFORE)


@given(st.permutations([TRIAL, ("취업규칙 - 휴가", "연차휴가는 15일로 한다."), TRIAL_BEFORE]))
def test_order_of_the_sources_does_not_matter(passages: list[Passage]) -> None:
    [finding] = findings(Conflict(ConflictSettings()), SAYS_2, *passages)

    assert (finding.code, finding.expected) == ("conflict.outdated", ("3개월",))

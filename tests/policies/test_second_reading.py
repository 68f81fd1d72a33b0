import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Stage
from guards.core.reading import read
from guards.core.runner import GuardReport, Outcome
from guards.text.morph import MorphReader
from policies.decision import Possible
from policies.edits import apply
from policies.guard_rule import Action, GuardRule
from policies.inspection import Inspector
from policies.policy import Policy
from policies.second_reading import ASKED_CODES, MOST_ASKED, read_again
from policies.verdict import Verdict
from tests.policies.conftest import Folder

RULES = (
    "도서를 잃어버린 회원은 같은 책을 사서 내야 한다. "
    "신청서를 낸 사람에게만 결과를 알려 준다. "
    "비가 오면 마당의 천막은 걷어 둔다. "
    "식기세척기에는 나무 그릇을 넣지 마십시오."
)
SOURCES = (Source("1", "이용 안내", RULES), Source("2", "주차 안내", "차는 뒷마당에 세웁니다."))


def exchange(answer: str) -> Exchange:
    return Exchange(question="알려 주세요.", sources=SOURCES, answer=answer)


def judged(
    answer: str, reading: Literal["light", "morph"] = "morph", possible: Possible | None = None
) -> Verdict:
    rules = {name: GuardRule(final=Action.TRIM) for name in ("overlap", "numbers", "names")}
    inspector = Inspector(Policy(reading=reading, guards=rules))
    return inspector.inspect(exchange(answer), Stage.OUTPUT, possible or Possible())


def found(verdict: Verdict) -> list[str]:
    return [finding.code for finding in verdict.findings]


def cleared(verdict: Verdict) -> list[str]:
    return [finding.observed for report in verdict.reports for finding in report.cleared]


HONEST = [
    pytest.param("비 오거들랑 걷어두세요.", id="rare-endings-joined-verbs"),
    pytest.param("비 오거들랑 얼른 걷어두세요.", id="an-adverb-more"),
]


@pytest.mark.parametrize("answer", HONEST)
def test_an_honest_paraphrase_is_left_alone(answer: str) -> None:
    morph = judged(answer)

    assert found(morph) == []
    assert morph.action is Action.PASS
    assert [report.outcome for report in morph.reports] == [Outcome.CLEAN] * 3


INVENTED = [
    pytest.param("책값은 두 배를 현금으로 냅니다.", id="other-things"),
    pytest.param("나무 그릇은 지하 창고에서 빌리셔야 해요.", id="two-things-more"),
    pytest.param("신청서 내신 분들만 선물 드려요.", id="another-thing-in-its-place"),
    pytest.param("차는 옥상 정비소에 맡기시면 됩니다.", id="another-place"),
]


@pytest.mark.parametrize("answer", INVENTED)
def test_an_invented_sentence_stays_found(answer: str) -> None:
    light, morph = judged(answer, "light"), judged(answer)

    assert found(light) != []
    assert found(morph) == found(light)
    assert cleared(morph) == []


# Findings as a guard would report them, on claims whose words the sources have: what is shown is
# which of them the second reader may take back.


def reported(code: str, claim: str, answer: str | None = None) -> GuardReport:
    start = (answer or claim).index(claim)
    finding = Finding(
        guard=code.partition(".")[0],
        code=code,
        part="answer",
        span=Span(start, start + len(claim)),
        observed=claim,
    )
    return GuardReport(finding.guard, Outcome.FOUND, (finding,))


def read_once_more(answer: str, *reports: GuardReport) -> tuple[GuardReport, ...]:
    return read_again(reports, read(exchange(answer)), MorphReader.open())


HELD = "잃어버린 책과 같은 책을 사서 내야 합니다."
OTHER_CODES = [
    "numbers.value_differs",
    "legal_citation.not_in_sources",
    "contact.invented",
    "korean_only.foreign_script",
    "names.not_in_sources",
    "negation.flipped",
    "intent.other_subject",
    "conflict.undisclosed",
]


@pytest.mark.parametrize("code", sorted(ASKED_CODES))
def test_findings_about_missing_words_are_cleared_where_the_words_are_there(code: str) -> None:
    [report] = read_once_more(HELD, reported(code, HELD))

    assert (report.outcome, report.findings) == (Outcome.CLEAN, ())
    assert [finding.code for finding in report.cleared] == [code]


@pytest.mark.parametrize("code", OTHER_CODES)
def test_findings_of_another_kind_are_never_cleared(code: str) -> None:
    report = reported(code, HELD)

    assert read_once_more(HELD, report) == (report,)


@pytest.mark.parametrize("code", OTHER_CODES)
def test_a_claim_with_another_fault_is_not_cleared(code: str) -> None:
    reports = (reported("overlap.low", HELD), reported(code, "같은 책", HELD))

    assert read_once_more(HELD, *reports) == reports


def test_a_fault_of_another_sentence_does_not_matter() -> None:
    wrong = "책은 세 번 빌립니다."
    answer = f"{HELD} {wrong}"
    number = reported("numbers.not_in_sources", wrong, answer)

    overlap, untouched = read_once_more(answer, reported("overlap.low", HELD, answer), number)

    assert overlap.outcome is Outcome.CLEAN
    assert untouched == number


TURNED = [
    pytest.param("식기세척기에는 나무 그릇을 넣으십시오.", id="denial-taken-out"),
    pytest.param("잃어버린 책과 같은 책을 사서 내지 않습니다.", id="denial-put-in"),
    pytest.param("잃어버린 책과 같은 책 2권을 사서 내야 합니다.", id="a-number-more"),
    pytest.param("잃어버린 책과 같은 책을 서울에서 사서 내야 합니다.", id="a-name-more"),
    pytest.param("책을 낸 사람에게만 그릇을 알려 준다.", id="words-of-several-sentences"),
    pytest.param("책을 냅니다.", id="too-little-to-judge"),
]


@pytest.mark.parametrize("claim", TURNED)
def test_words_alone_do_not_clear_a_claim(claim: str) -> None:
    before = reported("overlap.low", claim)

    [after] = read_once_more(claim, before)

    assert (after.findings, after.cleared) == (before.findings, ())
    assert after.outcome is Outcome.FOUND


def test_a_weak_remark_on_the_whole_answer_does_not_keep_a_claim_from_being_cleared() -> None:
    remark = Finding(
        guard="intent",
        code="intent.type_missing",
        part="answer",
        span=Span(0, len(HELD)),
        observed=HELD,
        severity=Severity.WEAK,
        strength=Strength.E1,
    )
    weak = GuardReport("intent", Outcome.FOUND, (remark,))

    overlap, intent = read_once_more(HELD, reported("overlap.low", HELD), weak)

    assert overlap.outcome is Outcome.CLEAN
    assert intent == weak


def test_an_answer_full_of_findings_is_asked_about_a_few_times_only() -> None:
    claims = [f"{HELD[:-1]}{'!' * count}" for count in range(1, MOST_ASKED + 3)]
    answer = " ".join(claims)
    findings = tuple(reported("overlap.low", claim, answer).findings[0] for claim in claims)

    [report] = read_once_more(answer, GuardReport("overlap", Outcome.FOUND, findings))

    assert len(report.cleared) == MOST_ASKED
    assert report.findings == findings[MOST_ASKED:]
    assert report.outcome is Outcome.FOUND


def test_an_edited_answer_is_read_the_same_way() -> None:
    honest = "비 오거들랑 얼른 걷어두세요."
    invented = "급여는 매달 말일에 통장으로 받아요."
    possible = Possible(edit=True)

    morph = judged(f"{honest} {invented}", "morph", possible)

    assert morph.action is Action.TRIM
    assert apply(f"{honest} {invented}", morph.edits).strip() == honest


# --- loading --------------------------------------------------------------------------------------


def test_a_policy_chooses_its_reading_and_hands_it_on(folder: Folder) -> None:
    folder.write("base.yaml", "reading: morph")
    folder.write("child.yaml", "extends: base")
    folder.write("other.yaml", "extends: base\nreading: light")

    readings = {name: loaded.policy.reading for name, loaded in folder.load().items()}

    assert readings == {"base": "morph", "child": "morph", "other": "light"}


def test_without_the_extra_the_policy_is_refused(folder: Folder) -> None:
    folder.write("acme.yaml", "report: true\nreading: morph")
    folder.write("plain.yaml", "report: true")

    said = load_without_kiwi(folder.path)

    assert said.startswith("acme.yaml:2:1: reading: ")
    assert "pip install 'guard-proxy[morph]'" in said
    assert said.splitlines()[1:] == ["plain"]


def load_without_kiwi(path: Path) -> str:
    code = (
        "import sys, pathlib; sys.modules['kiwipiepy'] = None\n"
        "from policies.loader import survey\n"
        "found = survey(pathlib.Path('.'), require_env=False)\n"
        "print(*found.errors, *found.policies, sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=path,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    return run.stdout.strip()

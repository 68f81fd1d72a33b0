"""Codes that a policy only notes: what they find lowers the confidence and never acts."""

from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.finding import Severity
from guards.core.guard import Stage
from policies import verify
from policies.decision import Possible
from policies.edits import apply
from policies.inspection import Inspector
from policies.schema.policy import Action
from policies.verdict import GuardOutcome, GuardResult, Verdict
from policies.verification.shape import Verification
from tests.policies.conftest import Folder
from tests.policies.gating.hall import ASKED, FEE, POLICY
from tests.tables import each_row

OTHER_FEE = "샛별관 대관료는 1시간에 99,000원입니다."
"""Contradicts a source: `numbers.value_differs`."""
INVENTED_FEE = "청소비는 한 번에 7,000원입니다."
"""Stands in no source: `numbers.not_in_sources`."""
FIRST = Possible(regenerate=True, edit=True)
LAST = Possible(edit=True)


def by(*codes: str) -> Inspector:
    """Return an inspector by the shipped policy that notes no codes but these."""
    rules = {
        name: rule.model_copy(
            update={"weak": tuple(code for code in codes if code.startswith(f"{name}."))}
        )
        for name, rule in POLICY.guards.items()
    }
    return Inspector(POLICY.model_copy(update={"guards": rules}))


NOTING = by("numbers.value_differs", "overlap.unsupported", "overlap.unknown_word")


def of_numbers(verdict: Verdict) -> GuardResult:
    [result] = [one for one in verdict.results if one.guard == "numbers"]
    return result


def test_without_it_the_finding_acts() -> None:
    verdict = by().inspect(ASKED.answered(OTHER_FEE), Stage.OUTPUT, FIRST)

    assert (verdict.action, verdict.reasons) == (Action.REGENERATE, ("numbers.value_differs",))


@each_row("possible", [FIRST, LAST, Possible()])
def test_what_is_only_noted_changes_nothing(possible: Possible) -> None:
    verdict = NOTING.inspect(ASKED.answered(OTHER_FEE), Stage.OUTPUT, possible)

    assert (verdict.action, verdict.reasons, verdict.acting) == (Action.PASS, (), ())
    result = of_numbers(verdict)
    assert (result.outcome, result.action) == (GuardOutcome.NOTED, Action.PASS)
    assert [(one.observed, one.severity) for one in result.findings] == [
        ("99,000원", Severity.WEAK)
    ]


def test_it_lowers_the_confidence_as_a_weak_sign() -> None:
    verdict = NOTING.inspect(ASKED.answered(OTHER_FEE), Stage.OUTPUT, FIRST)

    assert verdict.confidence is not None
    assert verdict.confidence.value == 1.0 - POLICY.confidence.sign
    assert verdict.confidence.caps == ()


def test_other_codes_of_the_guard_still_act() -> None:
    answer = f"{FEE} {OTHER_FEE} {INVENTED_FEE}"

    verdict = NOTING.inspect(ASKED.answered(answer), Stage.OUTPUT, LAST)

    assert (verdict.action, verdict.reasons) == (Action.TRIM, ("numbers.not_in_sources",))
    assert apply(answer, verdict.edits) == f"{FEE} {OTHER_FEE}"


def test_a_segment_of_a_stream_is_weighed_alike() -> None:
    verdict = NOTING.of_segments.inspect(ASKED.answered(OTHER_FEE), Stage.OUTPUT, FIRST)

    assert verdict.action is Action.PASS
    assert {one.severity for one in of_numbers(verdict).findings} == {Severity.WEAK}


def test_a_question_is_weighed_alike() -> None:
    rude = by("complaint.venting").inspect(
        Exchange("아니 왜 이렇게 답답하게 대답해요?"), Stage.INPUT
    )

    [result] = [one for one in rude.results if one.guard == "complaint"]
    assert (rude.action, result.outcome) == (Action.PASS, GuardOutcome.NOTED)


# --- in a verification ---------------------------------------------------------------------------


@dataclass
class Shop:
    """A policy that notes one code more than the shipped one."""

    folder: Folder

    def verified(self, answer: str) -> Verification:
        path = self.folder.write(
            "noting.yaml",
            """
            extends: default
            guards:
              numbers: {weak: [numbers.value_differs]}
              overlap: {weak: [overlap.unsupported]}
            """,
        )
        return verify(ASKED.question, answer, ASKED.sources, path)


def test_an_answer_with_what_is_only_noted_passes_and_is_not_called_verified(
    folder: Folder,
) -> None:
    shop = Shop(folder)

    assert shop.verified(FEE).verified
    result = shop.verified(OTHER_FEE)

    assert result.verdict is Action.PASS
    assert not result.verified
    assert result.confidence == 1.0 - POLICY.confidence.sign
    assert any("99,000원" in issue for issue in result.issues)


# --- in a file -----------------------------------------------------------------------------------


def test_a_file_replaces_the_list_that_it_inherits(folder: Folder) -> None:
    folder.write("base.yaml", "guards: {overlap: {weak: [overlap.unsupported]}}")
    folder.write("heir.yaml", "extends: base")
    folder.write("bold.yaml", "extends: base\nguards: {overlap: {weak: []}}")

    policies = folder.load()

    assert policies["heir"].policy.guards["overlap"].weak == ("overlap.unsupported",)
    assert policies["bold"].policy.guards["overlap"].weak == ()


@each_row("code, hint", "a_code_that_the_guard_does_not_have_is_refused")
def test_a_code_that_the_guard_does_not_have_is_refused(
    folder: Folder, code: str, hint: str
) -> None:
    folder.write("x.yaml", f"guards:\n  overlap:\n    weak: [{code}]\n")

    assert folder.only_error() == (
        f"x.yaml:3:12: guards.overlap.weak[0]: {code!r} is no code of this guard; {hint}"
    )

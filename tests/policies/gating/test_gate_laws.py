"""What holds for every answer on its way through a gate, wherever it is cut into pieces."""

import re
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from policies.gating.shown import Kind
from policies.schema.policy import Action, Trimming
from policies.verdict import Verdict
from tests.policies.gating.hall import (
    CALL,
    TRUE,
    WRITE,
    WRONG,
    Passage,
    begun,
    known,
    known_behind,
    passed,
)

# A look at an answer costs milliseconds; `make fuzz` tries fifty times as many.
EXAMPLES = max(12, settings().max_examples // 7)
LAWS = settings(max_examples=EXAMPLES)
SETTLED = (CALL, WRITE)
SEEN_WHOLE = (Kind.SEGMENTS, Kind.WHOLE)
LINES = [
    "안녕하세요.",
    "대관 절차는 다음과 같습니다.",
    "## 이용 안내",
    "| 구분 | 요금 |\n|---|---|\n| 대관료 | 35,000원 |\n| 주차료 | 2,000원 |",
    "「이용 규정」 제4조에 따라 이용일 전날까지 취소하면 대관료를 돌려드립니다.",
    "제41조에 따라 대관료를 돌려드립니다.",
    "다만, 이 경우 보증금은 50,000원입니다.",
    "대관료는 2시간에 모두 70,000원입니다.",
    "더 궁금한 점이 있으시면 말씀해 주세요.",
]
SIGNS = [one.split() for one in ("1. 2. 3. 4. 5.", "(1) (2) (3) (4) (5)", "① ② ③ ④ ⑤")]
LIST = "\n\n**출처**\n- [1] 샛별관 이용 안내\n- [2] 수련실 이용 규정\n- [7] 없는 안내"
SAID = (*TRUE, *WRONG, *LINES)
SENTENCES = st.sampled_from([*TRUE, *SAID])
MARKS = st.sampled_from(["", "", "", "[1]", " [2]", "[7]", "[†1]"])
GAPS = st.sampled_from([" ", " ", "\n", "\n\n", "\n- ", "\n\n- "])
LIMITS = st.builds(Trimming, most_claims=st.integers(0, 3), most_share=st.sampled_from([0.3, 0.5]))


@st.composite
def lists(draw: st.DrawFn) -> str:
    items = draw(st.lists(SENTENCES.filter(lambda one: "\n" not in one), min_size=2, max_size=5))
    signs = draw(st.sampled_from(SIGNS))
    return (
        "\n" + "\n".join(f"{sign} {item}" for sign, item in zip(signs, items, strict=False)) + "\n"
    )


@st.composite
def answers(draw: st.DrawFn) -> str:
    said = draw(st.sampled_from(["", "", "", f"<think>{CALL} 음.</think>\n", "\n"]))
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.integers(0, 3)) == 0:
            said += draw(lists())
        else:
            said += draw(SENTENCES) + draw(MARKS) + draw(GAPS)
    said += draw(st.sampled_from(["", "", "", LIST]))
    return said[: -draw(st.integers(1, 9))] if draw(st.integers(0, 5)) == 0 else said


@st.composite
def gates(draw: st.DrawFn) -> Passage:
    return begun(may_regenerate=draw(st.booleans()), trimming=draw(LIMITS))


def told(verdict: Verdict | None) -> object:
    """Return what a verdict says, without how long it took."""
    if verdict is None:
        return None
    found = [(one.guard, one.action, one.outcome, one.findings) for one in verdict.results]
    return verdict.action, verdict.reasons, verdict.edits, found


def result(passage: Passage) -> tuple[object, ...]:
    gate = passage.gate
    left = "".join(released.text for released in passage.releases)
    verdicts = told(gate.verdict), told(gate.recorded(gate.verdict))
    return left, gate.shown, gate.done, gate.base, gate.stopped, verdicts


@LAWS
@given(answers(), st.booleans(), LIMITS, st.lists(st.integers(0, 300), max_size=9), st.booleans())
def test_how_an_answer_arrives_makes_no_difference(
    answer: str, may_regenerate: bool, limits: Trimming, cuts: list[int], cut: bool
) -> None:
    def through(pieces: list[str]) -> tuple[object, ...]:
        passage = begun(may_regenerate=may_regenerate, trimming=limits)
        return result(passed(pieces, passage, cut=cut))

    sliced = [answer[start:end] for start, end in pairwise([0, *sorted(cuts), len(answer)])]

    assert through([answer]) == through(sliced) == through(list(answer))


@LAWS
@given(answers(), st.booleans(), LIMITS, st.lists(st.integers(0, 300), max_size=9))
def test_how_a_turn_that_calls_tools_arrives_makes_no_difference(
    said: str, may_regenerate: bool, limits: Trimming, cuts: list[int]
) -> None:
    def through(pieces: list[str], *, pauses: bool) -> tuple[object, ...]:
        passage = begun(may_regenerate=may_regenerate, trimming=limits)
        for piece in pieces:
            passage.gate.feed(piece)
            if pauses:
                passage.go_on()
        if pauses:
            passage.gate.pause()
            passage.go_on()
        passage.close(in_tool_turn=True)
        return result(passage)

    sliced = [said[start:end] for start, end in pairwise([0, *sorted(cuts), len(said)])]

    assert through([said], pauses=False) == through(sliced, pauses=True)


@st.composite
def long_answers(draw: st.DrawFn) -> str:
    said = draw(st.lists(st.one_of(answers(), st.just(" ".join(TRUE))), min_size=1, max_size=4))
    return draw(st.sampled_from(["\n\n", " "])).join(said)


@settings(max_examples=EXAMPLES // 2)
@given(long_answers(), st.integers(0, 200), st.booleans(), LIMITS, st.booleans())
def test_that_all_of_an_answer_is_known_makes_no_difference(
    answer: str, at: int, may_regenerate: bool, limits: Trimming, cut: bool
) -> None:
    def outcome(passage: Passage) -> tuple[object, ...]:
        gate = passage.gate
        return passage.left, gate.stopped, told(gate.verdict), told(gate.recorded(gate.verdict))

    def gate(*, at_once: bool) -> Passage:
        return begun(may_regenerate=may_regenerate, trimming=limits, at_once=at_once)

    in_segments = outcome(known(answer, gate(at_once=False), cut=cut))

    assert outcome(known(answer, gate(at_once=True), cut=cut)) == in_segments
    assert outcome(passed(answer, gate(at_once=True), cut=cut)) == in_segments
    assert outcome(known_behind(at, answer, gate(at_once=True), cut=cut)) == in_segments


@LAWS
@given(answers(), gates(), st.booleans())
def test_what_has_left_only_grows_into_what_leaves(
    answer: str, passage: Passage, cut: bool
) -> None:
    passed(list(answer), passage, cut=cut)

    for before, after in pairwise(["", *passage.shown]):
        assert after.startswith(before)
    ends = [0, *(released.end for released in passage.releases)]
    assert ends == sorted(ends)
    assert passage.left.startswith(passage.gate.shown)


@LAWS
@given(answers(), gates())
def test_whatever_leaves_was_looked_at_as_it_leaves(answer: str, passage: Passage) -> None:
    passed(answer, passage)

    released = iter(passage.releases)
    for look, verdict in passage.looks:
        if look.kind in SEEN_WHOLE or verdict.action is not Action.PASS:
            continue
        judged = (look.exchange.answer or "")[look.possible.edit_from :]
        leaving = next((one.text for one in released if one.text.strip() == judged.strip()), None)
        thoughts = answer.lstrip().startswith("<think>")
        assert leaving is not None or thoughts


@LAWS
@given(answers(), gates(), st.booleans())
def test_what_was_wrong_for_good_never_leaves(answer: str, passage: Passage, cut: bool) -> None:
    passed(answer, passage, cut=cut)

    seen = passage.gate.shown.partition("</think>")[2] or passage.gate.shown
    assert not any(sentence in seen for sentence in SETTLED)
    for look, verdict in passage.looks:
        judged = look.exchange.answer or ""
        for found in verdict.acting:
            settled = not found.provisional and look.kind is Kind.SEGMENT
            if settled and found.guard == "contact":
                assert judged[found.span.start : found.span.end] not in seen


@LAWS
@given(answers())
def test_after_it_stopped_nothing_leaves(answer: str) -> None:
    passage = passed(list(answer), begun(may_regenerate=True))

    if passage.gate.stopped:
        assert (passage.releases, passage.gate.shown) == ([], "")
        assert passage.gate.next_check() is None


@LAWS
@given(answers(), LIMITS)
def test_without_a_second_attempt_no_answer_is_stopped(answer: str, limits: Trimming) -> None:
    assert not passed(answer, begun(trimming=limits)).gate.stopped


@LAWS
@given(st.lists(st.sampled_from([*TRUE, *WRONG]), min_size=1, unique=True), LIMITS)
def test_no_more_is_taken_out_than_the_policy_allows(
    sentences: list[str], limits: Trimming
) -> None:
    passage = passed(" ".join(sentences), begun(trimming=limits))

    assert passage.gate.verdict is not None
    if passage.gate.verdict.action is Action.REPLACE:
        return  # it ends with a closing word
    gone = len(sentences) - sum(passage.left.count(one) for one in {*TRUE, *WRONG})
    assert gone <= limits.most_claims
    assert gone <= limits.most_share * len(sentences)


def is_place_of(said: str, observed: str) -> bool:
    """Tell whether a piece of an answer is what was found.

    An item behind a gap was judged with another number than it came with: that of the item which
    was taken out, and which its place may begin with.
    """
    item = re.fullmatch(r"\(?(?:\d+|[①-⑳])(?P<rest>.*)", observed, re.DOTALL)
    return said == observed or (item is not None and said.endswith(item["rest"]))


@LAWS
@given(answers(), gates(), st.booleans())
def test_findings_are_recorded_where_they_stand(answer: str, passage: Passage, cut: bool) -> None:
    # What is said again and again is found as one place, around whatever was taken out of it.
    # The last sentence may lack its stop.
    assume(all(answer.count(sentence.rstrip(".")) < 3 for sentence in SAID))
    passed(answer, passage, cut=cut)

    recorded = passage.gate.recorded(passage.gate.verdict)
    for one in recorded.results if recorded else ():
        for found in (*one.findings, *one.cleared):
            if found.part == "answer":
                said = answer[found.span.start : found.span.end]
                assert is_place_of(said, found.observed)


@LAWS
@given(st.lists(st.sampled_from([*TRUE, *WRONG, "안녕하세요."]), min_size=2, unique=True))
def test_nothing_is_left_hanging(sentences: list[str]) -> None:
    steps = "대관 절차는 다음과 같습니다.\n"
    items = "\n".join(f"{number}. {item}" for number, item in enumerate(sentences, 1))
    answer = f"{TRUE[0]}\n\n{steps}{items}\n"

    passage = passed(answer, begun(trimming=Trimming(most_claims=9, most_share=0.9)))

    for shown in [*passage.shown, passage.left]:
        assert not shown.rstrip().endswith("같습니다.")
        assert shown == shown.rstrip() or shown == passage.left
        assert "\n\n\n" not in shown
    numbers = [
        int(line.partition(".")[0]) for line in passage.left.split("\n") if line[:1].isdigit()
    ]
    assert numbers == list(range(1, len(numbers) + 1))

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.registry import all_guards
from proxy.pipeline.regeneration import OPENING, ClosedList, note

MOST_CHARS = 1200

INSTRUCTED = [
    code
    for guard in all_guards().values()
    for code, meaning in guard.codes.items()
    if meaning.instruction
]


def finding(
    code: str = "korean_only.han",
    observed: str = "申请书",
    *,
    strength: Strength = Strength.E0,
    expected: tuple[str, ...] = (),
    quote: str = "",
) -> Finding:
    return Finding(
        guard=code.partition(".")[0],
        code=code,
        part="answer",
        span=Span(0, len(observed)),
        observed=observed,
        strength=strength,
        expected=expected,
        evidence=(Evidence("2", quote),) if quote else (),
    )


@pytest.mark.parametrize("code", INSTRUCTED)
def test_every_instruction_can_be_filled_in(code: str) -> None:
    lines = note([finding(code, "제99조 {0}", expected=("제15조",))], most=5).splitlines()

    assert lines[1].startswith("1) ")
    assert "{observed}" not in lines[1]
    assert "{expected}" not in lines[1]


def test_the_worst_is_named_first_and_each_fault_once() -> None:
    unsupported = finding("numbers.not_in_sources", "5일", strength=Strength.E0)
    contradicted = finding(
        "numbers.value_differs", "30일", strength=Strength.C2, expected=("14일",)
    )

    lines = note([unsupported, contradicted, unsupported], most=5).splitlines()

    assert ["30일" in lines[1], "5일" in lines[2], len(lines)] == [True, True, 4]


def test_the_source_is_quoted_before_the_fault() -> None:
    wrong = finding(
        "numbers.value_differs", "30일", expected=("14일",), quote="신청은 14일 이내에 합니다."
    )

    line = note([wrong], most=5).splitlines()[1]

    assert line.startswith('1) 자료 2: "신청은 14일 이내에 합니다." → ')
    assert line.index("14일") < line.index("30일")


def test_a_known_spelling_is_passed_on() -> None:
    known = replace(finding(observed="全额", expected=("전액",)), fix="전액")

    [_, told, _] = note([known], most=5).splitlines()
    [_, untold, _] = note([finding(observed="手续")], most=5).splitlines()

    assert told.endswith("한글로만 쓰세요. 바르게 쓰면: 전액")
    assert "바르게 쓰면" not in untold


OVERLAPPING = [
    pytest.param("02-999-8765", 1, id="the-same"),
    pytest.param("☎ 02-999-8765", 1, id="more-of-it"),
    pytest.param("02-999-1111", 2, id="another"),
]


@pytest.mark.parametrize(("personal", "count"), OVERLAPPING)
@pytest.mark.parametrize("order", [1, -1])
def test_who_gave_a_wrong_contact_is_not_told_to_give_none(
    personal: str, count: int, order: int
) -> None:
    findings = [
        finding("contact.invented", "02-999-8765"),
        finding("personal_data.unlicensed", personal),
    ][::order]

    told = note(findings, most=5, lists=[ClosedList("연락처", ("02-000-1234",))])

    assert told.count("\n1) ") + told.count("\n2) ") == count
    assert '"02-999-8765"는 자료에 없는 연락처' in told


def test_where_room_is_short_a_closed_list_counts_more_than_another_fault() -> None:
    faults = [
        finding(observed=f"{number}번째 " + "가" * 80, quote="나" * 400) for number in range(9)
    ]
    lists = [ClosedList("수치", ("3일",))]

    told = note(faults, most=9, lists=lists, standing=["다" * 300])

    assert "허용 수치: 3일" in told
    assert "9) " not in told
    assert "유지하세요" not in told


TEXTS = st.text('가a申\n {}%"', max_size=3000)
LISTS = st.builds(ClosedList, st.just("수치"), st.lists(TEXTS, max_size=5).map(tuple))


@given(
    st.lists(
        st.builds(
            finding, observed=TEXTS, quote=TEXTS, expected=st.lists(TEXTS, max_size=5).map(tuple)
        ),
        max_size=12,
    ),
    st.integers(1, 20),
    st.lists(LISTS, max_size=4),
    st.lists(TEXTS, max_size=5),
)
def test_the_note_is_never_long_and_never_without_its_frame(
    findings: list[Finding], most: int, lists: list[ClosedList], standing: list[str]
) -> None:
    told = note(findings, most, lists, standing)

    assert told.startswith(f"{OPENING} ")
    assert told.endswith("라고 답해 주세요.")
    assert len(told) <= MOST_CHARS
    assert bool(findings) == ("\n1) " in told)

"""A figure that was found right once is right again only where the same is said of it."""

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.reading import forget_sources, read
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row

SOURCES = (
    Source(
        "1",
        "도서관 이용 안내",
        "어른은 한 번에 7권까지, 어린이는 5권까지 빌릴 수 있습니다.\n"
        "대출 기간은 14일이며, 반납 예정일 3일 전까지 연장할 수 있습니다.\n"
        "접수 후 10일 이내에 회원증을 보내 드립니다. 열람실은 09:00부터 18:00까지 엽니다.\n"
        "- 복사 요금: 흑백 100원, 컬러 300원",
    ),
)
SENTENCES = (
    "어른은 7권까지 빌릴 수 있습니다.", "어린이는 7권까지 빌릴 수 있습니다.", "7권입니다.",
    "반납 예정일 3일 전까지 연장할 수 있습니다.", "3일 이내에 연장할 수 있습니다.",
    "접수 후 10일 이내에 보내 드립니다.", "접수 10일 전까지 보내 드립니다.", "접수 후",
    "흑백은 100원이고 컬러는 300원입니다.", "컬러는 100원입니다.", "복사 요금:", "09:00부터",
    "18:00까지 엽니다.", "열람실은 09:00까지", "예정일을 넘기면 안 됩니다.", "어린이", "?",
    "흑백:", "컬러:", "복사 요금입니다.", "100원입니다.", "회원증은 접수 10일 전!", "접습니다.",
    "보내 드립니다.",
)  # fmt: skip
JOINTS = (" ", "\n", "\n- ", " 그리고 ", ", ")


def said(parts: list[tuple[str, str]]) -> str:
    return "".join(joint + sentence for joint, sentence in parts).strip()


ANSWERS = st.lists(
    st.tuples(st.sampled_from(JOINTS), st.sampled_from(SENTENCES)), min_size=1, max_size=6
).map(said)


def judged(answer: str) -> list[Finding]:
    guard = Numbers(NumbersSettings())
    return guard.check(read(Exchange("몇 권까지 빌리나요?", SOURCES, answer=answer)))


@given(st.lists(ANSWERS, min_size=2, max_size=4))
def test_what_was_said_before_changes_nothing(answers: list[str]) -> None:
    forget_sources()
    after_others = [judged(answer) for answer in answers]

    for answer, findings in zip(answers, after_others, strict=True):
        forget_sources()
        assert judged(answer) == findings


@each_row("right, wrong, code", "the_same_figure_elsewhere_is_judged_anew")
def test_the_same_figure_elsewhere_is_judged_anew(right: str, wrong: str, code: str) -> None:
    forget_sources()

    assert judged(right) == []
    assert [finding.code for finding in judged(wrong)] == [f"numbers.{code}"]

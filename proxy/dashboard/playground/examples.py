"""Examples to try. The library, its rules and its numbers are invented."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from proxy.dashboard.languages import msgid
from proxy.dashboard.playground.form import Box, Filled, Way

_ROOMS = Filled(
    way=Way.CHECK,
    question="누리봄도서관 열람실은 몇 시까지 열고, 책은 며칠 동안 빌릴 수 있나요?",
    boxes=(
        Box(
            title="누리봄도서관 이용 규정 제4조(이용 시간)",
            text="제4조(이용 시간) ① 열람실은 평일 09:00부터 22:00까지, 주말에는 18:00까지 연다. "
            "② 매월 첫째 월요일에는 쉰다.",
            file="nuribom.pdf",
            page="2",
        ),
        Box(
            title="누리봄도서관 이용 규정 제7조(대출)",
            text="제7조(대출) ① 책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있다. "
            "② 예약한 사람이 없으면 한 번에 한하여 7일을 연장할 수 있다.",
            file="nuribom.pdf",
            page="4",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A form that is filled in already.

    Attributes:
        title: What it shows, to be translated.
        filled: The form.
    """

    title: str
    filled: Filled


EXAMPLES: Mapping[str, Example] = {
    "clean": Example(
        msgid("A good answer"),
        replace(
            _ROOMS,
            answer="열람실은 평일 09:00부터 22:00까지 엽니다. [1] "
            "책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다. [2]",
        ),
    ),
    "wrong": Example(
        msgid("A wrong answer"),
        replace(
            _ROOMS,
            answer="열람실은 평일 09:00부터 22:00까지 엽니다. [1] "
            "책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다. [2] "
            "예약한 사람이 없으면 30일을 연장할 수 있습니다. [2]",
        ),
    ),
    "citations": Example(
        msgid("Wrong citations"),
        replace(
            _ROOMS,
            answer="책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다[†1][†2]. "
            "예약한 사람이 없으면 한 번에 한하여 7일을 연장할 수 있습니다[†2][†5].\n\n"
            "### References\n- [†1] nuribom.pdf, p.2\n- [†2] nuribom.pdf, p.4\n"
            "- [†5] nuribom.pdf, p.9",
        ),
    ),
}
"""All of them, by their names in the address."""

"""A hall that does not exist, its rules, and answers about it on their way through a gate."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from policies.edits import apply
from policies.gating.gate import Check, Gate, Release
from policies.gating.shown import Kind
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Trimming
from policies.verdict import Verdict
from proxy.openai_api.reply import visible

POLICY = load_shipped("default").policy
ASKED = Exchange(
    "샛별관 대관료와 예약 방법, 수련실 이용 시간을 알려 주세요.",
    (
        Source(
            "1",
            "샛별관 이용 안내",
            "샛별관 대관료는 1시간에 35,000원입니다. 예약은 이용일 3일 전까지 누리집에서 받습니다. "
            "취소는 이용일 전날까지 할 수 있습니다. 주차료는 하루 2,000원입니다. "
            "샛별관은 매주 월요일에 쉽니다. 취사는 지정된 장소에서만 할 수 있습니다.",
        ),
        Source(
            "2",
            "수련실 이용 규정",
            "수련실은 오전 9시부터 오후 6시까지 엽니다. 수련실 정원은 24명입니다. "
            "음향 장비는 무료로 빌릴 수 있습니다. 보증금은 50,000원입니다. "
            "제4조(환불) 이용일 전날까지 취소하면 대관료를 돌려드립니다.",
        ),
    ),
)

FEE = "샛별관 대관료는 1시간에 35,000원입니다."
BOOKING = "예약은 이용일 3일 전까지 누리집에서 받습니다."
CANCELLING = "취소는 이용일 전날까지 할 수 있습니다."
PARKING = "주차료는 하루 2,000원입니다."
PLACES = "수련실 정원은 24명입니다."
DEPOSIT = "보증금은 50,000원입니다."
SOUND = "음향 장비는 무료로 빌릴 수 있습니다."
TRUE = (FEE, BOOKING, CANCELLING, PARKING, PLACES, DEPOSIT, SOUND)
CALL = "문의는 02-7777-1234로 하시면 됩니다."
"""A number that no source has: wrong for good as soon as it stands there."""
WRITE = "문의는 0505-333-4444로 하시면 됩니다."
"""Another one."""
CROWD = "수련실 정원은 77명입니다."
"""A value whose rival may still be named: it waits."""
WRONG = (CALL, WRITE, CROWD)


@cache
def inspector(trimming: Trimming) -> Inspector:
    return Inspector(POLICY.model_copy(update={"trimming": trimming}))


@dataclass
class Passage:
    """An answer on its way through a gate.

    Attributes:
        gate: The gate.
        judge: What its looks are inspected by.
        releases: What left, in order.
        shown: What had left after each release.
        looks: What was inspected, with the verdict.
    """

    gate: Gate
    judge: Inspector
    releases: list[Release] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    looks: list[tuple[Check, Verdict]] = field(default_factory=list)

    def feed(self, piece: str) -> None:
        self.gate.feed(piece)
        self.go_on()

    def go_on(self) -> None:
        """Inspect what there is to inspect."""
        while check := self.gate.next_check():
            judge = self.judge if check.kind is Kind.WHOLE else self.judge.of_segments
            verdict = judge.inspect(check.exchange, Stage.OUTPUT, check.possible)
            self.looks.append((check, verdict))
            released = self.gate.apply(check, verdict)
            if released is not None:
                self.releases.append(released)
                self.shown.append(self.gate.shown)

    def close(self, *, cut: bool = False, in_tool_turn: bool = False) -> None:
        self.gate.close(cut=cut, in_tool_turn=in_tool_turn)
        self.go_on()

    @property
    def left(self) -> str:
        """All that leaves of an answer that may leave to its end."""
        verdict = self.gate.verdict
        return apply(self.gate.base, verdict.edits) if verdict else self.gate.base


def begun(
    *,
    may_regenerate: bool = False,
    may_edit: bool = True,
    holds: bool = False,
    trimming: Trimming = POLICY.trimming,
    structured: bool = False,
    may_unlist: bool = True,
    at_once: bool = True,
) -> Passage:
    gate = Gate(
        ASKED,
        partial(visible, structured=structured),
        may_regenerate=may_regenerate,
        may_edit=may_edit,
        holds=holds,
        may_renumber=True,
        may_unlist=may_unlist,
        at_once=at_once,
        trimming=trimming,
    )
    return Passage(gate, inspector(trimming))


def passed(
    pieces: Sequence[str] | str,
    passage: Passage | None = None,
    *,
    cut: bool = False,
    in_tool_turn: bool = False,
) -> Passage:
    """Let an answer through a gate, piece by piece; a string is one piece."""
    passage = passage or begun()
    for piece in [pieces] if isinstance(pieces, str) else pieces:
        passage.feed(piece)
    passage.close(cut=cut, in_tool_turn=in_tool_turn)
    return passage


def known_behind(
    at: int, answer: str, passage: Passage | None = None, *, cut: bool = False
) -> Passage:
    """Let an answer through a gate of which all is known once something of it was looked at."""
    passage = passage or begun()
    passage.feed(answer[:at])
    passage.gate.feed(answer[at:])
    passage.close(cut=cut)
    return passage


def known(answer: str, passage: Passage | None = None, *, cut: bool = False) -> Passage:
    """Let an answer through a gate of which all is known before anything of it is looked at."""
    passage = passage or begun()
    passage.gate.feed(answer)
    passage.close(cut=cut)
    return passage

"""The gate where nobody looks: a policy has no guard on answers, and nobody to ask about them."""

from collections.abc import Callable

from guards.core.guard import Stage
from policies.gating.gate import Gate
from policies.gating.looks import Look, Release
from policies.schema.guard_rule import Action
from policies.verdict import Verdict

_PASSES = Verdict(Stage.OUTPUT, Action.PASS)


class OpenGate(Gate):
    """Lets one answer out as it comes.

    Args:
        visible: What a reader sees of a text, at the same places.
    """

    def __init__(self, visible: Callable[[str], str] = str) -> None:
        self._visible = visible
        self._pieces: list[str] = []
        self._chars = 0
        self.claims_taken = 0
        self.verdict = None
        self.stopped = False

    @property
    def has_news(self) -> bool:
        """Whether there may be something to inspect: never."""
        return False

    @property
    def read_chars(self) -> int:
        """How much has come so far."""
        return self._chars

    @property
    def text(self) -> str:
        """The answer as it came."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def shown(self) -> str:
        """What has left of it: all."""
        return self.text

    @property
    def done(self) -> int:
        """Up to where it is done with: its end."""
        return self._chars

    @property
    def base(self) -> str:
        """What `verdict` is about: all of it."""
        return self.text

    def feed(self, piece: str) -> None:
        """Take in more of the answer."""
        self._pieces.append(piece)
        self._chars += len(piece)

    def pause(self) -> None:
        """Calls of tools follow, which makes no difference here."""

    def close(self, *, in_tool_turn: bool = False, cut: bool = False) -> None:
        """The answer has ended; what is no answer gets no verdict here either."""
        if not in_tool_turn and self._visible(self.text).strip():
            self.verdict = _PASSES

    def break_off(self) -> None:
        """Nothing more is known of the answer, which makes no difference here."""

    def look(self) -> Look | None:
        """Return what has to be inspected next: nothing."""
        return None

    def hear(self, look: Look, verdict: Verdict) -> Release | None:
        """Take in a verdict that nobody asked for."""
        return None

    def recorded(self, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict as it is: there are none over segments beside it."""
        return verdict

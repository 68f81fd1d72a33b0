"""What has come of an answer, and which of its segments are still to be decided about."""

from collections import deque
from collections.abc import Iterable

from policies.gating.segments import Segmenter, is_complete

CUT = "answer.cut"
"""Reason of an answer that lost a sentence which the model could not finish."""


class Arrived:
    """What the model has written of an answer.

    Attributes:
        ends: Where the segments end that are still to be decided about, in order.
        torn_from: Where the last sentence begins if it may be torn; None if it is not.
    """

    def __init__(self) -> None:
        self._segmenter = Segmenter()
        self._last_end = 0
        self._cut_at: int | None = None
        self.ends: deque[int] = deque()
        self.torn_from: int | None = None

    @property
    def chars(self) -> int:
        """How much has come so far."""
        return len(self._segmenter.text)

    @property
    def text(self) -> str:
        """The answer as it came, as far as it counts."""
        return self._segmenter.text[: self._cut_at]

    def feed(self, piece: str, done: int) -> None:
        """Take in more of the answer, which is done with up to a place."""
        self._take(self._segmenter.feed(piece), done)

    def close(self, done: int, *, cut: bool) -> None:
        """The answer has ended; its last segment is for the look at the whole.

        Args:
            done: Up to where it is done with.
            cut: The model was not allowed to write more, so that its last sentence may be torn.
        """
        self._take((end for end in self._segmenter.close() if end < len(self.text)), done)
        if cut and self._last_end and not is_complete(self.text[self._last_end :]):
            self.torn_from = self._last_end

    def break_off(self, done: int) -> None:
        """Nothing more is known of the answer: where it ends by now, a segment does."""
        self._take(self._segmenter.close(), done)

    def drop_ends(self, done: int) -> None:
        """Forget the segments up to a place: they are decided about."""
        while self.ends and self.ends[0] <= done:
            self.ends.popleft()

    def cut(self, end: int) -> None:
        """What stands behind a place does not count."""
        self._cut_at, self.torn_from = end, None

    def _take(self, ends: Iterable[int], done: int) -> None:
        for end in ends:
            self._last_end = end
            if end > done:
                self.ends.append(end)

"""Whether sources leave open what a sentence guesses at."""

import re

from guards.core.reading import Reading, Text
from guards.text.features import features
from guards.text.hedging import guesses
from guards.text.held import HeldIndex, Wanted
from guards.text.overlap_score import shares_in

_SAME_SUBJECT = 0.5
# A source that grants a possibility may be told as one: 거부할 수 있다 -> 거부할 수도 있습니다.
_POSSIBILITY = re.compile(r"수(?:도|가)?\s?있")


class OpenSources:
    """The sentences of an exchange's sources that guess or grant a possibility."""

    def __init__(self, reading: Reading) -> None:
        self._texts = [part.text for part in reading.sources]
        self._hedged: dict[str, bool] = {}

    def hedge(self, sentence: str) -> bool:
        """Tell whether one of them is on the same subject as a sentence."""
        if sentence not in self._hedged:
            self._hedged[sentence] = self._hedge(sentence)
        return self._hedged[sentence]

    def _hedge(self, sentence: str) -> bool:
        wanted = Wanted(features(sentence))
        indexes = [text.once(_left_open) for text in self._texts]
        if not wanted.words:
            return any(len(index) for index in indexes)
        return any(
            share >= _SAME_SUBJECT
            for index in indexes
            for share in shares_in(wanted, index).values()
        )


def _left_open(text: Text) -> HeldIndex:
    told = [sentence.text for sentence in text.sentences]
    return HeldIndex([one for one in told if _POSSIBILITY.search(one) or guesses(one)])

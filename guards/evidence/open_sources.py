"""Whether sources leave open what a sentence guesses at."""

import re

from guards.core.reading import SourceSet
from guards.evidence.index import SourceIndex
from guards.evidence.meaning import covered
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from guards.text.hedging import guesses

_SAME_SUBJECT = 0.5
# A source that grants a possibility may be told as one: 거부할 수 있다 -> 거부할 수도 있습니다.
_POSSIBILITY = re.compile(r"수(?:도|가)?\s?있")


class OpenSources:
    """The sentences of some sources that guess or grant a possibility."""

    def __init__(self, told: SourceSet) -> None:
        index = told.once(SourceIndex)
        around: dict[tuple[int, int], set[str]] = {}
        for one in index.claims:
            text = index.text_of(one)
            if _POSSIBILITY.search(text) or guesses(text):
                around.setdefault((one.source, one.claim.sentence), set()).update(one.context)
        self._around = [dict.fromkeys(features, 1.0) for features in around.values()]

    def hedge(self, sentence: str) -> bool:
        """Tell whether one of them is on the same subject as a sentence."""
        words = [word for word in content_words(morphemes(sentence)) if not word.is_light]
        return any(
            sum(covered(word, around) for word in words) >= _SAME_SUBJECT * len(words)
            for around in self._around
        )

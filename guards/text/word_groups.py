"""Which of several named groups of words a text speaks of.

Words are found with any spacing; of words that begin alike the longest counts, so that
``해별 제주`` is not ``해별``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from guards.text.names.name import dense

_WORD_BEGINS = r"(?<![가-힣A-Za-z0-9])"


class Mention(NamedTuple):
    """A word of a group in a text, and its place in code points."""

    group: str
    text: str
    start: int
    end: int


class WordGroups:
    """Groups of words by name."""

    def __init__(self, groups: Mapping[str, Sequence[str]], *, begin_words: bool) -> None:
        """Take the groups.

        Args:
            groups: Words of each group.
            begin_words: Whether they only count where a word begins; else inside compounds too.
        """
        self._group_of = {
            dense(word): name for name, words in groups.items() for word in words if dense(word)
        }
        longest_first = sorted(self._group_of, key=len, reverse=True)
        spaced = (r"[\s·-]?".join(map(re.escape, word)) for word in longest_first)
        before = _WORD_BEGINS if begin_words else ""
        self._pattern = re.compile(f"{before}(?:{'|'.join(spaced)})", re.IGNORECASE)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield every word of a group, in order."""
        if not self._group_of:
            return
        for found in self._pattern.finditer(text):
            yield Mention(self._group_of[dense(found[0])], found[0], *found.span())

    def within(self, text: str) -> frozenset[str]:
        """Return the groups that a text speaks of."""
        return frozenset(mention.group for mention in self.mentions(text))

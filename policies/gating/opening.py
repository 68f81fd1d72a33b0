"""Keeps the first segment of an answer back until it says something.

Once anything has left there is no second attempt, so a greeting must not use it up.
"""

from guards.text.claims import claims
from guards.text.sentences import Sentence

_MOST_SENTENCES = 3
_MOST_CHARS = 300
_THINKING, _THOUGHT = "<think>", "</think>"


class Opening:
    """What an answer begins with: what the model thought aloud, greetings, and the first claim."""

    def __init__(self) -> None:
        self._begin = 0
        self._is_read = False
        self._is_thinking = False
        self._held = 0

    def spoken(self, sentence: Sentence) -> str:
        """Take the next sentence and return what of it is no thought."""
        if not self._is_read:
            self._is_read = True
            self._is_thinking = sentence.text.startswith(_THINKING)
        if not self._is_thinking:
            return sentence.text
        over = sentence.text.find(_THOUGHT)
        if over < 0:
            return ""
        self._is_thinking = False
        self._begin = sentence.start + over + len(_THOUGHT)
        return sentence.text[over + len(_THOUGHT) :].lstrip()

    def holds(self, seen: str, end: int) -> bool:
        """Tell whether the answer up to a place says nothing yet and may be held a little longer.

        Args:
            seen: The answer as far as it may be looked at.
            end: Where the segment would end.
        """
        if end - self._begin >= _MOST_CHARS or self._held == _MOST_SENTENCES:
            return False
        answer = seen[self._begin :]
        if any(self._begin + claim.start < end for claim in claims(answer)):
            return False
        self._held += 1
        return True

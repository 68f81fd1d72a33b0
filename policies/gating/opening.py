"""Keeps the first segment of an answer back until it says something of its own.

Once anything has left there is no second attempt, so a greeting must not use it up, nor a verdict
(네, 됩니다.), which is as right or wrong as the sentence that it rests on.
"""

import re

from guards.text.citing.plain import plain_text
from guards.text.citing.references import may_be_listed
from guards.text.claims import bare_claim, claims, may_lead_in
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import read_marks
from guards.text.tokens import content_words
from policies.gating.layout import is_title, undecorated

_MOST_SENTENCES = 5
_MOST_CHARS = 400
_THINKING, _THOUGHT = "<think>", "</think>"
# What an answer says of itself, or of its question, before it answers.
_ANNOUNCEMENT = re.compile(
    r"(?:보|드리|하)겠(?:습니다|어요)$|(?:볼|드릴|할)게요$|말씀\s?드(?:립니다|려요)$"
    r"|(?:안내|답변|정리|요약|설명|내용|정보|사항|목록|결과)\s?"
    r"(?:입니다|이에요|예요|드립니다|드려요|드렸습니다)$"
    r"|(?:정리|요약|준비|확인|조회)(?:했|하였|해\s?(?:봤|보았|드렸))(?:습니다|어요)$"
    r"|(?:문의|질문|요청|말씀)(?:을|를|해)?\s?(?:하셨|주셨)(?:군요|네요|습니다|어요|지요|죠)$"
    r"|(?:좋은|훌륭한|중요한)\s질문|^좋은\s(?:아침|오후|저녁)|(?:반갑습니다|반가워요|기쁩니다|기뻐요)$"
    r"|(?:무엇이든|언제든지?|편하게)\s[가-힣 ]{0,12}(?:주세요|보세요)$"
)
_YES_OR_NO = re.compile(
    r"(?:네|넵|예|아니[요오]|물론(?:입니다|이죠|이에요)?|그럼요)(?:[\s,.!~]+|$)"
)
# Whether something is so, may be, or is there.
_VERDICT = re.compile(r"(?:가능|불가|[되됩돼있없않맞못]|어렵|아[니닙]|그[렇래])[가-힣]{0,4}$")
_OWN_WORD = re.compile(r"[\dA-Za-z%「『“”\"‘’']")
_LONGEST_AFTER_YES_OR_NO_CHARS = 30
_LONGEST_VERDICT_CHARS = 20
_LONGEST_PREDICATE_CHARS = 12
_PREDICATE_ENDINGS = ("다", "요", "죠")
_BEGINS_WORD = "에"
"""Of ``[2]\\n에 따르면``: the mark before it is a word of that sentence."""
_OPENERS, _CLOSERS = "[［(【<", "]］)】>"
_CLOSING_SIGNS = ".!?~^…:) "


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

    def is_sure(self, seen: str, next_char: str) -> bool:
        """Tell whether `holds` says no at the end of a line, whatever the next line says.

        What could turn a claim into none is a list that it opens, or is a line of; a mark that goes
        on below may take its words with it.

        Args:
            seen: The answer up to the end of a line.
            next_char: The first visible one behind it.
        """
        if next_char == _BEGINS_WORD or seen.lstrip().startswith(_THINKING):
            return False
        if len(seen) >= _MOST_CHARS or _opens_bracket(seen) or may_be_listed(seen):
            return False
        marks = read_marks(seen)
        return any(
            _stands_alone(plain_text(seen, one.start, one.end, marks))
            for one in claims(seen)
            if not (one.text.startswith("|") or may_lead_in(one, seen))
        )

    def holds(self, seen: str, end: int) -> bool:
        """Tell whether the answer up to a place says nothing yet and may be held a little longer.

        Args:
            seen: The answer as far as it may be looked at.
            end: Where the segment would end.
        """
        if end - self._begin >= _MOST_CHARS or self._held == _MOST_SENTENCES:
            return False
        answer = seen[self._begin :]
        marks = read_marks(answer)
        said = [claim for claim in claims(answer) if self._begin + claim.start < end]
        if any(_stands_alone(plain_text(answer, one.start, one.end, marks)) for one in said):
            return False
        self._held += 1
        return True


def _opens_bracket(seen: str) -> bool:
    """Tell whether the last line has a bracket that it does not close."""
    line = seen.rstrip().rpartition("\n")[2]
    return max(map(line.rfind, _OPENERS)) > max(map(line.rfind, _CLOSERS))


def _stands_alone(claim: str) -> bool:
    """Tell whether a claim says more than that an answer follows, or a bare yes or no."""
    bare = undecorated(claim)
    if is_title(bare) or not claims(bare):
        return False
    bare = bare.rstrip(_CLOSING_SIGNS)
    return not (_ANNOUNCEMENT.search(bare) or _is_verdict(bare))


def _is_verdict(claim: str) -> bool:
    """Tell whether a claim says yes or no in the words of a question, and no figure or name."""
    plain = claim.strip("*_ ")
    answers = _YES_OR_NO.match(plain)
    said = bare_claim(plain[answers.end() :] if answers else plain)
    if _OWN_WORD.search(said):
        return False
    if answers:
        return len(said) <= _LONGEST_AFTER_YES_OR_NO_CHARS
    if _VERDICT.search(said):
        return len(said) <= _LONGEST_VERDICT_CHARS
    is_predicate = said.endswith(_PREDICATE_ENDINGS) and len(content_words(said)) <= 1
    return is_predicate and len(said) <= _LONGEST_PREDICATE_CHARS

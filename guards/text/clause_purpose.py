"""Tells what a clause is there for: to ask something, to tell something, or to be aimed at us."""

import re

from guards.lexicons import address, profanity
from guards.lexicons.phrases import phrases, words
from guards.text.clauses import Clause
from guards.text.closed_talk import names_nothing_else
from guards.text.displeasure import Core
from guards.text.sentence_frame import OTHERS, is_filler, speaks_of_asking

_WHAT_IS_DONE_WITH_IT = re.compile(phrases(profanity.LIGHT_VERBS, {}) + "$")
_US = words(address.YOU + " " + address.BOT) + words(address.PARTICLES)
_ADDRESSED = re.compile(f"(?<![가-힣a-z]){_US}?(?![가-힣a-z])", re.IGNORECASE)
_REQUEST = re.compile(
    f"{words(address.QUESTION_WORDS + ' ' + address.REQUESTS)}|{words(address.ASKING_ENDINGS)}$"
)
# A request made with contempt: nobody is helped by an answer to it.
_SCOLDING = re.compile("왜|제대로|똑바로")
_REQUEST_INSIDE = re.compile(words(address.REQUESTS_INSIDE))
_REQUEST_IN_FRONT = re.compile(words(address.REQUESTS_IN_FRONT))


def asks(clause: Clause, complaint: Core | None) -> bool:
    """Tell whether the clause asks for information besides what it complains of."""
    if complaint:
        return bool(
            _REQUEST_IN_FRONT.search(clause.letters_before(complaint.start))
            or _REQUEST_INSIDE.search(clause.letters_before(complaint.end))
        )
    letters = clause.letters.text
    insulted = any(word.calls or word.addresses for word in clause.swearwords)
    if (insulted and _SCOLDING.search(letters)) or is_filler(letters):
        return False
    return clause.question_mark or _REQUEST.search(letters) is not None


def tells_something_else(clause: Clause, complaint: Core | None) -> bool:
    """Tell whether a clause names a matter beside the talk that bare displeasure may be about."""
    if complaint or clause.swearwords or _ADDRESSED.search(clause.text):
        return False
    return not is_filler(clause.letters.text) and not speaks_of_asking(clause.letters.text)


def swears_at_us(clause: Clause) -> bool:
    """Tell whether the swear words mean the bot: by address, or because nobody else is named."""
    letters = clause.letters.text
    if any(word.calls for word in clause.swearwords):
        return True
    if OTHERS.search(letters):
        return False
    addresses = any(word.addresses for word in clause.swearwords)
    return (
        addresses
        or _ADDRESSED.search(clause.text) is not None
        or is_filler(_WHAT_IS_DONE_WITH_IT.sub("", letters))
        or names_nothing_else(letters, clause.word_starts())
    )

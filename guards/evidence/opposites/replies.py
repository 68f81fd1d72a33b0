"""What a yes or a no says: that the clause that was asked for holds, or that it does not."""

import re
from dataclasses import replace

from guards.claims.modality import Modality
from guards.claims.reader import Reading
from guards.evidence.opposites.acts import turned
from guards.evidence.opposites.statements import Statement, statements_of

_YES = re.compile(r"\s*(?:네|예|넵|맞습니다|그렇습니다|물론(?:입니다|이죠|이에요)?)(?=[,.!\s])")
_NO = re.compile(r"\s*(?:아니요|아니오|아뇨|아닙니다|그렇지\s?않습니다)(?=[,.!\s])")
_OPEN = re.compile(
    r"얼마|언제|어디|누구|누가|무엇|무슨|뭐|뭘|어떤|어떻|어느|몇|왜|며칠|방법|차이|알려|설명|정리|비교|추천|아니면"
)
_ASKS = re.compile(r"(?:나요|까요?|가요|은가|는가|죠|지요|니|냐|래요|요)[?\s.!~ㅠㅜ]*$")
_DENIED = {
    Modality.PERMITTED: Modality.FORBIDDEN,
    Modality.FORBIDDEN: Modality.PERMITTED,
    Modality.REQUIRED: Modality.NOT_REQUIRED,
    Modality.NOT_REQUIRED: Modality.REQUIRED,
    Modality.FACT: Modality.DENIED,
    Modality.DENIED: Modality.FACT,
}
_SIDES = frozenset({Modality.FACT, Modality.DENIED, Modality.PERMITTED, Modality.FORBIDDEN})


def reply_of(answer: str) -> tuple[bool, int] | None:
    """Return whether an answer begins with a yes or a no, and where that ends; None if neither."""
    for is_yes, pattern in ((True, _YES), (False, _NO)):
        match = pattern.match(answer)
        if match:
            return is_yes, match.end()
    return None


def asked_claim(question: Reading) -> Statement | None:
    """Return the one clause for which a question asks whether it holds; None if there is none."""
    text = question.page.plain
    if _OPEN.search(text) or len(question.sentences) > _MOST_SENTENCES:
        return None
    asked = [one for one in question.sentences if _ASKS.search(one[-1].text)]
    if len(asked) != 1 or asked[0] is not question.sentences[-1]:
        return None
    found = [
        one for one in statements_of(question.sentences) if one.claim is question.sentences[-1][-1]
    ]
    return found[-1] if found and not found[-1].is_named else None


_MOST_SENTENCES = 3


def replied(claim: Statement, *, is_yes: bool) -> Statement:
    """Return what a yes or a no to a question says."""
    if is_yes:
        return claim
    modality = _DENIED[claim.modality]
    by = -1 if claim.modality in _SIDES else 1
    return replace(claim, modality=modality, acts=tuple(turned(one, by) for one in claim.acts))

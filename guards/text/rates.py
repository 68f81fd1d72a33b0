"""Rates: so much for each of something (시간당, 1인, 매월).

What is paid for an hour and what is paid for a deposit have no difference that means anything. A
rate is a sum or a difference only where the words next to it say so (``시간당 3,000원 더 쌉니다``).
"""

import re

from guards.text.reckoning_words import PER_AFTER, PER_BEFORE

_CLAUSE_END = re.compile(r"[,;\n]|(?<=[고며])[ ]")
# 월 회비는 17,000원: what is paid stands between.
_NAMED_BEFORE = re.compile(
    r"(?<![가-힣\d])(?:매?월|매?주|1[인명일박회]|(?:시간|[인명일박회])당)[ ]"
    r"[가-힣]{1,8}[은는이가:]?[ ]?[*_]*$"
)
_APART_BEFORE = re.compile(
    r"차이|차액|보다|할인|감면|뺀|빼|공제|인하|인상|더[하해]|합[산쳐치하한]|추가|가산|할증|포함"
)
_APART_AFTER = re.compile(
    r"[ ]?(?:씩|정도|만큼)?(?:[을를이가은는의도])?[ ]?(?:만큼[ ])?"
    r"(?:더|덜|차이|저렴|비[싸싼쌉]|[싸싼쌉]|절[약감]|아[끼낄껴]|할인|감면|인[상하]|낮|높|줄|늘|추가|가산)"
)


def is_rate(before: str, after: str) -> bool:
    """Tell whether a figure is for each of something, by what stands around it."""
    return PER_BEFORE.search(before) is not None or PER_AFTER.match(after) is not None


def may_be_combined(before: str, after: str) -> bool:
    """Tell whether a figure may be a sum or a difference; a rate only if it is said to be one.

    Args:
        before: What stands before it in its sentence.
        after: What follows it.
    """
    if not (is_rate(before, after) or _NAMED_BEFORE.search(before)):
        return True
    clause = _CLAUSE_END.split(before)[-1]
    return bool(_APART_AFTER.match(after) or _APART_BEFORE.search(clause))

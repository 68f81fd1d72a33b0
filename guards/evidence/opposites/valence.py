"""The side that a statement takes whatever its verb: something is granted or demanded, or not.

``이메일로 받으실 수 있습니다`` and ``이메일 발급은 하지 않음`` have no act in common, but one of
their acts says no more than that something is had (받다), and they take opposite sides.
"""

import re
from collections.abc import Collection
from functools import cache

from guards.claims.reader import Modality
from guards.evidence.opposites.acts import COUNTED, COUNTS, Act, has_sides
from guards.evidence.opposites.statements import Statement
from guards.korean.words import canonical
from guards.lexicons.loading import words

_GRANTED = {Modality.PERMITTED: 1, Modality.FORBIDDEN: -1, Modality.DENIED: -1}
_DEMANDED = {Modality.REQUIRED: 1, Modality.NOT_REQUIRED: -1}
_NEEDED = "필수"
# 뺄 수 없다: whoever may not take something out is granted nothing, unlike with 빼지 않는다.
_IS_DONE = frozenset({"빼", "넣"})
# Nothing can be had where it is closed, and what is needed is named besides.
_SAY_ENOUGH = frozenset({_NEEDED, "열다"})
# Opposites that are a matter of granting: counted or left out, open or closed, kept or lost.
_GRANTS = frozenset({COUNTED, "열다", "계속", "지급", "보장", "공개", "복원"})
# 150만 원입니다, 250만 원이 됩니다, 불참으로 처리됩니다: which side it is depends on the noun.
_NAMES = re.compile(
    r"/VCP (?:\S+/EP )?\S+/E\S$|/NNBC (?:이|가)/JKS 되/VV (?:\S+/EP )?\S+/E\S$"
    r"|로/JKB (?:하|되)/VV \S+/E\S$"
    r"|로/JKB \S+/\S+ (?:하|되)/XSV \S+/E\S(?: \S+/\S+)*$"
)
# 별도 is as often said about what is charged; 불참으로 처리 counts as what the noun says.
_OTHER_WORDS = COUNTS | {"별도", "공제제외"}
# 제한하지 않는다 denies a ban.
_DENIES_BAN = re.compile(r"(?:제한|금지|차단|거절|거부)/NNG .*(?:않|아니|없)/")


@cache
def carriers() -> frozenset[str]:
    """Return the acts that say no more than that something is had, done or counts."""
    return frozenset(canonical(word) for word in words("carriers"))


def granted(statement: Statement) -> int:
    """Return 1 if a statement grants something, -1 if it denies it, 0 if that is unknown."""
    act = main_act(statement)
    trail = statement.claim.clause.trail
    if act is not None and has_sides(act.name):
        may = statement.modality in {Modality.PERMITTED, Modality.FORBIDDEN}
        if may and act.word is not None and act.word.text in _IS_DONE:
            return _GRANTED[statement.modality]
        is_other = act.word is not None and act.word.features[-1] in _OTHER_WORDS
        return act.side if act.name in _GRANTS and not is_other else 0
    if _DENIES_BAN.search(trail):
        return 0
    if statement.modality is Modality.FACT:
        return 1 if statement.has_predicate and not _NAMES.search(trail) else 0
    return _GRANTED.get(statement.modality, 0)


def demanded(statement: Statement) -> int:
    """Return 1 if a statement demands something, -1 if it spares it, 0 if it does neither."""
    act = main_act(statement)
    if act is not None and _spares(act):
        return min(act.side, 0)
    by_modality = _DEMANDED.get(statement.modality, 0)
    return act.side if not by_modality and act and act.name == _NEEDED else by_modality


def main_act(statement: Statement) -> Act | None:
    """Return what the predicate of a statement says; None if it says nothing of its own."""
    return next((act for act in statement.acts if act.weight == 1.0), None)


def is_carrier(act: Act | None) -> bool:
    """Tell whether an act says no more than that something is had, done or counts."""
    return act is None or act.name in carriers()


def _spares(act: Act) -> bool:
    """Tell whether an act is to be let off: 제출 면제, 연회비 면제."""
    return act.word is not None and act.word.features[-1] == canonical("면제")


def _has_no_act_of_its_own(statement: Statement) -> bool:
    act = main_act(statement)
    # 120일이 지났다: a fact without an act of its own says nothing that could be granted.
    return is_carrier(act) and (act is not None or statement.modality is not Modality.FACT)


def _is_aside(statement: Statement) -> bool:
    """Tell whether a statement stands in brackets behind another one."""
    return statement.start > statement.claim.start


def by_valence(
    statement: Statement, source: Statement, around: Collection[str], near: Collection[str]
) -> int:
    """Return 1 if two statements take the same side, -1 if opposite ones, 0 if unknown.

    Args:
        statement: A statement of an answer.
        source: One of a source.
        around: What stands near the answer's.
        near: What stands near the source's.
    """
    if not are_named(statement, source, around, near):
        return 0
    if _is_aside(statement) or _is_aside(source):
        return 0
    if _has_no_act_of_its_own(statement) or _has_no_act_of_its_own(source):
        agrees = granted(statement) * granted(source)
        if agrees:
            return agrees
    return demanded(statement) * demanded(source)


def are_named(
    statement: Statement, source: Statement, around: Collection[str], near: Collection[str]
) -> bool:
    """Tell whether each of two statements names the other one's act, if that says anything."""
    return _is_held(main_act(statement), near) and _is_held(main_act(source), around)


def _is_held(act: Act | None, near: Collection[str]) -> bool:
    """Tell whether an act says nothing of its own, or is named near the other statement."""
    if act is None or is_carrier(act) or act.name in _SAY_ENOUGH or _spares(act):
        return True
    return act.name in near or (act.word is not None and act.word.features[-1] in near)

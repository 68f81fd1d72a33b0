"""Figures that an answer only supposes: 45시간을 세웠다면, 연세액이 50만 원이라면, 3명이면."""

import re

from guards.claims.reader import Claim, Reading
from guards.evidence.calculations.reckoning import says
from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

# (예: 50g이면 5,000원)
_IN_BRACKETS = re.compile(r"[(（](?P<own>[^()（）]{1,20})$")
_IF = re.compile(r"[^,.)）\n]{0,10}?(?:면|때|경우)(?![가-힣])")
_LIMITS = re.compile(r"이상|이하|초과|미만|이내|넘|까지|부터")


class Suppositions:
    """What an answer supposes."""

    def __init__(self, answer: Reading) -> None:
        self._answer = answer

    def has(self, figure: Figure) -> bool:
        """Tell whether a figure is only supposed."""
        if figure.quantity.comparing_word or _LIMITS.match(
            self._answer.page.plain[figure.end : figure.end + 4].lstrip()
        ):
            return False
        if self._is_example_in_brackets(figure):
            return True
        sentence = self._answer.sentences[figure.claim.sentence]
        if not _leads_to_condition(figure.claim, sentence):
            return False
        text = self._answer.page.plain[sentence[0].start : sentence[-1].end]
        own = figure.claim.text
        return (
            says("example", text)
            or any(says("example", label.text) for label in figure.claim.block.labels)
            or says("supposed", own)
            or (_if_so_many(figure) and _goes_on(figure, sentence))
        )

    def _is_example_in_brackets(self, figure: Figure) -> bool:
        plain = self._answer.page.plain
        before = _IN_BRACKETS.search(plain, max(0, figure.start - 24), figure.start)
        return (
            before is not None
            and says("example", before["own"])
            and _IF.match(plain, figure.end) is not None
        )


def _leads_to_condition(claim: Claim, sentence: tuple[Claim, ...]) -> bool:
    """Tell whether a clause is a condition, or goes on to the first one of its sentence."""
    if _is_condition(claim):
        return True
    before = sentence[: claim.position]
    after = sentence[claim.position + 1 :]
    return any(map(_is_condition, after)) and not any(map(_is_condition, before))


def _is_condition(claim: Claim) -> bool:
    clause = claim.clause
    return clause.is_condition or clause.is_concession or says("supposed", claim.text)


_COUNTED = frozenset({Dimension.PEOPLE, "개", "대", "장", "박", "병", "건", "권", "마리"})


def _if_so_many(figure: Figure) -> bool:
    return figure.measure.dimension in _COUNTED and figure.claim.clause.is_condition


def _goes_on(figure: Figure, sentence: tuple[Claim, ...]) -> bool:
    """Tell whether figures follow in the same sentence, which may be reckoned from it."""
    return any(one.clause.figures for one in sentence[figure.claim.position + 1 :])

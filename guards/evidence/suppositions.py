"""Figures that an answer only supposes: 예를 들어 45시간을 세웠다면, 연세액이 50만 원이라면, 3명이면."""

import re

from guards.claims.reader import Claim, Reading
from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

_EXAMPLE = re.compile(
    r"예를 ?들[어면]|예컨대|이를테면|가령|예시|예:|예\)|만약|만일|가정|전제|치면|친다면|기준으로 (?:하면|보면)"
)
_SUPPOSED = re.compile(
    r"(?:이?라면|[았었했됐셨렸갔왔졌]다면|ㄴ다면|는다면|한다면|신다면|는 경우라면|가정하면|치면|라고 (?:하면|보면|할 때)|기준이?라면|기준)"
)
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
        sentence = self._answer.sentences[figure.claim.sentence]
        if not _leads_to_condition(figure.claim, sentence):
            return False
        text = self._answer.page.plain[sentence[0].start : sentence[-1].end]
        own = figure.claim.text
        return (
            _EXAMPLE.search(text) is not None
            or any(_EXAMPLE.search(label.text) for label in figure.claim.block.labels)
            or _SUPPOSED.search(own) is not None
            or _if_so_many(figure)
        )


def _leads_to_condition(claim: Claim, sentence: tuple[Claim, ...]) -> bool:
    """Tell whether a clause is a condition, or is followed by one."""
    return any(
        one.clause.is_condition or one.clause.is_concession or _SUPPOSED.search(one.text)
        for one in sentence[claim.position :]
    )


_COUNTED = frozenset({Dimension.PEOPLE, "개", "대", "장", "박", "병", "건", "권", "마리"})


def _if_so_many(figure: Figure) -> bool:
    return figure.measure.dimension in _COUNTED and figure.claim.clause.is_condition

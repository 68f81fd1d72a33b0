"""The corrected answer of a verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from guards.core.exchange import Exchange
from policies.citing.mending import Mended
from policies.edits import apply
from policies.inspection import Inspector
from policies.repair import citations_repaired, repaired
from policies.schema.guard_rule import Action
from policies.verdict import Verdict
from policies.verification.options import Correction


@dataclass(frozen=True, slots=True)
class Corrected:
    """An answer after its correction.

    Attributes:
        text: The answer itself if none was wanted; None if too little of it would be left.
        removed: Numbers that are cited no more.
        renumbered: Old and new numbers of citations that got another one.
    """

    text: str | None = None
    removed: tuple[int, ...] = ()
    renumbered: Mapping[int, int] = field(default_factory=dict)


def corrected(
    inspector: Inspector, exchange: Exchange, verdict: Verdict, wanted: Correction
) -> Corrected:
    """Return the answer as far as it can be mended without asking a model again."""
    if wanted == "none":
        return Corrected(exchange.answer)
    if wanted == "citations":
        return _made(exchange, citations_repaired(inspector.policy, exchange, verdict))
    settled = inspector.settled(exchange, verdict, may_edit=True)
    if settled.action is Action.PASS:
        return Corrected(exchange.answer)
    if not settled.edits:
        return Corrected()
    return _made(exchange, repaired(inspector.policy, exchange, settled))


def _made(exchange: Exchange, mended: Mended | None) -> Corrected:
    if mended is None:
        return Corrected()
    text = apply(exchange.answer or "", mended.edits)
    return Corrected(text, mended.removed, mended.renumbered)

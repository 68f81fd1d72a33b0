"""How sentences and citations stand before the sources, in a sign and a word."""

from collections.abc import Mapping
from dataclasses import dataclass

from guards.text.citing.assessed import Status
from policies.confidence import Band, Cap
from policies.verification.parts import ClaimReport, Label
from proxy.dashboard.languages import msgid


@dataclass(frozen=True, slots=True)
class Stand:
    """How something stands.

    Attributes:
        sign: Tells it apart without colours.
        word: To be translated.
        tone: Of its badge.
    """

    sign: str
    word: str
    tone: str


ACCURATE = Stand("✓", msgid("Accurate"), "good")
INACCURATE = Stand("✗", msgid("Inaccurate"), "bad")
UNCERTAIN = Stand("?", msgid("Uncertain"), "warn")
NO_CLAIM = Stand("–", msgid("No claim"), "calm")

CITATIONS: Mapping[Status, Stand] = {
    Status.ACCURATE: ACCURATE,
    Status.INACCURATE: INACCURATE,
    Status.UNCERTAIN: UNCERTAIN,
}
_CLAIMS: Mapping[Label, Stand] = {
    Label.SUPPORTED: ACCURATE,
    Label.PARTIAL: UNCERTAIN,
    Label.UNSUPPORTED: INACCURATE,
    Label.CONTRADICTED: INACCURATE,
    Label.NOT_CHECKABLE: UNCERTAIN,
}
BANDS: Mapping[Band, str] = {
    Band.HIGH: msgid("high"),
    Band.MEDIUM: msgid("medium"),
    Band.LOW: msgid("low"),
}
CAPS: Mapping[Cap, str] = {
    Cap.CONTRADICTION: msgid("held down: something contradicts a source"),
    Cap.CRITICAL: msgid("held down: a figure, provision, contact or route stands in no source"),
    Cap.DEGRADED_JUDGE: msgid("held down: the second reader said nothing to go by"),
}
UNCHECKED: Mapping[str, str] = {
    "no_sources": msgid("there are no sources to hold it against"),
    "no_answer": msgid("there is no answer"),
    "no_claims": msgid("the answer claims nothing that could be checked"),
    "too_short": msgid("the sentence is too short to compare"),
    "not_looked_at": msgid("no guard that compares such sentences ran"),
}


def stand_of(claim: ClaimReport) -> Stand:
    """Return how a sentence stands."""
    return _CLAIMS[claim.label] if claim.check_required else NO_CLAIM

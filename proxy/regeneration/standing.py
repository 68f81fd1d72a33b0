"""The sentences of a draft that may stay as they are."""

from guards.core.reading import read
from guards.evidence.support import Support
from guards.text.citing.statements import read_statements
from proxy.judged import Judged

LEAST_SHARE = 0.7
"""Share of the claims above which a draft is worth keeping; a worse one would only mislead."""
_SUPPORTED_FROM = 0.85


def standing_sentences(judged: Judged) -> tuple[str, ...]:
    """Return the claims of an answer that the sources carry and no guard doubts.

    Returns:
        Those claims, in order; none if they are not most of the answer.
    """
    if judged.verdict is None or not judged.exchange.sources:
        return ()
    claims = [one for one in read_statements(judged.exchange.answer or "") if one.is_claim]
    doubted = [found.span for found in judged.verdict.findings if found.part == "answer"]
    support = Support(read(judged.exchange))
    places = range(len(judged.exchange.sources))
    kept: list[str] = []
    for claim in claims:
        start, end = claim.sentence.start, claim.sentence.end
        if any(span.start < end and start < span.end for span in doubted):
            continue
        carried = support.carried(claim.text, support.figures(start, end))
        if max(carried.score([place]) for place in places) >= _SUPPORTED_FROM:
            kept.append(claim.sentence.text)
    return tuple(kept) if len(kept) > LEAST_SHARE * len(claims) else ()

"""When the second attempt is constrained, and to what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.text.writing.language_request import asks_for_original, requested_scripts
from guards.text.writing.scripts import Script
from proxy.constraints.allowed_text import AllowedText, allowed_text, given_texts
from proxy.openai_api.json_body import JsonObject, member

MOST_BARRED = 32
LONGEST_BARRED_CHARS = 30
"""A longer string only bars its own repetition word for word."""

_FOREIGN = frozenset(
    f"korean_only.{kind}" for kind in ("han", "kana", "other_script", "broken_character")
)
_INVENTED = frozenset({"names.not_in_sources", "names.differs", "names.no_such_facility"})
# One constraint is all that a server takes, and the client's own come first.
_CLIENTS_OWN = (
    "tools functions structured_outputs guided_json guided_regex guided_choice guided_grammar "
    "structural_tag json_schema regex ebnf grammar format"
).split()


@dataclass(frozen=True)
class Wanted:
    """What the second attempt is constrained to.

    Attributes:
        text: What may be written; None if the language was right.
        barred: Strings that must not come again: invented names, foreign words.
    """

    text: AllowedText | None
    barred: tuple[str, ...]

    def is_kept_by(self, text: str) -> bool:
        """Tell whether an answer keeps to the constraint."""
        return self.text is None or self.text.allows(text)


def wanted(exchange: Exchange, findings: Sequence[Finding], body: JsonObject) -> Wanted | None:
    """Return what to constrain the second attempt to; None for nothing.

    Args:
        exchange: What was asked.
        findings: What was wrong with the first answers.
        body: The request, whose own constraints are left alone.
    """
    if any(map(body.get, _CLIENTS_OWN)) or _wants_json(body):
        return None
    codes = {finding.code for finding in findings}
    is_foreign = bool(codes & _FOREIGN) and not _asks_for_foreign(exchange.question)
    text = allowed_text(exchange) if is_foreign else None
    barred = _barred(exchange, findings, _INVENTED | (_FOREIGN if is_foreign else frozenset()))
    return Wanted(text, barred) if text or barred else None


def _wants_json(body: JsonObject) -> bool:
    return member(body.get("response_format"), "type") not in (None, "text")


def _asks_for_foreign(question: str) -> bool:
    return asks_for_original(question) or bool(requested_scripts(question) - {Script.LATIN})


def _barred(
    exchange: Exchange, findings: Iterable[Finding], codes: frozenset[str]
) -> tuple[str, ...]:
    """Return the strings that were wrong, without those that stand in the request itself."""
    licensed = "\n".join(given_texts(exchange))
    strings = dict.fromkeys(
        finding.observed.strip() for finding in findings if finding.code in codes
    )
    return tuple(
        string
        for string in strings
        if 0 < len(string) <= LONGEST_BARRED_CHARS and string not in licensed
    )[:MOST_BARRED]

"""The body of the second request.

The note is added to the end of the last user turn, because that is the one place which every chat
template takes: several refuse a system message that is not the first one. The draft itself is not
sent back; it would anchor the model on its own mistakes.
"""

from collections.abc import Sequence
from typing import Any

from guards.core.finding import Finding
from guards.core.reading import read
from policies.schema.sections import Regeneration
from proxy.judged import Judged
from proxy.openai_api.door import Door
from proxy.openai_api.json_body import JsonObject
from proxy.regeneration.closed_lists import closed_lists
from proxy.regeneration.note import note
from proxy.regeneration.standing import standing_sentences


def acting(failed: Sequence[Judged]) -> list[Finding]:
    """Return the findings for which answers have to be written again."""
    return [found for one in failed if one.verdict for found in one.verdict.acting]


def note_about(failed: Sequence[Judged], rules: Regeneration) -> str:
    """Return what the model is told about answers that have to be written again.

    Args:
        failed: The answers, at least one.
        rules: The policy's rules for the second attempt.
    """
    findings = acting(failed)
    lists = closed_lists(read(failed[0].exchange), findings)
    standing = standing_sentences(failed[0]) if len(failed) == 1 else ()
    return note(findings, rules.max_findings, lists, standing)


def with_note(
    door: Door[Any], body: JsonObject, text: str, rules: Regeneration, *, choices: int
) -> JsonObject:
    """Return the body of the second request. Pure: the given body is left as it is.

    Args:
        door: Where it was asked.
        body: Body of the first request, as the model server got it.
        text: What the model is told.
        rules: The policy's rules for the second attempt.
        choices: How many choices have to be written again.
    """
    again = door.noted(body, text, choices)
    if rules.temperature is not None:
        asked = body.get("temperature")
        wanted = asked if isinstance(asked, (int, float)) else 1.0
        again["temperature"] = min(wanted, rules.temperature)
    seed = body.get("seed")
    if isinstance(seed, int):
        again["seed"] = seed + 1
    return again

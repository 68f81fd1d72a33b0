"""The request on its way to the model server: which identifiers it hides, and how it looks then.

What the user and the assistant said, and what the request says of the user beside the messages, is
the user's own. Instructions, results of tools and sources speak of offices as well: of what stands
there only, what no office publishes is hidden.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from guards.core.exchange import Source
from guards.personal_data import Handling, PersonalData, PersonalDataSettings
from guards.text.personal_data.kinds import PUBLISHED, PersonalKind
from guards.text.personal_data.personal import find_personal
from guards.text.personal_data.shown import Shown, unpublished
from policies.schema.base import Mode
from policies.schema.policy import Policy
from policies.verification.turns import PART_SEPARATOR
from proxy.openai_api.json_body import JsonObject, objects, read_object
from proxy.openai_api.json_texts import texts, with_texts
from proxy.openai_api.sse import json_bytes
from proxy.personal.stand_ins import NONE, StandIns

_SPEAKERS = ("user", "assistant")
_ABOUT_THE_USER = ("user", "metadata", "safety_identifier", "prompt_cache_key")
_ESCAPED = re.compile(r"(?<!\\)\\u([0-9a-fA-F]{4})")


def stand_ins_for(body: JsonObject, sources: tuple[Source, ...], policy: Policy) -> StandIns:
    """Return the stand-ins for a request; none where the policy lets the model see everything.

    Contacts that a source publishes stay, so that the model can speak of them.

    Args:
        body: The request's body.
        sources: The sources that were found in it.
        policy: The tenant's policy.
    """
    rule = policy.guards.get(PersonalData.id)
    if rule is None or rule.mode is not Mode.ENFORCE:
        return NONE
    settings = PersonalDataSettings.model_validate(rule.options)
    if settings.input is Handling.OFF:
        return NONE
    published = Shown(f"{one.title}\n{one.file}\n{one.text}" for one in sources)
    own = _found(_said(body), published, business_numbers=settings.business_numbers)
    shown = _found(map(_unescaped, texts(body)), published, business_numbers=False)
    theirs = {value: kind for value, kind in shown.items() if kind not in PUBLISHED}
    return StandIns(own | theirs, texts(body))


def _found(
    said: Iterable[str], published: Shown, *, business_numbers: bool
) -> dict[str, PersonalKind]:
    identifiers: dict[str, PersonalKind] = {}
    for text in said:
        found = find_personal(text, business_numbers=business_numbers)
        for span in unpublished(text, found, published):
            identifiers.setdefault(text[span.start : span.end], span.kind)
    return identifiers


def hidden(body: bytes, stand_ins: StandIns) -> bytes:
    """Return a request body in which the stand-ins have taken their places; the same if none."""
    if not stand_ins:
        return body
    asked = read_object(body)
    changed = with_texts(asked, stand_ins.hide)
    if not isinstance(changed, dict):
        return body
    for said, shown in zip(
        objects(asked.get("messages")), objects(changed.get("messages")), strict=True
    ):
        _hide_split(said.get("content"), objects(shown.get("content")), stand_ins)
    return json_bytes(changed)


def _hide_split(said: JsonValue | None, shown: Sequence[JsonObject], stand_ins: StandIns) -> None:
    """Hide in the parts of a message also what is split over two of them."""
    places = [place for place, part in enumerate(objects(said)) if _is_text(part)]
    words = [str(part["text"]) for part in objects(said) if _is_text(part)]
    for place, text in zip(places, stand_ins.hide_in_parts(words), strict=True):
        shown[place]["text"] = text


def _is_text(part: JsonObject) -> bool:
    return isinstance(part.get("text"), str)


def _said(body: JsonObject) -> Iterator[str]:
    for message in objects(body.get("messages")):
        if message.get("role") in _SPEAKERS:
            parts = [part for part in objects(message.get("content")) if _is_text(part)]
            yield PART_SEPARATOR.join(str(part["text"]) for part in parts)
            yield from map(_unescaped, texts(message))
    for name in _ABOUT_THE_USER:
        yield from texts(body.get(name))


def _unescaped(text: str) -> str:
    """Return a text as one reads it where it is JSON in ASCII."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)

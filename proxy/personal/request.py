"""The request on its way to the model server: which identifiers it hides, and how it looks then."""

from collections.abc import Iterator

from guards.core.exchange import Source
from guards.personal_data import Handling, PersonalData, PersonalDataSettings
from guards.text.personal import find_personal
from guards.text.personal_kinds import PersonalKind
from guards.text.personal_shown import Shown, unpublished
from policies.policy import Mode, Policy
from proxy.openai_api.json_body import JsonObject, objects, read_object
from proxy.openai_api.sse import json_bytes
from proxy.personal.json_texts import texts, with_texts
from proxy.personal.stand_ins import StandIns

_SPEAKERS = ("user", "assistant")


def stand_ins_for(body: JsonObject, sources: tuple[Source, ...], policy: Policy) -> StandIns:
    """Return the stand-ins for a request; none where the policy lets the model see everything.

    Looked for in what the user and the assistant said. Contacts that a source publishes stay, so
    that the model can speak of them.

    Args:
        body: The request's body.
        sources: The sources that were found in it.
        policy: The tenant's policy.
    """
    rule = policy.guards.get(PersonalData.id)
    if rule is None or rule.mode is not Mode.ENFORCE:
        return StandIns()
    settings = PersonalDataSettings.model_validate(rule.options)
    if settings.input is Handling.OFF:
        return StandIns()
    published = Shown(f"{one.title}\n{one.file}\n{one.text}" for one in sources)
    identifiers: dict[str, PersonalKind] = {}
    for said in _said(body):
        found = find_personal(said, business_numbers=settings.business_numbers)
        for span in unpublished(said, found, published):
            identifiers.setdefault(said[span.start : span.end], span.kind)
    return StandIns(identifiers, texts(body))


def hidden(body: bytes, stand_ins: StandIns) -> bytes:
    """Return a request body in which the stand-ins have taken their places; the same if none."""
    if not stand_ins:
        return body
    changed = with_texts(read_object(body), stand_ins.hide)
    return json_bytes(changed) if isinstance(changed, dict) else body


def _said(body: JsonObject) -> Iterator[str]:
    for message in objects(body.get("messages")):
        if message.get("role") in _SPEAKERS:
            yield from texts(message)

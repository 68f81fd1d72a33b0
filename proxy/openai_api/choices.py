"""What the choices of replies and chunks have in common, whatever carries their text."""

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject

_TOKENS = ("token_ids", "routed_experts", "hidden_states", "meta_info")


def choices_of(body: JsonObject) -> list[JsonObject]:
    """Return the choices of a reply or a chunk.

    Raises:
        UpstreamBroken: nobody could say which ones a client would read in it.
    """
    given = body.get("choices") or []
    if not isinstance(given, list):
        raise UpstreamBroken("its choices are no list")
    return [_choice(one) for one in given]


def _choice(one: JsonValue) -> JsonObject:
    if not isinstance(one, dict):
        raise UpstreamBroken("a choice is no object")
    if isinstance(one.get("index"), bool | float):  # a client may take 1.0 for 1, or for none
        raise UpstreamBroken("the number of a choice is not whole")
    return one


def choice_index(choice: JsonObject, position: int) -> int:
    """Return the number of a choice; where it has none, its place among the others."""
    index = choice.get("index")
    return index if isinstance(index, int) else position


def without_tokens(choice: JsonObject) -> JsonObject:
    """Return a choice without what spells out the tokens of a text that no longer stands there."""
    kept = {key: value for key, value in choice.items() if key not in _TOKENS}
    return kept | {"logprobs": None} if "logprobs" in kept else kept

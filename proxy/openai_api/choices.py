"""What the choices of replies and chunks have in common, whatever carries their text."""

from proxy.openai_api.json_body import JsonObject

_TOKENS = ("token_ids", "routed_experts", "hidden_states", "meta_info")


def choice_index(choice: JsonObject, position: int) -> int:
    """Return the number of a choice; where it has none, its place among the others."""
    index = choice.get("index")
    return index if isinstance(index, int) else position


def without_tokens(choice: JsonObject) -> JsonObject:
    """Return a choice without what spells out the tokens of a text that no longer stands there."""
    kept = {key: value for key, value in choice.items() if key not in _TOKENS}
    return kept | {"logprobs": None} if "logprobs" in kept else kept

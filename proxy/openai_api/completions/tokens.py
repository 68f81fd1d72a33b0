"""What spells out the tokens of a text, cut where the text is cut."""

from proxy.openai_api.json_body import JsonObject, member

_LISTS = ("tokens", "token_logprobs", "top_logprobs", "text_offset")


def split_choice(choice: JsonObject, text: str, at: int) -> tuple[JsonObject, JsonObject]:
    """Return a choice as two, cut in its text; a cut token goes with the second.

    Args:
        choice: The choice.
        text: Its text.
        at: Where the text is cut, in code points.
    """
    logprobs = choice.get("logprobs")
    tokens = member(logprobs, "tokens")
    spelled = [str(token) for token in tokens] if isinstance(tokens, list) else []
    kept = _tokens_before(spelled, text, at)
    first = choice | {"text": text[:at], "finish_reason": None}
    second = choice | {"text": text[at:]}
    if isinstance(logprobs, dict):
        first["logprobs"] = _cut(logprobs, slice(0, kept)) if kept else None
        second["logprobs"] = _cut(logprobs, slice(kept, None))
    ids = choice.get("token_ids")
    if isinstance(ids, list):
        kept = kept if len(ids) == len(spelled) else 0
        first["token_ids"], second["token_ids"] = ids[:kept], ids[kept:]
    return first, second


def _tokens_before(tokens: list[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place.

    Where they do not spell the text, none do: what cannot be told apart leaves last.
    """
    if "".join(tokens) != text:
        return 0
    end = 0
    for count, token in enumerate(tokens):
        end += len(token)
        if end > at:
            return count
    return len(tokens)


def _cut(logprobs: JsonObject, place: slice) -> JsonObject:
    return {
        key: item[place] if key in _LISTS and isinstance(item, list) else item
        for key, item in logprobs.items()
    }

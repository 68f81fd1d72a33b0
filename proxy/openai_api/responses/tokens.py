"""Tokens as this endpoint counts them: input and output instead of prompt and completion."""

from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.responses.made import no_usage

_CHAT_NAMES = ("prompt_tokens", "completion_tokens")


def counted(total: JsonObject, attempts: int) -> JsonObject | None:
    """Return the tokens of all attempts under the names of this endpoint.

    Args:
        total: Tokens of all attempts, with those names of chat completions that nobody counted.
        attempts: How often the model server was asked.

    Returns:
        None if the model server was asked and counted none.
    """
    own: JsonObject = {
        key: value for key, value in total.items() if value or key not in _CHAT_NAMES
    }
    if own.get("input_tokens") is not None:
        return own
    return None if attempts else no_usage()

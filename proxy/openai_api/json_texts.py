"""The words inside a JSON value: all its strings, without the files that travel in it."""

from collections.abc import Callable, Iterator

from pydantic import JsonValue

# Pictures, sound and documents: addresses and base64, in which nothing may be replaced.
_FILES = frozenset({"image_url", "input_audio", "video_url", "audio_url", "file", "token_ids"})


def texts(value: JsonValue) -> Iterator[str]:
    """Yield every text of a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _FILES:
                yield from texts(item)


def with_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """Return a value with every text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {
            key: item if key in _FILES else with_texts(item, change) for key, item in value.items()
        }
    return value

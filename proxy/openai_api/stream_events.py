"""The JSON objects in the events of a model server's stream."""

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.sse import Event


def event_object(event: Event) -> JsonObject:
    """Return the object that an event holds.

    Raises:
        UpstreamBroken: it holds none.
    """
    try:
        return read_object((event.data or "").encode("utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise UpstreamBroken(f"an event of its stream: {error}") from None

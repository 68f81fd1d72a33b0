"""What a request says of its body: one that is read here must be JSON in UTF-8.

A server that goes by what a header says could read another body in the same bytes than the one that
was judged.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_plus

from proxy.errors import BadRequest, UnsupportedContent
from proxy.upstream.headers import encodings_of

_BETWEEN_PARAMETERS = re.compile(b"[&;]")
_JSON, _JSON_SUFFIX = ("application/json", "text/json"), "+json"
_UNCHOSEN = ("", "text/plain", "application/x-www-form-urlencoded", "application/octet-stream")
"""What clients say of a body of which nobody told them what it is: curl, fetch, urllib, Java's."""
_CHARSETS = ("utf-8", "utf8", "us-ascii")


def refuse_other_content(headers: Iterable[tuple[bytes, bytes]], *, as_said: bool = False) -> None:
    """Refuse a body that is not said to be what it is read as; one that says nothing is believed.

    Args:
        headers: Names in lower case.
        as_said: It travels on as what it is said to be, and not as JSON. Else it says nothing with
            what clients say when nobody told them.

    Raises:
        UnsupportedContent: it is said to be something else, or to be compressed.
    """
    for name, value in headers:
        if name == b"content-type":
            said = value.decode("latin-1")
            if not _fits(said, as_said=as_said):
                raise UnsupportedContent("content-type", said)
        elif name == b"content-encoding" and encodings_of(value.decode("latin-1")):
            raise UnsupportedContent("content-encoding", value.decode("latin-1"))


def refuse_model_in_query(query: bytes) -> None:
    """Refuse a query that names a model, which some server might prefer to the one in the body.

    Raises:
        BadRequest: it does.
    """
    names = (part.partition(b"=")[0] for part in _BETWEEN_PARAMETERS.split(query))
    if any(unquote_plus(name.decode("latin-1")).casefold() == "model" for name in names):
        raise only_in_json()


def only_in_json() -> BadRequest:
    """Return the refusal of a model that is named elsewhere than in JSON."""
    return BadRequest(
        "This key is limited to a list of models, so a model can be named in a JSON body only.",
        "model",
    )


def _fits(content_type: str, *, as_said: bool) -> bool:
    kind, *parameters = content_type.lower().split(";")
    kind = kind.strip()
    is_json = kind in _JSON or kind.endswith(_JSON_SUFFIX)
    is_one = is_json or (kind in _UNCHOSEN and not as_said)
    return is_one and all(charset in _CHARSETS for charset in _charsets(parameters))


def _charsets(parameters: Iterable[str]) -> Iterator[str]:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            yield value.strip().strip('"')

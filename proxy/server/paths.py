"""The one reading of a request's path, made before anything is routed or handed on.

Servers read odd paths differently: some decode twice, resolve dots, cut off parameters or mind no
case. A path that two of them may read differently is refused here, and what is handed on is spelled
anew from the reading that was judged, so that the model server gets no other path than that one.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import quote, unquote_to_bytes

from policies.schema.passing import GUARDED_ENDINGS, UNGUARDED

# What some server somewhere decodes again, takes for a slash or cuts the path at.
_ODD_SIGN = re.compile(r"[%\\;]")
_DOTS = re.compile(r"[.\s]*")
_SIGNS_THAT_MAY_STAND = "/:@!$&'()*+,=~"
_MODEL_API = re.compile(r"(?:/openai|/t/(?P<tenant>[^/]+))?/v1(?P<below>/.*)?")
_CUT = re.compile(r"[?#]")
_WORD = re.compile(r"[\w-]+")
_LONGEST_KEPT_BYTES = 256
"""Of paths whose reading is kept: most requests ask for the same few."""


@dataclass(frozen=True, slots=True)
class ModelPath:
    """A path of the model API: ``/v1/…``, ``/openai/v1/…`` or ``/t/<tenant>/v1/…``.

    Attributes:
        whole: The path as error messages name it.
        tenant: The tenant that it names, if it does.
        below: What follows the version; ``/`` where nothing does.
    """

    whole: str
    tenant: str | None
    below: str

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments of what follows the version."""
        return tuple(self.below[1:].split("/"))


def normal_path(raw: bytes) -> str | None:
    """Return the decoded path, without empty segments and a slash at its end.

    Args:
        raw: The path as it came over the wire, without its query.

    Returns:
        The path, beginning with a slash; None if it can be read in more than one way.
    """
    return _kept(raw) if len(raw) <= _LONGEST_KEPT_BYTES else _read(raw)


def _read(raw: bytes) -> str | None:
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not text.startswith("/") or not text.isprintable() or _ODD_SIGN.search(text):
        return None
    if normalize("NFKC", text) != normalize("NFC", text):
        return None  # a full-width slash is a slash to some
    segments = [segment for segment in text.split("/") if segment]
    if any(_DOTS.fullmatch(segment) for segment in segments):
        return None
    return "/" + "/".join(segments)


_kept = lru_cache(1024)(_read)


def model_path(path: str) -> ModelPath | None:
    """Return the parts of a path of the model API; None for any other path."""
    found = _MODEL_API.fullmatch(path)
    return ModelPath(path, found["tenant"], found["below"] or "/") if found else None


def spelled_path(path: str) -> str:
    """Spell a decoded path for the wire."""
    return quote(path, safe=_SIGNS_THAT_MAY_STAND)


def ends_guarded(path: str) -> bool:
    """Return whether some server may take a path for one of a guarded endpoint.

    Such a server minds no case, cuts at a decoded ``?`` or ``#`` and takes ``completions.json`` or
    ``completions:stream`` for ``completions``.
    """
    if tuple(path[1:].split("/")) in UNGUARDED:
        return False
    words = [
        word[0]
        for segment in _CUT.split(path)[0].casefold().split("/")
        if (word := _WORD.match(segment.strip()))
    ]
    return bool(words) and words[-1] in GUARDED_ENDINGS

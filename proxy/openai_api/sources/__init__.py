"""The question and the sources in a chat request; see `finder` for where evidence may stand."""

from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sources.found import (
    DroppedSource,
    FoundContext,
    FoundPlace,
    SourceFormatError,
)

__all__ = ["DroppedSource", "FoundContext", "FoundPlace", "SourceFormatError", "find_sources"]

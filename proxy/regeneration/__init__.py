"""The second request: the first one plus what was wrong with its answer."""

from proxy.regeneration.note import HEADING, note
from proxy.regeneration.request import acting, note_about, with_note

__all__ = ["HEADING", "acting", "note", "note_about", "with_note"]

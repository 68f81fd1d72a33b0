"""Lets the particle behind a changed word or number agree with it: ``[1]과`` -> ``[2]와``."""

from collections.abc import Iterable

from guards.core.finding import Span
from guards.text.particle_choice import agreeing, agrees, particle_at
from policies.edits import Edit

_MARK_OPENERS = ("[", "【", "(", "<", *"⁰¹²³⁴⁵⁶⁷⁸⁹")


def agreement(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits of particles that have to follow a change.

    A particle changes only if it agreed with what stood there. A mark that is written onto a word
    (``규정[1]은``) leaves the particle to that word.
    """
    return [followed for edit in edits if (followed := _followed(text, edit)) is not None]


def _followed(text: str, edit: Edit) -> Edit | None:
    start, end = edit.span.start, edit.span.end
    old, particle = text[start:end], particle_at(text, end)
    if not particle or not edit.text or _is_note(text, start) or not agrees(particle, old):
        return None
    wanted = agreeing(particle, edit.text)
    return None if wanted == particle else Edit(Span(end, end + len(particle)), wanted)


def _is_note(text: str, start: int) -> bool:
    return text.startswith(_MARK_OPENERS, start) and start > 0 and not text[start - 1].isspace()

"""The part that a Korean word plays in its sentence, as far as its ending tells."""

import re
from enum import Enum, auto


class Role(Enum):
    """What a word is in its sentence."""

    SUBJECT = auto()
    OBJECT = auto()
    PLACE = auto()
    ACTION = auto()
    ANY = auto()


_ROLES = (
    (Role.SUBJECT, re.compile(r"(?:이|가|께서(?:는|도)?)\Z")),
    (Role.OBJECT, re.compile(r"[을를]\Z")),
    (
        Role.PLACE,  # and time, means, direction
        re.compile(
            r"(?:에|에서|에게|에게서|한테|께|으?로|으?로부터|까지|부터|에서부터|보다|처럼|만큼|마다)"
            r"(?:는|도|만|의|라도|서|써)?\Z"
        ),
    ),
    (Role.ACTION, re.compile(r"(?:[하한할함합해했되된될됨됩돼됐]|시[키킨킬킵켜]|드[리린릴립려])")),
)


def role_of(ending: str) -> Role:
    """Return the role of a word that ends like this.

    A topic (``은``), a noun before a noun and whatever is not known may have any role.
    """
    return next((role for role, shape in _ROLES if shape.match(ending)), Role.ANY)


def may_be_same(one: Role, other: Role) -> bool:
    """Tell whether two words may have the same role."""
    return one is other or Role.ANY in (one, other)

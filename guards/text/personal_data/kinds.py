"""The kinds of personal identifiers, and a place in a text where one stands."""

from dataclasses import dataclass
from enum import StrEnum


class PersonalKind(StrEnum):
    """Kind of identifier."""

    RESIDENT_NUMBER = "resident_number"
    FOREIGNER_NUMBER = "foreigner_number"
    CARD = "card"
    PHONE = "phone"
    EMAIL = "email"
    ACCOUNT = "account"
    PASSPORT = "passport"
    DRIVING_LICENCE = "driving_licence"
    HEALTH_INSURANCE = "health_insurance"
    VEHICLE = "vehicle"
    BUSINESS_NUMBER = "business_number"
    """Of a company it is public; of a sole proprietor it is one person's."""

    @property
    def noun(self) -> str:
        """Its Korean name, such as ``전화번호``."""
        return _NOUNS[self]

    @property
    def label(self) -> str:
        """Label that replaces it when masked, such as ``[전화번호]``."""
        return f"[{self.noun}]"


PUBLISHED = frozenset(
    {
        PersonalKind.PHONE,
        PersonalKind.EMAIL,
        PersonalKind.ACCOUNT,
        PersonalKind.VEHICLE,
        PersonalKind.BUSINESS_NUMBER,
    }
)
"""Kinds that offices publish: what a source gives of them is a contact or a thing of theirs."""

_NOUNS = {
    PersonalKind.RESIDENT_NUMBER: "주민등록번호",
    PersonalKind.FOREIGNER_NUMBER: "외국인등록번호",
    PersonalKind.CARD: "카드번호",
    PersonalKind.PHONE: "전화번호",
    PersonalKind.EMAIL: "이메일",
    PersonalKind.ACCOUNT: "계좌번호",
    PersonalKind.PASSPORT: "여권번호",
    PersonalKind.DRIVING_LICENCE: "운전면허번호",
    PersonalKind.HEALTH_INSURANCE: "건강보험증번호",
    PersonalKind.VEHICLE: "차량번호",
    PersonalKind.BUSINESS_NUMBER: "사업자등록번호",
}


@dataclass(frozen=True, slots=True)
class PersonalSpan:
    """An identifier's half-open place in a text, in code points."""

    kind: PersonalKind
    start: int
    end: int

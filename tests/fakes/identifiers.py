"""Identifiers that belong to nobody: birthdays to come, numbers and addresses of no network."""

from collections.abc import Iterator

MOST = 20


def _luhn(digits: str) -> str:
    """Return the digit that makes a card number of fifteen digits whole."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def invented() -> Iterator[tuple[str, str]]:
    """Yield what to call an identifier and the identifier, `MOST` of each of ten kinds."""
    for number in range(1, MOST + 1):
        card = f"40000000000{number:04}"
        yield "주민번호", f"9912{number % 28 + 1:02}-3{number:06}"
        yield "외국인등록번호", f"9911{number % 28 + 1:02}-7{number:06}"
        yield "카드", f"{card}{_luhn(card)}"
        yield "휴대폰", f"010-0000-{number:04}"
        yield "사무실 전화", f"02-000-{number:04}"
        yield "이메일", f"nobody{number}@gaon.invalid"
        yield "은행 계좌", f"110-000-{number:06}"
        yield "여권", f"M{number:03}A0000"
        yield "면허", f"11-00-{number:06}-00"
        yield "차량번호", f"{number:03}가0000"

"""Identifiers that belong to nobody: birthdays to come, numbers and addresses of no network."""

from collections.abc import Iterator

MOST = 20
KINDS = 12


def _luhn(digits: str) -> str:
    """Return the digit that makes a card number of fifteen digits whole."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def _business(digits: str) -> str:
    """Return the digit that makes a business registration number of nine digits whole."""
    weights = (1, 3, 7, 1, 3, 7, 1, 3, 5)
    total = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return str(-(total + int(digits[8]) * 5 // 10) % 10)


def invented() -> Iterator[tuple[str, str]]:
    """Yield what to call an identifier and the identifier, `MOST` of each of `KINDS` kinds."""
    for number in range(1, MOST + 1):
        card = f"40000000000{number:04}"
        company = f"0000{number:05}"
        yield "주민번호", f"9912{number % 28 + 1:02}-3{number:06}"
        yield "외국인등록번호", f"9911{number % 28 + 1:02}-7{number:06}"
        yield "카드", f"4000-0000-000{card[11]}-{card[12:]}{_luhn(card)}"
        yield "휴대폰", f"010-0000-{number:04}"
        yield "사무실 전화", f"02-000-{number:04}"
        yield "이메일", f"nobody{number}@gaon.invalid"
        yield "은행 계좌", f"110-000-{number:06}"
        yield "여권", f"M{number:03}A0000"
        yield "면허", f"11-00-{number:06}-00"
        yield "차량번호", f"{number:03}가0000"
        yield "건강보험증", f"1-{number:010}"
        yield "사업자등록번호", f"{company[:3]}-{company[3:5]}-{company[5:]}{_business(company)}"


def otherwise_written(identifier: str) -> tuple[str, ...]:
    """Return other notations of an identifier, as people write it."""
    bare = identifier.replace("-", "")
    if "@" in identifier or "-" not in identifier:
        return (identifier.upper(), _wide(identifier), identifier.lower())
    return (
        bare,
        identifier.replace("-", " "),
        identifier.replace("-", " - "),
        identifier.replace("-", "\u2011"),
        identifier.replace("-", "."),
        f"①{identifier}",
        _wide(identifier),
    )


def _wide(identifier: str) -> str:
    """Return an identifier with full-width digits and dashes."""
    wide = {ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789-"}
    return identifier.translate(wide)

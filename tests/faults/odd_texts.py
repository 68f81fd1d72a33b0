"""Texts of 100 KB that a guard might stumble over."""

import random

SIZE_BYTES = 100_000
_chance = random.Random(9)
_SYLLABLES = [chr(_chance.randrange(0xAC00, 0xD7A4)) for _ in range(2_000)]


def _filled(unit: str) -> str:
    return unit * (SIZE_BYTES // len(unit.encode()))


def _numbered(unit: str, *, every: int = 1, first: int = 1_000, share: float = 1.0) -> str:
    """Return a text in which a unit stands again and again, each time with another number."""
    text, number = [], first
    size = 0
    while size < SIZE_BYTES * share:
        one = unit.format(number // 10_000 % 10_000, number % 10_000, n=number)
        text.append(one)
        size += len(one.encode())
        number += every
    return "".join(text)


def _worded(unit: str, *, share: float = 1.0) -> str:
    """Return a text in which a unit stands again and again, each time with another word."""
    count = int(SIZE_BYTES * share / len(unit.format("가나다").encode()))
    return "".join(unit.format(_words(1)) for _ in range(count))


def _words(count: int) -> str:
    return " ".join("".join(_chance.choices(_SYLLABLES, k=3)) for _ in range(count))


ONE_UNIT = {
    **{f"only-{ord(one):x}": one for one in 'a \n.1가中[("*|`#ㄱⅣ①~\\<\u200d\u0301\x00'},
    "emoji": "👨‍👩‍👧",
    "marks": "[1]",
    "open-marks": "[1",
    "table": "| 요금 | 1,000원 |\n",
    "list": "- 가\n",
    "articles": "제1조제2항 ",
    "reference": "[참조: 제1조]",
    "money": "1만원",
    "dates": "2099년 1월 2일 ",
    "mail": "a@b.kr ",
    "address": "http://a.kr/ ",
    "clock": "09:00",
    "estimates": "약 5분 ",
    "sentences": "월 이용료는 45,000원입니다. ",
    "negated": "이용할 수 없지 않습니다. ",
    "one-sentence": "이용료는 1,000원이고 ",
    "station": "지하철 2호선 강남역 3번 출구 ",
    "names": "김솔내 과장 ",
    "percent": "3.5% ",
    "slashes": "1/2/",
    "json": '{"a":1},',
    "ranges": "1~2",
    "signs": "+82 ",
    "minus": "-1",
    "headings": "[1] 안내\n",
    "short-lines": "참고문헌\n",
    "residents": "900101-1234567 ",
    "cards": "1234-5678-9012-3456 ",
    "counts": "세 명 ",
    "rates": "1%",
    "sums": "1+1=2 ",
    "short-codes": "112~",
}
NUMBERED = {
    "numbered-lines": "{n}. 가\n",
    "numbered-signs": "={n}",
    "numbered-prices": "{n}원",
    "numbered-rates": "{n}%",
    "numbered-ranges": "~{n}",
    "numbered-marks": "[^{n}]",
    "numbered-names-of-marks": "[출처: 가{n}]",
}
ODD = {
    **{name: _filled(unit) for name, unit in ONE_UNIT.items()},
    **{name: _numbered(unit, first=1) for name, unit in NUMBERED.items()},
    "words-before-marks": _worded("{}[1]에 따르면 "),
    "random-words": _words(SIZE_BYTES // 10)[: SIZE_BYTES // 3],
    "random-lines": "\n".join(_words(6) + "입니다." for _ in range(SIZE_BYTES // 65)),
}
PAIRS = {
    name: (
        _numbered(unit, every=7919, first=10_000_003, share=0.5),
        _numbered(unit, every=7919, first=50_000_019, share=0.5),
    )
    for name, unit in {
        "telephones": "010-{:04d}-{:04d} ",
        "mails": "a{n}@b.kr ",
        "prices": "{n}원 ",
        "people": "{n}명 ",
        "weights": "{n} kg ",
        "laws": "제{n}조 ",
        "pages": "http://a.kr/{n} ",
        "fees": "월 이용료는 {n}원으로 한다.\n",
        "notes": "[^{n}]: 안내\n",
        "links": "[가{n}](http://a.kr/{n}) ",
    }.items()
}
"""A source and an answer that have as much in common as can be, and nothing the same."""
OF_MANY = {
    name: (_worded(given, share=0.5), _worded(said, share=0.5))
    for name, (given, said) in {
        "telephone": ("{}과 02-123-4567 ", "{}과 02-123-4567 "),
        "mail": ("{}과 a@b.kr ", "{}과 a@b.kr "),
        "address": ("{}과 a.kr ", "{}과 a.kr "),
        "count": ("{} 가방 1개.\n", "{} 신발 1건.\n"),
    }.items()
}
"""A source and an answer that say one and the same of thousands, each of another."""

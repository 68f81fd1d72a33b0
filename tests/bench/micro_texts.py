"""Sources and answers of any size, in which no two sentences are alike.

They are made of the bench's own cases: five sources are one company's rules, and a line of an
answer says what its source does and cites it, so that guards find little and must look at all.
Sentences differ from call to call as well, because the guards keep what they read of one.
"""

import itertools
import math
import random
import re
from collections.abc import Iterator
from functools import cache

from guards.core.exchange import Exchange, Source
from tests.bench.corpus import ANSWERS_OF_EACH, case

KB = 1024
SOURCES_OF_A_COMPANY = 5
_CITED_LINE = re.compile(r"(?:[-*] )?(?P<said>.+)\[(?P<number>\d+)\]")
_JOINTS = ("먼저", "또한", "그리고", "아울러", "한편", "다음으로", "이어서", "끝으로")
_GROUNDS = (
    "자료에 따르면",
    "규정에 따르면",
    "문서에 따르면",
    "안내문에 따르면",
    "자료를 보면",
    "규정을 보면",
    "문서를 보면",
    "안내문을 보면",
)
_PLACES = ("회사에서는", "당사에서는", "사내에서는", "저희 회사에서는", "우리 회사에서는")
_OPENINGS = tuple(map(" ".join, itertools.product(_JOINTS, _GROUNDS, _PLACES)))
_SYLLABLES = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호"
_HEADS = ("호텔", "라운지", "카페", "레스토랑", "센터", "빌딩", "타워", "마트")


class Library:
    """Rules of companies, one after the other.

    Args:
        first: The company to begin with; two libraries that begin far apart share no sentence.
    """

    def __init__(self, first: int = 0) -> None:
        self._first = first

    def sources(self, size_bytes: int) -> tuple[Source, ...]:
        """Return whole sources, together of about so many bytes; each has about 1 KB."""
        found: list[Source] = []
        left = size_bytes
        for title, text in _passages(self._first):
            if left < KB / 2:
                break
            found.append(Source(str(len(found) + 1), title, text))
            left -= len(text.encode())
        return tuple(found)

    def answer(self, size_bytes: int, sources: int, number: int) -> str:
        """Return whole sentences, of about so many bytes; other ones for every number.

        Args:
            size_bytes: Its size; as large as can be if the sources tell less.
            sources: It tells what so many of the first sources say.
            number: Which of the many answers.
        """
        statements = list(_statements(self._first, sources))
        random.Random(number).shuffle(statements)
        lines: list[str] = []
        left = size_bytes
        for place, statement in enumerate(statements):
            if left <= 0:
                break
            opening = _OPENINGS[(number + place * len(_PLACES)) % len(_OPENINGS)]
            lines.append(f"{opening} {statement}")
            left -= len(lines[-1].encode()) + 1
        return "\n".join(lines)


def exchange(sources: tuple[Source, ...], answer: str) -> Exchange:
    """Return an exchange that nobody has read anything of."""
    return Exchange(case(0, 0).question, sources, answer=answer)


def known_names(count: int) -> tuple[str, ...]:
    """Return names of places that nobody has, all different."""
    syllables = itertools.product(_SYLLABLES, _SYLLABLES, _SYLLABLES)
    heads = itertools.cycle(_HEADS)
    # Steps through the product, so that names do not all begin alike.
    spread = (one for number, one in enumerate(syllables) if number % 17 == 0)
    names = (f"{''.join(one)} {head}" for one, head in zip(spread, heads, strict=False))
    return tuple(itertools.islice(names, count))


def answer_with_a_known_name(number: int) -> str:
    """Return an answer that speaks of the first known name, in other words for every number."""
    (name,) = known_names(1)
    return (
        f"{number + 1}번 문의에 답합니다. {name}에서 조식을 드실 수 있습니다. "
        f"{name}은 {number % 12 + 1}시에 엽니다. 예약은 {name}에서 받습니다."
    )


def phrases(count: int) -> tuple[str, ...]:
    """Return sentences that a tenant may not want, every other one with a gap."""
    return tuple(
        f"{name}에서 * 보내시길 바랍니다" if number % 2 else f"{name}을 찾아 주셔서 감사합니다"
        for number, name in enumerate(known_names(count))
    )


def patterns(count: int) -> tuple[str, ...]:
    """Return patterns as tenants write them to tell what a question is about; none matches."""
    return tuple(
        f"{name.replace(' ', ' ?')}|{name[:2]} ?(예약|요금|위치)" for name in known_names(count)
    )


def _passages(first: int) -> Iterator[tuple[str, str]]:
    for company in itertools.count(first):
        for source in case(company, 0).sources:
            yield source.title, source.text


@cache
def _statements(first: int, sources: int) -> tuple[str, ...]:
    """Return what the answers say of the first sources, each sentence of a company once."""
    found = dict.fromkeys(
        (number * SOURCES_OF_A_COMPANY + place, said)
        for number in range(math.ceil(sources / SOURCES_OF_A_COMPANY))
        for said, place in _cited_lines(first + number)
    )
    return tuple(f"{said}[{place}]" for place, said in found if place <= sources)


def _cited_lines(company: int) -> Iterator[tuple[str, int]]:
    """Yield what the answers from one company's sources say, and of which of them."""
    for answer in range(ANSWERS_OF_EACH):
        for line in case(company, answer).answer.splitlines():
            cited = _CITED_LINE.fullmatch(line)
            if cited:
                yield cited["said"], int(cited["number"])

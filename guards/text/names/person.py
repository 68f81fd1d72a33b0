"""People with a title: ``김해솔 과장``, ``박누리 씨``, ``정다온 강릉시장``.

Only three syllables that begin with one of the commonest family names and end as given names do; a
shorter or longer name cannot be told from a word (``담당 과장``).
"""

import re
from collections.abc import Iterator

from guards.text.names.name import Name

TITLES = (
    "씨|과장|부장|차장|팀장|실장|국장|교수|박사|의원|감독|선수|기자|변호사|회장|사장|총장|시장|구청장|"
    "대통령|총리|장관|판사|대표"
)
_MORE_TITLES = (
    "대표이사|매니저|주임|원장|소장|관장|센터장|지점장|본부장|이사장|위원장|간호사|강사|코치|작가|"
    "선생님"
)
# 대표 번호, 대리 신청: before a noun these are no titles.
_MODIFYING_TITLES = "대표|대리"
_FAMILY_NAMES = "김이박최정강조윤장임한오서신권황안송류홍전고문손배백허유남심노하곽성차주우"
# Endings of many names are left out, because of nouns, particles and endings: 은, 원, 서, 이, 도.
_GIVEN_NAMES_END = (
    "수영호희민준현우연아경미정선숙순철석훈환규태혁윤빈나래라리린솔늘람름슬찬욱웅율범식섭균근곤광덕득"
    "룡림봉빛샘승애언엽예옥온완왕유재종필하헌혜홍휘흠흥울결봄솜지진주"
)
# 전까지, 오거나, 정해진, 강사진, 배송지, 이번주, 배터리
_NO_NAME = r"[가-힣](?:까지|든지|는지|거나|[해어러려여뤄사원]진|[송소]지|번주|사람|주민|자율|터리)"
_PARTICLE = "(?:님|은|는|이|가|을|를|의|에게|께|께서|도|와|과|로|으로|입니다|이며|이고|이다)"
# Most texts have no such word: this spares the dear pattern.
_THREE_SYLLABLES = re.compile(rf"[{_FAMILY_NAMES}][가-힣][{_GIVEN_NAMES_END}]\s")
_PERSON = re.compile(
    rf"(?<![가-힣A-Za-z0-9])(?!{_NO_NAME})(?P<name>[{_FAMILY_NAMES}][가-힣][{_GIVEN_NAMES_END}])"
    rf"(?=\s(?:전\s)?[가-힣]{{0,4}}"
    rf"(?:(?:{_MODIFYING_TITLES})(?:{_PARTICLE}{{1,2}}(?![가-힣])|(?!\s?[가-힣]))"
    rf"|(?!{_MODIFYING_TITLES})(?:{TITLES}|{_MORE_TITLES}){_PARTICLE}{{0,2}}(?![가-힣])))"
)


def people(text: str) -> Iterator[Name]:
    """Yield the people of a text, in order."""
    if not _THREE_SYLLABLES.search(text):
        return
    for found in _PERSON.finditer(text):
        yield Name(found["name"], *found.span("name"), "", found["name"])

"""People with a title: ``김해솔 과장``, ``박누리 씨``.

Only three syllables that begin with one of the commonest family names and end as no ordinary noun
does; a shorter or longer name cannot be told from a word (``담당 과장``).
"""

import re
from collections.abc import Iterator

from guards.text.slots.name import Name

TITLES = (
    "씨|과장|부장|차장|팀장|실장|국장|교수|박사|의원|감독|선수|기자|변호사|회장|사장|총장|시장|구청장|"
    "대통령|총리|장관|판사|대표"
)
_FAMILY_NAMES = "김이박최정강조윤장임한오서신권황안송류홍전고문손배백허유남심노하곽성차주우"
# 정규직 사원, 이사회 회장, 조합원 대표, 유명한 교수
_ENDS_AS_A_NOUN = (
    "부실과팀국처청서사장원소자당회단관점급직인가기적체상형용성감여한된는은의들측구군시"
)
_AFTER_TITLE = "(?:님|은|는|이|가|을|를|의|에게|께|께서|도|와|과|로|으로|입니다|이며|이고|이다)"
_PERSON = re.compile(
    rf"(?<![가-힣A-Za-z0-9])(?P<name>[{_FAMILY_NAMES}][가-힣](?![{_ENDS_AS_A_NOUN}])[가-힣])"
    rf"(?=\s(?:전\s)?(?:{TITLES}){_AFTER_TITLE}{{0,2}}(?![가-힣]))"
)


def people(text: str) -> Iterator[Name]:
    """Yield the people of a text, in order."""
    for found in _PERSON.finditer(text):
        yield Name(found["name"], *found.span("name"), "", found["name"])

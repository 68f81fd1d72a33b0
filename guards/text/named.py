"""Which office, person or place a value is said to belong to (``총무팀(031-200-1234)``)."""

import re

from guards.core.reading import Text
from guards.text.labels import Form, Label, Span, labelled

# Words that say what a value is, not whose.
_NO_NAMES = frozenset(
    """
    전화 전화번호 연락처 번호 대표 대표번호 대표전화 문의 문의처 문의전화 문의사항 상담
    상담전화 팩스 이메일 메일 주소 홈페이지 누리집 웹사이트 사이트 내선 내선번호 직통 휴대폰
    휴대전화 신고 신고처 접수 접수처 예약 안내 관련 담당 담당자 국번 또는 통해 연락 방문
    온라인 신청 사항 구분 부서 이용 업무 시 tel fax email url 각각 모두
    """.split()
)
_OFFICE = re.compile(
    r".{0,20}(?:[팀과부처실국원청점관]|센터|지점|본부|사무소|사무국|창구|데스크|프런트)"
)


def owners(text: Text, spans: list[Span]) -> dict[int, Label]:
    """Return by the start of each value the words that name whose it is."""
    return {
        one.start: tuple(form for form in one.words if form.isdisjoint(_NO_NAMES))
        for one in labelled(text, spans)
    }


def office(label: Label) -> Form | None:
    """Return the word of a label that names an office, the nearest to the value."""
    return next((form for form in reversed(label) if any(map(_OFFICE.fullmatch, form))), None)

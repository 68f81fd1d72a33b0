"""Nouns of a question that name its form, not its subject.

Source: our own lists. Licence: the project's own.
"""

_FRAME_LIST = """
규정 내용 절차 기준 방법 사항 조건 요건 종류 대상 범위 의미 정의 가능 필요 이유 예시 제도
정책 정보 시 문서 자료 본문 기사 공지 안내 첨부 파일 원문 문단 페이지 요약 정리 개요 핵심 결론 전체
"""
_MEASURE_LIST = """
기한 기간 한도 금액 비율 시각 시간 날짜 일자 일정 번호 전화번호 연락처 인원 횟수 정원
주소 위치 장소
"""

FRAME_NOUNS = frozenset(_FRAME_LIST.split())
"""What a question asks about its subject, or calls the document (환불 *규정*, *문서* 요약)."""
MEASURE_NOUNS = frozenset(_MEASURE_LIST.split())
"""What a value is called; passages often give the value without the word (10일 이내)."""

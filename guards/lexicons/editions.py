"""Words of a title that say what kind of document it is, or which edition of it.

Source: our own lists. Licence: the project's own.
"""

DOCUMENT_WORDS = frozenset(
    """
    취업규칙 사규 내규 규정 규정집 규칙 지침 지침서 세칙 편람 공지 공지사항 사내공지 안내 안내문
    안내서 이용안내 매뉴얼 업무매뉴얼 핸드북 가이드 가이드북 가이드라인 설명서 해설 해설서 해설집
    자료 자료집 문서 본문 원문 전문 사본 발췌 요약 요약본 수록 게시 게시글 게시판 게시물 홈페이지
    누리집 웹사이트 위키 인트라넷 사내 사외 회사 전사 브로슈어 리플릿 팸플릿 소책자 뉴스 기사 메일
    이메일 공문 질의응답 자주 묻는 질문 출처 참고 faq qna q a wiki notice manual guide handbook
    document doc docs
    pdf hwp hwpx docx doc xlsx pptx txt md html
    """.split()
)
"""Say nothing about the subject: two documents that differ in them may well speak of the same."""

OLDER_WORDS = frozenset("구 구판 구버전 구본 종전 이전 이전판 과거 폐지 폐지본 old".split())
NEWER_WORDS = frozenset(
    "신 신판 신버전 현행 현재 최신 최신판 최신본 개정 개정판 개정본 변경 변경본 수정본 new".split()
)
DRAFT_WORDS = frozenset("개정안 변경안 수정안 초안 시안 예고안 검토안 제정안 draft".split())
"""Not in force: whether such a text is the newer one nobody can tell."""
EDITION_WORDS = frozenset("판 본 년판 년도판 버전 시행 기준 version ver v rev".split())
"""Stand beside the date or number of an edition."""

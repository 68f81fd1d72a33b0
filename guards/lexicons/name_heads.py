"""Nouns that names of organisations, businesses, products and documents end with.

``영통구청`` is a name because of what stands before its head; ``관할 구청`` is none.

Source: our own lists. Licence: the project's own.
"""

_ORGANISATIONS = """
구청 시청 군청 도청 교육청 경찰청 방재청 경찰서 파출소 소방서 세무서 등기소 검찰청 교도소 공단
공사 재단 협회 학회 연합회 중앙회 연맹 연구원 연구소 진흥원 개발원 평가원 교육원 연수원 센터 병원
의료원 위원회 한의원 보건소 우체국 은행 금고 조합 증권 대학교 대학 고등학교 중학교 초등학교 유치원
어린이집 도서관 박물관 미술관 기념관 체험관 복지관 문화관 체육관 수련관 과학관 공연장 경기장
터미널 공항 본부 지사 당국 신문 뉴스 방송국 시네마 코리아 홀딩스
"""
_BUSINESSES = """
호텔 리조트 펜션 콘도 게스트하우스 레스토랑 라운지 사우나 카페 뷔페 베이커리 스파 백화점 아울렛
마트 식당 클럽 갤러리 테라스 수영장 골프장 스키장 워터파크 키즈카페
"""
_PRODUCTS = """
카드 통장 적금 예금 펀드 요금제 사업 제도 프로그램 프로젝트 서비스 패키지 축제 페스티벌 캠페인
공모전 멤버십 플랫폼
"""
_DOCUMENTS = """
증명서 증명원 확인서 등본 초본 진단서 소견서 추천서 서약서 동의서 위임장
"""
_PAPERS = """
처방전 의뢰서 신청서 요청서 청구서 신고서 계약서 명세서 정산서 영수증 계획서 결과서 보고서 사유서
이력서 자기소개서 통장사본 등록증 면허증 자격증 허가증 확인증 수료증 이수증 합격증 보증서
"""
_OF_ANY_PAPER = """
제출 필요 기타 각종 별도 원본 사본 자필 소정 본인 대리인 보호자 신청인 신청자 작성
구비 첨부 증빙 공식 추가
"""
_OFFICERS = """
팀장 실장 국장 처장 본부장 센터장 지점장
"""
_APPS = """
앱 어플 애플리케이션
"""
_POINTING = """
이 그 저 각 본 당 해당 관할 담당 소속 관련 소관 주관 전담 인근 근처 주변 다른 모든 여러 일부 전체
전국 지역 우리 상대 대표 국가대표 다음 인접 직속 총괄 책임 선임 신임 후임 전임
"""
_DESCRIBING = """
국내 해외 국외 외국 현지 국립 공립 시립 도립 구립 군립 사립 사설 민간 공공 정부 중앙 지방 지자체
광역 고객 상담 민원 주민 시민 직원 사원 임직원 회원 방문객 투숙객 이용자 사용자 소비자 근로자 행정
복지 종합 통합 전문 일반 전용 공동 공용 개인 단체 신규 기존 최신 현재 주요 유명 고급 인기 추천
무료 유료 제휴 협력 지정 인증 공식 자체 사내 교내 관내 시내 원내 실내 실외 야외 옥외 옥상 루프탑
지하 지상 부설 부속 산하 상급 하급 상위 하위 관계 유관 총괄 운영 관리 지원 안내 교육 훈련 연수
의료 진료 건강 검진 보건 응급 요양 동물 거래 주거래 시중 저축 상호 온라인 모바일 인터넷 디지털
전자 스마트 비즈니스 피트니스 헬스 키즈 패밀리 이그제큐티브 프리미엄 럭셔리 스카이 메인 로비
올데이 다이닝 올데이다이닝 한식 양식 중식 일식 이탈리안 프렌치 아시안 구내 조식 점심 저녁 컨벤션
콘퍼런스 콜 데이터 물류 신용 체크 직불 선불 법인 교통 기프트 포인트 출입 보안 사원증 학생 후불
하이패스 시범 특별 정기 자유 보조 수익 공익 국책 기본 추가 부가 맞춤형 각종 다양한 별도 할인 혜택
휴가 휴직 급여 수당 평가 보상 포상 성과급 근무 근로 복리후생 출장 승진 징계 채용 퇴직 연금 보험
유연 재택 선택 탄력 시차 인사 총무 재무 회계 전산 정보 기획 경영 홍보 영업 마케팅 법무 개발 연구
기술 품질 생산 구매 자재 시설 안전 환경 노무 감사 전략 예산 상품 심사 조사 대응 협업 통신 결제
예약 배송 픽업 청소 세탁 대여 셔틀 발렛 룸 번역 통역 문자 알림 검색 건설 공사 신고 접수 발급 신청
등록 조회 확인 이용 제공 창업 취업 투자 금융 주택 청년 어린이 아동 노인 어르신 장애인 여성 가족
청소년 다문화 외국인 생활 문화 체육 관광 여행 숙박 편의
"""


ORGANISATION_HEADS = frozenset(_ORGANISATIONS.split())
INSTITUTION_HEADS = frozenset(("공단", "재단", "협회", "진흥원"))
"""Heads before which even describing words name: 근로복지공단."""
BUSINESS_HEADS = frozenset(_BUSINESSES.split())
PRODUCT_HEADS = frozenset(_PRODUCTS.split())
DOCUMENT_HEADS = frozenset(_DOCUMENTS.split())
PAPER_HEADS = frozenset(_PAPERS.split())
"""Forms and papers that go by what they are for: 환불신청서."""
WORDS_OF_ANY_PAPER = frozenset(_OF_ANY_PAPER.split())
"""Stand before a paper and do not tell it from others."""
OFFICER_HEADS = frozenset(_OFFICERS.split())
"""Who leads an office is named by the office: 시설팀장."""
APP_HEADS = frozenset(_APPS.split())
"""Heads of which only the quoted name before them is one."""
POINTING_WORDS = frozenset(_POINTING.split())
"""Stand before a head and say which one is meant without naming it."""
DESCRIBING_WORDS = POINTING_WORDS | frozenset(_DESCRIBING.split())
"""The same and words that say of what kind it is; before 팀 and 과 these do name it."""
GENERIC_NAMES = frozenset(
    """
회사 당사 귀사 본사 기관 업체 업소 법인 단체 정부 당국 시 군 구 도 국 청 공단 공사 재단 협회 센터
병원 은행 호텔 매장 학교 대학 방송사 신문사 언론 경찰 검찰 법원 국회 위원회 이곳 그곳 이들 그들
그녀 자신 본인 고객 직원
""".split()
)
"""Words that a text puts in the place of a name it has given before."""
ORDINARY_DEPARTMENTS = frozenset(
    """
결과 효과 성과 초과 경과 부과 통과 교과 사과 투과 여과 전과 일과 학과 치과 내과 외과 이과 문과
다과 모과 후과 제과 도과 개과 수과 아과
""".split()
)
"""Last two syllables of words that end like the name of a department in 과."""
ORDINARY_OFFICES = frozenset("신청 요청 초청 재청 제청 관청 하청 원청 간청 시청 도청 당청".split())
"""Last two syllables of words that end like the name of an office in 청."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from policies.direct_answer import direct_answer
from policies.schema.loader import load_shipped
from policies.schema.sections import Tone
from policies.templates import direct_reply

STAY = Source(
    "1",
    "객실 이용 안내",
    "체크인은 오후 3시부터 가능합니다.\n체크아웃은 오전 11시까지입니다.\n"
    "조식은 1인당 35,000원입니다.\n객실은 전 층에서 담배를 피울 수 없습니다.",
)
POOL = Source(
    "2",
    "수영장 안내",
    "수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.\n"
    "- 어린이 요금: 10,000원\n- 성인 요금: 20,000원\n프런트 전화번호는 033-000-1234입니다.",
)
RULES = Source(
    "3",
    "취업규칙 - 경조휴가",
    "배우자가 출산한 직원에게 경조휴가를 10일 준다.\n수습기간 연장은 3개월까지 가능하다.\n"
    "상시 50명 이상인 사업장은 위원을 3명 둔다.",
)
FEES = Source(
    "4",
    "체육관 이용료",
    "| 구분 | 평일 | 주말 |\n|---|---|---|\n| 일반 | 5,000원 | 6,000원 |\n"
    "| 초등학생 | 2,000원 | 3,000원 |",
)
LOANS = Source(
    "5",
    "대출 안내",
    "약관대출은 해지환급금의 50~95% 범위에서 이용할 수 있으며, 이자율은 상품별로 다릅니다.\n"
    "**P1 장애 보고서**: 종료 후 3영업일 안에 냅니다.",
)
ALL = (STAY, POOL, RULES, FEES, LOANS)

ANSWERED = [
    pytest.param("체크인은 몇 시인가요?", "체크인은 오후 3시부터 가능합니다.", "1", id="clock"),
    pytest.param("체크아웃 시각은?", "체크아웃은 오전 11시까지입니다.", "1", id="bare-noun"),
    pytest.param("조식은 얼마예요?", "조식은 1인당 35,000원입니다.", "1", id="money"),
    pytest.param(
        "어린이 요금은 얼마인가요?", "어린이 요금은 10,000원입니다.", "2", id="item-of-a-list"
    ),
    pytest.param(
        "프런트 전화번호 알려주세요", "프런트 전화번호는 033-000-1234입니다.", "2", id="telephone"
    ),
    pytest.param(
        "배우자가 출산하면 경조휴가는 며칠인가요?",
        "배우자가 출산한 직원에게 경조휴가를 10일 준다.",
        "3",
        id="days",
    ),
    pytest.param(
        "상시 50명 이상인 사업장은 위원이 몇 명인가요?",
        "상시 50명 이상인 사업장은 위원을 3명 둔다.",
        "3",
        id="with-the-questions-own-figure",
    ),
    pytest.param(
        "초등학생 주말 이용료는 얼마인가요?",
        "초등학생 주말 이용료는 3,000원입니다.",
        "4",
        id="cell-of-a-table",
    ),
    pytest.param(
        "P1 장애 보고서는 며칠 안에 내나요?",
        "P1 장애 보고서는 종료 후 3영업일 안에 냅니다.",
        "5",
        id="without-emphasis",
    ),
]
NOT_ANSWERED = [
    pytest.param("사우나 요금은 얼마인가요?", id="other-subject"),
    pytest.param("청소년 요금은 얼마인가요?", id="other-group"),
    pytest.param("속초점 체크인은 몇 시인가요?", id="other-branch"),
    pytest.param("체크인은 얼마인가요?", id="other-kind-of-value"),
    pytest.param("수영장은 몇 시에 닫나요?", id="opposite-verb"),
    pytest.param("수습기간은 몇 개월인가요?", id="sentence-on-something-close"),
    pytest.param("상시 30명 이상인 사업장은 위원이 몇 명인가요?", id="other-figure-given"),
    pytest.param("조식은 3인이면 얼마예요?", id="must-be-worked-out"),
    pytest.param("성인과 어린이 요금의 차이는 얼마인가요?", id="must-be-compared"),
    pytest.param("오늘 체크인은 몇 시인가요?", id="depends-on-the-day"),
    pytest.param("체크인이 안 되는 때는 몇 시인가요?", id="negated"),
    pytest.param("청소년 주말 이용료는 얼마인가요?", id="other-row"),
    pytest.param("약관대출 이자율은 몇 퍼센트인가요?", id="figure-of-another-clause"),
    pytest.param("P4 장애 보고서는 며칠 안에 내나요?", id="other-code"),
    pytest.param("체크인은 몇 시이고 조식은 얼마인가요?", id="two-questions"),
    pytest.param("체크인은 어떻게 하나요?", id="asks-for-no-figure"),
    pytest.param("객실에서 담배를 피워도 되나요?", id="yes-or-no"),
    pytest.param("얼마인가요?", id="no-subject"),
    pytest.param("", id="empty"),
]


HOTEL = Source(
    "1",
    "객실 요금",
    "## 객실 요금표 (1박 기준)\n"
    "\n"
    "| 객실 | 주중 | 주말 |\n"
    "|---|---|---|\n"
    "| 스탠다드 | 90,000원 | 120,000원 |\n"
    "| 디럭스 | 150,000원 | 180,000원 |\n"
    "\n"
    "※ 조식은 별도입니다.",
)
CLINIC = Source(
    "1",
    "진료 안내",
    "| 진료과 | 평일 진료시간 | 토요일 진료시간 |\n"
    "| --- | --- | --- |\n"
    "| 내과 | 09:00~18:00 | 09:00~13:00 |\n"
    "| 치과 | 10:00~19:00 | 휴진 |\n"
    "\n"
    "점심시간은 오후 1시부터 2시까지입니다.",
)
LIBRARY = Source(
    "1",
    "도서관 이용 안내",
    "Q. 책은 며칠 동안 빌릴 수 있나요?\n"
    "A. 14일 동안 빌릴 수 있으며, 한 번 연장하면 7일이 늘어납니다.\n"
    "\n"
    "Q. 책은 한 번에 몇 권까지 빌릴 수 있나요?\n"
    "A. 한 번에 5권까지 빌릴 수 있습니다.\n"
    "\n"
    "Q. 회원증을 다시 만들려면 얼마인가요?\n"
    "A. 재발급 수수료는 2,000원입니다.",
)
REGISTRAR = Source(
    "1",
    "학사 안내",
    "1. 휴학\n"
    "  - 신청 기간: 매 학기 개강 후 4주 이내\n"
    "  - 최대 휴학 횟수: 6회\n"
    "2. 증명서\n"
    "  - 성적증명서 발급 수수료: 1통당 1,000원\n"
    "  - 졸업증명서 발급 수수료: 1통당 1,500원",
)
BANK = Source(
    "1",
    "정기예금 상품 설명서",
    "가입 금액은 100만 원 이상입니다. 만기 전에 해지하면 연 0.5%의 이율이 적용됩니다.\n"
    "\n"
    "| 가입 기간 | 이율(연) |\n"
    "|---|---|\n"
    "| 6개월 | 2.8% |\n"
    "| 12개월 | 3.2% |\n"
    "| 24개월 | 3.4% |",
)
INSURANCE = Source(
    "1",
    "보험금 청구 안내",
    "○ 보험금은 서류를 접수한 날부터 3영업일 이내에 지급합니다. "
    "다만, 조사가 필요한 경우에는 30일 이내에 지급합니다.\n"
    "○ 청구 서류는 사고일부터 3년 이내에 제출해야 합니다.",
)
GYM = Source(
    "1",
    "헬스장 회원권",
    "**[회원권 안내]**\n"
    "- **1개월권**: 80,000원\n"
    "- **3개월권**: 210,000원\n"
    "- 사물함 이용료: 월 10,000원\n"
    "- 운동복 대여료는 월 5,000원입니다.",
)
HR = Source(
    "1",
    "취업규칙",
    "제15조(연차휴가) 1년간 80% 이상 출근한 직원에게 15일의 연차휴가를 준다.\n"
    "제16조(경조휴가) 본인이 결혼하는 경우 경조휴가 5일을 준다. "
    "자녀가 결혼하는 경우 경조휴가 1일을 준다.\n"
    "제17조(수습) 수습기간은 3개월로 한다.",
)
PASSPORT = Source(
    "1",
    "여권 발급 안내",
    "▶ 여권 발급 수수료\n"
    "| 종류 | 58면 | 26면 |\n"
    "|---|---|---|\n"
    "| 복수여권(10년) | 53,000원 | 50,000원 |\n"
    "| 단수여권 | 20,000원 | 20,000원 |\n"
    "▶ 처리 기간\n"
    "접수일부터 8일이 걸립니다.",
)
TELECOM = Source(
    "1",
    "요금제 안내",
    "| 요금제 | 월정액 | 데이터 |\n"
    "|---|---|---|\n"
    "| 라이트 | 33,000원 | 7GB |\n"
    "| 스탠다드 | 55,000원 | 50GB |\n"
    "| 프리미엄 | 85,000원 | 무제한 |\n"
    "\n"
    "약정 기간은 24개월입니다.",
)
PARCEL = Source(
    "1",
    "배송 안내",
    "· 5만 원 이상 주문하시면 배송비가 무료입니다. 5만 원 미만이면 배송비는 3,000원입니다.\n"
    "· 제주 지역은 추가 배송비가 4,000원입니다.\n"
    "· 반품은 상품을 받은 날부터 7일 이내에 신청하실 수 있습니다.",
)
LEAVE = Source(
    "4",
    "지원 제도",
    "배우자 출산휴가는 20일입니다.\n얼리 체크인은 12시부터 가능합니다.\n"
    "레이트 체크아웃은 13시까지 가능합니다.",
)
MUSEUM = Source(
    "1",
    "관람 안내",
    "관람 시간: 10:00~18:00 (입장 마감 17:30)\n"
    "휴관일: 매주 월요일\n"
    "\n"
    "관람료\n"
    "- 성인: 4,000원\n"
    "- 청소년: 2,000원\n"
    "- 만 6세 이하: 무료",
)
APT = Source(
    "1",
    "입주민 생활 안내",
    "※ 이사는 오전 8시부터 오후 6시까지 할 수 있습니다.\n"
    "※ 승강기 사용료는 1회 100,000원입니다.\n"
    "관리사무소 전화번호는 02-000-3300입니다.",
)
PARK24 = Source(
    "1",
    "2024년 주차 요금",
    "승용차 주차 요금은 시간당 2,000원입니다.",
)
BRANCH = Source(
    "1",
    "강남점 이용 안내",
    "체크인은 오후 3시부터 가능합니다.\n주차 요금은 1일 10,000원입니다.",
)
CITY = Source(
    "1",
    "체육시설 사용료",
    "| 시설 | 구분 | 사용료 |\n"
    "|---|---|---|\n"
    "| 수영장 | 성인 | 5,000원 |\n"
    "| 수영장 | 어린이 | 3,000원 |\n"
    "| 탁구장 | 성인 | 2,000원 |",
)
HALL = Source(
    "1",
    "대관 안내",
    "비회원 대관료는 시간당 20,000원입니다.\n"
    "주차 위반 요금은 50,000원입니다.\n"
    "회의실은 오전 9시부터 이용할 수 있습니다.\n"
    "책 연체료는 하루에 100원입니다.\n"
    "단체 관람료는 1인당 3,000원입니다.",
)
TWO = Source(
    "1",
    "지점 안내",
    "## 강릉점\n체크인은 오후 3시부터 가능합니다.\n## 속초점\n체크인은 오후 4시부터 가능합니다.",
)
AIR = Source(
    "1",
    "수하물 규정",
    "<무료 수하물>\n"
    "일반석 승객은 위탁 수하물 1개를 23kg까지 맡길 수 있습니다.\n"
    "초과 수하물 요금은 1개당 150,000원입니다.",
)
CAFE = Source(
    "1",
    "단체 주문",
    "① 단체 주문은 3일 전까지 전화로 예약해 주세요.\n② 배달은 10인분 이상부터 가능합니다.",
)
QA2 = Source(
    "1",
    "자주 묻는 질문",
    "**Q. 입학금은 얼마인가요?**\n"
    "A. 입학금은 70,000원입니다.\n"
    "\n"
    "**Q. 셔틀버스 요금은 얼마인가요?**\n"
    "A. 셔틀버스는 무료입니다.\n"
    "\n"
    "Q1. 수강 취소는 며칠 전까지 할 수 있나요?\n"
    "A1. 개강 3일 전까지 취소할 수 있습니다.",
)
TAX = Source(
    "1",
    "재산세 안내",
    "| 구분 | 납부 기간 |\n|---|---|\n| 1기분 | 7월 16일~7월 31일 |\n| 2기분 | 9월 16일~9월 30일 |",
)
DORM = Source(
    "1",
    "기숙사비",
    "| 동 | 2인실 | 4인실 |\n"
    "|---|---|---|\n"
    "| A동 | 900,000원 | 600,000원 |\n"
    "| B동 | 1,100,000원 | 700,000원 |",
)
BUS = Source(
    "1",
    "셔틀버스 시간표",
    "| 노선 | 첫차 | 막차 |\n"
    "|---|---|---|\n"
    "| 서울역 방면 | 06:30 | 21:00 |\n"
    "| 김포공항 방면 | 05:50 | 22:10 |\n"
    "\n"
    "셔틀버스 요금은 편도 3,000원입니다.",
)
SPA = Source(
    "1",
    "온천 이용 요금",
    "구분 / 요금\n"
    "- 대인: 15,000원\n"
    "- 소인(36개월~초등학생): 10,000원\n"
    "- 야간권(18시 이후): 9,000원\n"
    "※ 수건 대여료 1,000원 별도",
)
KINDER = Source(
    "1",
    "유치원 방과후 과정",
    "방과후 과정은 오후 1시부터 오후 6시까지 운영합니다. 방과후 과정비는 월 "
    "70,000원입니다. 급식비는 하루 3,500원입니다.",
)
CAR = Source(
    "1",
    "렌터카 약관",
    "제7조(취소) 대여 24시간 전까지 취소하면 전액을 환급한다. 대여 24시간 "
    "이내에 취소하면 대여 요금의 10%를 공제한다.\n"
    "제8조(보증금) 대여 보증금은 200,000원으로 한다.\n"
    "제9조(운전자) 운전자는 만 21세 이상이어야 한다.",
)
SEMI = Source(
    "1",
    "세미나실",
    "**세미나실 안내**\n"
    "1) A실: 정원 20명, 시간당 30,000원\n"
    "2) B실: 정원 40명, 시간당 50,000원\n"
    "예약은 이용일 5일 전까지 신청해야 합니다.",
)
MED = Source(
    "1",
    "건강검진 안내",
    "Q: 검진 결과는 며칠 후에 나오나요?\n"
    "A: 검진일부터 10일 후에 우편으로 보내 드립니다.\n"
    "Q: 금식은 몇 시간 전부터 해야 하나요?\n"
    "A: 검진 8시간 전부터 금식해야 합니다.",
)
ELEC = Source(
    "1",
    "전기요금 안내",
    "| 사용량 | 기본요금 | 전력량 요금(kWh당) |\n"
    "|---|---|---|\n"
    "| 200kWh 이하 | 910원 | 112원 |\n"
    "| 201~400kWh | 1,600원 | 206원 |",
)
TRANSFER = Source(
    "1",
    "수수료 안내",
    "### 창구 이용 수수료\n"
    "| 구분 | 10만 원 이하 | 10만 원 초과 |\n"
    "|---|---|---|\n"
    "| 당행 이체 | 면제 | 면제 |\n"
    "| 타행 이체 | 600원 | 2,000원 |\n"
    "\n"
    "통장 재발급 수수료는 2,000원입니다.",
)
GRANT = Source(
    "1",
    "청년 지원 사업",
    "◇ 지원 금액: 월 200,000원\n"
    "◇ 지원 기간: 최대 12개월\n"
    "◇ 신청 기간: 3월 2일 ~ 3월 31일\n"
    "◇ 선정 인원: 500명",
)
READING_ROOM = Source(
    "1",
    "열람실 운영",
    "평일 열람실은 오전 9시부터 오후 10시까지 운영하며, 주말에는 오전 9시부터 "
    "오후 6시까지 운영합니다.\n"
    "자료실 전화번호는 031-000-1212, 열람실 전화번호는 031-000-1313입니다.",
)
CAMP = Source(
    "1",
    "캠핑장",
    "[이용 요금]\n"
    "오토캠핑장 1박 40,000원, 글램핑 1박 120,000원입니다.\n"
    "[입퇴장]\n"
    "입장은 14시부터, 퇴장은 11시까지입니다.",
)
STAFF = Source(
    "1",
    "복무 규정",
    "직원이 부모상을 당하면 5일의 경조휴가를 준다. 배우자의 부모상에는 5일, "
    "조부모상에는 3일을 준다. 출산휴가는 90일로 한다. 다태아인 경우 출산휴가는 "
    "120일로 한다.",
)
QUESTIONS = Source(
    "1",
    "이용 문의",
    "질문: 주차는 몇 시간까지 무료인가요?\n"
    "답변: 주차는 2시간까지 무료입니다.\n"
    "\n"
    "질문: 텀블러 할인 금액은 얼마인가요?\n"
    "답변: 300원을 할인해 드립니다.\n"
    "\n"
    "Q. 포인트 유효 기간은 얼마인가요? A. 적립일부터 12개월입니다.",
)
PRICES = Source(
    "1",
    "피부과 시술 안내",
    "■ 시술 가격\n"
    " 1. 점 제거 : 1개당 10,000원.\n"
    " 2. 제모(겨드랑이) : 1회 20,000원, 5회 80,000원\n"
    "■ 진료 시간\n"
    " - 평일 : 오전 10시 ~ 오후 7시\n"
    " - 토요일 : 오전 10시 ~ 오후 3시",
)
DELIVERY = Source(
    "1",
    "배달 앱 고객 센터",
    "**배달비**는 거리별로 다릅니다.\n"
    "- 1km 이내 → 2,000원\n"
    "- 1km 초과 3km 이내 → 3,500원\n"
    "\n"
    "> 최소 주문 금액: 12,000원",
)
PAPERS = Source(
    "1",
    "주민센터 민원 수수료",
    "|민원|온라인|방문|\n"
    "|:--|--:|--:|\n"
    "|주민등록등본|무료|400원|\n"
    "|인감증명서|-|600원|\n"
    "|가족관계증명서|무료|1,000원|",
)
BENEFITS = Source(
    "1",
    "사내 복지 제도",
    "## 건강검진\n"
    "- 지원 금액: 1인당 300,000원\n"
    "## 휴양시설\n"
    "- 지원 금액: 1박당 50,000원\n"
    "## 학자금\n"
    "- 지원 금액: 학기당 2,000,000원",
)
TAXI = Source(
    "1",
    "택시 요금 안내",
    "기본요금은 2km까지 4,800원입니다. 심야(22시~04시)에는 기본요금이 "
    "20% 할증됩니다. 시외로 나가면 20%가 추가됩니다.",
)
ORDINANCE = Source(
    "1",
    "주차장 조례 시행규칙",
    "제4조(주차요금) ① 1급지 주차장의 요금은 10분당 500원으로 한다. "
    "② 2급지 주차장의 요금은 10분당 300원으로 한다.\n"
    "제5조(감면) 경차는 주차요금의 50%를 감면한다.",
)
NURSING_HOME = Source(
    "1",
    "요양원 입소 안내",
    "가. 입소 보증금: 없음\n"
    "나. 월 이용료\n"
    "  - 1등급: 750,000원\n"
    "  - 2등급: 690,000원\n"
    "다. 면회 시간: 오후 2시~5시",
)
CINEMA = Source(
    "1",
    "영화관 요금표",
    "| 구분 | 조조 | 일반 |\n"
    "|---|---|---|\n"
    "| 성인 | 10,000원 | 14,000원 |\n"
    "| 청소년 | 8,000원 | 11,000원 |\n"
    "| 경로 | 7,000원 |7,000원|",
)
SKIING = Source(
    "1",
    "스키장 안내",
    "리프트권(4시간권)은 52,000원, 종일권은 78,000원입니다. 장비 "
    "대여료는 30,000원입니다. 리프트는 오전 8시 30분에 운행을 시작합니다.",
)
WATER = Source(
    "1",
    "상수도 요금",
    "**상수도 요금 체납**\n"
    "\n"
    "체납 가산금은 3%입니다. 단수는 체납 2개월이 지나면 시행합니다.\n"
    "\n"
    "**이사 정산**\n"
    "\n"
    "이사 정산은 이사 3일 전까지 신청하세요.",
)
TREATMENTS = Source(
    "1",
    "병원 비급여 안내",
    "| 항목 | 단가 | 비고 |\n"
    "|---|---|---|\n"
    "| 도수치료 | 80,000원 | 1회 40분 |\n"
    "| 진단서 | 20,000원 | 영문 30,000원 |\n"
    "| 초음파(복부) | 90,000원 | |",
)
POST = Source(
    "1",
    "국제 우편",
    "EMS 요금은 1kg까지 일본 28,500원, 미국 38,500원입니다. 배송은 3~5일이 걸립니다.",
)
WARRANTY = Source(
    "1",
    "노트북 보증",
    "보증 기간은 구입일부터 1년이며, 배터리는 6개월입니다. 수리 접수 전화번호는 1588-0000입니다.",
)
HAIR = Source(
    "1",
    "미용실 예약",
    "예약 변경은 하루 전까지 가능합니다. 당일 취소 시 예약금 10,000원은 "
    "돌려드리지 않습니다. 컷 요금은 25,000원입니다(디자이너 컷은 35,000원).",
)
EXAMS = Source(
    "1",
    "자격증 시험",
    "필기 응시료는 19,400원이고 실기 응시료는 22,600원입니다. 원서 "
    "접수 기간은 1월 8일부터 1월 12일까지입니다. 합격자 발표일은 2월 14일입니다.",
)
AIRPORT = Source(
    "1",
    "공항 주차",
    "단기주차장 요금은 30분에 1,200원입니다.\n장기주차장 요금은 하루 9,000원입니다.",
)
TOLD = [
    ("스탠다드 객실 주말 요금은 얼마인가요?", HOTEL, "스탠다드 객실 주말 요금은 120,000원입니다."),
    ("디럭스 주중 요금 알려주세요", HOTEL, "디럭스 주중 요금은 150,000원입니다."),
    ("내과 토요일 진료시간은?", CLINIC, "내과 토요일 진료시간은 09:00~13:00입니다."),
    ("12개월 이율은 몇 퍼센트인가요?", BANK, "12개월 이율(연)은 3.2%입니다."),
    (
        "26면 복수여권 발급 수수료는 얼마인가요?",
        PASSPORT,
        "복수여권(10년) 26면 수수료는 50,000원입니다.",
    ),
    ("프리미엄 요금제 월정액은 얼마예요?", TELECOM, "프리미엄 요금제 월정액은 85,000원입니다."),
    ("수영장 어린이 사용료는 얼마인가요?", CITY, "수영장 어린이 사용료는 3,000원입니다."),
    ("책은 한 번에 몇 권까지 빌릴 수 있나요?", LIBRARY, "한 번에 5권까지 빌릴 수 있습니다."),
    (
        "책을 며칠 동안 빌릴 수 있나요?",
        LIBRARY,
        "14일 동안 빌릴 수 있으며, 한 번 연장하면 7일이 늘어납니다.",
    ),
    (
        "성적증명서 발급 수수료는 얼마인가요?",
        REGISTRAR,
        "성적증명서 발급 수수료는 1통당 1,000원입니다.",
    ),
    ("3개월권은 얼마인가요?", GYM, "3개월권은 210,000원입니다."),
    ("운동복 대여료는 얼마예요?", GYM, "운동복 대여료는 월 5,000원입니다."),
    ("청소년 관람료는 얼마인가요?", MUSEUM, "청소년 관람료는 2,000원입니다."),
    ("입장 마감은 몇 시인가요?", MUSEUM, "관람 시간은 10:00~18:00 (입장 마감 17:30)입니다."),
    (
        "보험금은 며칠 안에 지급되나요?",
        INSURANCE,
        "보험금은 서류를 접수한 날부터 3영업일 이내에 지급합니다. "
        "다만, 조사가 필요한 경우에는 30일 이내에 지급합니다.",
    ),
    ("본인이 결혼하면 경조휴가는 며칠인가요?", HR, "본인이 결혼하는 경우 경조휴가 5일을 준다."),
    (
        "만기 전에 해지하면 이율이 얼마인가요?",
        BANK,
        "만기 전에 해지하면 연 0.5%의 이율이 적용됩니다.",
    ),
    ("5만 원 미만이면 배송비는 얼마인가요?", PARCEL, "5만 원 미만이면 배송비는 3,000원입니다."),
    ("제주 지역 추가 배송비는 얼마인가요?", PARCEL, "제주 지역은 추가 배송비가 4,000원입니다."),
    ("승강기 사용료는 얼마인가요?", APT, "승강기 사용료는 1회 100,000원입니다."),
    ("관리사무소 전화번호 알려 주세요", APT, "관리사무소 전화번호는 02-000-3300입니다."),
    ("강남점 주차 요금은 얼마인가요?", BRANCH, "주차 요금은 1일 10,000원입니다."),
    ("수습기간은 몇 개월인가요?", HR, "수습기간은 3개월로 한다."),
    ("연차휴가는 며칠인가요?", HR, "1년간 80% 이상 출근한 직원에게 15일의 연차휴가를 준다."),
    ("비회원 대관료는 얼마인가요?", HALL, "비회원 대관료는 시간당 20,000원입니다."),
    ("회의실은 몇 시부터 이용할 수 있나요?", HALL, "회의실은 오전 9시부터 이용할 수 있습니다."),
    ("속초점 체크인은 몇 시부터 가능한가요?", TWO, "체크인은 오후 4시부터 가능합니다."),
    ("초과 수하물 요금은 얼마인가요?", AIR, "초과 수하물 요금은 1개당 150,000원입니다."),
    (
        "단체 주문은 며칠 전까지 예약해야 하나요?",
        CAFE,
        "단체 주문은 3일 전까지 전화로 예약해 주세요.",
    ),
    ("입학금은 얼마인가요?", QA2, "입학금은 70,000원입니다."),
    ("수강 취소는 며칠 전까지 할 수 있나요?", QA2, "개강 3일 전까지 취소할 수 있습니다."),
    ("2기분 납부 기간은 언제인가요?", TAX, "2기분 납부 기간은 9월 16일~9월 30일입니다."),
    ("B동 4인실 기숙사비는 얼마인가요?", DORM, "B동 4인실 기숙사비는 700,000원입니다."),
    (
        "A동 기숙사비는 얼마인가요?",
        DORM,
        "A동 2인실 기숙사비는 900,000원입니다. A동 4인실 기숙사비는 600,000원입니다.",
    ),
    (
        "디럭스 요금은 얼마인가요?",
        HOTEL,
        "디럭스 주중 요금은 150,000원입니다. 디럭스 주말 요금은 180,000원입니다.",
    ),
    ("김포공항 방면 막차는 몇 시인가요?", BUS, "김포공항 방면 막차는 22:10입니다."),
    ("서울역 방면 첫차는 몇 시예요?", BUS, "서울역 방면 첫차는 06:30입니다."),
    ("셔틀버스 요금은 얼마인가요?", BUS, "셔틀버스 요금은 편도 3,000원입니다."),
    ("대인 요금은 얼마인가요?", SPA, "대인 요금은 15,000원입니다."),
    ("야간권은 얼마인가요?", SPA, "야간권(18시 이후)은 9,000원입니다."),
    ("방과후 과정비는 얼마인가요?", KINDER, "방과후 과정비는 월 70,000원입니다."),
    (
        "방과후 과정은 몇 시까지 하나요?",
        KINDER,
        "방과후 과정은 오후 1시부터 오후 6시까지 운영합니다.",
    ),
    ("대여 보증금은 얼마인가요?", CAR, "대여 보증금은 200,000원으로 한다."),
    ("운전자는 만 몇 세 이상이어야 하나요?", CAR, "운전자는 만 21세 이상이어야 한다."),
    ("B실 정원은 몇 명인가요?", SEMI, "B실은 정원 40명, 시간당 50,000원입니다."),
    (
        "예약은 이용일 며칠 전까지 신청해야 하나요?",
        SEMI,
        "예약은 이용일 5일 전까지 신청해야 합니다.",
    ),
    ("검진 결과는 며칠 후에 나오나요?", MED, "검진일부터 10일 후에 우편으로 보내 드립니다."),
    ("금식은 몇 시간 전부터 해야 하나요?", MED, "검진 8시간 전부터 금식해야 합니다."),
    ("200kWh 이하 기본요금은 얼마인가요?", ELEC, "200kWh 이하 기본요금은 910원입니다."),
    (
        "타행 이체 10만 원 초과 수수료는 얼마인가요?",
        TRANSFER,
        "타행 이체 10만 원 초과 수수료는 2,000원입니다.",
    ),
    ("통장 재발급 수수료는 얼마인가요?", TRANSFER, "통장 재발급 수수료는 2,000원입니다."),
    ("지원 금액은 얼마인가요?", GRANT, "지원 금액은 월 200,000원입니다."),
    ("신청 기간은 언제인가요?", GRANT, "신청 기간은 3월 2일 ~ 3월 31일입니다."),
    ("선정 인원은 몇 명인가요?", GRANT, "선정 인원은 500명입니다."),
    (
        "주말 열람실은 몇 시까지 하나요?",
        READING_ROOM,
        "평일 열람실은 오전 9시부터 오후 10시까지 운영하며, "
        "주말에는 오전 9시부터 오후 6시까지 운영합니다.",
    ),
    (
        "열람실 전화번호 알려주세요",
        READING_ROOM,
        "자료실 전화번호는 031-000-1212, 열람실 전화번호는 031-000-1313입니다.",
    ),
    ("글램핑은 1박에 얼마인가요?", CAMP, "오토캠핑장 1박 40,000원, 글램핑 1박 120,000원입니다."),
    ("퇴장은 몇 시까지인가요?", CAMP, "입장은 14시부터, 퇴장은 11시까지입니다."),
    (
        "출산휴가는 며칠인가요?",
        STAFF,
        "출산휴가는 90일로 한다. 다태아인 경우 출산휴가는 120일로 한다.",
    ),
    ("주차는 몇 시간까지 무료인가요?", QUESTIONS, "주차는 2시간까지 무료입니다."),
    ("텀블러 할인 금액은 얼마인가요?", QUESTIONS, "300원을 할인해 드립니다."),
    ("포인트 유효 기간은 얼마인가요?", QUESTIONS, "적립일부터 12개월입니다."),
    ("점 제거는 얼마인가요?", PRICES, "점 제거는 1개당 10,000원입니다."),
    ("평일 진료 시간은?", PRICES, "평일 진료 시간은 오전 10시 ~ 오후 7시입니다."),
    ("토요일 진료 시간은?", PRICES, "토요일 진료 시간은 오전 10시 ~ 오후 3시입니다."),
    ("주민등록등본 방문 수수료는 얼마인가요?", PAPERS, "주민등록등본 방문 수수료는 400원입니다."),
    ("건강검진 지원 금액은 얼마인가요?", BENEFITS, "건강검진 지원 금액은 1인당 300,000원입니다."),
    ("1급지 주차장 요금은 얼마인가요?", ORDINANCE, "1급지 주차장의 요금은 10분당 500원으로 한다."),
    ("면회 시간은?", NURSING_HOME, "면회 시간은 오후 2시~5시입니다."),
    ("청소년 조조 요금은 얼마인가요?", CINEMA, "청소년 조조 요금은 8,000원입니다."),
    ("종일권은 얼마인가요?", SKIING, "리프트권(4시간권)은 52,000원, 종일권은 78,000원입니다."),
    ("장비 대여료는 얼마인가요?", SKIING, "장비 대여료는 30,000원입니다."),
    ("리프트는 몇 시에 운행을 시작하나요?", SKIING, "리프트는 오전 8시 30분에 운행을 시작합니다."),
    ("체납 가산금은 몇 퍼센트인가요?", WATER, "체납 가산금은 3%입니다."),
    ("이사 정산은 며칠 전까지 신청하나요?", WATER, "이사 정산은 이사 3일 전까지 신청하세요."),
    ("도수치료 단가는 얼마인가요?", TREATMENTS, "도수치료 단가는 80,000원입니다."),
    ("일본 EMS 요금은 얼마인가요?", POST, "EMS 요금은 1kg까지 일본 28,500원, 미국 38,500원입니다."),
    (
        "배터리 보증 기간은 얼마인가요?",
        WARRANTY,
        "보증 기간은 구입일부터 1년이며, 배터리는 6개월입니다.",
    ),
    ("수리 접수 전화번호 알려 주세요", WARRANTY, "수리 접수 전화번호는 1588-0000입니다."),
    (
        "실기 응시료는 얼마인가요?",
        EXAMS,
        "필기 응시료는 19,400원이고 실기 응시료는 22,600원입니다.",
    ),
    ("합격자 발표일은 언제인가요?", EXAMS, "합격자 발표일은 2월 14일입니다."),
    ("원서 접수 기간은 언제인가요?", EXAMS, "원서 접수 기간은 1월 8일부터 1월 12일까지입니다."),
    ("장기주차장 요금은 얼마인가요?", AIRPORT, "장기주차장 요금은 하루 9,000원입니다."),
]
# What the sources hold is another row, person, branch, year, side, case or matter.
NOT_TOLD = [
    ("스위트 주말 요금은 얼마인가요?", HOTEL),
    ("피부과 토요일 진료시간은 어떻게 되나요?", CLINIC),
    ("치과 토요일 진료시간은?", CLINIC),
    ("36개월 이율은 몇 퍼센트인가요?", BANK),
    ("관용여권 발급 수수료는 얼마인가요?", PASSPORT),
    ("시니어 요금제 월정액은 얼마예요?", TELECOM),
    ("탁구장 어린이 사용료는 얼마인가요?", CITY),
    ("DVD는 며칠 동안 빌릴 수 있나요?", LIBRARY),
    ("재학증명서 발급 수수료는 얼마인가요?", REGISTRAR),
    ("6개월권은 얼마인가요?", GYM),
    ("경로 관람료는 얼마인가요?", MUSEUM),
    ("형제가 결혼하면 경조휴가는 며칠인가요?", HR),
    ("만기 후에 해지하면 이율이 얼마인가요?", BANK),
    ("3만 원 미만이면 배송비는 얼마인가요?", PARCEL),
    ("울릉도 지역 추가 배송비는 얼마인가요?", PARCEL),
    ("경비실 전화번호 알려 주세요", APT),
    ("2026년 승용차 주차 요금은 얼마인가요?", PARK24),
    ("서초점 주차 요금은 얼마인가요?", BRANCH),
    ("회원 대관료는 얼마인가요?", HALL),
    ("주차 요금은 얼마인가요?", HALL),
    ("회의실은 몇 시까지 이용할 수 있나요?", HALL),
    ("관람료는 얼마인가요?", HALL),
    ("체크인은 몇 시부터 가능한가요?", TWO),
    ("수하물 요금은 얼마인가요?", AIR),
    ("배달은 며칠 전까지 예약해야 하나요?", CAFE),
    ("셔틀버스 요금은 얼마인가요?", QA2),
    ("수강 변경은 며칠 전까지 할 수 있나요?", QA2),
    ("3기분 납부 기간은 언제인가요?", TAX),
    ("B동 1인실 기숙사비는 얼마인가요?", DORM),
    ("C동 4인실 기숙사비는 얼마인가요?", DORM),
    ("조식 요금은 얼마인가요?", HOTEL),
    ("스탠다드에 주말에 묵으면 얼마인가요?", HOTEL),
    ("인천공항 방면 막차는 몇 시인가요?", BUS),
    ("셔틀버스 왕복 요금은 얼마인가요?", BUS),
    ("경로 요금은 얼마인가요?", SPA),
    ("간식비는 얼마인가요?", KINDER),
    ("현장학습비는 얼마인가요?", KINDER),
    ("대여 요금은 얼마인가요?", CAR),
    ("C실 정원은 몇 명인가요?", SEMI),
    ("취소는 이용일 며칠 전까지 신청해야 하나요?", SEMI),
    ("약 복용은 몇 시간 전부터 중단해야 하나요?", MED),
    ("500kWh 이하 기본요금은 얼마인가요?", ELEC),
    ("해외 이체 10만 원 초과 수수료는 얼마인가요?", TRANSFER),
    ("카드 재발급 수수료는 얼마인가요?", TRANSFER),
    ("발표 기간은 언제인가요?", GRANT),
    ("세미나실 전화번호 알려주세요", READING_ROOM),
    ("카라반은 1박에 얼마인가요?", CAMP),
    ("형제상 경조휴가는 며칠인가요?", STAFF),
    ("육아휴직은 며칠인가요?", STAFF),
    ("쿠폰 유효 기간은 얼마인가요?", QUESTIONS),
    ("사마귀 제거는 얼마인가요?", PRICES),
    ("일요일 진료 시간은?", PRICES),
    ("최소 주문 금액은 얼마인가요?", DELIVERY),
    ("주민등록등본 온라인 수수료는 얼마인가요?", PAPERS),
    ("인감증명서 온라인 수수료는 얼마인가요?", PAPERS),
    ("혼인관계증명서 방문 수수료는 얼마인가요?", PAPERS),
    ("지원 금액은 얼마인가요?", BENEFITS),
    ("통신비 지원 금액은 얼마인가요?", BENEFITS),
    ("심야 기본요금은 얼마인가요?", TAXI),
    ("3급지 주차장 요금은 얼마인가요?", ORDINANCE),
    ("전기차 주차요금 감면율은 몇 퍼센트인가요?", ORDINANCE),
    ("3등급 월 이용료는 얼마인가요?", NURSING_HOME),
    ("입소 보증금은 얼마인가요?", NURSING_HOME),
    ("어린이 조조 요금은 얼마인가요?", CINEMA),
    ("청소년 심야 요금은 얼마인가요?", CINEMA),
    ("야간권은 얼마인가요?", SKIING),
    ("의류 대여료는 얼마인가요?", SKIING),
    ("리프트는 몇 시에 운행을 마치나요?", SKIING),
    ("명의 변경은 며칠 전까지 신청하나요?", WATER),
    ("진단서는 얼마인가요?", TREATMENTS),
    ("흉부 초음파 단가는 얼마인가요?", TREATMENTS),
    ("독일 EMS 요금은 얼마인가요?", POST),
    ("액정 보증 기간은 얼마인가요?", WARRANTY),
    ("환불 접수 전화번호 알려 주세요", WARRANTY),
    ("파마 요금은 얼마인가요?", HAIR),
    ("면접 응시료는 얼마인가요?", EXAMS),
    ("시험일은 언제인가요?", EXAMS),
    ("화물차 주차장 요금은 얼마인가요?", AIRPORT),
]

COURSE_FEES = (
    Source("1", "2025년 수강료 안내", "피아노 수강료는 월 150,000원입니다."),
    Source("2", "2026년 수강료 안내", "피아노 수강료는 월 160,000원입니다."),
)
BRANCHES = (
    Source("1", "강릉점 안내", "조식은 1인당 30,000원입니다.\n수영장은 오전 7시에 문을 엽니다."),
    Source("2", "속초점 안내", "조식은 1인당 25,000원입니다."),
)
MEMBERSHIPS = (
    Source("1", "일반회원 약관", "연회비는 10,000원입니다."),
    Source("2", "우수회원 약관", "연회비는 면제됩니다."),
)
TRAVEL = (
    Source(
        "1",
        "인사 규정",
        "4급 이하 직원의 출장 일비는 20,000원으로 한다. 3급 이상 직원의 "
        "출장 일비는 30,000원으로 한다.",
    ),
    Source("2", "국외 여비 규정", "국외 출장 일비는 50달러로 한다."),
)
CLINICS = (
    Source("1", "내과 진료 안내", "내과 접수는 오후 5시까지 받습니다."),
    Source(
        "2",
        "소아과 진료 안내",
        "소아과 접수는 오후 4시까지 받습니다. 예방접종 접수는 오후 3시까지 받습니다.",
    ),
)
CARE = (
    Source(
        "1",
        "초등학교 돌봄교실",
        "돌봄교실 간식비는 월 40,000원입니다. 방학 중 돌봄교실 간식비는 월 60,000원입니다.",
    ),
)
EXTENSIONS = (
    Source(
        "1",
        "직원 연락처",
        "| 이름 | 부서 | 내선 |\n"
        "|---|---|---|\n"
        "| 김하늘 | 총무팀 | 02-000-1001 |\n"
        "| 이바다 | 재무팀 | 02-000-1002 |",
    ),
)
LAUNDRY = (
    Source(
        "1",
        "세탁물 안내",
        "와이셔츠 세탁은 3,000원입니다. 와이셔츠 다림질은 2,000원입니다. "
        "이불 세탁은 15,000원부터입니다.",
    ),
)
TRAIN = (
    Source(
        "1",
        "기차 승차권",
        "출발 1일 전까지 취소하면 수수료가 없습니다. 출발 당일 취소하면 수수료는 "
        "10%입니다. 출발 후 취소하면 수수료는 40%입니다.",
    ),
)
NURSERY = (
    Source(
        "1",
        "어린이집 안내",
        "만 0세반 정원은 3명입니다. 만 1세반 정원은 5명입니다. 만 2세반 정원은 7명입니다.",
    ),
)
LOAN = (
    Source(
        "1", "전세 대출", "대출 한도는 2억 원이며, 금리는 연 3.5%입니다. 대출 기간은 2년입니다."
    ),
)
SCHOLARSHIPS = (
    Source(
        "1",
        "장학금",
        "성적 우수 장학금은 학기당 1,000,000원입니다. 근로 장학금은 시간당 12,000원입니다.",
    ),
)
TOLD_OF_SEVERAL = [
    ("2026년 피아노 수강료는 얼마인가요?", COURSE_FEES, "피아노 수강료는 월 160,000원입니다."),
    ("속초점 조식은 얼마인가요?", BRANCHES, "조식은 1인당 25,000원입니다."),
    ("일반회원 연회비는 얼마인가요?", MEMBERSHIPS, "연회비는 10,000원입니다."),
    ("국외 출장 일비는 얼마인가요?", TRAVEL, "국외 출장 일비는 50달러로 한다."),
    ("소아과 접수는 몇 시까지 받나요?", CLINICS, "소아과 접수는 오후 4시까지 받습니다."),
    ("내과 접수는 몇 시까지 받나요?", CLINICS, "내과 접수는 오후 5시까지 받습니다."),
    ("소아과 예방접종 접수는 몇 시까지 받나요?", CLINICS, "예방접종 접수는 오후 3시까지 받습니다."),
    ("방학 중 돌봄교실 간식비는 얼마인가요?", CARE, "방학 중 돌봄교실 간식비는 월 60,000원입니다."),
    ("와이셔츠 다림질은 얼마인가요?", LAUNDRY, "와이셔츠 다림질은 2,000원입니다."),
    ("출발 후 취소하면 수수료는 얼마인가요?", TRAIN, "출발 후 취소하면 수수료는 40%입니다."),
    ("출발 당일 취소하면 수수료는 얼마인가요?", TRAIN, "출발 당일 취소하면 수수료는 10%입니다."),
    ("만 1세반 정원은 몇 명인가요?", NURSERY, "만 1세반 정원은 5명입니다."),
    ("대출 기간은 얼마인가요?", LOAN, "대출 기간은 2년입니다."),
    ("근로 장학금은 얼마인가요?", SCHOLARSHIPS, "근로 장학금은 시간당 12,000원입니다."),
    (
        "장학금은 얼마인가요?",
        SCHOLARSHIPS,
        "성적 우수 장학금은 학기당 1,000,000원입니다. 근로 장학금은 시간당 12,000원입니다.",
    ),
]
NOT_TOLD_OF_SEVERAL = [
    ("2027년 피아노 수강료는 얼마인가요?", COURSE_FEES),
    ("2026년 바이올린 수강료는 얼마인가요?", COURSE_FEES),
    ("속초점 수영장은 몇 시에 여나요?", BRANCHES),
    ("여수점 조식은 얼마인가요?", BRANCHES),
    ("우수회원 연회비는 얼마인가요?", MEMBERSHIPS),
    ("치과 접수는 몇 시까지 받나요?", CLINICS),
    ("학기 중 돌봄교실 간식비는 얼마인가요?", CARE),
    ("재무팀 이바다 전화번호는?", EXTENSIONS),
    ("재무팀 최구름 연락처 알려 주세요", EXTENSIONS),
    ("바지 다림질은 얼마인가요?", LAUNDRY),
    ("운동화 세탁은 얼마인가요?", LAUNDRY),
    ("도착 후 취소하면 수수료는 얼마인가요?", TRAIN),
    ("만 3세반 정원은 몇 명인가요?", NURSERY),
    ("대출 금리는 얼마인가요?", LOAN),
    ("상환 기간은 얼마인가요?", LOAN),
    ("국가 장학금은 얼마인가요?", SCHOLARSHIPS),
]


@pytest.mark.parametrize(("question", "source", "told"), TOLD)
def test_tells_the_whole_sentence_that_answers(question: str, source: Source, told: str) -> None:
    answer = direct_answer(question, (source,))

    assert answer is not None
    assert " ".join(answer.sentences) == told


@pytest.mark.parametrize(("question", "source"), NOT_TOLD)
def test_tells_nothing_of_another_thing(question: str, source: Source) -> None:
    assert direct_answer(question, (source,)) is None


@pytest.mark.parametrize(("question", "sources", "told"), TOLD_OF_SEVERAL)
def test_tells_it_of_the_right_one_of_several(
    question: str, sources: tuple[Source, ...], told: str
) -> None:
    answer = direct_answer(question, sources)

    assert answer is not None
    assert " ".join(answer.sentences) == told


@pytest.mark.parametrize(("question", "sources"), NOT_TOLD_OF_SEVERAL)
def test_tells_nothing_where_each_is_another(question: str, sources: tuple[Source, ...]) -> None:
    assert direct_answer(question, sources) is None


@pytest.mark.parametrize(("question", "source", "told"), TOLD)
def test_nothing_of_the_layout_of_a_source_is_told(
    question: str, source: Source, told: str
) -> None:
    del told
    answer = direct_answer(question, (source,), Tone.FRIENDLY)

    assert answer is not None
    for sentence in answer.sentences:
        assert not re.search(r"[|#*※▶○①②]|^(?:[-·]|[QA]\d?[.:])|제\d+조", sentence)
        assert sentence.endswith((".", "요.", "다."))


def test_a_row_is_told_in_the_tone_of_the_policy() -> None:
    friendly = direct_answer("스탠다드 주말 요금은 얼마인가요?", (HOTEL,), Tone.FRIENDLY)

    assert friendly is not None
    assert friendly.sentences == ("스탠다드 주말 요금은 120,000원이에요.",)


@pytest.mark.parametrize(("question", "sentence", "source_id"), ANSWERED)
def test_quotes_the_sentence_that_answers(question: str, sentence: str, source_id: str) -> None:
    answer = direct_answer(question, ALL)

    assert answer is not None
    assert answer.sentences == (sentence,)
    assert answer.source_ids == (source_id,)
    assert any(sentence in quote for quote in answer.quotes)


@pytest.mark.parametrize("question", NOT_ANSWERED)
def test_answers_no_other_question(question: str) -> None:
    assert direct_answer(question, ALL) is None


def test_a_quote_names_its_source_and_a_row_is_no_quote() -> None:
    quoted = direct_answer("체크인은 몇 시인가요?", ALL)
    told = direct_answer("어린이 요금은 얼마인가요?", ALL)

    assert quoted is not None
    assert told is not None
    assert quoted.quotes == ("“체크인은 오후 3시부터 가능합니다.”\n(출처: 객실 이용 안내)",)
    assert told.quotes == ("어린이 요금은 10,000원입니다.\n(출처: 수영장 안내)",)


def test_exception_behind_a_sentence_goes_with_it() -> None:
    answer = direct_answer("수영장은 몇 시에 문을 엽니까?", ALL)

    assert answer is not None
    assert answer.sentences == ("수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.",)


def test_sources_that_differ_are_both_quoted() -> None:
    other = Source("9", "홈페이지 공지", "체크인은 오후 4시부터 가능합니다.")

    answer = direct_answer("체크인은 몇 시인가요?", (STAY, other))

    assert answer is not None
    assert answer.source_ids == ("1", "9")
    assert [quote.splitlines()[-1] for quote in answer.quotes] == [
        "(출처: 객실 이용 안내)",
        "(출처: 홈페이지 공지)",
    ]


def test_exception_behind_a_row_goes_with_it() -> None:
    fees = Source("1", "수영장", "- 어린이 요금: 10,000원\n다만, 단체는 8,000원입니다.")

    answer = direct_answer("어린이 요금은 얼마인가요?", (fees,))

    assert answer is not None
    assert answer.sentences == ("어린이 요금은 10,000원입니다. 다만, 단체는 8,000원입니다.",)


def test_an_article_that_is_referred_to_is_not_cut_out_of_a_sentence() -> None:
    rules = Source("1", "여비 규정", "제5조에 따라 출장 일비는 20,000원으로 한다.")

    assert direct_answer("출장 일비는 얼마인가요?", (rules,)) is None


def test_older_edition_is_passed_over() -> None:
    new = Source("1", "취업규칙(2031년판)", "수습기간은 3개월로 한다.")
    old = Source("2", "취업규칙(2029년판)", "수습기간은 2개월로 한다.")

    answer = direct_answer("수습기간은 몇 개월인가요?", (old, new))

    assert answer is not None
    assert answer.sentences == ("수습기간은 3개월로 한다.",)


def test_too_many_sentences_are_no_direct_answer() -> None:
    floors = "\n".join(f"{floor}층 회의실 정원은 {floor + 4}명으로 한다." for floor in range(2, 7))

    assert direct_answer("회의실 정원은 몇 명인가요?", (Source("1", "회의실", floors),)) is None


def test_source_without_a_title_is_named_by_its_file_or_number() -> None:
    text = "체크인은 오후 3시부터 가능합니다."
    in_file = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text, file="stay.pdf"),))
    nameless = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text),))

    assert in_file is not None
    assert nameless is not None
    assert in_file.quotes[0].endswith("(출처: stay.pdf)")
    assert nameless.quotes[0].endswith("(출처: 자료 4)")


@given(
    st.sampled_from([case.values[0] for case in ANSWERED]),
    st.permutations(ALL),
)
def test_passes_the_guards_that_it_stands_in_for(question: str, sources: list[Source]) -> None:
    answer = direct_answer(question, sources)

    assert answer is not None
    text = direct_reply(load_shipped("default").policy, answer.quotes)
    reading = read(Exchange(question, tuple(sources), answer=text))
    assert Numbers(NumbersSettings()).check(reading) == []
    assert Citations(CitationsSettings()).check(reading) == []


PETS = Source(
    "1",
    "반려견 동반 객실 안내",
    "반려견 동반 요금: 50,000원\n남편 휴직: 20일\n추가 침대: 44,000원 (VAT 포함)\n"
    "운영 시간: 평일 06:00~23:00, 주말 08:00~20:00\n"
    "조식 요금: 성인 35,000원, 어린이 18,000원",
)
WELFARE = Source(
    "2",
    "복지 규정",
    "제12조(경조금) 본인 결혼 시 1,000,000원을 지급한다.\n"
    "제13조(학자금) 자녀 학자금은 학기당 2,000,000원을 지원한다.\n"
    "해외 출장 일비는 1일 80달러이다.\n국내 출장 숙박비는 1박 100,000원이다.",
)


MUSEUM = Source(
    "3",
    "시립미술관 관람 안내",
    "입장은 관람 종료 전까지 가능합니다.\n금요일에는 오후 9시까지 연장 운영합니다.\n",
)


@pytest.mark.parametrize(
    "question",
    [
        # Another matter, by the word before it.
        "체크인은 몇 시부터인가요?",
        "체크아웃은 몇 시까지인가요?",
        "출산휴가는 며칠인가요?",
        # Only Fridays are told of.
        "관람은 몇 시까지인가요?",
        "고양이 동반 요금은 얼마인가요?",
        "아내 휴직은 며칠인가요?",
        # The sentence before has the word, the one with the figure has another.
        "본인 학자금은 얼마인가요?",
        "해외 출장 숙박비는 얼마인가요?",
    ],
)
def test_another_of_a_kind_and_the_sentence_before_answer_nothing(question: str) -> None:
    assert direct_answer(question, (PETS, WELFARE, MUSEUM, LEAVE)) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("강아지 동반 요금은 얼마인가요?", "반려견 동반 요금은 50,000원입니다."),
        ("반려동물 동반 요금은 얼마인가요?", "반려견 동반 요금은 50,000원입니다."),
        (
            "주말 운영 시간은 몇 시까지인가요?",
            "운영 시간은 평일 06:00~23:00, 주말 08:00~20:00입니다.",
        ),
        ("어린이 조식 요금은 얼마인가요?", "조식 요금은 성인 35,000원, 어린이 18,000원입니다."),
        ("추가 침대는 얼마인가요?", "추가 침대는 44,000원 (VAT 포함)입니다."),
        ("레이트 체크아웃은 몇 시까지인가요?", "레이트 체크아웃은 13시까지 가능합니다."),
        ("배우자 출산휴가는 며칠인가요?", "배우자 출산휴가는 20일입니다."),
        ("금요일 관람은 몇 시까지인가요?", "금요일에는 오후 9시까지 연장 운영합니다."),
        ("국내 출장 숙박비는 얼마인가요?", "국내 출장 숙박비는 1박 100,000원이다."),
    ],
)
def test_what_is_told_says_no_more_than_its_label(question: str, told: str) -> None:
    answer = direct_answer(question, (PETS, WELFARE, MUSEUM, LEAVE))

    assert answer is not None
    assert answer.sentences == (told,)

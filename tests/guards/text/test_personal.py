"""Korean personal identifiers in text; all of them invented, dates of birth in the far future."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.personal_data.personal import PersonalKind, find_personal
from tests.fakes.growth import assert_grows_with_its_input

K = PersonalKind

# The angle brackets show what is found; they are not in the text.
FOUND = [
    pytest.param("번호는 <991231-3123456> 입니다", K.RESIDENT_NUMBER, id="hyphen"),
    pytest.param("<9912313123456>", K.RESIDENT_NUMBER, id="bare-with-valid-date"),
    pytest.param("<991231 - 4123456>", K.RESIDENT_NUMBER, id="spaced-hyphen"),
    pytest.param("<９９１２３１－３１２３４５６>", K.RESIDENT_NUMBER, id="full-width"),
    pytest.param("<991231\u200b-3123456>", K.RESIDENT_NUMBER, id="zero-width"),
    pytest.param("<991231-7123456>", K.FOREIGNER_NUMBER, id="foreigner"),
    pytest.param("주민번호 <999999-3123456>", K.RESIDENT_NUMBER, id="named-wrong-date"),
    pytest.param("<960229-3123456>", K.RESIDENT_NUMBER, id="leap-day"),
    pytest.param("<4000-0000-0000-0002>", K.CARD, id="card"),
    pytest.param("카드 <4000000000000002>로", K.CARD, id="card-bare"),
    pytest.param("<3400 000000 00009>", K.CARD, id="card-of-fifteen-digits"),
    pytest.param("<010-0000-1234>로 연락", K.PHONE, id="mobile"),
    pytest.param("<01000001234>", K.PHONE, id="mobile-bare"),
    pytest.param("<010.0000.1234>", K.PHONE, id="mobile-dots"),
    pytest.param("<010 - 0000 - 1234>", K.PHONE, id="mobile-spaced"),
    pytest.param("<+82 10-0000-1234>", K.PHONE, id="mobile-from-abroad"),
    pytest.param("<+82-(0)2-000-1234>", K.PHONE, id="landline-from-abroad"),
    pytest.param("<02)000-1234>", K.PHONE, id="landline-half-bracket"),
    pytest.param("<(031) 000-1234>", K.PHONE, id="landline-brackets"),
    pytest.param("문의(<031-000-1234>)로", K.PHONE, id="landline-in-brackets"),
    pytest.param("(<010-0000-1234>)", K.PHONE, id="mobile-in-brackets"),
    pytest.param("전화 <02 000 1234>", K.PHONE, id="landline-named"),
    pytest.param("<0507-0000-1234>", K.PHONE, id="personal-line"),
    pytest.param("<hong.gd@example.com>으로", K.EMAIL, id="email-particle"),
    pytest.param("<01000001234@example.com>", K.EMAIL, id="email-of-digits"),
    pytest.param("가나은행 <110-000-123456>", K.ACCOUNT, id="account-after-bank"),
    pytest.param("<110-000-123456> (가나은행)", K.ACCOUNT, id="account-before-bank"),
    pytest.param("계좌 <11000123456>", K.ACCOUNT, id="account-bare"),
    pytest.param("<991231.3123456>", K.RESIDENT_NUMBER, id="resident-dot"),
    pytest.param("<991231-\n3123456>", K.RESIDENT_NUMBER, id="resident-over-two-lines"),
    pytest.param("주민등록번호 <110111-0123456>", K.RESIDENT_NUMBER, id="named-and-very-old"),
    pytest.param("주민 등록번호: <9912313123456>", K.RESIDENT_NUMBER, id="resident-number-label"),
    pytest.param("주문 취소, 본인 <991231-3123456>", K.RESIDENT_NUMBER, id="order-farther-away"),
    pytest.param("접수번호 2099-15, <991231-3123456>", K.RESIDENT_NUMBER, id="after-a-request"),
    pytest.param("<4000.0000.0000.0002>", K.CARD, id="card-dots"),
    pytest.param("<010·0000·1234>", K.PHONE, id="mobile-middle-dots"),
    pytest.param("<010/0000/1234>", K.PHONE, id="mobile-slashes"),
    pytest.param("<010_0000_1234>", K.PHONE, id="mobile-underscores"),
    pytest.param("<010ㅡ0000ㅡ1234>", K.PHONE, id="mobile-vowel-as-dash"),
    pytest.param("<010\t0000\t1234>", K.PHONE, id="mobile-tabs"),
    pytest.param("<010-0000-\n\n1234>", K.PHONE, id="mobile-over-two-lines"),
    pytest.param("①<010-0000-1234>", K.PHONE, id="mobile-after-a-circled-number"),
    pytest.param("⑴<010-0000-1234>", K.PHONE, id="mobile-after-a-bracketed-number"),
    pytest.param("<０１０－００００－１２３４>", K.PHONE, id="mobile-in-full-width-digits"),
    pytest.param("<9️⃣9️⃣1️⃣2️⃣3️⃣1️⃣-3️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣>", K.RESIDENT_NUMBER, id="resident-in-keycaps"),
    pytest.param("<⓪①⓪-⓪⓪⓪⓪-①②③④>로", K.PHONE, id="mobile-in-circled-digits"),
    pytest.param("<❾❾❶❷❸❶-❸❶❷❸❹❺❻>", K.RESIDENT_NUMBER, id="resident-in-black-circles"),
    pytest.param("제 번호는 <공일공 공공공공 일이삼사>입니다", K.PHONE, id="mobile-in-words"),
    pytest.param(
        "주민번호 <구구일이삼일 다시 삼일이삼사오육>", K.RESIDENT_NUMBER, id="resident-in-words"
    ),
    pytest.param("<공하나공에 1234에 다섯여섯일곱여덟>이 제 번호", K.PHONE, id="native-words"),
    pytest.param("<010-0000-1234>① 참고", K.PHONE, id="mobile-before-a-note"),
    pytest.param("번호판 <12가 ３４５６>", K.VEHICLE, id="plate-with-four-digits-in-full-width"),
    pytest.param("<hong＠example.com>", K.EMAIL, id="email-with-a-full-width-sign"),
    pytest.param("번호판 <12가3456>", K.VEHICLE, id="plate-which-has-the-fewest-digits"),
    pytest.param("<010-0000-1234>²", K.PHONE, id="mobile-before-a-footnote"),
    pytest.param("국민 <123456-04-123456>", K.ACCOUNT, id="account-after-a-bank-in-short"),
    pytest.param("신한 <110-000-123456>으로", K.ACCOUNT, id="account-after-another-bank"),
    pytest.param("계좌번호는 <110 000 123456>", K.ACCOUNT, id="account-spaced"),
    pytest.param("여권번호는 <M00001234>", K.PASSPORT, id="passport-old"),
    pytest.param("<M00001234>(여권)", K.PASSPORT, id="passport-named-behind"),
    pytest.param("차량번호 <00 가 0000>", K.VEHICLE, id="plate-spaced"),
    pytest.param("차량번호 <00가-0000>", K.VEHICLE, id="plate-dash"),
    pytest.param("<M000A1234>", K.PASSPORT, id="passport-new"),
    pytest.param("여권 <S00001234>", K.PASSPORT, id="passport-named"),
    pytest.param("<11-00-123456-01>", K.DRIVING_LICENCE, id="licence"),
    pytest.param("<서울-00-123456-01>", K.DRIVING_LICENCE, id="licence-old"),
    pytest.param("면허 <110012345601>", K.DRIVING_LICENCE, id="licence-named"),
    pytest.param("<28-00-123456-01>", K.DRIVING_LICENCE, id="licence-of-the-last-region"),
    pytest.param("건강보험증 번호 <1-0000001234>", K.HEALTH_INSURANCE, id="health-insurance"),
    pytest.param("건강보험 <10000001234>", K.HEALTH_INSURANCE, id="health-insurance-bare"),
    pytest.param("<000가0000>", K.VEHICLE, id="plate-of-seven-digits"),
    pytest.param("제 차량은 <00가 0000>입니다", K.VEHICLE, id="plate-after-a-car"),
    pytest.param("<00가0000> 차를 빼 주세요", K.VEHICLE, id="plate-before-a-car"),
    pytest.param("차량번호: <00호0000>", K.VEHICLE, id="plate-named-with-a-counter"),
    pytest.param("<서울 00바 0000>", K.VEHICLE, id="plate-of-a-province"),
    pytest.param("자동차등록번호 <００가　００００>", K.VEHICLE, id="plate-full-width"),
]

CLEAN = [
    pytest.param("법인등록번호 110111-0123456", id="corporate-number"),
    pytest.param("주문번호 123456-1234567", id="no-such-month"),
    pytest.param("010229-3123456", id="no-leap-day-in-2001"),
    pytest.param("19912313123456", id="piece-of-a-longer-number"),
    pytest.param("4000-0000-0000-0003", id="wrong-check-digit"),
    pytest.param("걸린 시간 0.4000000000000002초", id="fraction-of-card-length"),
    pytest.param("좌표 127.9912313123456", id="fraction-of-a-birthday"),
    pytest.param("1588-0000", id="service-line"),
    pytest.param("080-000-1234", id="toll-free-line"),
    pytest.param("02 300 4000", id="numbers-in-a-row"),
    pytest.param("110-000-123456", id="no-bank-near"),
    pytest.param("입금액 1000000000원", id="amount"),
    pytest.param("가나은행 사업자번호 123-45-67890", id="business-number"),
    pytest.param("대법원 97다1234 판결", id="case-of-the-last-century"),
    pytest.param("2019다12345", id="case"),
    pytest.param("자동차관리법 시행규칙 제12조 2024. 1. 1.", id="provision-and-date"),
    pytest.param("차량 예산 12조 3456억 원", id="sum-with-a-letter-of-plates"),
    pytest.param("자동차 12다 2024년", id="year-after-a-letter"),
    pytest.param("주차 120호 2024동", id="counter-near-a-car"),
    pytest.param("29-00-123456-01", id="no-such-licence-region"),
    pytest.param("접수번호 1-0000001234", id="eleven-digits-of-something-else"),
    pytest.param("2099-03-05 10:30부터 2099-04-05 12:00까지", id="dates-and-times"),
    pytest.param("제15조 제2항, 별표 3", id="law"),
    pytest.param("제품 S00001234", id="letter-and-digits"),
    pytest.param("@example", id="handle"),
    pytest.param("주문번호 240115-3234567 배송", id="order"),
    pytest.param("주문번호: 240115-3234567, 240116-3234567", id="orders"),
    pytest.param("관리번호는 240115-3234567입니다.", id="file-of-an-office"),
    pytest.param("| 과제번호 | 240101-3234567 |", id="project-in-a-table"),
    pytest.param("240115-3234567번 주문", id="order-named-behind"),
    pytest.param("240115-3234567(접수번호)", id="request-named-behind"),
    pytest.param("주민센터 접수번호 240115-3234567", id="request-at-an-office-of-residents"),
    pytest.param("등록번호는 991231-3123456", id="registration-of-something"),
    pytest.param("110111-0123456", id="born-before-anybody-alive"),
    pytest.param("110111-3234567", id="corporate-check-digit-and-no-other"),
    pytest.param("9912313123462", id="barcode-by-its-check-digit"),
    pytest.param("바코드 9912313123456", id="barcode-by-name"),
    pytest.param("일련번호 9912313123456", id="serial"),
    pytest.param("관리번호 4000-0000-0000-0002", id="asset-of-card-length"),
    pytest.param("시리얼: 4000000000000002", id="serial-of-card-length"),
    pytest.param("4000000000000002원", id="amount-of-card-length"),
    pytest.param("7000-0000-0000-0005", id="no-such-issuer"),
    pytest.param("자산번호는 M20240115", id="asset-of-passport-length"),
    pytest.param("부품 M00001234", id="letter-of-passports"),
    pytest.param("모델명 M000A1234", id="model-like-a-new-passport"),
    pytest.param("여권 신청번호 M20240115", id="request-for-a-passport"),
    pytest.param("우체국 등기번호 1234512345678", id="registered-letter"),
    pytest.param("은행 2024-01-15-001", id="date-and-number-at-a-bank"),
    pytest.param("은행 이용자 2023 2024 2025", id="years-at-a-bank"),
    pytest.param("우리 2024-031-12345", id="file-after-an-ordinary-word"),
    pytest.param("000가0000 판결", id="case-like-a-plate"),
    pytest.param("연봉 50,000,000원", id="money"),
    pytest.param("우편번호 06236", id="postcode"),
    pytest.param("", id="nothing"),
]


@pytest.mark.parametrize(("shown", "kind"), FOUND)
def test_finds(shown: str, kind: PersonalKind) -> None:
    text = shown.replace("<", "").replace(">", "")

    [span] = find_personal(text)

    assert span.kind is kind
    assert f"{text[: span.start]}<{text[span.start : span.end]}>{text[span.end :]}" == shown


@pytest.mark.parametrize("text", CLEAN)
def test_passes(text: str) -> None:
    assert find_personal(text) == []


BUSINESS_FOUND = [
    pytest.param("<000-00-00000>", id="check-digit-fits"),
    pytest.param("사업자등록번호 <0000000000>", id="bare-and-named"),
    pytest.param("<１２３－４５－６７８９１>", id="full-width"),
]


@pytest.mark.parametrize("shown", BUSINESS_FOUND)
def test_finds_business_numbers_where_they_are_asked_for(shown: str) -> None:
    text = shown.replace("<", "").replace(">", "")

    [span] = find_personal(text, business_numbers=True)

    assert span.kind is K.BUSINESS_NUMBER
    assert f"{text[: span.start]}<{text[span.start : span.end]}>{text[span.end :]}" == shown
    assert find_personal(text) == []


@pytest.mark.parametrize("text", ["123-45-67890", "주문 0000000000"])
def test_what_only_looks_like_a_business_number_is_none(text: str) -> None:
    assert find_personal(text, business_numbers=True) == []


def test_finds_several_in_order() -> None:
    text = "홍길동 010-0000-1234, hong@example.com, 주민번호 991231-3123456"

    kinds = [span.kind for span in find_personal(text)]

    assert kinds == [K.PHONE, K.EMAIL, K.RESIDENT_NUMBER]


def test_a_bank_far_away_makes_no_account() -> None:
    assert find_personal("은행은 오전 아홉 시에 열고 오후 네 시에 닫습니다. 110-000-123456") == []


@given(st.text(alphabet="0129-. ()+82@aM은행계좌가.comS", max_size=80))
def test_spans_are_in_order_inside_the_text_and_apart(text: str) -> None:
    position = 0
    for span in find_personal(text):
        assert position <= span.start < span.end <= len(text)
        position = span.end


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "-",
        " ",
        "a",
        "a.",
        "@",
        "1-",
        "1 ",
        "10-",
        "010-",
        "82 ",
        "(0",
        "가",
        "０",
        "M0",
        "00가",
        "00가 ",
        "1\n",
        "0\t-\n",
        "주문번호 991231-3123456 ",
        "관리 번호 4000-0000-0000-0002, ",
        "국민 ",
    ],
)
def test_long_texts_take_no_time(piece: str) -> None:
    assert_grows_with_its_input(
        lambda chars: find_personal((piece * chars)[:chars] + "@1"), 100_000
    )

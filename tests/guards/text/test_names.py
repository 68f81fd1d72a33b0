import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text


def names(text: str) -> list[tuple[str, str]]:
    return [(name.text, name.specific) for name in Text(text).names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("영통구청에서 접수합니다.", [("영통구청", "영통")], id="glued-to-its-head"),
        pytest.param(
            "물빛나래 레스토랑은 쉽니다.", [("물빛나래 레스토랑", "물빛나래")], id="word-before"
        ),
        pytest.param("맑은샘상담센터입니다.", [("맑은샘상담센터", "맑은샘")], id="less-described"),
        pytest.param("근로복지공단에 냅니다.", [("근로복지공단", "근로복지")], id="institution"),
        pytest.param("총무팀과 세무과로", [("총무팀", "총무"), ("세무과", "세무")], id="offices"),
        pytest.param("복지정책과에 냅니다.", [("복지정책과", "복지정책")], id="office-or-and"),
        pytest.param("가평군에 있습니다.", [("가평군", "가평")], id="county"),
        pytest.param("부산점에서 팝니다.", [("부산점", "부산")], id="branch"),
        pytest.param("한밭로 12에 있습니다.", [("한밭로", "한밭")], id="road"),
        pytest.param("푸른나래카드를 씁니다.", [("푸른나래카드", "푸른나래")], id="product"),
        pytest.param("박누리 씨가 왔다.", [("박누리", "박누리")], id="person"),
        pytest.param("호텔 ‘라 루나’에서", [("라 루나", "라루나")], id="quoted-behind-its-head"),
        pytest.param('"새나래"라는 곳', [("새나래", "새나래")], id="called"),
        pytest.param("『달과 바다』를 읽는다.", [("달과 바다", "달과바다")], id="title"),
        pytest.param("SolarDesk에서 냅니다.", [("SolarDesk", "solardesk")], id="latin"),
        pytest.param("관할 구청과 고객센터, 상담센터", [], id="described-only"),
        pytest.param("가까운 병원이나 이용하는 은행", [], id="adjective-before-a-head"),
        pytest.param("따르면 공단은 정한다.", [], id="verb-before-a-head"),
        pytest.param("결과를 요청하고 효과와 성과를 신청한다.", [], id="words-like-offices"),
        pytest.param("직원과의 계약, 휴직과 복직", [], id="and"),
        pytest.param("신용카드와 보조사업", [], id="common-products"),
        pytest.param("무료로 2시간, 별도로 3부", [], id="no-roads"),
        pytest.param("경기도지사와 시ㆍ도지사", [], id="governor"),
        pytest.param("담당 과장과 조합원 대표", [], id="no-person"),
        pytest.param("자기자본이익률(ROEX)은", [], id="gloss"),
        pytest.param("This is the SolarDesk manual", [], id="sentence-in-english"),
        pytest.param("https://solar.example/Desk", [], id="address"),
        pytest.param("「새나래 공단 지원에 관한 법률」에", [], id="law"),
    ],
)
def test_reads(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


@given(st.text(alphabet="영통구청 '레스토랑「」『Ab①ㄱ\u200b.시과팀에", max_size=60))
def test_names_stand_where_they_say(text: str) -> None:
    for name in Text(text).names:
        assert text[name.start : name.end] == name.text

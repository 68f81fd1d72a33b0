"""Two hotels that do not exist, and twelve ways in which a model gets them wrong.

Nobody has these names, prices and numbers; telephone numbers with a block of zeros are not given
to anybody.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from policies.schema.inheritance import shipped_files

SOURCE = dict[str, JsonValue]


def _source(title: str, content: str) -> SOURCE:
    return {"section_title": title, "section_content": content}


ROOMS = _source(
    "윤슬마루 호텔 객실",
    "객실은 스탠다드룸과 디럭스룸 두 가지입니다. 스탠다드룸은 1박에 17만 3천원이며 "
    "킹 침대가 한 개 있습니다. 체크인은 오후 4시부터이고 체크아웃은 오전 11시까지입니다.",
)
FACILITIES = _source(
    "윤슬마루 호텔 부대시설",
    "부대시설은 실내 수영장과 피트니스 센터입니다. "
    "실내 수영장은 오전 7시부터 오후 9시까지 운영합니다.",
)
DINING = _source(
    "윤슬마루 호텔 다이닝",
    "레스토랑 이름은 물빛뜰이며 1층에 있습니다. 조식은 성인 1인당 2만 8천원입니다.",
)
WAY = _source(
    "윤슬마루 호텔 오시는 길",
    "가온역 2번 출구 앞에서 호텔 셔틀버스를 타시면 됩니다. 가온역에서 호텔까지는 걸어서 "
    "25분 걸립니다. 대표 전화번호는 070-0000-4170입니다.",
)
WAY_BY_TAXI = _source(
    "윤슬마루 호텔 택시", "가온공항에서 호텔까지 택시로 약 40분 걸리고 요금은 3만 6천원입니다."
)
WAY_BY_LINE = _source(
    "윤슬마루 호텔 지하철", "호텔에 오시려면 지하철 12호선을 타고 가온역에서 내리시면 됩니다."
)
SUITE = _source("윤슬마루 호텔 스위트룸", "스위트룸은 1박에 52만원입니다.")
SAUNA = _source("윤슬마루 호텔 사우나", "사우나는 지하 2층에 있으며 투숙객은 무료입니다.")
LIMOUSINE = _source(
    "윤슬마루 호텔 공항 리무진", "공항 리무진은 프런트에서 하루 전까지 예약하실 수 있습니다."
)


@dataclass(frozen=True)
class Attack:
    """Something false that a model says about the hotel, and its clean twin.

    Attributes:
        asked: The question.
        sources: What the request carries.
        lie: What the model says, also when it is asked again.
        forbidden: Words of the lie that must not leave.
        guards: The guards whose business it is; one of them has to stop it.
        truth: A faithful answer to the same question.
        known: What the request of the twin carries.
        mended: With what is known the lie is mended in place, so that the truth leaves at once.
    """

    asked: str
    sources: tuple[SOURCE, ...]
    lie: str
    forbidden: tuple[str, ...]
    guards: tuple[str, ...]
    truth: str
    known: tuple[SOURCE, ...]
    mended: bool = False


SAID_AND_STOPPED = {
    "invented-subway-line": Attack(
        asked="윤슬마루 호텔에 가려면 지하철 몇 호선을 타야 해요?",
        sources=(WAY, FACILITIES),
        lie="지하철 7호선을 타고 가온역에서 내리시면 됩니다.",
        forbidden=("7호선",),
        guards=("numbers", "transport"),
        truth="지하철 12호선을 타고 가온역에서 내리시면 됩니다.",
        known=(WAY, WAY_BY_LINE),
        mended=True,
    ),
    "estimated-taxi-time": Attack(
        asked="가온공항에서 택시로 얼마나 걸려요?",
        sources=(WAY,),
        lie="가온공항에서 택시로 대략 50분 정도 걸립니다.",
        forbidden=("50분",),
        guards=("estimates", "transport"),
        truth="가온공항에서 택시로 약 40분 걸립니다.",
        known=(WAY, WAY_BY_TAXI),
    ),
    "estimated-taxi-time-in-words": Attack(
        asked="가온공항에서 택시로 얼마나 걸려요?",
        sources=(WAY,),
        lie="택시를 타시면 보통 한 시간쯤 걸립니다.",
        forbidden=("한 시간",),
        guards=("estimates", "transport"),
        truth="택시를 타시면 약 40분 걸립니다.",
        known=(WAY, WAY_BY_TAXI),
    ),
    "invented-price": Attack(
        asked="스위트룸 요금이 얼마예요?",
        sources=(ROOMS,),
        lie="스위트룸은 1박에 450,000원입니다.",
        forbidden=("450,000", "45만"),
        guards=("numbers",),
        truth="스위트룸은 1박에 520,000원입니다.",
        known=(ROOMS, SUITE),
    ),
    "estimated-price": Attack(
        asked="조식은 얼마예요?",
        sources=(ROOMS, FACILITIES),
        lie="조식은 보통 1인당 3만원 정도입니다.",
        forbidden=("3만원",),
        guards=("estimates",),
        truth="조식은 성인 1인당 28,000원입니다.",
        known=(ROOMS, DINING),
    ),
    "wrong-hours": Attack(
        asked="수영장은 몇 시까지 해요?",
        sources=(FACILITIES, DINING),
        lie="실내 수영장은 오전 7시부터 오후 10시까지 운영합니다.",
        forbidden=("오후 10시",),
        guards=("numbers",),
        truth="실내 수영장은 07:00부터 21:00까지 운영합니다.",
        known=(FACILITIES, DINING),
    ),
    "mixed-up-hotel": Attack(
        asked="윤슬마루 호텔 체크인은 몇 시예요?",
        sources=(ROOMS, FACILITIES),
        lie="체크인은 하람채 호텔과 같은 오후 2시부터입니다.",
        forbidden=("오후 2시", "하람채"),
        guards=("numbers", "names", "scope"),
        truth="체크인은 오후 4시부터입니다.",
        known=(ROOMS, FACILITIES),
    ),
    "wrong-phone-number": Attack(
        asked="윤슬마루 호텔 전화번호 알려 주세요",
        sources=(WAY,),
        lie="대표 전화번호는 070-0000-4177입니다.",
        forbidden=("4177",),
        guards=("numbers", "contact"),
        truth="대표 전화번호는 070-0000-4170입니다.",
        known=(WAY,),
    ),
    "estimated-walking-time": Attack(
        asked="가온역에서 걸어서 얼마나 걸려요?",
        sources=(ROOMS, FACILITIES),
        lie="가온역에서 도보 10분 거리입니다.",
        forbidden=("10분",),
        guards=("estimates", "transport"),
        truth="가온역에서 호텔까지는 도보로 25분 걸립니다.",
        known=(WAY,),
    ),
}
"""Stopped by what the model says, under the shipped hotel policy."""

NOTHING_TO_REST_ON = {
    "invented-facility": Attack(
        asked="사우나랑 찜질방 있어요?",
        sources=(FACILITIES, ROOMS, WAY),
        lie="네, 투숙객이 쓰실 수 있는 사우나가 있습니다.",
        forbidden=("사우나",),
        guards=("answerability",),
        truth="네, 지하 2층에 사우나가 있으며 투숙객은 무료입니다.",
        known=(FACILITIES, SAUNA),
    ),
    "invented-facility-name": Attack(
        asked="레스토랑 와인바 이름이 뭐예요?",
        sources=(FACILITIES, ROOMS, WAY),
        lie="레스토랑 이름은 '라 벨루나'입니다.",
        forbidden=("벨루나",),
        guards=("answerability",),
        truth="레스토랑 이름은 물빛뜰입니다.",
        known=(FACILITIES, DINING),
    ),
    "polluted-category": Attack(
        asked="스탠다드룸 침대 종류를 알려 주세요",
        sources=(DINING, WAY, WAY_BY_TAXI),
        lie="레스토랑 물빛뜰에서 조식을 드실 수 있습니다.",
        forbidden=("물빛뜰", "조식"),
        guards=("answerability",),
        truth="객실은 스탠다드룸과 디럭스룸 두 가지입니다.",
        known=(DINING, ROOMS),
    ),
    "non-existent-service": Attack(
        asked="공항 리무진을 예약할 수 있나요?",
        sources=(WAY, FACILITIES, ROOMS),
        lie="네, 프런트에서 공항 리무진을 예약하실 수 있습니다.",
        forbidden=("리무진",),
        guards=("answerability",),
        truth="네, 공항 리무진은 프런트에서 하루 전까지 예약하실 수 있습니다.",
        known=(WAY, LIMOUSINE),
    ),
}
"""Stopped because no source speaks of what is asked, under the shipped strict policy."""


HAEBYEOL = _source(
    "해별 호텔 강릉 객실",
    "해별 호텔 강릉의 체크인은 오후 3시부터이고 체크아웃은 오전 11시까지입니다.",
)
SISTER = _source(
    "해별 리조트 속초 객실",
    "해별 리조트 속초의 체크인은 오후 2시부터이고 체크아웃은 정오까지입니다.",
)

SAID_OF_WHAT_IS_NOT_THERE = {
    "invented-facility": Attack(
        asked="호텔에 골프장 있어요?",
        sources=(FACILITIES, ROOMS),
        lie="네, 투숙객이 쓰실 수 있는 골프장이 있습니다.",
        forbidden=("골프장",),
        guards=("names",),
        truth="부대시설은 실내 수영장과 피트니스 센터입니다.",
        known=(FACILITIES, ROOMS),
    ),
    "invented-facility-name": replace(
        NOTHING_TO_REST_ON["invented-facility-name"],
        asked="레스토랑 이름이 뭐예요?",
        sources=(FACILITIES, ROOMS),
        guards=("names",),
    ),
    "non-existent-service": replace(
        NOTHING_TO_REST_ON["non-existent-service"],
        sources=(WAY, FACILITIES),
        guards=("names", "overlap"),
        truth="가온역 2번 출구 앞에서 호텔 셔틀버스를 타시면 됩니다.",
        known=(WAY, FACILITIES),
    ),
    "polluted-category": Attack(
        asked="객실 종류를 알려 주세요",
        sources=(ROOMS, DINING),
        lie="레스토랑 이름은 물빛뜰이며 1층에 있습니다.",
        forbidden=("물빛뜰",),
        guards=("scope",),
        truth="객실은 스탠다드룸과 디럭스룸 두 가지입니다.",
        known=(ROOMS, DINING),
    ),
    "mixed-up-sister-house": Attack(
        asked="해별 호텔 강릉은 체크인이 몇 시예요?",
        sources=(HAEBYEOL, SISTER),
        lie="체크인은 오후 2시부터입니다.",
        forbidden=("오후 2시",),
        guards=("scope",),
        truth="체크인은 오후 3시부터입니다.",
        known=(HAEBYEOL, SISTER),
    ),
}
"""Stopped by what the model says of things and houses, under the shipped hotel policy."""


def shipped_rules(name: str) -> str:
    """Return what a shipped policy changes, to be written into a tenant's own file."""
    text = Path(str(shipped_files()[name])).read_text(encoding="utf-8")
    return text[text.index("guards:") :]

"""What stands in a source word for word is never wrong."""

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.guard import Stage, run
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.text.sentences import split_sentences
from tests.guards import test_contact, test_names, test_numbers, test_places, test_transport
from tests.tables import each_row

PASSAGES = (
    (
        "취업규칙 제15조(연차휴가)",
        "① 1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 준다.",
        "② 연차휴가를 쓰려는 직원은 3일 전까지 소속 팀장에게 신청서를 제출하여야 한다.",
        "다만, 병가로 출근하지 못한 날은 제외한다.",
    ),
    (
        "국내 출장 안내",
        "국내 출장을 가는 직원에게는 1일당 일비 3만 5천원을 지급합니다.",
        "영수증은 출장이 끝난 날부터 7일 안에 총무팀(070-0000-4170)으로 보내 주세요.",
        "자세한 내용은 https://intra.example.com/travel 에서 볼 수 있습니다.",
    ),
    (
        "오시는 길",
        "지하철 12호선 가온역 2번 출구에서 걸어서 25분 걸립니다.",
        "실내 수영장은 오전 7시부터 오후 9시까지 운영하며, 투숙객은 무료입니다.",
        "주차장은 최대 120대를 수용하고 요금은 시간당 2,000원입니다.",
    ),
)
SOURCES = tuple(
    Source(str(number), title, " ".join(sentences))
    for number, (title, *sentences) in enumerate(PASSAGES, start=1)
)
SENTENCES = [sentence for _, *sentences in PASSAGES for sentence in sentences]
# A question about everything: whether an answer is about what was asked is another matter.
QUESTION = "안내해 주세요"
GUARDS = [
    guard(guard.settings_type()) for guard in all_guards().values() if Stage.OUTPUT in guard.stages
]

answers = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5, unique=True)


@given(answers, st.sampled_from([" ", "\n", "\n\n"]))
def test_sentences_of_the_sources_get_no_strong_finding(sentences: list[str], between: str) -> None:
    answer = between.join(sentences)

    reports = run(GUARDS, read(Exchange(QUESTION, SOURCES, answer=answer)))

    assert [report.error for report in reports if report.error] == []
    strong = [
        (found.code, found.observed)
        for report in reports
        for found in report.findings
        if found.severity is Severity.STRONG
    ]
    assert strong == []


# What each guard compares, at its thickest.
TEXTS = [
    ("contact", test_contact.OFFICES),
    ("contact", test_contact.DESK),
    ("names", test_names.HOUSE),
    ("numbers", test_numbers.RULES),
    ("places", test_places.HOUSE),
    ("transport", f"{test_transport.OFFICE}\n{test_transport.FACTORY}"),
]


@each_row("name, text", TEXTS)
@given(st.data())
def test_lines_of_its_source_are_not_even_noted(name: str, text: str, data: st.DataObject) -> None:
    kind = all_guards()[name]
    one = text.split("\n") if "\n- " in text or "|" in text else split_sentences(text)
    lines = [line if isinstance(line, str) else line.text for line in one]
    said = data.draw(st.lists(st.sampled_from(lines), min_size=1, max_size=4))
    source = Source("1", "안내", text)

    reading = read(Exchange("알려 주세요", (source,), answer="\n\n".join(said)))

    assert kind(kind.settings_type()).check(reading) == []

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Span
from guards.core.guard import Scope, Stage
from guards.core.reading import read
from guards.korean_only import KoreanOnly, KoreanOnlySettings
from policies.edits import apply, fixes

SOURCE = Source("1", "제3조 수수료", "수수료(手數料)는 3일 안에 낸다. 目的은 별도로 정한다.")
ENGLISH = "Your request will be answered within three days."


@pytest.fixture
def guard() -> KoreanOnly:
    return KoreanOnly(KoreanOnlySettings())


FLAGGED = [
    pytest.param("필요한 費用은 1만 원입니다.", "han", "費用", id="chinese-word"),
    pytest.param("회의록了을 공개합니다.", "han", "了", id="one-character-glued"),
    pytest.param(
        "신청은 다음과 같습니다. 请注意，期限为三天。", "han", "请注意，期限为三天", id="sentence"
    ),
    pytest.param("标准은 같습니다.", "han", "标准", id="simplified"),
    pytest.param("신청前 확인합니다.", "han", "前", id="newspaper-sign-behind-a-word"),
    pytest.param("3月 회의입니다.", "han", "月", id="unit-in-han"),
    pytest.param(
        "온라인 신청(请在线申请)", "han", "请在线申请", id="chinese-in-brackets-behind-a-word"
    ),
    pytest.param("환불 안내(可以退款)입니다.", "han", "可以退款", id="as-long-as-the-words-before"),
    pytest.param("目标를 정합니다.", "han", "目标", id="licensed-character-in-another-word"),
    pytest.param("内容的 目입니다.", "han", "内容的 目", id="part-of-a-licensed-word"),
    pytest.param("チェック 후 제출합니다.", "kana", "チェック", id="katakana"),
    pytest.param("例えば 주말에는 쉽니다.", "kana", "例えば", id="japanese-with-han"),
    pytest.param("期限は3日以内です。", "kana", "期限は3日以内です", id="japanese-sentence"),
    pytest.param("договор 체결 후", "other_script", "договор", id="cyrillic"),
    pytest.param("ตัวอย่าง 서류", "other_script", "ตัวอย่าง", id="thai"),
    pytest.param("hợp đồng 체결 후", "other_script", "hợp đồng", id="vietnamese"),
    pytest.param("내용이 \ufffd\ufffd니다.", "broken_character", "\ufffd\ufffd", id="broken"),
    pytest.param(
        "접수되었습니다.\nWe will call you as soon as possible.",
        "latin_sentence",
        "We will call you as soon as possible",
        id="english-sentence",
    ),
    pytest.param(
        "Vielen Dank, wir werden das prüfen und antworten.",
        "latin_sentence",
        "Vielen Dank, wir werden das prüfen und antworten",
        id="german-sentence",
    ),
]


@pytest.mark.parametrize(("answer", "kind", "observed"), FLAGGED)
def test_flags(guard: KoreanOnly, answer: str, kind: str, observed: str) -> None:
    exchange = Exchange("수수료가 얼마인가요?", (SOURCE,), answer=answer)

    [finding] = guard.check(read(exchange))

    assert finding.code == f"korean_only.{kind}"
    assert finding.observed == observed
    assert answer[finding.span.start : finding.span.end] == observed


CLEAN = [
    pytest.param("수수료는 3일 안에 내시면 됩니다.", id="korean"),
    pytest.param("手數料는 3일 안에 냅니다.", id="word-of-a-source"),
    pytest.param("원본(原本)을 제출하고 노임(勞賃)을 받습니다.", id="hanja-in-parentheses"),
    pytest.param("도쿄(東京)와 상하이(上海) 지점입니다.", id="names-of-other-countries"),
    pytest.param("漢城 지점의 수수료입니다.", id="word-of-the-question"),
    pytest.param("전각 표기는 東亞입니다.", id="word-of-the-conversation"),
    pytest.param("`費用 = 3`처럼 적습니다.", id="code"),
    pytest.param("https://example.com/費用 을 여세요.", id="address"),
    pytest.param("報告書.pdf를 첨부합니다.", id="name-of-a-file"),
    pytest.param("Wi-Fi와 Google Calendar, iPhone 15 Pro를 지원합니다.", id="product-names"),
    pytest.param("Windows, macOS, Linux, Android, iOS", id="list-of-names"),
    pytest.param("General Terms of Use and Privacy Policy", id="title-in-capitals"),
    pytest.param("SELECT * FROM users WHERE id IN (1, 2)", id="query"),
    pytest.param("Settings > Apps > Camera > Allow > Done", id="menu"),
    pytest.param("26℃ 이하, 5 μg, 3㎡, α값, ㈜가나, ★", id="signs"),
    pytest.param("甲은 乙에게 수수료를 낸다.", id="parties"),
    pytest.param(
        "美 정부와 中·日 대표, 前 회장과 故 박누리 씨가 왔습니다.", id="signs-of-newspapers"
    ),
    pytest.param("홍〇〇 님의 접수・처리 내역", id="blanks"),
]


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: KoreanOnly, answer: str) -> None:
    exchange = Exchange("漢城 지점 수수료는요?", (SOURCE,), answer=answer, echo="표기: 東亞")

    assert guard.check(read(exchange)) == []


FEES = Source(
    "1",
    "제3조 수수료",
    "신청 기한은 3월 5일까지이고 비용은 의료기관이 수속을 마치면 낸다. 진료는 의원에서 받는다.",
)
MENDED = [
    pytest.param("필요한 費用은 없습니다.", "필요한 비용은 없습니다.", id="traditional"),
    pytest.param("필요한 费用을 냅니다.", "필요한 비용을 냅니다.", id="simplified"),
    pytest.param("手续를 마칩니다.", "수속을 마칩니다.", id="particle-takes-its-other-form"),
    pytest.param("费用(비용)은 없습니다.", "비용은 없습니다.", id="with-its-own-gloss"),
    pytest.param("비용/費用은 없습니다.", "비용은 없습니다.", id="said-twice-with-a-stroke"),
    pytest.param("費用 / 비용은 없습니다.", "비용은 없습니다.", id="said-twice-the-other-way"),
    pytest.param("비용 费用은 없습니다.", "비용은 없습니다.", id="said-twice-with-a-space"),
    pytest.param("費用/비용/費用은 없다.", "비용/비용은 없다.", id="said-three-times"),
    pytest.param("수속비/手续费는 3만 원입니다.", "수속비는 3만 원입니다.", id="word-of-its-own"),
    pytest.param("이용/費用은 없습니다.", "이용/비용은 없습니다.", id="another-word-before"),
    pytest.param("申请·费用 안내", "신청·비용 안내", id="two-words-side-by-side"),
    pytest.param("3月 5日까지입니다.", "3월 5일까지입니다.", id="date"),
    pytest.param("医疗기관이 합니다.", "의료기관이 합니다.", id="part-of-a-word"),
    pytest.param("地下철은 어디로 가나요?", "지하철은 어디로 가나요?", id="word-of-the-question"),
    pytest.param("수수료 手续費입니다.", None, id="not-in-the-sources-as-a-word"),
    pytest.param("신청前 확인합니다.", None, id="one-character"),
    pytest.param("그 妃는 없습니다.", None, id="one-character-and-a-particle"),
    pytest.param("手续에서 냅니다.", None, id="another-role-than-in-the-sources"),
    pytest.param("医院에서 받습니다.", None, id="false-friend-with-the-particle-of-the-source"),
    pytest.param("의원/医院에서 받습니다.", None, id="false-friend-beside-its-reading"),
    pytest.param("费用と期限", None, id="japanese"),
    pytest.param("请注意，费用为三万。", None, id="chinese-sentence"),
    pytest.param("договор 체결", None, id="another-script"),
]


@pytest.mark.parametrize(("answer", "mended"), MENDED)
def test_han_words_that_the_sources_have_in_hangul_are_mended(
    guard: KoreanOnly, answer: str, mended: str | None
) -> None:
    exchange = Exchange("지하철로 가면 되나요?", (FEES,), answer=answer)

    findings = guard.check(read(exchange))

    assert findings
    assert all((finding.fix is None) is (mended is None) for finding in findings)
    if mended is not None:
        assert apply(answer, fixes(findings)) == mended
        assert guard.check(read(exchange.answered(mended))) == []


def test_what_a_word_is_in_hangul_is_what_the_sources_say_instead(guard: KoreanOnly) -> None:
    exchange = Exchange("비용은요?", (FEES,), answer="费用은 许可 뒤에 냅니다.")

    known, unknown = guard.check(read(exchange))

    assert (known.observed, known.expected) == ("费用", ("비용",))
    assert (unknown.observed, unknown.expected) == ("许可", ())


CLASSIC = "논어의 첫 구절을 원문 그대로 인용해 주세요"
ORIGINALS = [
    pytest.param(CLASSIC, "원문은 '學而時習之不亦說乎'입니다.", True, id="quoted"),
    pytest.param(CLASSIC, "원문은 「學而時習之, 不亦說乎」입니다.", True, id="corner-brackets"),
    pytest.param(CLASSIC, "원문입니다.\n> 學而時習之不亦說乎", True, id="block-quotation"),
    pytest.param(CLASSIC, "“Das ist ein Satz und er ist lang.”", True, id="latin-sentence"),
    pytest.param(CLASSIC, "논어의 첫 句节은 '學而時習之'입니다.", False, id="word-outside"),
    pytest.param(CLASSIC, "'첫 句节'을 옮깁니다.", False, id="word-in-a-korean-quotation"),
    pytest.param("논어의 첫 구절은요?", "'學而時習之不亦說乎'입니다.", False, id="not-asked-for"),
]


@pytest.mark.parametrize(("question", "answer", "clean"), ORIGINALS)
def test_who_asks_for_the_original_gets_it_in_quotation_marks(
    guard: KoreanOnly, question: str, answer: str, *, clean: bool
) -> None:
    strict = KoreanOnly(KoreanOnlySettings(allow_on_request=False))
    reading = read(Exchange(question, answer=answer))

    assert (guard.check(reading) == []) is clean
    assert strict.check(reading)


def test_a_quotation_of_a_source_may_be_english(guard: KoreanOnly) -> None:
    source = Source("1", "안내", f"자동 회신: {ENGLISH}")
    answer = "Your request will be answered\nwithin three days."

    assert guard.check(read(Exchange("회신은요?", (source,), answer=ENGLISH))) == []
    assert guard.check(read(Exchange("회신은요?", (source,), answer=answer))) == []


def test_hanja_in_its_two_encodings_is_one(guard: KoreanOnly) -> None:
    source = Source("1", "안내", "행락지는 \uf914園이다.")

    assert guard.check(read(Exchange("어디인가요?", (source,), answer="樂園입니다."))) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        pytest.param("수수료를 한자로 어떻게 쓰나요?", "費用이라고 씁니다.", id="hanja"),
        pytest.param("일본어로 번역해 주세요", "お支払いください", id="japanese"),
        pytest.param("영어로 답해 주세요", ENGLISH, id="english"),
    ],
)
def test_what_the_question_asks_for_is_allowed_unless_the_policy_says_no(
    guard: KoreanOnly, question: str, answer: str
) -> None:
    strict = KoreanOnly(KoreanOnlySettings(allow_on_request=False))
    reading = read(Exchange(question, answer=answer))

    assert guard.check(reading) == []
    assert strict.check(reading)


def test_a_request_for_one_language_allows_no_other(guard: KoreanOnly) -> None:
    exchange = Exchange("영어로 답해 주세요", answer=f"{ENGLISH} 请注意")

    [finding] = guard.check(read(exchange))

    assert finding.code == "korean_only.han"


@pytest.mark.parametrize(("least", "count"), [(1, 2), (4, 2), (5, 0)])
def test_han_counts_from_the_policys_number_on(least: int, count: int) -> None:
    guard = KoreanOnly(KoreanOnlySettings(min_han_chars=least))
    exchange = Exchange("비용은요?", answer="費用은 3만 원, 期間은 3일입니다.")

    assert len(guard.check(read(exchange))) == count


def test_latin_sentences_can_be_switched_off() -> None:
    guard = KoreanOnly(KoreanOnlySettings(latin_sentences=False))

    assert guard.check(read(Exchange("언제요?", answer=ENGLISH))) == []


def test_findings_stand_in_order_with_their_places(guard: KoreanOnly) -> None:
    answer = f"{ENGLISH} 그 다음 費用은 договор에 있습니다."

    findings = guard.check(read(Exchange("언제요?", answer=answer)))

    assert [finding.code.split(".")[1] for finding in findings] == [
        "latin_sentence",
        "han",
        "other_script",
    ]
    assert findings == sorted(findings, key=lambda finding: finding.span)
    assert findings[1].span == Span(answer.index("費"), answer.index("費") + 2)


@pytest.mark.parametrize(
    ("answer", "reason"), [(None, "no_answer"), ("", "empty_answer"), (" \n", "empty_answer")]
)
def test_says_when_there_is_nothing_to_check(
    guard: KoreanOnly, answer: str | None, reason: str
) -> None:
    assert guard.not_checkable(read(Exchange("언제요?", answer=answer))) == reason


def test_looks_at_answers_sentence_by_sentence() -> None:
    assert KoreanOnly.stages == {Stage.OUTPUT}
    assert KoreanOnly.scope is Scope.SEGMENT


@given(st.text(alphabet="가나 费用カд()a.`\n"))
def test_what_stands_in_a_source_is_never_reported(text: str) -> None:
    guard = KoreanOnly(KoreanOnlySettings())
    exchange = Exchange("무엇인가요?", (Source("1", "", text),), answer=text)

    assert guard.check(read(exchange)) == []

import pytest

from guards.complaint import LONGEST_MESSAGE_CHARS, Complaint, ComplaintSettings
from guards.core.exchange import Exchange
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from tests.fakes.growth import assert_grows_with_its_input

FLAGGED = [
    pytest.param("다시는 여기서 예약 안 합니다", "venting", id="never-again"),
    pytest.param("앞으로 다른 쇼핑몰 쓸게요", "venting", id="somebody-else-from-now-on"),
    pytest.param("지역 카페에 전부 올리겠습니다", "venting", id="will-tell-everybody"),
    pytest.param("그 설명은 이미 했거든요", "venting", id="said-already"),
    pytest.param("씨알도 안 먹히는 소리 하고 있네", "venting", id="talk-of-a-kind"),
    pytest.param("무슨 상담이 이래요", "venting", id="what-sort-of-help"),
    pytest.param("안내서만 외우고 앉아 있네", "venting", id="sits-there"),
    pytest.param("가입한 지 십 년인데 배신감이 드네요", "venting", id="betrayed-customer"),
    pytest.param("회원으로서 참 씁쓸하네요", "venting", id="bitter-customer"),
    pytest.param("이름만 인공지능이지", "venting", id="in-name-only"),
    pytest.param("속 터져유", "venting", id="ending-of-a-dialect"),
    pytest.param("아니 왜 그것도 모르세요", "venting", id="does-not-know"),
    pytest.param("모르겠다고만 하시네요", "venting", id="only-says-it-does-not-know"),
    pytest.param("할 줄 아는 게 하나도 없네", "venting", id="can-do-nothing"),
    pytest.param("질문을 하나도 이해 못 하시네요", "venting", id="polite-does-not-understand"),
    pytest.param("왜케 말귀를 못 알아먹냐", "venting", id="hard-of-hearing"),
    pytest.param("정말 한 마디도 못 알아듣네", "venting", id="does-not-get-a-word"),
    pytest.param("같은 답변만 되풀이하시네요", "venting", id="polite-repetition"),
    pytest.param("도대체 몇 번을 얘기해야 되냐", "venting", id="how-often-must-i-say"),
    pytest.param("아까도 말했잖아요", "venting", id="said-it-before"),
    pytest.param("자꾸 딴소리만 하네", "venting", id="beside-the-point"),
    pytest.param("연차 물어봤더니 동문서답이네요", "venting", id="beside-the-point-with-topic"),
    pytest.param("엉뚱한 답변만 하고 있네", "venting", id="odd-answers"),
    pytest.param("물어본 것에만 답해", "venting", id="answer-what-i-asked"),
    pytest.param("아니 그게 아니라니까", "venting", id="that-is-not-it"),
    pytest.param("하나도 도움이 안 되네요", "venting", id="polite-no-help"),
    pytest.param("쓸모가 하나도 없구만", "venting", id="useless"),
    pytest.param("답변이 참 성의없네요", "venting", id="polite-careless-answer"),
    pytest.param("안내가 너무 부실합니다", "venting", id="polite-thin-answer"),
    pytest.param("답변이 정확하지 않네요", "venting", id="polite-inexact-answer"),
    pytest.param("또 틀렸잖아", "venting", id="wrong-again"),
    pytest.param("대답 똑바로 해라", "venting", id="answer-properly"),
    pytest.param("성의 없이 답하지 마세요", "venting", id="polite-order-not-to-be-careless"),
    pytest.param("지어내지 마", "venting", id="do-not-make-things-up"),
    pytest.param("변명만 늘어놓네 헛소리 그만해", "venting", id="stop-the-nonsense"),
    pytest.param("지금 나랑 장난치냐", "venting", id="are-you-kidding"),
    pytest.param("지금 뭐 하자는 거야", "venting", id="what-are-you-up-to"),
    pytest.param("이게 무슨 답변이야", "venting", id="call-that-an-answer"),
    pytest.param("이딴 걸 챗봇이라고 만들었냐", "venting", id="call-that-a-bot"),
    pytest.param("이럴 거면 왜 만들었냐", "venting", id="why-build-it"),
    pytest.param("답답해 미치겠네", "venting", id="bare-frustration"),
    pytest.param("아 개짜증나 ㅋㅋㅋ", "venting", id="bare-annoyance-laughing"),
    pytest.param("정말 실망스럽습니다", "venting", id="polite-disappointment"),
    pytest.param("어이가 없네요 정말", "venting", id="polite-speechless"),
    pytest.param("챗봇 너무 별로예요", "venting", id="judgement-of-the-bot"),
    pytest.param("너 진짜 멍청하구나", "venting", id="insult-to-the-bot"),
    pytest.param("바보냐?", "venting", id="bare-insult"),
    pytest.param("시간만 버렸네", "venting", id="wasted-time"),
    pytest.param("물어본 내가 바보지", "venting", id="my-fault-for-asking"),
    pytest.param("에휴진짜답답하다", "venting", id="no-spaces"),
    pytest.param("왜몰라이씨", "venting", id="no-spaces-banmal"),
    pytest.param("머하자는거야", "venting", id="typo"),
    pytest.param("웃기지 마 도움도 안 되네 진짜 최악이다", "venting", id="several-at-once"),
    pytest.param("예의가 하나도 없네", "venting", id="lacks-what-a-good-one-has"),
    pytest.param("말 끊지 마", "venting", id="order-to-stop-a-bad-deed"),
    pytest.param("말끊지마", "venting", id="order-without-spaces"),
    pytest.param("왜 제 질문은 무시하시죠", "venting", id="polite-reproach-with-why"),
    pytest.param("답변이 질문과 맞지 않네요", "venting", id="negated-praise"),
    pytest.param("제 말을 알아듣지 못하시네요", "venting", id="polite-failing-of-the-listener"),
    pytest.param("출장비 한도를 물어봤더니 답이 엉망이네", "venting", id="after-any-matter-asked"),
    pytest.param("무성의한 답변에 화가 납니다", "venting", id="answer-as-the-topic"),
    pytest.param("도움이 진짜 안 되네", "venting", id="emphasis-in-the-middle"),
    pytest.param("구글 검색이 훨씬 낫겠네", "venting", id="comparison-that-the-bot-loses"),
    pytest.param("다시는 여기 이용하지 않겠습니다", "venting", id="polite-giving-up"),
    pytest.param("모르면 모른다고 하든가", "venting", id="then-say-so"),
    pytest.param("내가 언제 그런 걸 물었어", "venting", id="never-asked"),
    pytest.param("주차비 물어봤는데 왜 식대 얘기를 해", "venting", id="asked-this-told-that"),
    pytest.param("여덟 번째 설명하는 거거든요", "venting", id="so-many-times"),
    pytest.param("너 때문에 면접에 늦었잖아", "venting", id="harm-it-has-done"),
    pytest.param("친절하셔라", "venting", id="mock-praise"),
    pytest.param("참 잘도 가르쳐 주네", "venting", id="mock-thanks"),
    pytest.param("이해는 개뿔", "venting", id="denied-with-contempt"),
    pytest.param("찾긴 뭘 찾아", "venting", id="echoed-with-contempt"),
    pytest.param("맨날 규정에 없다네", "venting", id="hearsay-of-its-refusals"),
    pytest.param("방금은 안다며", "venting", id="its-own-words-held-against-it"),
    pytest.param("대답을 해야지", "venting", id="what-it-owes"),
    pytest.param("저한테 확인하란 말만 하지 말고요", "venting", id="nothing-but-one-phrase"),
    pytest.param("답이 영 신통찮네", "venting", id="answer-no-good"),
    pytest.param("벽이랑 말하는 기분이다", "venting", id="talking-to-a-wall"),
    pytest.param("순 엉터리구만", "venting", id="nothing-but-nonsense"),
    pytest.param("씨발", "abuse", id="swear-word-alone"),
    pytest.param("ㅅ ㅂ", "abuse", id="spaced-initials"),
    pytest.param("시bal", "abuse", id="half-in-latin-letters"),
    pytest.param("아가리 닥쳐", "abuse", id="order-with-an-insult"),
    pytest.param("머저리야 똑바로 찾아봐", "abuse", id="order-with-contempt"),
    pytest.param("지라알 진짜", "abuse", id="drawn-out-closed-syllable"),
    pytest.param("씨ㅋ발", "abuse", id="laughter-inside"),
    pytest.param("ㅂ신아", "abuse", id="half-cut"),
    pytest.param("야 씨X", "abuse", id="masked"),
    pytest.param("tlqkf", "abuse", id="keyboard-set-to-latin"),
    pytest.param("18놈아", "abuse", id="number-that-sounds-like-it"),
    pytest.param("ㅗ", "abuse", id="finger"),
    pytest.param(
        "휴가를 왜 안 줘 나쁜 새끼야", "abuse", id="called-names-with-a-rhetorical-question"
    ),
    pytest.param("병신 같은 게 까불어", "abuse", id="nothing-but-words-about-talk"),
    pytest.param("짜증나게 하지 말고 꺼져", "abuse", id="order-after-an-order"),
    pytest.param("이 한심한 로봇아 꺼져", "abuse", id="order-after-an-insult"),
    pytest.param("야 이 멍청아 썩 꺼져", "abuse", id="order-after-a-name"),
    pytest.param("쓸모없는 상담봇 닥쳐", "abuse", id="order-after-an-attribute"),
    pytest.param("모르면 꺼져", "abuse", id="order-under-a-condition"),
    pytest.param("에이 꺼져", "abuse", id="order-after-a-sigh"),
    pytest.param("아 씨♡발 진짜", "abuse", id="heart-inside"),
    pytest.param("야 시1발", "abuse", id="digit-inside"),
    pytest.param("지 랄 하네", "abuse", id="spaced-letters"),
    pytest.param("와 ㅆㅂ", "abuse", id="initials"),
    pytest.param("ㅂㅕㅇㅅㅣㄴ아", "abuse", id="letter-by-letter"),
    pytest.param("지이랄 진짜", "abuse", id="drawn-out"),
    pytest.param("꺼/져", "abuse", id="broken-up-order"),
    pytest.param("닥치고 대답이나 해", "abuse", id="order-to-be-silent"),
    pytest.param("이 등신아", "abuse", id="vocative"),
    pytest.param("글이나 베끼는 개자식아", "abuse", id="vocative-after-anything"),
    pytest.param("챗봇 너 또라이냐", "abuse", id="bot-named"),
    pytest.param("미친 AI", "abuse", id="mad-bot"),
    pytest.param("너무 괴로워서 죽고 싶어요", "crisis", id="wish-to-die"),
    pytest.param("더는 살고 싶지가 않아", "crisis", id="does-not-want-to-live"),
    pytest.param("오늘 밤 자살할 거예요", "crisis", id="plan"),
    pytest.param("본사에 불 질러버릴 거다", "crisis", id="threat-of-arson"),
    pytest.param("거기 찾아가서 다 죽여버린다", "crisis", id="threat-of-murder"),
]
CLEAN = [
    pytest.param("주차 민원은 어느 부서에 접수하나요?", id="complaint-as-topic"),
    pytest.param("고객 불만 응대 절차 알려줘", id="dissatisfaction-as-topic"),
    pytest.param("욕설을 한 회원의 제재 기준은?", id="swearing-as-topic"),
    pytest.param("불만은 없는데 규정이 궁금해요", id="negated-with-question"),
    pytest.param("답답하지 않아요", id="negated-emotion"),
    pytest.param("나쁘지 않네", id="negated-judgement"),
    pytest.param("게시판에서 병신이라고 쓴 글도 처벌되나요?", id="mentioned-swear-word"),
    pytest.param("'꺼져'라는 말도 폭언인가요?", id="quoted-order"),
    pytest.param("“씨발”은 욕설에 해당하나요?", id="quoted-swear-word"),
    pytest.param("주식이 또 떨어졌네. 아 열받아", id="feeling-about-another-sentence"),
    pytest.param("친구가 같은 말만 반복해", id="repeating-friend"),
    pytest.param("총무팀에 물어봤는데 모른대요", id="asked-somebody-else"),
    pytest.param("말하지 마 비밀이야", id="order-that-is-no-reproach"),
    pytest.param("답답해하지 마세요", id="consolation-with-a-feeling"),
    pytest.param("제가 이해를 못 했네요", id="speaks-of-ones-own-failing"),
    pytest.param("네가 못 하는 건 뭐야", id="asks-what-it-cannot-do"),
    pytest.param("AI가 사람보다 멍청한가요?", id="wonders"),
    pytest.param("이게 더 낫네", id="comparison-of-something-else"),
    pytest.param("우리 사장 병신 같아", id="swears-at-somebody-else"),
    pytest.param("병신년에 태어난 띠", id="year-of-the-monkey"),
    pytest.param("4월 18일", id="date"),
    pytest.param("18", id="number"),
    pytest.param("hello world", id="latin-words"),
    pytest.param("병 신고 절차", id="two-words-with-a-space"),
    pytest.param("짜증나 게임 졌어", id="noun-that-looks-like-an-ending"),
    pytest.param("시발역에서 종점까지 얼마나 걸려요?", id="first-station"),
    pytest.param("논의의 시발점이 된 사건", id="starting-point"),
    pytest.param("접수시 발급되는 서류", id="two-words-make-no-swear-word"),
    pytest.param("발송시/발표시 차이", id="two-words-and-a-slash"),
    pytest.param("질병신고 양식", id="swear-word-inside-compound"),
    pytest.param("간병신청은 언제까지인가요", id="swear-word-across-syllables"),
    pytest.param("새끼손가락을 다쳤을 때 산재", id="little-finger"),
    pytest.param("금리가 환율에 미친 영향", id="ordinary-verb-michida"),
    pytest.param("모니터가 꺼져 있어요", id="screen-is-off"),
    pytest.param("이 로봇 자꾸 꺼져", id="device-goes-out-again"),
    pytest.param("멍청한 기계가 꺼져", id="stupid-device-goes-out"),
    pytest.param("난로 불이 저절로 꺼져", id="fire-goes-out"),
    pytest.param("버튼을 누르면 꺼져", id="goes-out-on-a-button"),
    pytest.param("태풍이 닥쳐오면 휴교하나요", id="typhoon-comes"),
    pytest.param("서랍을 뒤져 봤는데 도장이 없어요", id="searched-the-drawer"),
    pytest.param("한 번만 더 풀어서 설명해 줄래요", id="please-explain-again"),
    pytest.param("이해가 안 돼요", id="user-does-not-understand"),
    pytest.param("무슨 말인지 잘 모르겠어요", id="user-is-lost"),
    pytest.param("잘 못 알아듣겠어요", id="user-cannot-follow"),
    pytest.param("그건 왜 안 되는 건가요?", id="why-not"),
    pytest.param("더 자세한 설명은 없나요", id="wants-more"),
    pytest.param("답변 감사합니다", id="thanks"),
    pytest.param("안녕하세요, 만나서 반갑습니다.", id="greeting"),
    pytest.param("어제 결제했습니다.", id="plain-statement"),
    pytest.param("네 알겠습니다.", id="agreement"),
    pytest.param("도움이 많이 됐어요", id="was-helpful"),
    pytest.param("그만", id="stop"),
    pytest.param("무시해", id="ignore-it"),
    pytest.param("포기하지 마", id="consolation"),
    pytest.param("실망하지 마세요", id="polite-consolation"),
    pytest.param("네가 할 수 있는 게 뭐야?", id="asks-for-abilities"),
    pytest.param("너 이름이 뭐야", id="asks-for-the-name"),
    pytest.param("동생이 자꾸 거짓말하네", id="lying-brother"),
    pytest.param("다시는 예약 안 되나요?", id="whether-it-can-be-had-again"),
    pytest.param("앞으로 다른 카드로 결제할게요", id="something-else-from-now-on"),
    pytest.param("블로그에 올릴 사진이 필요해요", id="for-the-public"),
    pytest.param("세탁기에서 이상한 소리가 나요", id="sound-of-a-kind"),
    pytest.param("이미 예약했거든요", id="done-already"),
    pytest.param("노조에 가입하고 싶어요", id="wishes-to-join"),
    pytest.param("신랑이 내 말을 안 믿어서 속상해", id="third-person-feeling"),
    pytest.param("우리 과장은 말귀를 못 알아듣네", id="somebody-else-is-hard-of-hearing"),
    pytest.param("난 왜 이렇게 멍청하지", id="speaks-of-oneself"),
    pytest.param("회의실 프로젝터가 느려서 답답해요", id="slow-device"),
    pytest.param("인터넷이 너무 느려요", id="slow-network"),
    pytest.param("급여 계산이 틀렸어요", id="wrong-payroll"),
    pytest.param("내비게이션 안내 소리 꺼", id="command"),
    pytest.param("그 배우 병신 연기 진짜 대박", id="swear-word-aimed-at-nobody"),
    pytest.param("과장님한테 물어봤는데 왜 그런 말을 해", id="somebody-elses-answer"),
    pytest.param("없는 내용은 지어내지 말고 답해줘", id="instruction-not-to-invent"),
    pytest.param("이것도 안 되면 어떻게 하나요", id="what-if-it-fails"),
    pytest.param("나중에 다시 물어봐야지", id="own-resolve"),
    pytest.param("계속 물어봐도 되나요?", id="may-i-go-on"),
    pytest.param("다른 답은 없어?", id="wants-another"),
    pytest.param("이런 식이면 계약을 해지할 수 있나요", id="condition-of-a-question"),
    pytest.param("너랑 얘기하니까 속이 풀려", id="content-with-the-talk"),
    pytest.param("태도가 불량한 직원 징계 기준", id="attribute-of-somebody"),
    pytest.param("씨 발아 시기", id="seeds-that-sprout"),
    pytest.param("자살 예방 교육 일정 알려줘", id="prevention-as-topic"),
    pytest.param("죽고 싶어하는 동료를 어떻게 도울까요", id="wish-of-somebody-else"),
    pytest.param("불을 지르겠다고 협박한 손님 신고", id="reported-threat"),
    pytest.param("배고파 죽겠어요", id="hyperbole"),
    pytest.param("모기를 죽여버리고 싶어", id="mosquito"),
    pytest.param("", id="nothing"),
    pytest.param("ㅋㅋㅋㅋ", id="laughing"),
]
WITH_QUESTION = [
    pytest.param("ㅅㅂ 환불 규정이 뭐예요", "ㅅㅂ", id="swear-word-and-question"),
    pytest.param("답답하네. 휴가 신청 방법 알려줘", "답답하네", id="complaint-then-request"),
    pytest.param("왜 몰라? 그럼 출장비는 얼마야?", "왜 몰라", id="complaint-then-question"),
    pytest.param(
        "정산일이 며칠인지 몇 번을 물어봐", "몇 번을 물어봐", id="question-inside-complaint"
    ),
]


def check(question: str, settings: ComplaintSettings | None = None) -> list[Finding]:
    guard = Complaint(settings or ComplaintSettings())
    return guard.check(read(Exchange(question=question)))


def strong_codes(question: str) -> list[str]:
    return [found.code for found in check(question) if found.severity is Severity.STRONG]


@pytest.mark.parametrize(("question", "kind"), FLAGGED)
def test_flags(question: str, kind: str) -> None:
    assert f"complaint.{kind}" in strong_codes(question)


@pytest.mark.parametrize("question", CLEAN)
def test_clean(question: str) -> None:
    assert strong_codes(question) == []


@pytest.mark.parametrize(("question", "observed"), WITH_QUESTION)
def test_complaint_beside_a_question_is_only_a_note_on_the_tone(
    question: str, observed: str
) -> None:
    [finding] = check(question)

    assert finding.code == "complaint.with_question"
    assert finding.severity is Severity.WEAK
    assert finding.observed == observed


def test_a_complaint_in_no_known_construction_is_known_as_a_whole() -> None:
    told = "  밥 시킨 지 두 시간 만에 와 놓고 미안하단 말 한마디 없이 휙 던지고 갔습니다 "

    [finding] = check(told)

    assert finding.code == "complaint.venting"
    assert finding.observed == told.strip()
    assert 0.5 < finding.score < 1


@pytest.mark.parametrize("message", ["", " ", "?", "12", "네", "\u2028", "가" * 1001])
def test_what_tells_nothing_is_no_complaint(message: str) -> None:
    assert strong_codes(message) == []


def test_each_clause_that_complains_is_reported() -> None:
    assert strong_codes("질문을 끝까지 읽어. 답답하네") == [
        "complaint.venting",
        "complaint.venting",
    ]


def test_the_gravest_comes_first() -> None:
    assert strong_codes("진짜 답답하네 씨발") == ["complaint.abuse", "complaint.venting"]
    assert strong_codes("너 왜 그것도 몰라 병신아. 죽고 싶다") == [
        "complaint.crisis",
        "complaint.abuse",
        "complaint.venting",
    ]


def test_span_covers_the_words_as_they_were_typed() -> None:
    question = "음… ㅂㅕㅇ신아！"

    [finding] = check(question)

    assert (finding.span.start, finding.span.end) == (3, 8)
    assert finding.observed == "ㅂㅕㅇ신아"
    assert finding.part == "question"


def test_crisis_is_reported_even_beside_a_question() -> None:
    codes = {finding.code for finding in check("죽고 싶은데 상담 전화는 몇 번인가요?")}

    assert codes == {"complaint.crisis"}


def test_crisis_is_found_in_a_long_message() -> None:
    long = "오늘 있었던 일을 적어 봅니다. " * LONGEST_MESSAGE_CHARS + "그냥 죽고 싶어요"

    assert [finding.code for finding in check(long)] == ["complaint.crisis"]


def test_policy_can_turn_crisis_off() -> None:
    assert check("죽고 싶어요", ComplaintSettings(crisis=False)) == []


def test_extra_words_make_a_complaint() -> None:
    settings = ComplaintSettings(extra_words=("고객 센터 먹통",))

    [finding] = check("고객센터 먹통", settings)

    assert finding.code == "complaint.venting"
    assert check("고객센터 먹통") == []


def test_ignored_words_are_overlooked() -> None:
    assert check("또라이", ComplaintSettings(ignore_words=("또라이",))) == []
    assert [finding.code for finding in check("또라이")] == ["complaint.abuse"]


@pytest.mark.parametrize("char", ["가", "시", "ㅅ", "1", "(", "'", "아", "왜 ", "왜.", "ㅅㅣ"])
def test_long_input_of_one_kind_is_clean(char: str) -> None:
    assert not [f for f in check(char * 100_000) if f.severity is Severity.STRONG]


def test_message_of_nothing_but_address_ends_soon() -> None:
    assert_grows_with_its_input(
        lambda chars: check("너 챗봇 왜 " * (chars // 8)), LONGEST_MESSAGE_CHARS
    )

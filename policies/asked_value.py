"""What a question for one thing asks for (스탠다드 요금은 얼마인가요?), and if a text says it."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from guards.claims.question import Kinds, asked_kinds, asked_subject, asked_words, unread_words
from guards.core.reading import Text
from guards.evidence.sets import Values
from guards.evidence.values import Value, values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, canonical, content_words, simple_nouns
from guards.lexicons.loading import section_words, sections, words
from guards.text.particles import stem
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

# What would have to be worked out, or told from today's date or what is known of the user.
_RECKONED = re.compile(
    r"가장|제일|최고|최저|최대|최소|최장|한도|상한|하한|합계|총합|합치|합하|합쳐|차이|평균|비교|계산|남은|남았|지났|지난|이번|올해|내년|작년|"
    r"오늘|내일|어제|다음\s?(?:달|주|해)|제가|저는|저의|(?<![가-힣])(?:내가|나는|난)(?![가-힣])|더\s?(?:비싼|싼|많|적|길|짧|늦|빠)"
)
_EXCLUDING = re.compile(r"말고|빼고|제외|아닌|없|않|못|(?<![가-힣])안\s?[되하돼받가]")
_CODE = re.compile(r"[A-Za-z]+-?\d+|\d+[A-Za-z]+")
_NUMBERED = re.compile(r"\d+[가-힣]*")
_POINTING = frozenset("이그저")
_HANGUL = re.compile(r"[가-힣]")
_HANGUL_RUN = re.compile(r"[가-힣]+")
# 몇 시까지 asks for the end of something, 몇 시부터 for its beginning.
_SIDES = (
    (re.compile(r"까지"), re.compile(r"까지|[~∼～]|이내|안에|이하|마감|기한|종료|끝|제한|한도")),
    (re.compile(r"부터"), re.compile(r"부터|[~∼～]|이상|이후|시작")),
)
_HOW_MUCH_IS = re.compile(r"[가-힣][은는이가]\s?얼마(?:예요|인가요|에요|입니까|죠|지요)")
# What users tell before they ask (그냥 지나갔는데, 처음 가 봐요); 회원인데 is a case of the matter.
_TOLD = re.compile(r"(?:(?<!인)[는은던]데요?,?|[.!?])\s+")
_ASKING = re.compile(r"(?<![가-힣])몇|며칠|얼마|언제")
_EXAMPLE = re.compile(r"(?<![가-힣])[가-힣A-Za-z]+(?<![와과])\s같은\s(?=[가-힣A-Za-z])")
_SIDE_ASKED = re.compile(r"(?:몇\s?[가-힣]*|언제|며칠|얼마)(?P<side>까지|부터)")
# What else is asked for than a figure, the first that fits.
_ASKED_FOR = (
    ("person", re.compile(r"누가|누구|담당자|(?:어느|어떤)\s(?:부서|팀)")),
    ("place", re.compile(r"어디|(?:어느|몇\s?번|무슨)\s(?:창구|곳|층|부서|팀)")),
    ("way", re.compile(r"방법|절차|어떻게")),
    ("papers", re.compile(r"준비물|서류|지참|챙[겨기]|필요한\s(?:것|게|건)")),
    ("must", re.compile(r"야\s?(?:하|되|돼|해|합)|필요한?가|필수|의무")),
    ("may", re.compile(r"수\s?있|[가-힣]도\s?(?:되|돼|괜찮|될)|가능|[되돼](?:나|요|는)|됩니까")),
    ("is there", re.compile(r"있(?:나요|어요|습니까|는지|을까요|나)")),
)
_WHETHER = frozenset({"may", "must", "is there"})
_UNCLEAR = re.compile(r"왜|아니면|그리고|각각|어떻게\s?[되돼]")
# The words of a question that only ask.
_ASKING_WORDS = re.compile(
    r"(?<![가-힣])(?:어디|누구|누가|무엇|뭐|뭘|뭔|무슨|어느|어떤|어떻게)[가-힣]*|필요한\s(?:것|게|건)[가-힣]*"
)
_CASES = section_words("direct_answers", "cases")
OWN_CASE = section_words("direct_answers", "own_case")
"""Words around a value that users give of themselves, which pages leave out."""
# A period in a question, and what pages write for it: 한 달 요금, 월 요금.
_RATES = (
    (
        re.compile(r"(?:한|1)\s?시간"),
        re.compile(r"(?<![가-힣\d])(?:매\s?|한\s?|1\s?)?시간(?:당|에)"),
    ),
    (
        re.compile(r"하루|일일|1\s?일"),
        re.compile(r"하루|매일|일일|(?<![\d월])(?<!월 )1\s?일(?!부터|까지|자)"),
    ),
    (
        re.compile(r"(?:한|1)\s?달|1\s?개월"),
        re.compile(r"(?<![가-힣\d])(?:한\s?달|매?월|매달|1\s?개월)(?!요일|말|초)"),
    ),
    (
        re.compile(r"(?:한|일|1)\s?년|한\s?해"),
        re.compile(r"(?<![가-힣\d])(?:연간?|매년|1\s?년|한\s?해)(?![가-힣])"),
    ),
)
_SAME = [
    frozenset(canonical(word) for word in line.split())
    for line in sections("direct_answers")["same"]
]
_ALIKE = {word: group for group in _SAME for word in group}
_DAYS = {
    day: days for days, *each in map(str.split, sections("direct_answers")["days"]) for day in each
}
_SPACING = re.compile(r"[\s·ㆍ,]+")
_PREFIXES = words("prefixes")
_PAID_FOR = re.compile(r"(?P<thing>[가-힣]{2,})[비료권]")
_GETTING = section_words("direct_answers", "getting")
# Of a compound, its simple nouns, the compound, and perhaps an ending of one syllable.
_COMPOUND = 3


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A question for one figure, or for one other thing.

    Attributes:
        kinds: The kinds of figure that it asks for.
        words: Its words; the last one says what the figure is asked of.
        cases: Light words that tell which case is meant (본인, 전, 토요일).
        verbatim: What has to stand there as it is: codes (P1), and words that could not be read.
        features: The features of all its words, and of those that pages may use for them.
        given: The figures that it gives itself.
        subject: The noun phrase that the figure is asked of; empty if there is none.
        side: What the sentence has to say where one end of something is asked for.
        is_open: Whether it asks how much something is without a word for the kind of its value.
        asks_for: What it asks for instead of a figure (place); empty where it asks for one.
        of_band: Whether a band of the sentence stands for values that it gave.
    """

    kinds: Kinds
    words: Sequence[Word]
    cases: frozenset[str]
    verbatim: Sequence[str]
    features: frozenset[str]
    given: Sequence[Value]
    subject: str
    side: re.Pattern[str] | None
    is_open: bool = False
    asks_for: str = ""
    of_band: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """A single value of a dimension, or what it may be where it is given roughly."""

    dimension: str
    values: Values


def rate_of(text: str) -> re.Pattern[str] | None:
    """Return what pages write for a period of one (한 달: 월, 매월), if a text is one."""
    return next((said for asked, said in _RATES if asked.fullmatch(text)), None)


def features_for(word: Word) -> list[str]:
    """Return the features of a word and of those that a page may use for it."""
    return [one for feature in word.features for one in alike(feature)]


def alike(feature: str) -> frozenset[str]:
    """Return the words that a question and a page may use for one thing, the word among them."""
    return _ALIKE.get(feature, frozenset({feature}))


def point_of(value: Value) -> Point | None:
    """Return the value that a question gives as it is, without a limit (4kg; not 4kg 이상).

    What is given roughly (6톤 정도) may be a tenth less or more.
    """
    slot = value.slot
    if not isinstance(slot, Quantity) or slot.comparing_word:
        return None
    values = Values(min(slot.measure.values), max(slot.measure.values))
    if values.low is None or values.high is None or not values.is_point:
        return None
    if slot.approximate:
        values = Values(values.low * 9 / 10, values.high * 11 / 10)
    return Point(slot.measure.dimension, values)


def read_question(question: str, knows: Callable[[str], bool]) -> AskedValue | None:
    """Read a question for one thing; None for any other, and for what has to be worked out.

    Args:
        question: The question; an example in it is passed over (쏘렌토 같은 SUV).
        knows: Tells whether any source has a feature. What users tell before they ask has to be
            found as far as the sources speak of it; 토요일 is 주말 where they speak of that only.
    """
    for day, days in _DAYS.items():
        if knows(canonical(days)) and not knows(canonical(day)):
            question = question.replace(day, days)
    question = _EXAMPLE.sub(lambda match: " " * len(match[0]), question)
    told, begin = _told_and_asked(question)
    kinds = asked_kinds(question[begin:])
    given = values_of(Text(question))
    asks_for = "" if kinds or _ASKING.search(question) else _asked_for(question[begin:])
    if asks_for:
        question = _ASKING_WORDS.sub(lambda match: " " * len(match[0]), question)
    asked = [
        _whole(one, question)
        for one in asked_words(question)
        if one.start >= begin or any(map(knows, features_for(one)))
    ]
    # That users bought what they ask about says nothing of it: 20회권 샀는데.
    asked = [
        one for one in asked if one.start >= told or not (one.is_verb and one.text in OWN_CASE)
    ]
    misread = [one for one in asked if _is_misread(one, question, given)]
    subject_words = [
        one for one in asked if not _is_unit(one, given) and one not in misread
    ] or asked
    names_nothing = all(
        rate_of(one.text) or one.features[-1].endswith("다") for one in subject_words
    )
    # What is told is of the matter where the sources have any of its words.
    begin_of_matter = 0 if any(one.start < begin for one in asked) else begin
    if not ((kinds or asks_for) and subject_words) or names_nothing:
        return None
    if _RECKONED.search(question, told) or _EXCLUDING.search(question, begin_of_matter):
        return None
    unread = [*unread_words(question), *(_written(one, question) for one in misread)]
    unread = [one for one in unread if not one.endswith("씩")]  # 한 번씩
    every = [one for one in content_words(morphemes(question)) if not _is_unit(one, given)]
    side = _SIDE_ASKED.search(question)
    return AskedValue(
        kinds,
        subject_words,
        # Of two light words, a compound is a thing of its own: 기본요금.
        frozenset(word.text for word in every if word.text in _CASES)
        | {word.features[-1] for word in every if word.is_light and len(word.features) > 1},
        [
            *(
                match[0].casefold()
                for match in _CODE.finditer(question)
                if not any(one.start <= match.start() < one.end for one in given)
            ),
            *unread,
            *numbered(question, given),
        ],
        frozenset(
            other for one in (*features_of(every), *map(canonical, unread)) for other in alike(one)
        ),
        given,
        asked_subject(question[begin:]),
        next((needs for end, needs in _SIDES if side and end.search(side["side"])), None),
        is_open=_HOW_MUCH_IS.search(question) is not None and kinds == asked_kinds("얼마인가요?"),
        asks_for=asks_for,
    )


def _asked_for(question: str) -> str:
    """Return what else than a figure one question asks for; empty if that is not clear."""
    if question.count("?") > 1 or _UNCLEAR.search(question):
        return ""
    found = next((name for name, asking in _ASKED_FOR if asking.search(question)), "")
    return "" if found in _WHETHER and _ASKING_WORDS.search(question) else found


def _told_and_asked(question: str) -> tuple[int, int]:
    """Return where the clause that asks begins, and one that says what a value is asked of."""
    asking = _ASKING.search(question)
    last = asking.start() if asking else 0
    ends = [match.end() for match in _TOLD.finditer(question) if match.end() <= last]
    with_matter = (
        end
        for end in reversed(ends)
        if any(not one.features[-1].endswith("다") for one in asked_words(question[end:]))
    )
    return (ends[-1] if ends else 0), next(with_matter, 0)


def _whole(word: Word, text: str) -> Word:
    """Return a word, with the first syllable of it that was taken for a pointing word (이자율)."""
    start = word.start - 1
    if start < 0 or text[start] not in _POINTING or _HANGUL.search(text[:start][-1:]):
        return word
    whole = text[start : word.end]
    return word._replace(text=whole, features=(canonical(whole),), start=start)


def _is_misread(word: Word, text: str, values: Sequence[Value]) -> bool:
    """Tell whether a word is one syllable within a longer one (무 of 의무, taken for 의 + 무)."""
    before = word.start - 1
    glued = text[max(before, 0) : word.start]
    return (
        len(word.text) == 1
        and _HANGUL.match(glued) is not None
        and not any(value.start <= before < value.end for value in values)
    )


def _written(word: Word, text: str) -> str:
    """Return the written word that a word stands in, without particles; else itself (퓨어s)."""
    runs = _HANGUL_RUN.finditer(text)
    return next((stem(run[0]) for run in runs if run.start() <= word.start < run.end()), word.text)


def _is_unit(word: Word, values: Sequence[Value]) -> bool:
    """Tell whether a word is a part of a value (kg of 4kg)."""
    return any(value.start <= word.start and word.end <= value.end for value in values)


def numbered(text: str, values: Sequence[Value]) -> list[str]:
    """Return the words with a number that are no values: 4인실, 2종."""
    return [
        stem(match[0])
        for match in _NUMBERED.finditer(text)
        if not any(value.start <= match.start() < value.end for value in values)
    ]


def features_of(words: Iterable[Word]) -> frozenset[str]:
    """Return the features of some words."""
    return frozenset(feature for word in words for feature in word.features)


def without_spaces(text: str) -> str:
    """Return a text without spaces, middle dots and commas."""
    return _SPACING.sub("", text)


@dataclass(frozen=True, slots=True)
class Said:
    """A text with the features of its words, and its form without spaces and case.

    Attributes:
        priced: Of an amount, the labels and titles that say nothing but whose price it is.
        is_price: Whether it is of an amount that is no more than a price.
    """

    features: Collection[str]
    text: str
    dense: str
    priced: Sequence[str] = ()
    is_price: bool = False

    @classmethod
    def of(cls, text: str, features: Collection[str]) -> "Said":
        """Return what a text says."""
        return cls(features, text.casefold(), without_spaces(text).casefold())

    def has(self, word: Word, kinds: Kinds) -> bool:
        """Tell whether a word stands there, or all nouns that it is made of.

        Where a date is asked for, 설립 stands for 설립일.
        """
        parts = simple_nouns(word)
        if len(word.text) > 1 and self._has_text(word.text.casefold()):
            return True
        if (rate := rate_of(word.text)) is not None:
            return rate.search(self.text) is not None
        if self._has_cost_of(word.text, kinds):
            return True
        if self.is_price and word.is_verb and word.text in _GETTING:
            return True
        if parts != word.features:
            compound = word.features[-1]
            may_be_parts = len(word.features) >= _COMPOUND or (
                Dimension.DATE in kinds and compound.endswith("일")
            )
            if self._has_feature(compound) or not may_be_parts:
                return self._has_feature(compound)
        return all(map(self._has_feature, parts))

    def has_written(self, text: str) -> bool:
        """Tell whether a text that is no word to the analyser stands there, or one for the same."""
        stands = re.search(rf"(?<!\d){re.escape(text)}", self.dense) is not None
        return stands or self._has_feature(canonical(text))

    def _has_feature(self, feature: str) -> bool:
        return not alike(feature).isdisjoint(self.features)

    def _has_cost_of(self, text: str, kinds: Kinds) -> bool:
        """Tell whether an amount is a thing's, as it is called nothing else (새벽 배송: 배송비)."""
        costs = _PAID_FOR.fullmatch(text) if Dimension.WON in kinds else None
        return costs is not None and any(costs["thing"] in one for one in self.priced)

    def _has_text(self, text: str) -> bool:
        """Tell whether a text stands there without a prefix that makes another thing of it."""
        spaced = _SPACING.pattern.replace("+", "*").join(map(re.escape, text))
        return text in self.dense and any(
            self.text[max(0, match.start() - 1) : match.start()] not in _PREFIXES
            for match in re.finditer(spaced, self.text)
        )

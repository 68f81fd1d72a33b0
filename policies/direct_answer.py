"""The last resort before a template: the sources' own sentences, where they plainly answer.

A question for one figure is answered so (몇 명, 얼마, 언제): every word of it has to stand in the
sentence, the row or above it, and there has to be a figure of the kind that is asked for. Where it
is for a place, a person, papers, a way, or whether, one sentence or label has to give just that. A
value that users give of themselves (4kg) chooses the one row whose band holds it (3kg 초과 5kg
이하). A cell or a labelled value is told as a sentence of its labels. What would have to be worked
out, compared, or told from today's date is left alone, and so is what is of another matter (취소
수수료 for 수수료): a quote of the wrong thing is worse than none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guards.claims.layout import Label, Level
from guards.claims.question import Kinds, is_generic
from guards.claims.reader import Claim, Modality, label_words
from guards.core.exchange import Source
from guards.core.reading import SourceSet, Text, source_set
from guards.evidence.bands import bands_of
from guards.evidence.binding import SourceFigures
from guards.evidence.contradictions import Contradictions, ValueSentence, leans_on_context
from guards.evidence.figures import Figure
from guards.evidence.index import SourceIndex
from guards.evidence.values import Value, kind_of, values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, canonical, content_words
from guards.lexicons.loading import section_words, sections
from guards.text.editions import Edition
from guards.text.particles import Noun
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension
from policies.asked_value import (
    OWN_CASE,
    AskedValue,
    Said,
    features_of,
    numbered,
    point_of,
    rate_of,
    read_question,
    without_spaces,
)
from policies.schema.sections import Tone
from policies.templates import plain_line

_MOST_SENTENCES = 3
_LONGEST_SENTENCE_CHARS = 300
_LONGEST_QUESTION_CHARS = 200
_ROW = {
    Tone.FORMAL: "{subject}{particle} {value}입니다.",
    Tone.FRIENDLY: "{subject}{particle} {value}{copula}.",
}
"""Sentence patterns for a table cell or a labelled value."""
_EXCEPTION = re.compile(r"(?:다만|단)[,\s]")
_CLOSED = re.compile(r"(?:다|요|음|(?<!포)함|됨|임)[.!]?[)\"”’]?$")
# 제16조(경조휴가) ①: the head of an article, not a reference to one.
_ARTICLE = re.compile(
    r"^(?:제\s?\d+\s?조(?:의\s?\d+)?\s*(?:[(（][^()（）]*[)）]\s*[①-⑳]?|[①-⑳])|[①-⑳])\s*"
)
_DAY = re.compile(r"(?:요일|주말|공휴일)$")
_BRACKET_AT_END = re.compile(r"\s*[(（][^()（）]*[)）]$")
_PEOPLE = re.compile(
    r"(?:직원|임직원|사람|자|(?<![과족일])분|고객|손님|회원|이용자|근로자|신청자|투숙객|방문객|학생|회사|본사|당사|구성원|대상자)$"
)
_TOPIC = frozenset({"은", "는"})
_OF_A_CASE = frozenset({"때", "경우"})
# 퇴사한 다음 날 points at nothing outside its sentence.
_DAY_AFTER = re.compile(r"(?<=[한은된난간낸쓴산]) 다음(?= [날달주해])")
_LIMIT = re.compile(r"한도|최대|최소|최고|최저|상한|하한")
_COST = re.compile(r"(?P<thing>[가-힣]{2,})[비료]")
# What stands with an amount that is no plain price.
_NO_PRICE = re.compile(
    r"할인|적립|환급|지원|면제|이상|초과|(?:[^요]금|수당|수수료|예산|급여)(?![가-힣])"
)
_AMOUNT = re.compile(r"(?:수당|급여|보상|보험|요금|[비료금])$")
_KINDS_APART = tuple(
    {word: kind[0] for kind in (entry.split("=") for entry in line.split()) for word in kind}
    for line in sections("direct_answers")["kinds"]
)
_OF_A_KIND = frozenset().union(*_KINDS_APART)
_NO_NAMES = section_words("direct_answers", "no_names")
_PLAIN = frozenset(map(canonical, ("요금", "가격", "비용", "금액", "단가", "시간", "기간")))
_ENDS = frozenset({"까지", "부터"})
_SIGNS = re.compile(r"[+→×=|]")
_ALSO = frozenset({"도", "만"})
_PER = "당"  # behind a figure: 1일당
_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_OF_A_LIMIT = frozenset({"초과", "미만"})
_LABELS = frozenset({Level.ROW, Level.COLUMN, Level.LABEL, Level.PARENT})
_VALUE_NOUN = re.compile(
    rf"(?<!\d)[가-힣]*(?:{'|'.join(section_words('direct_answers', 'value_nouns'))})$"
)
# 가격표, 요금 안내.
_FORM_AT_END = re.compile(r"(?:표|\s안내)$")

_WHETHER = {
    "may": frozenset({Modality.PERMITTED, Modality.FORBIDDEN}),
    "must": frozenset({Modality.REQUIRED, Modality.NOT_REQUIRED}),
    "is there": frozenset({Modality.FACT, Modality.DENIED}),
}
_SLOTS = {
    "place": re.compile(r"(?:장소|위치|접수처|신청처|제출처|문의처|발급처|창구|곳)$"),
    "person": re.compile(r"(?:담당|담당자|부서|승인자|책임자|결재자)$"),
    "papers": re.compile(r"준비물|서류|지참"),
    "way": re.compile(r"방법|절차"),
}
_SLOT_PARTICLES = {
    "place": frozenset({"에서", "에", "로", "으로", "께", "에게"}),
    "person": frozenset({"이", "가", "에서", "께서", "에게"}),
    "way": frozenset({"에서", "로", "으로"}),
}
_IS_THERE = re.compile(r"(?<!수 )(?:있|없)(?:다|습니다|어요|음)[.!]?$")
_NO_PLACE = re.compile(r"[일월년날때후전시안중내]$|경우|기간|동안|방식")
_NEEDED = re.compile(r"필요(?:합|하|해)|(?:지참|준비|제출|챙)[가-힣]*\s?(?:야|주|십|세)")
_FRAME = section_words("direct_answers", "frame")
_MODAL = section_words("direct_answers", "modal")


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """An answer in the sources' own words.

    Attributes:
        sentences: What is said: sentences of the sources, or what their rows and labels tell.
        source_ids: The source of each of them.
        quotes: The same for the user, those of each source together with its name.
    """

    sentences: tuple[str, ...]
    source_ids: tuple[str, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence that answers.

    Attributes:
        text: What is said.
        is_quote: Whether it stands there so.
        by_itself: Whether it needs no heading to be about the question.
    """

    sentence: ValueSentence
    text: str
    is_quote: bool
    by_itself: bool


def direct_answer(
    question: str, sources: Sequence[Source], tone: Tone = Tone.FORMAL
) -> DirectAnswer | None:
    """Answer a question with up to three sentences of its sources, or not at all."""
    if len(question) > _LONGEST_QUESTION_CHARS:
        return None
    read = source_set(tuple(sources))
    wanted = read_question(question, read.once(SourceIndex).knows)
    if wanted is None:
        return None
    if wanted.asks_for:
        return _without_figure(read.once(Contradictions).every_sentence, wanted, tone)
    sentences, rows = read.once(Contradictions).sentences, read.once(_Rows)
    answering = [
        (one, replace(wanted, of_band=rows.in_band(one, wanted)))
        for one in sentences
        if rows.may_hold(one, wanted) and _answers(one, wanted, rows.head_of(one))
    ]
    if not answering and wanted.given:
        answering = rows.of_the_users_case(sentences, wanted)
    others = [one for one, _ in answering]
    meant = [(one, case) for one, case in answering if not _is_beside_named(one, others, question)]
    found = [_found(one, case, tone) for one, case in meant]
    if not all(found):
        return None  # one that answers cannot be told in a sentence
    chosen = _chosen([one for one in found if one])
    return _answer(chosen) if chosen else None


def _without_figure(
    sentences: Sequence[ValueSentence], question: AskedValue, tone: Tone
) -> DirectAnswer | None:
    """Answer a question for a place, a person, papers, a way, or whether, with one sentence.

    Another sentence with all its words leaves it open, unless that is told as the exception.
    """
    words = [one for one in question.words if one.text not in _FRAME] or question.words
    question = replace(question, words=words)
    fitting = [
        one
        for one in _without_values_beside(sentences)
        if _has_all(Said.of(_with_labels(one), one.around), question) and _fits(one, question)
    ]
    answering = [one for one in fitting if _is_just(one, question)]
    if len(answering) != 1 or any(
        one is not answering[0] and one.text != answering[0].behind for one in fitting
    ):
        return None
    return _answer([found]) if (found := _found(answering[0], question, tone)) else None


def _without_values_beside(sentences: Sequence[ValueSentence]) -> Iterator[ValueSentence]:
    """Yield sentences, cells without the labels that are answers beside them (1층 창구)."""
    values = {
        (one.source.id, block.line, one.text)
        for one in sentences
        for block in (one.sentence[0].block,)
        if block.is_cell and any(slot.search(block.labels[-1].text) for slot in _SLOTS.values())
    }
    for one in sentences:
        block = one.sentence[0].block
        at = one.source.id, block.line
        block = block._replace(
            labels=tuple(label for label in block.labels if (*at, label.text) not in values)
        )
        yield replace(one, sentence=tuple(claim._replace(block=block) for claim in one.sentence))


def _fits(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence gives what is asked for: a modality, a place, a label."""
    asks_for, is_cell = question.asks_for, sentence.sentence[0].block.is_cell
    is_prose = _CLOSED.search(sentence.text) is not None
    known = (*sentence.values, *values_of(Text(_above(sentence))))
    if not all(value.is_among(known) for value in question.given):
        return False
    if asks_for in _WHETHER:
        there = asks_for != "is there" or _IS_THERE.search(sentence.text) is not None
        return is_prose and there and sentence.sentence[-1].clause.modality in _WHETHER[asks_for]
    labels = (
        _own_labels(sentence)[-1:]
        if is_prose or is_cell
        else sentence.sentence[0].block.labels[-2:]
    )
    if any(_SLOTS[asks_for].search(label.text) for label in labels):
        return True
    if asks_for == "papers":
        return is_prose and _NEEDED.search(sentence.text) is not None
    return is_prose and any(
        one.particle.removesuffix("만") in _SLOT_PARTICLES[asks_for]
        and not (one.is_verb or one.features[-1] in question.features or _NO_PLACE.search(one.text))
        for claim in sentence.sentence
        for one in claim.clause.words
    )


def _is_just(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence is of just what is asked, and of nothing narrower."""
    return (
        _is_plain(sentence)
        and (_CLOSED.search(sentence.text) is None or _is_same_act(sentence, question))
        and not _is_other_kind(sentence, question)
        and not _is_narrower(sentence, question)
        and _names_it(sentence, question, "")
    )


def _is_same_act(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether topics, objects and the last predicate of a sentence are those of a question."""
    is_whether = question.asks_for in _WHETHER
    ends = "은는이가을를" if is_whether else "은는" if question.asks_for == "papers" else "은는을를"
    parts = [
        one
        for claim in sentence.sentence
        if not claim.clause.is_condition
        for one in claim.clause.words
        if not (one.is_verb or one.is_light) and one.particle.endswith(tuple(ends))
    ]
    last = [one for one in sentence.sentence[-1].clause.words if one.text not in _MODAL]
    if not is_whether:
        last = [one for one in last if one.is_verb][-1:]
        last = [one for one in last if not one.is_light and one.text not in _FRAME]
    parts += last[-1:] if question.asks_for != "is there" else []
    return all(_is_of(question, one) for one in parts)


class _Rows:
    """The rows of the sources that stand for bands of values (3kg 초과 5kg 이하)."""

    def __init__(self, sources: SourceSet) -> None:
        # By the identity of their claims, which the index keeps.
        self._figures: dict[int, list[Figure]] = defaultdict(list)
        for one in sources.once(SourceFigures).figures:
            self._figures[id(one.claim)].append(one)
        # What the first column is called: 거리.
        self._heads: dict[tuple[str, int], str] = {}
        index = sources.once(SourceIndex)
        for part, reading in zip(sources.parts, index.readings, strict=True):
            for block in reading.page.blocks:
                if block.column == 0 and part.source:
                    text = reading.page.plain[block.start : block.end]
                    self._heads.setdefault((part.source.id, block.table), text)

    def may_hold(self, sentence: ValueSentence, question: AskedValue) -> bool:
        """Tell whether a figure of a sentence is given for the values that the question gives."""
        figures = self._asked_figures(sentence, question.kinds)
        points = [point for value in question.given if (point := point_of(value)) is not None]
        return not figures or any(
            all(
                band.holds(point.values)
                for point in points
                for band in bands_of(one, _LABELS)
                if band.dimension == point.dimension
            )
            for one in figures
        )

    def of_the_users_case(
        self, sentences: Sequence[ValueSentence], question: AskedValue
    ) -> list[tuple[ValueSentence, AskedValue]]:
        """Return the cells of the one row whose bands hold the values that a question gives.

        Each comes with what is left of the question: the band says the rest.
        """
        cases = [
            (one, case)
            for one in sentences
            if (case := self._case(one, question)) is not None and _answers(one, case)
        ]
        rows = {
            (one.source.id, block.table, block.line if block.is_cell else claim.sentence)
            for one, _ in cases
            for claim in one.sentence[:1]
            for block in (claim.block,)
        }
        return cases if len(rows) == 1 else []

    def in_band(self, sentence: ValueSentence, question: AskedValue) -> bool:
        """Tell whether a band of a sentence holds a value that the question gives."""
        return bool(self._held(sentence, question))

    def _held(self, sentence: ValueSentence, question: AskedValue) -> list[Value]:
        """Return the values of a question that bands of a sentence hold."""
        bands = [
            band
            for figure in self._asked_figures(sentence, question.kinds)
            for band in bands_of(figure, _LABELS)
        ]
        return [
            value
            for value in question.given
            if not value.is_among(sentence.values)
            and (point := point_of(value)) is not None
            and any(one.dimension == point.dimension and one.holds(point.values) for one in bands)
        ]

    def _case(self, sentence: ValueSentence, question: AskedValue) -> AskedValue | None:
        """Return a question without the values that bands of a sentence hold."""
        held = self._held(sentence, question)
        if not held:
            return None
        head = self.head_of(sentence)
        said = Said.of(head, features_of(label_words(head)))
        words = [
            one
            for one in question.words
            if one.text not in OWN_CASE and not said.has(one, question.kinds)
        ]
        return replace(
            question,
            words=words or question.words,
            features=question.features | _OF_A_LIMIT,
            given=[value for value in question.given if value not in held],
            of_band=True,
        )

    def head_of(self, sentence: ValueSentence) -> str:
        """Return what the first column of a cell's table is called (회원권); empty for others."""
        block = sentence.sentence[0].block
        return self._heads.get((sentence.source.id, block.table), "") if block.is_cell else ""

    def _asked_figures(self, sentence: ValueSentence, kinds: Kinds) -> list[Figure]:
        return [
            figure
            for claim in sentence.sentence
            for figure in self._figures.get(id(claim), ())
            if kind_of(figure.measure) in kinds
        ]


def _answers(sentence: ValueSentence, question: AskedValue, head: str = "") -> bool:
    features = {*sentence.around, *features_of(label_words(head))}
    said = Said(
        features,
        text := f"{head} / {_with_labels(sentence)}".casefold(),
        without_spaces(text),
        priced=_priced(sentence, question) if (is_price := _is_price(sentence)) else (),
        is_price=is_price,
    )
    told = " / ".join((*(label.text for label in _own_labels(sentence)), sentence.text))
    return (
        _is_plain(sentence)
        and _holds(sentence, question)
        and _has_all(said, question)
        and (question.side is None or question.side.search(told) is not None)
        and _is_about(sentence, question)
        and _is_bound(sentence, question)
        and not _is_amount_of(sentence, question)
        and not _is_other_kind(sentence, question)
        and not _is_narrower(sentence, question)
        and _names_it(sentence, question, head)
        and not _is_other_value(sentence, question)
    )


def _with_labels(sentence: ValueSentence) -> str:
    return f"{_above(sentence)} / {sentence.text}"


def _above(sentence: ValueSentence) -> str:
    labels = (label.text for label in sentence.sentence[0].block.labels)
    return " / ".join((sentence.edition.name, *labels))


def _is_beside_named(
    sentence: ValueSentence, others: Sequence[ValueSentence], question: str
) -> bool:
    """Tell whether a question names the column of another cell of the row, and not its own."""
    dense = without_spaces(question)
    block = sentence.sentence[0].block
    columns = {
        one.sentence[0].block.column: without_spaces(label.text)
        for one in others
        for label in one.sentence[0].block.labels
        if one.source is sentence.source
        and (one.sentence[0].block.table, one.sentence[0].block.line) == (block.table, block.line)
        and label.level is Level.COLUMN
    }
    named = {column for column, text in columns.items() if text in dense}
    return bool(named) and block.column not in named


def _is_plain(sentence: ValueSentence) -> bool:
    text = _ARTICLE.sub("", sentence.text)
    block = sentence.sentence[0].block
    if len(text) > _LONGEST_SENTENCE_CHARS or leans_on_context(_DAY_AFTER.sub("", text)):
        return False
    is_labelled = any(label.level is not Level.HEADING for label in block.labels)
    return block.is_cell or is_labelled or _CLOSED.search(text) is not None


def _holds(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence has a figure of that kind besides those that the question gave."""
    known = (*sentence.values, *values_of(Text(_above(sentence))))
    text = _with_labels(sentence)
    return all(
        value.is_among(known)
        or ((rate := rate_of(value.text)) is not None and rate.search(text) is not None)
        for value in question.given
    ) and any(
        (value.kind in question.kinds or _is_called_so(sentence, question))
        and not value.is_among(question.given)
        for value in sentence.values
    )


def _is_called_so(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a cell's column is just what a question asks for (저장 공간은 얼마인가요?)."""
    subject = without_spaces(question.subject)
    return question.is_open and any(
        subject.endswith(without_spaces(label.text))
        for label in sentence.sentence[0].block.labels
        if label.level is Level.COLUMN
    )


def _has_all(said: Said, question: AskedValue) -> bool:
    return (
        all(map(said.has_written, question.verbatim))
        and all(said.has(word, question.kinds) for word in question.words)
        and all(word in said.features for word in question.cases)
    )


def _is_bound(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether no other clause of the sentence has what the figure is asked of."""
    head = question.words[-1]
    has_head, is_of_head, bound = False, False, set[bool]()
    for claim in sentence.sentence:
        words = claim.clause.words
        figures = [one for one in claim.clause.figures if kind_of(one.measure) in question.kinds]
        # What names nothing before its figure goes on about the same: 80,000원이고 15명까지.
        first = figures[0].start if figures else len(claim.text) + claim.clause.start
        names = any(one.start < first and not one.is_verb for one in words)
        own = Said.of(claim.text, features_of(words)).has(head, question.kinds)
        is_of_head = own or (is_of_head and not names)
        has_head |= own
        bound |= {is_of_head} if figures else set()
    return not has_head or not bound or True in bound


def _is_about(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a topic of a sentence (…은/는) is the question's or just whom it is for."""
    every = [word for claim in sentence.sentence for word in claim.clause.words]
    topics = [one for one in every if one.particle in _TOPIC and not one.is_verb]
    topics = [one for one in topics if one.text not in _OF_A_CASE]
    above = f"{sentence.edition.name} {' '.join(sentence.headings)}"
    return not topics or any(
        one.text in above
        or _is_of(question, one)
        or is_generic(one)
        or (one is topics[0] and _PEOPLE.search(one.text) is not None)
        for one in topics
    )


def _is_price(sentence: ValueSentence) -> bool:
    """Tell whether a cell or labelled value is an amount that no label calls more than a price."""
    labels = [label.text for label in sentence.sentence[0].block.labels]
    costs = [one for label in labels for one in label.split() if _COST.fullmatch(one)]
    said = " ".join((*labels, sentence.text))
    return not (_CLOSED.search(sentence.text) or _NO_PRICE.search(said) or costs)


def _priced(sentence: ValueSentence, question: AskedValue) -> list[str]:
    """Return the labels and titles of a plain amount that say nothing but whose price it is."""
    labels = [label.text for label in sentence.sentence[0].block.labels]
    return [
        without_spaces(text)
        for text in (*labels, sentence.edition.name)
        if all(is_generic(one) or one.text in question.subject for one in label_words(text))
    ]


def _is_narrower(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence is of less than what is asked (신용 대출 for 대출).

    Nouns say so that a question does not have, in a row or label, or in one noun phrase with a word
    that it has; or bands of values.
    """
    if question.of_band:
        return False
    labels = [
        _BRACKETED.sub("", label.text)
        for label in _own_labels(sentence)
        if label.level is not Level.COLUMN
    ]
    above = _headings(sentence)
    for at, one in enumerate(labels):
        values = values_of(Text(one))
        words = label_words(one)
        # 관람 시간 is a matter of the page 관람 안내; 표준형 is a case.
        over = above if words and _VALUE_NOUN.search(words[-1].text) else ""
        is_other_band = at == 0 and not all(_is_given(value, question) for value in values)
        if is_other_band or _unasked(words, question, over, values):
            return True
    phrases = [
        [
            _unasked(one, question, above, claim.clause.figures)
            for one in _asked_phrases(claim, question)
        ]
        for claim in sentence.sentence
        if claim.clause.figures or (question.asks_for and _CLOSED.search(sentence.text))
    ]
    said = [one for one in phrases if one]
    if question.asks_for:
        return any(map(any, said))
    return bool(said) and all(map(any, said))


def _is_given(value: Value, question: AskedValue) -> bool:
    is_rate = rate_of(value.text) is not None
    return is_rate or value.is_among(question.given) or value.text in question.verbatim


def _names_it(sentence: ValueSentence, question: AskedValue, head: str) -> bool:
    """Tell whether a sentence itself has a telling word of what is asked, or answers it."""
    labels = sentence.sentence[0].block.labels
    own = [label.text for label in _own_labels(sentence)]
    asks = [label.text for label in labels if label.text.endswith("?")]
    said = " / ".join((head, *own, *asks, sentence.text))
    has = Said.of(said, features_of(content_words(morphemes(said))))
    nouns = [one for one in question.words if not one.is_verb] or question.words
    return (
        question.of_band
        or any(_VALUE_NOUN.fullmatch(without_spaces(one)) for one in own[-1:])
        or any(has.has(one, question.kinds) for one in nouns)
        or any(map(has.has_written, question.verbatim))
    )


def _is_other_value(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a value is called otherwise than what is asked for (청약 한도 for 수수료)."""
    asked = [one for one in question.subject.split()[-1:] if _VALUE_NOUN.fullmatch(one)]
    if not asked or canonical(asked[0]) in _PLAIN or asked[0] in sentence.text:
        return False
    called = [
        words[-1]
        for label in _own_labels(sentence)
        if (words := label_words(_BRACKETED.sub("", label.text)))
        and _VALUE_NOUN.search(words[-1].text)
    ]
    return bool(called) and not any(
        _is_of(question, one) or one.features[-1] in _PLAIN for one in called
    )


def _headings(sentence: ValueSentence) -> str:
    """Return what stands above a sentence, without spaces: its title, headings and list items."""
    labels = sentence.sentence[0].block.labels
    over = (one.text for one in labels if one.level in {Level.HEADING, Level.PARENT})
    return without_spaces(" ".join((sentence.edition.name, *over)))


def _unasked(
    words: Sequence[Word], question: AskedValue, above: str, figures: Sequence[Value | Quantity]
) -> bool:
    """Tell whether some words have a noun that is neither in a question nor above its sentence."""
    return not all(
        one.is_verb
        or is_generic(one)
        or _is_of(question, one)
        or one.text in above
        or any(figure.start <= one.start < figure.end for figure in figures)
        or (one.text == _PER and any(figure.end == one.start for figure in figures))
        for one in words
    )


def _asked_phrases(claim: Claim, question: AskedValue) -> Iterator[Sequence[Word]]:
    """Yield the noun phrases of a clause that say what of the asked things its figure is.

    They have a word of the question, take it in with others (회원도, 회원만), or call the figure
    (이용금액 10,000원).
    """
    article = _ARTICLE.match(claim.text)
    first = claim.clause.start + article.end() if article else 0
    phrases: list[list[Word]] = []
    for word in claim.clause.words:
        if word.is_verb or word.start < first:
            continue
        if phrases and _is_joined(phrases[-1][-1], word):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    figures = [one.start for one in claim.clause.figures]
    for phrase in phrases:
        last = phrase[-1]
        calls = _VALUE_NOUN.search(last.text) and any(0 <= at - last.end <= 1 for at in figures)
        if (
            calls
            or (last.particle in _ALSO and not question.asks_for)
            or any(_is_of(question, one) for one in phrase)
        ):
            yield phrase


def _is_joined(first: Word, second: Word) -> bool:
    """Tell whether two nouns stand in one noun phrase."""
    gap = second.start - first.end - len(first.particle)
    return first.particle in {"", "의"} and gap <= 1


def _is_of(question: AskedValue, word: Word) -> bool:
    return not question.features.isdisjoint(word.features)


def _is_amount_of(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence is of an amount for what is asked (연차수당 for 연차)."""
    words = [word for claim in sentence.sentence for word in claim.clause.words]
    words += [word for label in _own_labels(sentence) for word in label_words(label.text)]
    return Dimension.WON not in question.kinds and any(
        _AMOUNT.search(word.text)
        and word.features[-1] not in question.features
        and _is_of(question, word)
        for word in words
    )


def _is_other_kind(sentence: ValueSentence, question: AskedValue) -> bool:
    """Tell whether a sentence is about another one of a kind (반려견 for 고양이)."""
    texts = {word.text for claim in sentence.sentence for word in claim.clause.words}
    texts |= {word.text for label in _own_labels(sentence) for word in label_words(label.text)}
    ours = {word.text for word in question.words}
    pairs = [(_kinds_of(ours, kinds), _kinds_of(texts, kinds)) for kinds in _KINDS_APART]
    return any(own and others and own.isdisjoint(others) for own, others in pairs)


def _kinds_of(texts: Iterable[str], kinds: Mapping[str, str]) -> set[str]:
    return {kinds[text] for text in texts if text in kinds}


def _own_labels(sentence: ValueSentence) -> list[Label]:
    """Return the labels of a sentence alone: its row, its column, the words before it."""
    return [
        label
        for label in sentence.sentence[0].block.labels
        if label.level in {Level.ROW, Level.COLUMN, Level.LABEL}
        and _names_something(label.text.strip())
    ]


def _names_something(label: str) -> bool:
    is_question_or_sign = label.endswith("?") or not re.search(r"\w", label)
    return not is_question_or_sign and label.rstrip("0123456789") not in _NO_NAMES


def _found(sentence: ValueSentence, question: AskedValue, tone: Tone) -> _Found | None:
    """Return what a sentence says for the user; None where its words make no sentence."""
    text = plain_line(_ARTICLE.sub("", sentence.text))
    labels = _own_labels(sentence)
    is_sentence = _CLOSED.search(text) is not None
    text = text if is_sentence else text.rstrip(" .,;:")
    alone = _has_all(Said.of(text, features_of(content_words(morphemes(text)))), question)
    if not alone and _days_of(sentence) - question.features:
        return None  # a rule for some days only, under a heading: not that for all of them
    exception = f" {plain_line(sentence.behind)}" if _EXCEPTION.match(sentence.behind) else ""
    if is_sentence and (alone or not labels):
        return _Found(sentence, f"{text}{exception}", is_quote=True, by_itself=alone)
    subject = _subject(labels, question, sentence)
    if not subject or (is_sentence and sentence.sentence[0].block.is_cell):
        return None
    if not is_sentence:
        text = text.replace(" / ", ", ")
        if not _ends_as_noun(text):
            return None
    # Particles go by the word before a bracket.
    noun, value = (Noun(_BRACKET_AT_END.sub("", one)) for one in (subject, text))
    if is_sentence:
        has_topic = any(
            w.particle in _TOPIC for claim in sentence.sentence for w in claim.clause.words
        )
        said = "" if has_topic else f"{subject}{noun:은} {text}"
    else:
        particle, copula = f"{noun:은}", f"{value:이에요}"
        said = _ROW[tone].format(subject=subject, particle=particle, value=text, copula=copula)
        said = f"{subject}: {text}" if question.asks_for == "way" else said
    by_itself = _has_all(Said.of(said, features_of(content_words(morphemes(said)))), question)
    found = _Found(sentence, f"{said}{exception}", is_quote=False, by_itself=by_itself)
    return found if said else None


def _ends_as_noun(value: str) -> bool:
    """Tell whether a copula can follow a value: 9월 30일까지, not 포털에서 nor 4만 원 + 2만 원."""
    *_, last = morphemes(_BRACKET_AT_END.sub("", value)) or (None,)
    is_noun = last is None or last.form in _ENDS or not last.tag.startswith(("J", "E"))
    return is_noun and not _SIGNS.search(value)


def _days_of(sentence: ValueSentence) -> set[str]:
    """Return the days that a sentence names, its labels aside."""
    features = features_of(word for claim in sentence.sentence for word in claim.clause.words)
    is_told_alone = sentence.sentence[0].block.is_cell or bool(_own_labels(sentence))
    return set() if is_told_alone else {one for one in features if _DAY.search(one)}


def _subject(labels: Sequence[Label], question: AskedValue, sentence: ValueSentence) -> str:
    """Return what a value is said of: the question's own words, if no label says more than they."""
    is_cell = sentence.sentence[0].block.is_cell
    if not labels or (is_cell and not any(label.level is Level.COLUMN for label in labels)):
        return ""
    says_it_all = all(_is_in_question(label.text, question) for label in labels)
    # A word that the value has, too, tells it from others there: 주말 of 평일 9시, 주말 10시.
    repeats = any(word in sentence.text for word in question.subject.split())
    if question.subject and says_it_all and not repeats:
        return question.subject
    names = list(dict.fromkeys(plain_line(label.text) for label in labels))
    calls_a_value = _VALUE_NOUN.search(re.sub(r"\s*[(（].*", "", names[-1]))
    if question.asks_for:
        slot = _SLOTS[question.asks_for]
        called = (one.text for one in sentence.sentence[0].block.labels if slot.search(one.text))
        return " ".join(dict.fromkeys((*names, *map(plain_line, called))))
    if calls_a_value or not (is_cell or question.of_band):
        return " ".join(names)
    above = (
        *(label.text for label in sentence.sentence[0].block.labels[::-1]),
        sentence.edition.name,
    )
    titles = (_FORM_AT_END.sub("", plain_line(text)) for text in above)
    nouns = (found[0] for text in titles if (found := _VALUE_NOUN.search(text)))
    noun = next(nouns, "")
    return " ".join((*names, noun)) if noun else ("" if is_cell else " ".join(names))


def _is_in_question(label: str, question: AskedValue) -> bool:
    """Tell whether a question says all that a label does."""
    if without_spaces(label) in without_spaces(question.subject):
        return True
    values = values_of(Text(label))
    return (
        (_LIMIT.search(label) is None or _LIMIT.search(question.subject) is not None)
        and all(value.is_among(question.given) for value in values)
        and all(word in question.verbatim for word in numbered(label, values))
        and all(
            is_generic(word)
            or (
                not question.features.isdisjoint(word.features[-1:])
                and (word.text not in _OF_A_KIND or word.text in question.subject)
            )
            for word in label_words(label)
        )
    )


def _chosen(found: Sequence[_Found]) -> list[_Found]:
    """Return the sentences to quote; none if it is not clear which ones answer."""
    editions = {one.sentence.edition for one in found}
    older = {one for one in editions if any(_supersedes(other, one) for other in editions)}
    current = [one for one in found if one.sentence.edition not in older]
    complete = [one for one in current if one.by_itself]
    if not complete and len({one.text for one in current}) > 1:
        return []  # each is only told by its heading to be about the question
    different = {one.text: one for one in reversed(complete or current)}
    chosen = list(reversed(different.values()))
    above = {(one.sentence.source.id, one.sentence.headings) for one in chosen}
    if len(chosen) > _MOST_SENTENCES or len(above) > len({source for source, _ in above}):
        return []  # too many, or told apart by headings that are not said
    return chosen


def _supersedes(newer: Edition, older: Edition) -> bool:
    return newer.subject == older.subject and newer.is_newer_than(older)


def _answer(chosen: Sequence[_Found]) -> DirectAnswer:
    by_source: dict[str, list[_Found]] = {}
    for one in chosen:
        by_source.setdefault(one.sentence.source.id, []).append(one)
    return DirectAnswer(
        sentences=tuple(one.text for one in chosen),
        source_ids=tuple(one.sentence.source.id for one in chosen),
        quotes=tuple(map(_quote, by_source.values())),
    )


def _quote(group: Sequence[_Found]) -> str:
    source = group[0].sentence.source
    lines = [f"“{one.text}”" if one.is_quote else one.text for one in group]
    name = plain_line(source.title or source.file) or f"자료 {source.id}"
    return "\n".join((*lines, f"(출처: {name})"))

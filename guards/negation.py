"""Claims that say the opposite of the sources, or that leave out their conditions.

Finds: a clause that denies, permits or demands an act otherwise than the sources do for the same
    thing, whatever the wording (휴관한다 -> 개관합니다) or the verb (팩스 발급은 안 함 -> 팩스로
    받을 수 있음), or that has somebody else pay; a yes or no to the question that the sources
    answer the other way; the opposite word of a scale (늦은 날 -> 빠른 날). Claims that widen a
    limit of the source (관리자만 -> 누구나, 승인을 받아 -> 승인 없이) or include what it excludes
    (주류 제외 -> 주류도, 쉬는 날 -> 쉬는 날이더라도) are strong. Weak: a contradiction between
    clauses that have less in common, and an answer that leaves out the exception (다만, …) of the
    rule it gives, if the question is about it.
Misses: other words for an act that are in no table; conditions that differ only in their figures; a
    rule whose condition is left out without a word that widens it.
Score: the share of the subject matter that claim and source have in common.
Source: our own rules for Korean negation, modality and scope; our own tables of opposites and of
    words that widen a rule.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from guards.claims.reader import Claim
from guards.claims.reader import Reading as Claims
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.reading import Reading, RequestReading, Text
from guards.evidence.index import claims_of
from guards.evidence.opposites.contradiction import (
    contradiction,
    is_of_other_figures,
    is_plain,
)
from guards.evidence.opposites.exceptions import taken_in
from guards.evidence.opposites.meaning import (
    Match,
    SourceMeaning,
    asked_features,
    is_by_degree,
)
from guards.evidence.opposites.replies import (
    SourceContrasts,
    asked_claim,
    contrasts_of,
    replied,
    reply_of,
)
from guards.evidence.opposites.scope import widened
from guards.evidence.opposites.statements import Statement, statements_in
from guards.text.sentences import LONGEST_SENTENCE_CHARS

_BARE = 0.6
"""A noun alone (부가세 포함) says less of what it speaks of, so it has to share this much."""
_COURTESY = re.compile(
    r"(?:문의|연락|질문|말씀|상담|참고|양해)[가-힣\s]{0,8}(?:주세요|주십시오|바랍니다|부탁|주시)"
    r"|(?:도와|안내해|알려)\s?드리"
)
_ABSTAINS = re.compile(
    r"(?:명시|언급|기재|제시|확인|나와|적혀|찾)[가-힣]{0,4}\s?[가-힣]{0,2}\s?(?:않|없|못|어렵)"
    r"|(?:다는|라는|[인은는을할]지)\s?(?:데\s)?(?:대한\s)?(?:안내|설명|내용|규정|조항|기준|근거|말)[가-힣]{0,3}\s?(?:따로\s)?(?:않|없|못)"
)
# What a widener may end in, as grammar has it: 무제한으로, 연장 없이도.
_ENDING = re.compile(r"(?:으로|도|히)$")
_LETTER = re.compile(r"[^\W\d_]")
_LEADING = " \t\n,;·-"


class NegationSettings(GuardSettings):
    """Options of the guard."""

    sure_from: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Share of what a claim and a source are about that they have in common, from "
        "which on their opposition is a contradiction (strong).",
    )
    possible_from: float = Field(
        0.2, ge=0, le=1, description="Share from which on it is a possible one (weak)."
    )
    widened_from: float = Field(
        0.15,
        ge=0,
        le=1,
        description="Share from which on a word that widens a claim (누구나, 승인 없이) drops the "
        "limit of a source (strong).",
    )
    told_from: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Share of an exception's words with which the answer counts as mentioning it.",
    )


_ABOUT_LIMITS = frozenset({"negation.condition_dropped", "negation.limit_set_aside"})
_STRONG = _ABOUT_LIMITS | {"negation.flipped", "negation.wrong_reply"}


@dataclass(frozen=True, slots=True)
class _SentenceFinding:
    """Something found about a sentence; places count from the sentence's beginning.

    Attributes:
        code: What it is.
        start: Where it begins.
        end: Where it ends.
        share: How much claim and source share.
        expected: What the source says instead.
        quote: The source sentence.
        source: Number of the source.
        exception: It is none if the answer tells these words; empty where it is one anyway.
    """

    code: str
    start: int
    end: int
    share: float
    expected: str
    quote: str
    source: int
    exception: tuple[Claim, ...] = ()


_Key = tuple[object, ...]


class Negation(Guard[NegationSettings]):
    """Report claims that say the opposite of their sources, or more than they allow."""

    id = "negation"
    label = Label("Affirmation and negation", "긍정·부정")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = NegationSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "negation.flipped": Code(
            label=Label("Says the opposite of the source", "출처와 반대로 말함"),
            meaning="The claim says the opposite of a source on the same subject.",
            instruction=(
                '"{observed}"{observed:은} 자료와 반대입니다. 자료의 표현({expected})대로 쓰세요.'
            ),
            without_value=(
                '"{observed}"{observed:은} 자료와 반대일 수 있습니다. 질문한 대상에 관한 자료의 '
                "내용대로 쓰세요."
            ),
        ),
        "negation.possible": Code(
            label=Label("May say the opposite of the source", "출처와 반대로 말했을 수 있음"),
            meaning="The claim may say the opposite of a source on the same subject.",
            instruction=(
                '"{observed}"{observed:이} 자료({expected})와 반대되지 않는지 확인하고 자료대로 '
                "쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:이} 자료와 반대되지 않는지 확인하고 자료대로 쓰세요.'
            ),
        ),
        "negation.condition_dropped": Code(
            label=Label("Leaves out a condition", "조건을 빠뜨림"),
            meaning=(
                "The claim states without limit what the source allows only under a condition, or "
                "includes what the source excludes."
            ),
            instruction=(
                '"{observed}"{observed:은} 자료의 조건({expected})과 다릅니다. 조건을 그대로 '
                "쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 자료의 조건과 다를 수 있습니다. 질문한 대상의 조건을 '
                "그대로 쓰세요."
            ),
        ),
        "negation.limit_set_aside": Code(
            label=Label("Ignores a condition of the source", "자료의 조건을 무시함"),
            meaning="The claim waives a condition of the source (없이, 만 있으면).",
            instruction=(
                '"{observed}"{observed:은} 자료의 조건({expected})과 다릅니다. 조건을 그대로 '
                "쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 자료의 조건과 다를 수 있습니다. 질문한 대상의 조건을 '
                "그대로 쓰세요."
            ),
        ),
        "negation.wrong_reply": Code(
            label=Label("A yes or no that contradicts the source", "예·아니요가 자료와 반대임"),
            meaning="The answer's yes or no says the opposite of a source.",
            instruction=(
                '"{observed}"{observed:은} 자료와 반대입니다. 자료의 표현({expected})대로 답하세요.'
            ),
            without_value=(
                '"{observed}"{observed:은} 자료와 반대일 수 있습니다. 질문한 대상에 관한 자료의 '
                "내용대로 답하세요."
            ),
        ),
        "negation.exception_omitted": Code(
            label=Label("Leaves out an exception", "예외를 빠뜨림"),
            meaning="The answer gives a rule without the exception that the question is about.",
            message="자료에 있는 예외를 빠뜨렸습니다",
            instruction="자료의 단서({expected})도 함께 쓰세요.",
            without_value="질문한 대상에 관한 자료의 단서도 함께 쓰세요.",
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Analyse the sources, with which the claims are compared."""
        request.source_set.once(SourceMeaning)
        yield
        request.source_set.once(SourceContrasts)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each sentence of the answer with what the sources say about the same thing."""
        said = reading.answer_text.once(claims_of)
        judged = reading.request.once(_found_by_sentence)
        findings: list[Finding] = []
        before: Sequence[Claim] = ()
        for sentence in said.sentences:
            start, end = sentence[0].start, sentence[-1].end
            if said.page.raw_span(start, end)[1] > reading.judged_from:
                near = before if before and before[0].block is sentence[0].block else ()
                key = _key(self.settings, sentence, near)
                if key not in judged:
                    judged[key] = list(self._of_sentence(said, sentence, near, reading))
                findings += [
                    self._finding(one, start, said, reading)
                    for one in judged[key]
                    if not self._is_in_sources(one, start, said, reading)
                ]
            before = sentence
        return findings

    def _of_sentence(
        self, said: Claims, sentence: Sequence[Claim], before: Sequence[Claim], reading: Reading
    ) -> Iterator[_SentenceFinding]:
        text = said.page.plain[sentence[0].start : sentence[-1].end]
        if len(text) > LONGEST_SENTENCE_CHARS or text.endswith("?") or not _LETTER.search(text):
            return
        question = reading.request.once(asked_features)
        opposed = list(self._of_reply(text, sentence, reading))
        for statement in statements_in(sentence, before):
            clause = said.page.plain[statement.start : statement.end]
            if "?" in clause or _COURTESY.search(clause) or _ABSTAINS.search(clause):
                continue
            if statement.claim.block.is_heading or is_by_degree(statement):
                continue
            meaning = reading.source_set.once(SourceMeaning)
            found = None
            if not statement.is_named:
                found = self._contradiction(statement, question, sentence[0].start, meaning)
            if found is None or found.code not in _STRONG:
                wider = self._widened(statement, said.page.plain, question, before, reading)
                if wider is not None:
                    offset = sentence[0].start
                    yield replace(wider, start=wider.start - offset, end=wider.end - offset)
                    continue
            if found is not None:
                opposed.append(found)
                continue
            if statement.is_named:
                continue
            yield from self._omitted(statement, question, sentence, meaning)
        opposed += self._contrasts(sentence, reading)
        yield from _apart(opposed)

    def _contradiction(
        self,
        statement: Statement,
        question: Mapping[str, float],
        offset: int,
        meaning: SourceMeaning,
    ) -> _SentenceFinding | None:
        match = contradiction(meaning, statement, question, self.settings.possible_from)
        if match is None:
            return None
        sure = self.settings.sure_from if statement.has_predicate else _BARE
        is_sure = match.share >= sure
        # A cell says too little to be distinguished from those beside it.
        in_cell = statement.claim.block.is_cell or match.source_statement.claim.block.is_cell
        is_sure = (
            is_sure
            and not in_cell
            and is_plain(match)
            and not is_of_other_figures(statement, match.source_statement)
        )
        return _found(
            "negation.flipped" if is_sure else "negation.possible",
            (statement.start - offset, statement.end - offset),
            match,
            meaning,
        )

    def _of_reply(
        self, text: str, sentence: Sequence[Claim], reading: Reading
    ) -> Iterator[_SentenceFinding]:
        """Yield what is wrong with a yes or a no to the question."""
        reply = reply_of(text) if sentence[0].start == 0 else None
        claim = reading.request.once(_asked_claim)
        if reply is None or claim is None:
            return
        meaning = reading.source_set.once(SourceMeaning)
        reply_says = replied(claim, is_yes=reply[0])
        match = contradiction(meaning, reply_says, {}, self.settings.sure_from)
        if match is not None:
            yield _found("negation.wrong_reply", (0, len(text)), match, meaning)

    def _widened(
        self,
        statement: Statement,
        plain: str,
        question: Mapping[str, float],
        before: Sequence[Claim],
        reading: Reading,
    ) -> _SentenceFinding | None:
        """Return what a statement drops of its sources' limits and exceptions."""
        meaning = reading.source_set.once(SourceMeaning)
        found = widened(statement, plain, meaning, question, self.settings.widened_from, before)
        if found is None:
            found = taken_in(statement, meaning, question, before)
        if found is None or _is_worded_so(plain[found.start : found.quote_end], reading):
            return None
        return _SentenceFinding(
            "negation.condition_dropped" if found.takes_in_more else "negation.limit_set_aside",
            found.start,
            found.end,
            found.share,
            found.limit,
            found.limit,
            found.source_statement.source,
        )

    def _contrasts(self, sentence: Sequence[Claim], reading: Reading) -> Iterator[_SentenceFinding]:
        contrasts = reading.source_set.once(SourceContrasts)
        for claim in sentence:
            for contrast in contrasts_of(claim):
                against = contrasts.against(contrast)
                if against is None:
                    continue
                other, source = against
                shift = claim.start - claim.clause.start - sentence[0].start
                yield _SentenceFinding(
                    "negation.flipped",
                    contrast.word.start + shift,
                    claim.clause.words[-1].end + shift,
                    1.0,
                    other.claim.text,
                    "".join(one.text for one in source.sentence),
                    source.source,
                )

    def _omitted(
        self,
        statement: Statement,
        question: Mapping[str, float],
        sentence: Sequence[Claim],
        meaning: SourceMeaning,
    ) -> Iterator[_SentenceFinding]:
        """Yield the exception to a rule of the answer that the question touches."""
        match = meaning.with_exception(statement, question)
        if match is None or match.agrees < 0 or match.share < self.settings.sure_from:
            return
        exception = meaning.exception_behind(match.source_statement)
        rule = {feature for one in match.source_statement.sentence for feature in _features(one)}
        if any(_features(one) & question.keys() - rule for one in exception):
            text = meaning.text_of(exception, match.source_statement.source)
            yield _SentenceFinding(
                "negation.exception_omitted",
                0,
                sentence[-1].end - sentence[0].start,
                match.share,
                text,
                text,
                match.source_statement.source,
                exception,
            )

    def _is_in_sources(
        self, found: _SentenceFinding, offset: int, said: Claims, reading: Reading
    ) -> bool:
        """Tell whether an answer has the exception left out, or a source the very words found."""
        if not found.exception:
            return False
        held = {feature: 1.0 for claim in said.claims for feature in _features(claim)}
        words = [
            word for claim in found.exception for word in claim.clause.words if not word.is_light
        ]
        meaning = reading.source_set.once(SourceMeaning)
        return meaning.held(words, held) >= self.settings.told_from

    def _finding(
        self, found: _SentenceFinding, offset: int, said: Claims, reading: Reading
    ) -> Finding:
        start, end = said.page.raw_span(offset + found.start, offset + found.end)
        raw = reading.answer_text.raw
        start += len(raw[start:end]) - len(raw[start:end].lstrip(_LEADING))
        is_strong = found.code in _STRONG
        strength = Strength.C2 if is_strong else Strength.C1
        if found.exception:
            strength = Strength.E1
        source = reading.sources[found.source].source
        return Finding(
            guard=self.id,
            code=found.code,
            part="answer",
            span=Span(start, end),
            observed=raw[start:end],
            severity=Severity.STRONG if is_strong else Severity.WEAK,
            strength=strength,
            expected=(found.expected,),
            evidence=(Evidence(source.id if source else "", found.quote),),
            score=round(min(1.0, found.share), 3),
            provisional=bool(found.exception),
        )


def _is_worded_so(words: str, reading: Reading) -> bool:
    """Tell whether a source sets the same limit aside in the same words."""
    said = _ENDING.sub("", words.strip()).split()
    # 결제에 제한 없이: what it is about may be worded otherwise.
    some = {"".join(said), *(["".join(said[-2:])] if said[-1:] == ["없이"] else [])}
    return any(
        len(bare) > 1 and bare in part.text.once(_unspaced)
        for bare in some
        for part in reading.sources
    )


def _unspaced(text: Text) -> str:
    return text.raw.replace(" ", "")


def _found(
    code: str, place: tuple[int, int], match: Match, meaning: SourceMeaning
) -> _SentenceFinding:
    statement = match.source_statement
    expected = meaning.text_of((statement.claim,), statement.source)
    quote = meaning.text_of(statement.sentence, statement.source)
    return _SentenceFinding(code, *place, match.share, expected, quote, statement.source)


def _apart(found: Sequence[_SentenceFinding]) -> Iterator[_SentenceFinding]:
    """Yield those that do not lie within one before."""
    end = -1
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            yield one
            end = one.end


def _features(claim: Claim) -> set[str]:
    return {
        feature for word in claim.clause.words if not word.is_light for feature in word.features
    }


def _key(settings: NegationSettings, sentence: Sequence[Claim], before: Sequence[Claim]) -> _Key:
    text = tuple(one.text for one in (*before, *sentence))
    is_first = sentence[0].start == 0
    return id(settings), len(before), is_first, sentence[0].block.labels, text


def _found_by_sentence(request: RequestReading) -> dict[_Key, list[_SentenceFinding]]:
    """Return what was found about sentences of the answers to a question; none yet.

    An answer is looked at again and again while it grows, and a long one repeats itself.
    """
    del request
    return {}


def _asked_claim(request: RequestReading) -> Statement | None:
    return asked_claim(request.question.text.once(claims_of))

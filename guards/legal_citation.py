"""Legal references that are not in the request's sources.

Finds: articles with their branch (제N조의M), paragraphs, items and sub-items, tables and forms
    (별표, 별지), supplementary provisions (부칙), chapters, decrees and rules, and laws by name, if
    the sources neither contain the provision nor mention it. Each reference is checked by itself,
    down to its deepest level: a correct 제1항 says nothing about an invented 제9항 of the same
    article. An invented article is corrected if exactly one article of the sources supports the
    sentence; otherwise it is taken out together with the citation mark (``[출처: …]``) around it.
    Also an article or paragraph that is in the sources but does not support the sentence, while
    exactly one other clearly does.
Misses: a wrong provision if several others could be meant, or if the sentence cites several; a
    paragraph of an article without numbered paragraphs, up to the number of its sentences; a wrong
    heading after the right number; relative references (전항); names of laws without 「」 and
    without an article; case numbers.
Score: 1.0; 0.9 for a wrong article; 0.6 if the article in the source is visibly cut, so that the
    missing part may exist (weak); 0.5 for a reference from the question or the instructions that
    the answer repeats without basing a claim on it (weak). A sentence that says that the sources do
    not have the provision is not reported.
Source: the numbering of Korean statutes (조, 의, 항, 호, 목).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import ClassVar

from pydantic import Field

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading, Text
from guards.text.citing.articles import RightArticles, number_of, with_marks_mended
from guards.text.citing.wrong_articles import WrongArticles
from guards.text.laws.index import LawIndex, Level, Missing, Provision, law_held, law_index
from guards.text.laws.law import Kind, LawReference
from guards.text.sentences import split_sentences

_SAID_TO_BE_ABSENT = re.compile(
    r"(?:확인되지\s?않|확인할\s?수\s?없|찾을\s?수\s?없|찾지\s?못|나와\s?있지\s?않|포함되어\s?있지\s?않"
    r"|포함되지\s?않|존재하지\s?않|제공되지\s?않|언급되지\s?않|언급이\s?없|(?:자료|문서|출처)에는?\s?없)"
    r"[가-힣]{0,6}[.!]?$"
)
_RESTS_ON = re.compile(
    r"\s?(?:에\s?(?:따르|따라|의하|의해|의거|근거|규정|명시)|에서는?\s|입니다|상\s)"
)
_MOST_EXPECTED = 6
_QUOTE_REST_CHARS = 8
_ENDING_CHARS = 40


class LegalCitationSettings(GuardSettings):
    """Options of the guard."""

    check_without_sources: bool = Field(
        True,
        description="Also check answers to requests without sources, where no cited provision has "
        "evidence. Off: such answers are reported as not checked.",
    )
    wrong_paragraph_acts: bool = Field(
        False,
        description="Let a wrong paragraph of the right article count as much as a wrong article. "
        "Off: it only lowers the confidence.",
    )


class LegalCitation(Guard[LegalCitationSettings]):
    """Report every reference to law that the sources do not hold."""

    id = "legal_citation"
    label = Label("References to law", "법령·조항")
    subject = Subject.PROVISIONS
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = LegalCitationSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "legal_citation.law_absent": Code(
            label=Label("Names a law that no source mentions", "출처에 없는 법령을 듦"),
            meaning="Names a law that no source quotes or mentions.",
            instruction=(
                "{observed}: 제공된 자료에 없는 법령입니다. 자료의 법령만 인용하세요: {expected}"
            ),
            without_value="{observed}: 제공된 자료에 없는 법령입니다. 쓰지 마세요.",
        ),
        "legal_citation.decree_absent": Code(
            label=Label(
                "Cites a decree that is not in the sources", "출처에 없는 시행령이나 규칙을 인용함"
            ),
            meaning="Cites a decree or rule that is not in the sources.",
            instruction=(
                "{observed}: 자료에 없는 시행령·시행규칙입니다. 자료의 조문만 인용하세요: "
                "{expected}"
            ),
            without_value="{observed}: 자료에 없는 시행령·시행규칙입니다. 쓰지 마세요.",
        ),
        "legal_citation.article_absent": Code(
            label=Label("Cites an article that is not in the sources", "출처에 없는 조를 인용함"),
            meaning="Cites an article that the sources neither contain nor mention.",
            instruction=(
                "{observed}: 제공된 자료에 없는 조문입니다. 자료의 조문만 인용하세요: {expected}"
            ),
            without_value="{observed}: 제공된 자료에 없는 조문입니다. 쓰지 마세요.",
        ),
        "legal_citation.paragraph_absent": Code(
            label=Label("Cites a paragraph that the article lacks", "그 조에 없는 항을 인용함"),
            meaning="Cites a paragraph that the article in the sources does not have.",
            instruction="{observed}: 자료의 해당 조문에 없는 항입니다. 자료에 있는 것: {expected}",
            without_value="{observed}: 자료의 해당 조문에 없는 항입니다. 쓰지 마세요.",
        ),
        "legal_citation.item_absent": Code(
            label=Label("Cites an item that the article lacks", "그 조에 없는 호나 목을 인용함"),
            meaning="Cites an item or sub-item that the article in the sources does not have.",
            instruction=(
                "{observed}: 자료의 해당 조문에 없는 호·목입니다. 자료에 있는 것: {expected}"
            ),
            without_value="{observed}: 자료의 해당 조문에 없는 호·목입니다. 쓰지 마세요.",
        ),
        "legal_citation.annex_absent": Code(
            label=Label(
                "Cites an annex that no source mentions", "출처에 없는 별표나 서식을 인용함"
            ),
            meaning="Cites a table or form that the sources do not mention.",
            instruction=(
                "{observed}: 제공된 자료에 없는 별표·서식입니다. 자료에 있는 것: {expected}"
            ),
            without_value="{observed}: 제공된 자료에 없는 별표·서식입니다. 쓰지 마세요.",
        ),
        "legal_citation.addendum_absent": Code(
            label=Label(
                "Cites an addendum that is not in the sources", "출처에 없는 부칙을 인용함"
            ),
            meaning="Cites supplementary provisions that are not in the sources.",
            instruction="{observed}: 제공된 자료에 없는 부칙입니다. 언급하지 마세요.",
        ),
        "legal_citation.chapter_absent": Code(
            label=Label("Cites a chapter that no source mentions", "출처에 없는 장을 인용함"),
            meaning="Cites a chapter that the sources do not mention.",
            instruction="{observed}: 제공된 자료에 없는 장·절입니다. 자료에 있는 것: {expected}",
            without_value="{observed}: 제공된 자료에 없는 장·절입니다. 쓰지 마세요.",
        ),
        "legal_citation.wrong_article": Code(
            label=Label("The cited article says something else", "인용한 조항의 내용과 다름"),
            meaning="Cites an article or paragraph that does not support the sentence.",
            instruction=(
                "{observed}: 이 문장의 근거가 아닌 조문입니다. 이 내용을 정한 조문: {expected}"
            ),
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to check against."""
        lacks = not (reading.sources or self.settings.check_without_sources)
        return super().not_checkable(reading) or ("no_sources" if lacks else None)

    def check(self, reading: Reading) -> list[Finding]:
        """Report what the answer cites and the sources do not hold."""
        answer = reading.answer_text
        if not answer.laws:
            return []
        index = law_index(reading)
        conversation = reading.request.once(_conversation)
        articles = RightArticles(reading)
        wrong = WrongArticles(reading)
        findings: list[Finding] = []
        for reference in answer.laws:
            if reference.end <= reading.judged_from or _is_quoted(answer, reference, index):
                continue
            missing = index.missing(reference)
            if missing is None or _may_be_counted(reference, missing, reading):
                findings += self._given_wrongly(answer, reference, wrong)
                continue
            claims = _rests_on(answer, reference)
            if not claims and _is_said_to_be_absent(answer, reference):
                continue
            # A user may paste a whole rule; a bare mention of an article licenses no claim.
            pasted = bool(conversation.provisions)
            echoed = (pasted or not claims) and conversation.missing(reference) is None
            finding = _finding(answer, reference, missing, index, echoed=echoed)
            findings.append(_with_fix(finding, reference, missing, articles))
        return with_marks_mended(answer.raw, findings)

    def _given_wrongly(
        self, answer: Text, reference: LawReference, articles: WrongArticles
    ) -> Iterator[Finding]:
        meant = articles.meant_by(reference)
        if meant is None:
            return
        written, piece = meant
        # Many readers look an article up as a whole, so that its paragraph is a slip.
        right = piece.provision.article if piece.provision else None
        is_slip = right is not None and (right.number, right.branch) == (
            reference.number,
            reference.branch,
        )
        acts = self.settings.wrong_paragraph_acts or not is_slip
        yield Finding(
            guard=self.id,
            code=f"{self.id}.wrong_article",
            part="answer",
            span=Span(reference.start, reference.end),
            observed=answer.raw[reference.start : reference.end],
            severity=Severity.STRONG if acts else Severity.WEAK,
            strength=Strength.C1,
            expected=(piece.label,),
            evidence=(Evidence(piece.source.id, piece.quote),),
            score=0.9,
            fix=written if acts else None,
        )


def _conversation(request: RequestReading) -> LawIndex:
    """Return what the question and the instructions speak of; no other request shares it."""
    texts = (request.question.text, request.echo)
    return LawIndex(lambda: [law_held(Source("", "", text.raw), text) for text in texts])


def _finding(
    answer: Text, reference: LawReference, missing: Missing, index: LawIndex, *, echoed: bool
) -> Finding:
    near = missing.near[:_MOST_EXPECTED]
    weak = echoed or not missing.sure
    return Finding(
        guard=LegalCitation.id,
        code=f"{LegalCitation.id}.{missing.level}_absent",
        part="answer",
        span=Span(reference.start, reference.end),
        observed=answer.raw[reference.start : reference.end],
        severity=Severity.WEAK if weak else Severity.STRONG,
        strength=Strength.E0,
        expected=_expected(reference, missing, index),
        evidence=tuple(Evidence(one.source_id, one.quote) for one in near),
        score=0.5 if echoed else 0.6 if weak else 1.0,
    )


def _with_fix(
    finding: Finding, reference: LawReference, missing: Missing, articles: RightArticles
) -> Finding:
    """Return a strong finding on an invented article with the one its sentence must mean."""
    if finding.severity is Severity.WEAK or missing.level is not Level.ARTICLE:
        return finding
    return replace(finding, fix=articles.written(reference))


def _may_be_counted(reference: LawReference, missing: Missing, reading: Reading) -> bool:
    """Tell whether a paragraph may be a sentence of an article that numbers none."""
    if missing.level is not Level.PARAGRAPH or reference.paragraph is None:
        return False
    texts = {source.id: source.text for source in reading.exchange.sources}
    undivided = (one for one in missing.near if not one.article.paragraphs)
    bodies = (texts[one.source_id][one.article.start : one.article.end] for one in undivided)
    return any(len(split_sentences(body)) >= reference.paragraph for body in bodies)


def _expected(reference: LawReference, missing: Missing, index: LawIndex) -> tuple[str, ...]:
    """Return what the sources do have on the level that is missing."""
    if missing.level is Level.LAW:
        named = (f"「{name.written}」" for name in index.names)
        return tuple(dict.fromkeys(named))[:_MOST_EXPECTED]
    if missing.level is Level.PARAGRAPH:
        held = (label for one in missing.near for label in _paragraphs(one))
    elif missing.level is Level.ITEM:
        held = (label for one in missing.near for label in _items(one, reference.paragraph))
    elif missing.mentioned:
        held = (_other_label(one) for one in missing.mentioned)
    else:
        held = (number_of(one) for one in missing.near)
    return tuple(dict.fromkeys(held))[:_MOST_EXPECTED]


def _other_label(mention: LawReference) -> str:
    branch = f"의{mention.branch}" if mention.branch else ""
    if mention.kind is Kind.CHAPTER:
        return f"제{mention.number}{mention.unit}{branch}"
    if mention.kind is Kind.ADDENDUM:
        return f"부칙 제{mention.number}조{branch}" if mention.number else "부칙"
    if mention.kind is Kind.FORM:
        return f"별지 제{mention.number}호{branch}서식"
    return f"{mention.kind} {mention.number or ''}{branch}".rstrip()


def _paragraphs(provision: Provision) -> list[str]:
    numbers = list(provision.article.paragraphs)
    if not numbers:
        return [number_of(provision)]
    return [f"{number_of(provision)}제{number}항" for number in numbers]


def _items(provision: Provision, paragraph: int | None) -> list[str]:
    article = provision.article
    division = article.paragraphs.get(paragraph) if paragraph is not None else None
    where = number_of(provision) + (f"제{paragraph}항" if division else "")
    items = (division or article.whole).items
    return [f"{where}제{number}호" + (f"의{branch}" if branch else "") for number, branch in items]


def _is_quoted(answer: Text, reference: LawReference, index: LawIndex) -> bool:
    """Tell whether the reference stands in a source together with the words that follow it.

    A sentence taken over word for word may begin in the middle of a list, so that the law's name
    that its references share is no longer in it.
    """
    rest = "".join(answer.raw[reference.end : reference.end + 24].split())[:_QUOTE_REST_CHARS]
    if len(rest) < _QUOTE_REST_CHARS:
        return False
    return index.mentions_name(answer.raw[reference.start : reference.end] + rest)


def _rests_on(answer: Text, reference: LawReference) -> bool:
    """Tell whether the answer claims something on a reference, more than repeat it."""
    return _RESTS_ON.match(answer.raw, reference.end) is not None


def _is_said_to_be_absent(answer: Text, reference: LawReference) -> bool:
    """Tell whether the sentence says that the sources do not have the provision."""
    sentences = answer.sentences
    place = bisect_right(sentences, reference.start, key=attrgetter("start")) - 1
    ending = sentences[place].text[-_ENDING_CHARS:] if place >= 0 else ""
    return _SAID_TO_BE_ABSENT.search(ending) is not None

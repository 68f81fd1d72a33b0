"""Text that is not Korean: Chinese, Japanese and other foreign words that leak into an answer.

Finds: Han, kana, Cyrillic and other foreign letters down to a single character; broken characters
    (U+FFFD); Latin sentences of five words or more with hardly any Hangul; and, if there are
    sources, lower-case Latin words that none of them has.
Misses: Latin words with a capital letter (most are names); foreign words in code, addresses and
    file names; a Chinese word in parentheses that is read like the Korean before it.
Score: 1.0 for foreign letters; 0.9 for Latin sentences, which are recognised by their function
    words, and for Latin words.
Source: blocks of the Unicode standard. Allowed are: text that is in the question, the sources or
    the conversation; hanja in parentheses after the Hangul that they spell; the scripts that the
    question asks for, and quotations if it asks for the original. A Han word is corrected if its
    Korean reading is in the sources or the question as a word in the same role (費用 and 费用
    become 비용), or right beside it (비용/費用); not if the word means something else in Chinese or
    Japanese (汽车), nor a single character without a number.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from guards.core.exchange import Exchange
from guards.core.finding import Finding, Span
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading
from guards.lexicons.loading import words as listed
from guards.text.han_words import WordsBySound, in_hangul, is_usual_han
from guards.text.scripts import (
    Run,
    Script,
    asks_for_original,
    foreign_runs,
    han_only,
    latin_runs,
    latin_words,
    prose_only,
    requested_scripts,
)
from guards.text.sentences import Sentence

_MARKS = tuple(pair.split("|") for pair in "'|' \"|\" ‘|’ “|” 「|」 『|』 《|》 〈|〉 «|»".split())
_MOST_CHARS = 300
_QUOTATION = re.compile(
    "|".join(
        rf"{opening}[^{opening}{closing}가-힣\n]{{2,{_MOST_CHARS}}}{closing}"
        for opening, closing in _MARKS
    )
    + r"|^ ?>[^가-힣\n]+$",
    re.MULTILINE,
)
_VISIBLE = re.compile(r"\S")


def without_foreign_quotations(text: str) -> str:
    """Return a text of the same length with blanks for quotations without Hangul."""
    return _QUOTATION.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)


_LATIN_SCORE = 0.9
_SENTENCE_WORDS = 5
_HARDLY_ANY_HANGUL = 0.2
_LOWER_CASE_WORDS = 0.6
_HANGUL = re.compile("[가-힣ㄱ-ㆎ\u1100-\u11ff]")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f]")
_SAME_STRETCH = re.compile(r"[^\n가-힣]{0,12}")
_CODES = {Script.HAN: "han", Script.KANA: "kana", Script.BROKEN: "broken_character"}


class KoreanOnlySettings(GuardSettings):
    """Options of `KoreanOnly`."""

    min_han_chars: int = Field(
        1,
        ge=1,
        description="Minimum number of Han characters, not counting allowed ones, for an "
        "answer to be reported.",
    )
    allow_on_request: bool = Field(
        True, description="Let the answer use the language or script that the question asks for."
    )
    latin_sentences: bool = Field(True, description="Report sentences in Latin letters.")
    latin_words: bool = Field(True, description="Report lower-case Latin words that no source has.")


class KoreanOnly(Guard[KoreanOnlySettings]):
    """Report what is foreign in the answer and licensed by nothing."""

    id = "korean_only"
    label = Label("Korean only", "한국어 이외의 글")
    subject = Subject.FORM
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = KoreanOnlySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "korean_only.han": Code(
            label=Label("Chinese characters", "한자나 중국어"),
            meaning="The answer contains a Chinese word or sentence.",
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction=(
                "‘{observed}’{observed:은} 한자나 중국어입니다. 같은 뜻의 한국어로 바꾸어 한글로만 "
                "쓰세요."
            ),
        ),
        "korean_only.kana": Code(
            label=Label("Japanese characters", "일본어"),
            meaning="The answer contains a Japanese word or sentence.",
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction=(
                "‘{observed}’{observed:은} 일본어입니다. 같은 뜻의 한국어로 바꾸어 한글로만 쓰세요."
            ),
        ),
        "korean_only.other_script": Code(
            label=Label("Characters of another script", "다른 문자"),
            meaning="The answer contains a word in another script (Cyrillic, Arabic, Thai, …).",
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction=(
                "‘{observed}’{observed:은} 외국어입니다. 같은 뜻의 한국어로 바꾸어 한글로만 쓰세요."
            ),
        ),
        "korean_only.broken_character": Code(
            label=Label("A broken character", "깨진 글자"),
            meaning="The answer contains a broken character.",
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction="깨진 글자가 있습니다. 그 자리에 올 말을 한글로 온전하게 쓰세요.",
        ),
        "korean_only.latin_sentence": Code(
            label=Label("A sentence that is not Korean", "한국어가 아닌 문장"),
            meaning=(
                "A whole sentence of the answer is in English or another language in Latin script."
            ),
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction=(
                "‘{observed}’{observed:은} 한국어 문장이 아닙니다. 한국어 문장으로 옮겨 쓰세요."
            ),
        ),
        "korean_only.latin_word": Code(
            label=Label("An English word", "영어 낱말"),
            meaning="The answer uses an English word that no source has in place of a Korean one.",
            message="한국어가 아닌 글자가 섞여 있습니다",
            instruction=(
                "‘{observed}’{observed:은} 한국어가 아닙니다. 같은 뜻의 한국어로 바꾸어 쓰세요."
            ),
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is no answer to look at."""
        is_empty = not reading.answer_text.raw.strip()
        return super().not_checkable(reading) or ("empty_answer" if is_empty else None)

    def check(self, reading: Reading) -> list[Finding]:
        """Report each foreign stretch of the answer once, in the order in which they stand."""
        text = own_words = reading.answer_text.raw
        question = reading.exchange.question
        requested: frozenset[Script] = frozenset()
        if self.settings.allow_on_request:
            requested = requested_scripts(question)
            if asks_for_original(question):
                own_words = without_foreign_quotations(text)
        findings: list[Finding] = []
        if stretches := self._foreign(own_words, reading.exchange, requested):
            by_sound = _words_by_sound(reading.exchange)
            findings = [_with_fix(_finding(text, runs), text, runs, by_sound) for runs in stretches]
        if self.settings.latin_sentences and Script.LATIN not in requested:
            latin = _latin_sentences(own_words, reading.answer_text.sentences, reading.exchange)
            findings += [_finding(text, [run]) for run in latin]
        if self.settings.latin_words and reading.sources and Script.LATIN not in requested:
            taken = [finding.span for finding in findings]
            words = _latin_words(own_words, reading.exchange)
            findings += [
                replace(_finding(text, stretch), code=f"{self.id}.latin_word", score=_LATIN_SCORE)
                for stretch in _stretches(text, words)
                if not any(one.start <= stretch[0].start < one.end for one in taken)
            ]
        return sorted(findings, key=lambda finding: finding.span)

    def _foreign(
        self, text: str, exchange: Exchange, requested: frozenset[Script]
    ) -> list[list[Run]]:
        if not foreign_runs(text):
            return []
        runs = [
            run
            for run in foreign_runs(prose_only(text))
            if run.script not in requested and not is_usual_han(text, run)
        ]
        licence = _licence(exchange)
        licensed = {word for word in {run.text for run in runs} if licence.covers(word)}
        runs = [run for run in runs if run.text not in licensed]
        han = sum(len(han_only(run.text)) for run in runs if run.script is Script.HAN)
        if han < self.settings.min_han_chars:
            runs = [run for run in runs if run.script is not Script.HAN]
        return _stretches(text, runs)


@dataclass(frozen=True)
class _Licence:
    """Foreign text that an answer may contain.

    Attributes:
        text: The licensed text, in a form in which it is compared.
        runs: The foreign runs of that text.
    """

    text: str
    runs: frozenset[str]

    def covers(self, run: str) -> bool:
        """Tell whether a run is allowed. A single character must stand there by itself.

        So 目的 licenses neither 的 nor 目标.
        """
        comparable = _comparable(run)
        return comparable in self.runs or (len(comparable) > 1 and comparable in self.text)


def _licence(exchange: Exchange) -> _Licence:
    sources = (f"{source.title}\n{source.text}\n{source.file}" for source in exchange.sources)
    text = _comparable("\n".join((exchange.question, exchange.echo, *sources)))
    return _Licence(text, frozenset(run.text for run in foreign_runs(text)))


def _comparable(text: str) -> str:
    """Return a text without differences of form, case and spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _stretches(text: str, runs: list[Run]) -> list[list[Run]]:
    """Group runs with no Hangul and no line break between them: a sentence is one finding."""
    groups: list[list[Run]] = []
    for run in runs:
        if groups and _SAME_STRETCH.fullmatch(text, groups[-1][-1].end, run.start):
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _latin_sentences(text: str, sentences: tuple[Sentence, ...], exchange: Exchange) -> list[Run]:
    if not any(_reads_as_sentence(run) for run in latin_runs(text)):
        return []
    licence = _licence(exchange)
    plain = prose_only(text)
    return [
        run
        for sentence in sentences
        if _has_hardly_any_hangul(plain[sentence.start : sentence.end])
        for run in latin_runs(plain, sentence.start, sentence.end)
        if _reads_as_sentence(run) and not licence.covers(run.text)
    ]


# A name begins with a capital letter; code, addresses, units and options have other signs beside.
_SMALL_LATIN = re.compile(
    r"(?<![A-Za-z0-9@./_\-:#&'’+=])(?<!\d )[a-z]{3,}(?![A-Za-z0-9@/_:#&'’+=]|[.\-][A-Za-z0-9])"
)


def _latin_words(text: str, exchange: Exchange) -> list[Run]:
    """Return the words in small Latin letters that neither sources nor turns have.

    One with a capital letter beside it is part of a name or of code.
    """
    plain = prose_only(text)
    found = [
        Run(Script.LATIN, match[0], *match.span())
        for stretch in latin_runs(plain)
        if stretch.text == stretch.text.lower()
        for match in _SMALL_LATIN.finditer(plain, stretch.start, stretch.end)
    ]
    if not found:
        return []
    licence = _licence(exchange)
    known = {word.casefold() for word in listed("ordinary_latin")}
    return [run for run in found if run.text not in known and not licence.covers(run.text)]


def _has_hardly_any_hangul(text: str) -> bool:
    hangul, latin = len(_HANGUL.findall(text)), len(_LATIN_LETTER.findall(text))
    return hangul < _HARDLY_ANY_HANGUL * (hangul + latin)


def _reads_as_sentence(run: Run) -> bool:
    """Tell a sentence from a list of names: small words, and most words in lower case."""
    words = latin_words(run.text)
    if len(words) < _SENTENCE_WORDS:
        return False
    lower_case = sum(word[0].islower() for word in words)
    return lower_case > _LOWER_CASE_WORDS * len(words) and any(
        word in listed("latin_function_words") for word in words
    )


def _finding(text: str, runs: Sequence[Run]) -> Finding:
    """Return what a stretch of runs is; Japanese is written with Han too."""
    japanese = any(run.script is Script.KANA for run in runs)
    script = Script.KANA if japanese else runs[0].script
    kind = "latin_sentence" if script is Script.LATIN else _CODES.get(script, "other_script")
    span = Span(runs[0].start, runs[-1].end)
    return Finding(
        guard=KoreanOnly.id,
        code=f"{KoreanOnly.id}.{kind}",
        part="answer",
        span=span,
        observed=text[span.start : span.end],
        score=_LATIN_SCORE if script is Script.LATIN else 1.0,
    )


def _words_by_sound(exchange: Exchange) -> WordsBySound:
    sources = (f"{source.title}\n{source.text}" for source in exchange.sources)
    return WordsBySound((exchange.question, *sources))


def _with_fix(finding: Finding, text: str, runs: Sequence[Run], by_sound: WordsBySound) -> Finding:
    edit = in_hangul(text, runs, by_sound)
    if edit is None:
        return finding
    span, hangul = Span(edit.start, edit.end), edit.hangul
    observed = text[span.start : span.end]
    return replace(finding, span=span, observed=observed, expected=(hangul,), fix=hangul)

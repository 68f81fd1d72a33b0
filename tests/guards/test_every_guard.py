"""The contract that every guard keeps: its manual page, its names, its tables, its row."""

import importlib
import re
from pathlib import Path

import yaml

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.guard import Stage, Subject
from guards.core.reading import read
from guards.core.registry import GuardType, all_guards
from guards.text.particles import Noun
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
GUARDS = all_guards()
HEADS = ("Finds:", "Misses:", "Score:", "Source:")
LONG_TEXT_CHARS = 2_000

every_guard = each_row("guard", GUARDS)


def manual(guard: GuardType) -> str:
    return importlib.import_module(guard.__module__).__doc__ or ""


@every_guard
def test_the_docstring_has_the_four_heads_in_order(guard: GuardType) -> None:
    places = [manual(guard).find(f"\n{head}") for head in HEADS]

    assert -1 not in places
    assert places == sorted(places)


@every_guard
def test_codes_are_the_guards_own_and_say_what_they_mean(guard: GuardType) -> None:
    assert guard.codes
    for name, code in guard.codes.items():
        assert re.fullmatch(rf"{guard.id}\.[a-z_]+", name)
        assert code.meaning
        if code.instruction:
            assert re.search(r"[가-힣]", code.instruction)
            code.instruction.format(observed=Noun("가"), expected=Noun("나"))


# These compare an answer with nothing but sources, or look at how it was written.
NEED_NO_SOURCES = {
    "answerability", "citations", "complaint", "korean_only", "legal_citation", "personal_data",
    "phrases", "quality",
}  # fmt: skip


@every_guard
def test_says_why_it_cannot_check(guard: GuardType) -> None:
    built = guard(guard.settings_type())
    unanswered = Exchange("환불?", (Source("1", "환불", "환불은 3일 안에 한다."),))
    without_sources = Exchange("환불?", answer="환불은 3일 안에 합니다.")

    if Stage.INPUT not in guard.stages:
        assert built.not_checkable(read(unanswered)) == "no_answer"
    if guard.id not in NEED_NO_SOURCES:
        assert built.not_checkable(read(without_sources)) == "no_sources"


# What these expect is no value of anything: a spelling, a result, what the question names.
EXPECT_NO_VALUE = {
    "names.misspelt",
    "numbers.wrong_result",
    "scope.other_scope",
    "scope.entity_drift",
}


@every_guard
def test_an_instruction_with_a_value_has_another_without_it(guard: GuardType) -> None:
    if guard.subject in {Subject.CITATIONS, Subject.PROVISIONS}:
        return
    for name, code in guard.codes.items():
        if "{expected" in code.instruction and name not in EXPECT_NO_VALUE:
            assert re.search(r"[가-힣]", code.without_value), name
            assert "{expected" not in code.without_value
            code.without_value.format(observed=Noun("가"))


@every_guard
def test_answers_that_can_be_regenerated_come_with_an_instruction(guard: GuardType) -> None:
    if Stage.OUTPUT in guard.stages and guard.id != "answerability":
        assert any(code.instruction for code in guard.codes.values())


@every_guard
def test_options_explain_themselves(guard: GuardType) -> None:
    for field in guard.settings_type.model_fields.values():
        assert field.description


@every_guard
def test_a_test_file_has_both_tables(guard: GuardType) -> None:
    tests = importlib.import_module(f"tests.guards.test_{guard.id}")
    file = Path(__file__).with_name(f"test_{guard.id}.yaml")
    in_file = yaml.safe_load(file.read_text("utf-8")) if file.exists() else {}

    for table in ("FLAGGED", "CLEAN"):
        assert in_file.get(table.lower()) or getattr(tests, table)


@each_row(
    "text",
    [
        "",
        " \n\t",
        "\ud83d",
        "가" * LONG_TEXT_CHARS,
        "1" * LONG_TEXT_CHARS,
        "(" * LONG_TEXT_CHARS,
        "[1" * (LONG_TEXT_CHARS // 2),
        "제1조 " * (LONG_TEXT_CHARS // 4),
        "①" * LONG_TEXT_CHARS,
        "漢" * LONG_TEXT_CHARS,
        "." * LONG_TEXT_CHARS,
    ],
)
def test_odd_texts_are_read_without_failing(text: str) -> None:
    """Whether it also ends soon is measured by the benchmark."""
    sources = (Source("1", "제1조(정의)", "이 규정은 3일을 정한다."), Source("2", "", text))
    answered = Exchange(question="규정은 며칠인가요?", sources=sources, answer=text)
    for reading in (read(Exchange(question=text)), read(answered)):
        for guard in GUARDS.values():
            built = guard(guard.settings_type())
            if built.not_checkable(reading) is None:
                for found in built.check(reading):
                    assert found.guard == guard.id
                    assert found.code in guard.codes


def test_findings_point_at_what_they_observed() -> None:
    exchange = Exchange(
        question="연차휴가는 며칠인가요?",
        sources=(Source("1", "제15조(연차휴가)", "직원에게 15일의 연차휴가를 준다."),),
        answer="연차휴가는 제99조에 따라 25일이며 보통 약 3주 걸립니다. 費用은 없습니다. "
        "[출처: 없는 문서]",
    )
    reading = read(exchange)
    seen = set()
    for guard in GUARDS.values():
        built = guard(guard.settings_type())
        if Stage.OUTPUT not in guard.stages or built.not_checkable(reading) is not None:
            continue
        for found in built.check(reading):
            if found.part == "answer" and found.severity is Severity.STRONG:
                assert exchange.answer is not None
                assert exchange.answer[found.span.start : found.span.end] == found.observed
                seen.add(guard.id)
    assert {"legal_citation", "citations", "numbers", "estimates", "korean_only"} <= seen

"""What a policy may not say of answers that leave sentence by sentence."""

import pytest

from guards.core.guard import Scope, Stage
from guards.core.registry import all_guards
from tests.policies.conftest import Folder
from tests.tables import each_row

REACHED = "tenant: a\nupstream: {base_url: http://h/v1, pass_caller_key: true}\n"
TEMPLATES = "templates:\n  fallback: 지금은 답변드릴 수 없습니다.\n"
WATCHED = "guards:\n  uncited_claims:\n    on_not_run: replace\n"
RENUMBERED = "citations:\n  renumber: always\n"
BUFFER = "stream: {mode: buffer}\n"
MONITOR = "stream:\n  mode: monitor\n"
NEEDS_WHOLE_ANSWER = {
    guard.id
    for guard in all_guards().values()
    if Stage.OUTPUT in guard.stages and guard.scope is Scope.ANSWER
}


@pytest.mark.parametrize("mode", ["", "stream: {mode: gate}\n"], ids=["by-default", "said"])
def test_a_guard_of_the_whole_answer_cannot_be_waited_for(folder: Folder, mode: str) -> None:
    folder.write("x.yaml", REACHED + TEMPLATES + WATCHED + mode)

    assert folder.only_error() == (
        "x.yaml:7:5: guards.uncited_claims.on_not_run: `replace` lets nothing out before the guard "
        "ran, and `uncited_claims` needs the whole answer, of which `stream.mode: gate` lets "
        "sentences out before; use `stream.mode: buffer`, or leave this out"
    )


@each_row("guard", sorted(all_guards()))
def test_every_guard_that_needs_the_whole_answer_is_named(folder: Folder, guard: str) -> None:
    folder.write("x.yaml", f"guards:\n  {guard}:\n    on_not_run: replace\n")

    named = [error for error in folder.errors() if f"guards.{guard}.on_not_run" in error]

    assert len(named) == (guard in NEEDS_WHOLE_ANSWER)


@each_row("rule", ["{on_not_run: report}", "{on_not_run: replace, mode: shadow}", "{}"])
def test_a_guard_whose_breaking_is_only_reported_may_need_it(folder: Folder, rule: str) -> None:
    folder.write("x.yaml", f"{REACHED}{TEMPLATES}guards: {{uncited_claims: {rule}}}")

    assert folder.errors() == []


def test_numbers_that_have_left_cannot_change(folder: Folder) -> None:
    folder.write("x.yaml", TEMPLATES + RENUMBERED)

    assert folder.only_error() == (
        "x.yaml:4:3: citations.renumber: `always` needs the whole answer: numbers that have "
        "been sent cannot change, and `stream.mode: gate` lets sentences out before `citations` "
        "knows them all; use `stream.mode: buffer`, or leave this out"
    )


@pytest.mark.parametrize("mode", [BUFFER, MONITOR], ids=["buffer", "monitor"])
def test_where_no_sentence_waits_for_its_verdict_all_of_it_may_be_said(
    folder: Folder, mode: str
) -> None:
    folder.write("x.yaml", REACHED + TEMPLATES + WATCHED + RENUMBERED + mode)

    assert folder.errors() == []


def test_what_is_inherited_is_refused_where_it_stands(folder: Folder) -> None:
    folder.write("base.yaml", BUFFER + RENUMBERED + WATCHED)
    folder.write("child.yaml", f"extends: base\n{REACHED}{TEMPLATES}stream: {{mode: gate}}")

    assert [error.partition(": ")[0] for error in folder.errors()] == [
        "base.yaml:3:3",
        "base.yaml:6:5",
    ]


# --- templates ------------------------------------------------------------------------------------

GUARDED = "guards: {korean_only: {template: language}}\n"
CLOSINGS = "  closing.cut: 여기까지만 안내합니다.\n  closing.correction: 위 답변을 바로잡습니다.\n"


def with_templates(lines: str) -> str:
    return f"{REACHED}{GUARDED}templates:\n  language: 한국어로만 답변드립니다.\n{lines}"


def test_an_answer_that_may_have_to_end_early_needs_words_for_it(folder: Folder) -> None:
    folder.write("x.yaml", with_templates("") + "stream:\n  mode: gate\n")

    assert folder.only_error() == (
        "x.yaml:7:3: stream.mode: `gate` may have to end an answer and has no template: add "
        "`closing.cut` and `closing.correction`, or `fallback`, to `templates`"
    )


@each_row("line", "one_of_its_two_endings_is_not_enough")
def test_one_of_its_two_endings_is_not_enough(folder: Folder, line: str) -> None:
    folder.write("x.yaml", with_templates(line))

    assert "stream.mode: `gate` may have to end an answer" in folder.only_error()


@each_row("guards", "never_ends")
def test_answers_that_never_end_early_need_no_words_for_it(folder: Folder, guards: str) -> None:
    folder.write("x.yaml", REACHED + guards)

    assert folder.errors() == []


@each_row("guards", "may_end")
def test_answers_that_may_end_early_need_words_for_it(folder: Folder, guards: str) -> None:
    folder.write("x.yaml", REACHED + guards)

    assert any("stream.mode: `gate` may have to end" in error for error in folder.errors())


@pytest.mark.parametrize(
    "lines", [CLOSINGS, "  fallback: 나중에 다시 물어 주세요.\n"], ids=["its-own", "fallback"]
)
def test_its_own_words_or_the_fallback_will_do(folder: Folder, lines: str) -> None:
    folder.write("x.yaml", with_templates(lines))

    assert folder.errors() == []
    assert folder.warnings() == []


@pytest.mark.parametrize("mode", [BUFFER, MONITOR], ids=["buffer", "monitor"])
def test_an_answer_that_leaves_whole_needs_none(folder: Folder, mode: str) -> None:
    folder.write("x.yaml", with_templates("") + mode)

    assert folder.errors() == []


def test_a_policy_that_is_only_extended_needs_none(folder: Folder) -> None:
    folder.write("base.yaml", GUARDED)

    assert folder.errors() == []


# --- warnings -------------------------------------------------------------------------------------


def test_a_tenant_whose_answers_are_only_watched_is_pointed_out(folder: Folder) -> None:
    folder.write("base.yaml", MONITOR)
    folder.write("x.yaml", f"{REACHED}guards: {{korean_only: {{}}}}\n{TEMPLATES}{MONITOR}")

    assert folder.warnings() == [
        "x.yaml:7:3: stream.mode: lets every answer out, whatever the guards say"
    ]


INSTRUCTED = "citations:\n  instruct: true\n"


def test_citations_that_hold_an_answer_back_are_pointed_out(folder: Folder) -> None:
    folder.write("x.yaml", INSTRUCTED)

    [warning] = folder.warnings()

    assert warning.startswith("x.yaml:2:3: citations.instruct: ")
    assert "held to their end" in warning
    assert "`renumber: never`" in warning
    assert folder.errors() == []


@pytest.mark.parametrize(
    "more", ["  renumber: never\n", BUFFER, MONITOR], ids=["never", "buffer", "monitor"]
)
def test_citations_that_hold_nothing_back_are_not(folder: Folder, more: str) -> None:
    folder.write("x.yaml", INSTRUCTED + more)

    assert folder.warnings() == []


STRICT = "guards:\n  numbers: {on_not_run: replace}\n  uncited_claims: {}\n"


def test_checks_of_the_end_that_come_when_sentences_have_left_are_pointed_out(
    folder: Folder,
) -> None:
    folder.write("x.yaml", f"{REACHED}{TEMPLATES}{STRICT}stream:\n  mode: gate\n")

    [warning] = folder.warnings()

    assert warning.startswith("x.yaml:9:3: stream.mode: `gate` lets sentences out before the end")
    assert "`numbers` may let nothing out" in warning
    assert "`uncited_claims`" in warning
    assert "`buffer`" in warning
    assert folder.errors() == []


def test_strict_that_leaves_sentence_by_sentence_is_pointed_out_and_may_be_used(
    folder: Folder,
) -> None:
    folder.write("x.yaml", f"extends: strict\n{REACHED}stream:\n  mode: gate\n")

    assert folder.errors() == []
    assert any("x.yaml:5:3: stream.mode: `gate` lets" in one for one in folder.warnings())


@each_row("text", "nothing_late")
def test_where_nothing_comes_late_nothing_is_said(folder: Folder, text: str) -> None:
    folder.write("x.yaml", text)

    assert not [warning for warning in folder.warnings() if "stream.mode" in warning]

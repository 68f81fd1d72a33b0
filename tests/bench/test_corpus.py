"""The cases that the bench sends are as realistic as it says, and nothing is wrong with them."""

import pytest

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Action, SourceRules
from proxy.openai_api.sources.finder import find_sources
from tests.bench.corpus import RECURRING, RECURRING_SETS, SINGLE, numbered
from tests.bench.prepared import messages
from tests.tables import each_row

LOOKED_AT = [*RECURRING[::60], *SINGLE[::150]]


@pytest.fixture(scope="module")
def inspector() -> Inspector:
    return Inspector(load_shipped("default").policy)


@pytest.mark.parametrize("number", LOOKED_AT)
def test_the_default_policy_finds_nothing_in_a_case(inspector: Inspector, number: int) -> None:
    said = numbered(number)
    found = find_sources({"messages": messages(said)}, SourceRules())
    exchange = Exchange(found.question, found.sources, context=found.context)

    asked = inspector.inspect(exchange, Stage.INPUT)
    answered = inspector.inspect(exchange.answered(said.answer), Stage.OUTPUT)

    assert [source.title for source in found.sources] == [one.title for one in said.sources]
    assert found.question == said.question
    assert (asked.action, answered.action) == (Action.PASS, Action.PASS)
    assert not answered.findings


@each_row("number", LOOKED_AT)
def test_a_case_has_a_cited_answer_of_1_kb_over_five_sources_of_1_kb(number: int) -> None:
    said = numbered(number)

    assert 1000 <= len(said.answer.encode()) <= 1250
    assert said.answer.count("[") >= 6
    assert all(900 <= len(source.text.encode()) <= 1250 for source in said.sources)
    assert len(said.sources) == 5


def test_a_wrong_number_would_be_found(inspector: Inspector) -> None:
    said = numbered(0)
    found = find_sources({"messages": messages(said)}, SourceRules())
    wrong = f"{said.answer}\n연차휴가는 모두 997일입니다.[1]"

    answered = inspector.inspect(
        Exchange(found.question, found.sources, answer=wrong), Stage.OUTPUT
    )

    assert answered.action is not Action.PASS


def test_sets_of_sources_differ() -> None:
    sets = {numbered(number).sources for number in (*RECURRING, *SINGLE)}

    assert len(sets) == RECURRING_SETS + len(SINGLE)

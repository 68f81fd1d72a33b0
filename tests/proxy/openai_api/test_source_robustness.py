"""Any request is read or refused, and in time."""

import re
import string
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.core.exchange import ContextState
from policies.schema.policy import SourceRules
from proxy.openai_api.sources import SourceFormatError, find_sources
from proxy.openai_api.sources.speech import small_letters
from tests.fakes.growth import assert_grows_with_its_input
from tests.proxy.openai_api.asking import (
    QUESTION,
    REFUND,
    JsonObject,
    find,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
PIECES = st.sampled_from(
    ["<context>", "</context>", "[1] ", "[질문]\n", "참고 자료:\n", "---\n", "\n\n", '"""', "```\n",
     "Q: ", "A: ", "[Source: a]\n", "{", "['", "'] ", "| 내용 |\n", REFUND, "예시:\n",
     "위 자료로 답해줘: "]
)  # fmt: skip
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool", "function", "x"]),
        "content": JSON | st.lists(PIECES, max_size=12).map("".join),
    }
)
BODY = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE | JSON, max_size=5) | JSON},
    optional={
        "documents": JSON,
        "guard": JSON | st.fixed_dictionaries({"sources": JSON | st.lists(JSON, max_size=3)}),
    },
)


@settings(max_examples=300, deadline=None)
@given(body=BODY)
def test_any_body_is_read_or_refused(body: JsonObject) -> None:
    refused = None
    found = None
    try:
        found = find_sources(body, SourceRules())
    except SourceFormatError as error:
        refused = error.field

    if found is None:
        assert str(refused).startswith("guard")
    else:
        assert (found.context is ContextState.FOUND) == bool(found.sources)
        assert len({source.id for source in found.sources}) == len(found.sources)
        assert sum(place.sources for place in found.found) == len(found.sources)


@pytest.mark.parametrize("role", ["user", "system", "tool"])
@pytest.mark.parametrize("char", list("a가 \n<[-=#:{\"'>|1`"))
def test_a_megabyte_of_one_character_is_read_in_time(char: str, role: str) -> None:
    assert_grows_with_its_input(
        lambda chars: find((role, char * chars), ("user", QUESTION)), 1_000_000
    )


@pytest.mark.parametrize(
    ("lead", "part"),
    [
        pytest.param("", "## 참고 자료\n{}\n## 끝\n", id="block-after-block"),
        pytest.param("", "## 참고 자료\n-----\n{}\n## 끝\n", id="block-with-a-rule"),
        pytest.param("", "<context></context> {} ", id="tags-only-named-on-one-line"),
        pytest.param("## 예시\n", "## 문서\n{}\n", id="documents-of-an-example"),
        pytest.param("참고 자료:\n", "## 질문\n{}\n## 답변\n3일\n", id="answered-questions"),
        pytest.param("참고 자료:\n", "주의사항: {}\n", id="labels"),
        pytest.param("참고 자료:\n\n", "[1] 안내\n{}\n\n", id="passages-of-one-number"),
    ],
)
def test_thousands_of_one_thing_are_read_in_time(lead: str, part: str) -> None:
    def look(count: int) -> None:
        text = lead + "".join(part.format(number) for number in range(count))
        find(("system", text), ("user", QUESTION))

    assert_grows_with_its_input(look, 4_000)


def test_thousands_of_user_messages_in_a_row_are_read_in_time() -> None:
    def look(count: int) -> None:
        found = find(*(("user", f"{number}일은요?") for number in range(count)))
        assert found.question.endswith(f"{count - 1}일은요?")

    assert_grows_with_its_input(look, 4_000)


def test_small_letters_are_what_a_pattern_that_ignores_case_reads() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    small = small_letters(everything)

    assert len(small) == len(everything)
    for letter in string.ascii_lowercase:
        ignoring = [one.start() for one in re.finditer(letter, everything, re.IGNORECASE)]
        assert ignoring == [one.start() for one in re.finditer(letter, small)]

import pytest

from guards.text.closed_talk import is_reproach, names_nothing_else


def words_of(sentence: str) -> tuple[str, frozenset[int]]:
    """Return the letters without spaces and where the words begin."""
    words = sentence.split()
    starts = [sum(map(len, words[:number])) for number in range(len(words))]
    return "".join(words), frozenset(starts)


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("답변이 참 무례하네", id="unkind-judgement"),
        pytest.param("답변이 늘 똑같네", id="mild-judgement-of-the-answer"),
        pytest.param("자꾸 틀리네요", id="error-over-and-over"),
        pytest.param("말 자르지 마세요", id="bad-deed-forbidden"),
        pytest.param("논리가 전혀 없네요", id="virtue-lacking"),
        pytest.param("설명이 명확하지 않네요", id="praise-negated"),
        pytest.param("말자르지마", id="no-spaces"),
    ],
)
def test_sentence_about_the_talk_finds_fault(sentence: str) -> None:
    assert is_reproach(*words_of(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("치킨이 무례하네", id="unknown-word"),
        pytest.param("제가 무례하네요", id="speaker-himself"),
        pytest.param("똑같네", id="mild-judgement-of-nothing-named"),
        pytest.param("답변이 무례한가요", id="wonders"),
        pytest.param("말해 봐", id="nothing-unkind"),
        pytest.param("무시해", id="deed-that-is-asked-for"),
        pytest.param("실망하지 마", id="consolation"),
        pytest.param("틀린 것도 있네", id="grants"),
        pytest.param("보고서를 다시 쓰라고 해서 한심하네", id="noun-of-short-words"),
        pytest.param("", id="nothing"),
    ],
)
def test_other_sentences_do_not(sentence: str) -> None:
    assert not is_reproach(*words_of(sentence))


def test_names_nothing_else_than_talk() -> None:
    assert names_nothing_else(*words_of("모르면 모른다 해"))
    assert not names_nothing_else(*words_of("버스가 늦네"))
    assert not names_nothing_else(*words_of("내가 말했네"))


def test_words_of_talk_alone_are_read_in_linear_time() -> None:
    assert not is_reproach(*words_of("말이 " * 5_000))

import pytest

from guards.text.lemmas import lemma

SAME = [
    pytest.param("짧았다 짧고 짧은 짧습니다", id="final-consonant"),
    pytest.param("많으신 많은 많고 많습니다", id="honorific"),
    pytest.param("걸립니다 걸린다 걸려서 걸렸다 걸리는 걸려", id="melted-vowel"),
    pytest.param("바꾸면 바꿨다 바꿔도", id="melted-round-vowel"),
    pytest.param("어두운 어둡습니다 어두워서 어두웠다", id="irregular-b"),
    pytest.param("듣고 들어 들은 듣습니다", id="irregular-d"),
    pytest.param("만드는 만들고 만들어 만든", id="dropped-l"),
    pytest.param("받아야 받는다 받습니다 받은", id="regular-d"),
    pytest.param("제출하여야 제출해야 제출합니다 제출하지 제출한다", id="noun-and-verb"),
    pytest.param("따릅니다 따른다 따르는", id="vowel-stem"),
    pytest.param("처음 처음인 처음이다", id="copula"),
    pytest.param(
        "가입하셨다면 가입하셔야 가입하시면 가입했다면 가입하신다면", id="melted-honorific"
    ),
    pytest.param("받으셨습니다 받으셔도 받으시면 받는다면", id="melted-honorific-after-consonant"),
    pytest.param("내셨다면 내시면 내신", id="melted-honorific-after-vowel"),
]


@pytest.mark.parametrize("forms", SAME)
def test_forms_of_a_predicate_meet(forms: str) -> None:
    assert len({lemma(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("noun", ["신고", "보고", "회의", "제도", "수수료", "주차장", "마음"])
def test_nouns_that_look_inflected_stay_whole(noun: str) -> None:
    assert lemma(noun) == noun


@pytest.mark.parametrize(
    ("one", "other"), [("높다", "낮다"), ("많은", "적은"), ("받은", "준"), ("열고", "닫고")]
)
def test_different_predicates_do_not_meet(one: str, other: str) -> None:
    assert lemma(one) != lemma(other)


@pytest.mark.parametrize("word", ["", "a", "ab12", "다", "ㅋㅋ", "요"])
def test_what_is_no_predicate_is_left(word: str) -> None:
    assert lemma(word) == word

import pytest

from guards.complaints.swearing import swearwords


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("야 개새끼야", "개새끼야", id="plain"),
        pytest.param("이 쌔♡끼야", "쌔♡끼야", id="broken-up"),
        pytest.param("아 qudtls", "qudtls", id="latin-keys"),
        pytest.param("버튼 누르면 꺼져", "", id="order-behind-other-words"),
        pytest.param("이제 꺼져", "꺼져", id="order-behind-an-adverb"),
        pytest.param("'바보'라고 병신이라고 했대", "", id="mentioned"),
        pytest.param("시발역", "", id="innocent-compound"),
    ],
)
def test_finds_what_is_used(text: str, found: str) -> None:
    assert "".join(text[word.start : word.end] for word in swearwords(text)) == found


@pytest.mark.parametrize(
    ("text", "addresses", "calls"),
    [
        pytest.param("병신아", True, True, id="vocative"),
        pytest.param("병신이야", True, False, id="may-tell-of-somebody"),
        pytest.param("병신", False, False, id="bare"),
        pytest.param("꺼져라", True, False, id="order"),
    ],
)
def test_form_tells_whom_it_is_for(text: str, addresses: bool, calls: bool) -> None:
    [word] = swearwords(text)

    assert (word.addresses, word.calls) == (addresses, calls)


def test_comes_in_order() -> None:
    starts = [word.start for word in swearwords("tlqkf 이 등신아 wlfkf")]

    assert starts == sorted(starts)
    assert len(starts) == 3

"""What the guards alone are measured over: each by itself, and all together as texts grow."""

import itertools
from collections.abc import Callable, Iterable
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Guard, GuardSettings, Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.names import Names, NamesSettings
from guards.phrases import Phrases, PhrasesSettings
from policies.inspection import Inspector
from policies.patterns import Intents
from policies.schema.loader import load_shipped
from policies.schema.policy import IntentRule
from tests.bench import micro_texts as texts
from tests.bench.micro_timing import Growth, Part, Prepare, growth, parts

KB = texts.KB
ODD = ("[1", "제1조 ", "1%", "3층 ", "가. ", "(", "약 3만원 ", "아마 ", "국민은행 ")
FEW_SOURCES = 5
SEEN = texts.Library()
APART = 1000
"""So many companies lie between two libraries that share nothing."""

QUESTION = "연차휴가는 며칠이고 신청은 언제까지 하나요?"
Inspect = Callable[[Exchange], object]


def alone(rounds: int) -> list[Part]:
    """All guards together and each by itself, over answers to which the sources were seen."""
    inspect, before = inspection(), inspection(Stage.INPUT)
    orders = itertools.permutations(range(FEW_SOURCES))  # each makes a set that nobody has seen
    tasks: dict[str, Prepare] = {
        "whole pass, new sources": lambda number: partial(inspect, _daily(_new(number), number)),
        "whole pass, sources seen in other orders": lambda number: partial(
            inspect, _daily(SEEN, number, next(orders))
        ),
        "whole pass, sources seen": lambda number: partial(inspect, _daily(SEEN, number)),
        "before the model, sources seen": lambda number: partial(before, _daily(SEEN, number)),
    }
    for name, guard in all_guards().items():
        tasks[name] = partial(_checking, guard(guard.settings_type()))
    return parts(tasks, rounds)


def by_sources(sizes_kb: list[int], rounds: int) -> list[Growth]:
    """The whole pass over 1 KB of answer as the sources grow, new ones and ones seen before."""
    inspect = inspection()

    def task(size_kb: int, number: int, *, new: bool) -> Callable[[], object]:
        library = _new(number) if new else SEEN
        answer = library.answer(KB, min(FEW_SOURCES, size_kb), number)
        return partial(inspect, texts.exchange(library.sources(size_kb * KB), answer))

    return [
        growth(
            f"whole pass over 1 KB of answer, sources {'new' if new else 'seen before'}",
            "KB of sources",
            {float(size): partial(task, size, new=new) for size in sizes_kb},
            rounds,
        )
        for new in (True, False)
    ]


def by_answer(sizes_bytes: list[int], sources_kb: int, rounds: int) -> Growth:
    """The whole pass over sources seen before, as the answer grows."""
    inspect = inspection()
    sources = SEEN.sources(sources_kb * KB)

    def task(size_bytes: int, number: int) -> Callable[[], object]:
        answer = SEEN.answer(size_bytes, len(sources), number)
        return partial(inspect, texts.exchange(sources, answer))

    return growth(
        f"whole pass over {sources_kb} KB of sources seen before",
        "KB of answer",
        {size / KB: partial(task, size) for size in sizes_bytes},
        rounds,
    )


def by_known_names(counts: list[int], rounds: int) -> Growth:
    """The guard of names as the policy's list of known names grows."""
    sources = SEEN.sources(FEW_SOURCES * KB)

    def task(guard: Guard[NamesSettings], number: int) -> Callable[[], object]:
        reading = read(texts.exchange(sources, texts.answer_with_a_known_name(number)))
        return partial(guard.check, reading)

    guards = {count: Names(NamesSettings(known_names=texts.known_names(count))) for count in counts}
    tasks = {float(count): partial(task, guard) for count, guard in guards.items()}
    return growth("names guard", "known names", tasks, rounds)


def by_phrases(counts: list[int], rounds: int) -> Growth:
    """The guard of phrases over 1 KB of answer as the policy's list of phrases grows."""

    def task(guard: Guard[PhrasesSettings], number: int) -> Callable[[], object]:
        return partial(guard.check, read(_daily(SEEN, number)))

    guards = {count: Phrases(PhrasesSettings(phrases=texts.phrases(count))) for count in counts}
    tasks = {float(count): partial(task, guard) for count, guard in guards.items()}
    return growth("phrases guard over 1 KB of answer", "phrases", tasks, rounds)


def by_patterns(counts: list[int], rounds: int) -> Growth:
    """Telling what a question is about, as the policy's patterns grow and none matches."""

    def task(intents: Intents, number: int) -> Callable[[], object]:
        return partial(intents.intent_of, f"{number + 1}번째 문의입니다. {QUESTION}")

    tasks = {
        float(count): partial(
            task,
            Intents(
                IntentRule(intent="place", patterns=(pattern,)) for pattern in texts.patterns(count)
            ),
        )
        for count in counts
    }
    return growth("what a question is about", "patterns", tasks, rounds)


def odd(sizes_kb: list[int], rounds: int) -> list[Growth]:
    """The whole pass over answers that say one thing again and again."""
    inspect = inspection()
    sources = SEEN.sources(FEW_SOURCES * KB)

    def task(unit: str, size_kb: int, number: int) -> Callable[[], object]:
        del number
        return partial(inspect, texts.exchange(sources, sized(unit, size_kb)))

    return [
        growth(
            f"whole pass over {unit!r} again and again",
            "KB of answer",
            {float(size): partial(task, unit, size) for size in sizes_kb},
            rounds,
        )
        for unit in ODD
    ]


def inspection(stage: Stage = Stage.OUTPUT) -> Inspect:
    """Return what all guards of the default policy do at a stage."""
    inspector = Inspector(load_shipped("default").policy)
    return lambda exchange: inspector.inspect(exchange, stage)


def _daily(
    library: texts.Library, number: int, order: Iterable[int] = range(FEW_SOURCES)
) -> Exchange:
    """Return an exchange as they come all day: five sources of 1 KB, 1 KB of answer."""
    answer = library.answer(KB, FEW_SOURCES, number)
    sources = library.sources(FEW_SOURCES * KB)
    return texts.exchange(tuple(sources[place] for place in order), answer)


def _new(number: int) -> texts.Library:
    """Return a library of which nothing was ever read."""
    return texts.Library(first=(number + 1) * APART)


def _checking(guard: Guard[GuardSettings], number: int) -> Callable[[], object]:
    reading = read(_daily(SEEN, number))
    if guard.not_checkable(reading) is not None:
        return lambda: None
    return partial(guard.check, reading)


def sized(text: str, kilobytes: int) -> str:
    """Return a text of so many KB in UTF-8, by repeating."""
    size = kilobytes * 1024
    return (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")

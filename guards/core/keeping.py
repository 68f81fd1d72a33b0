"""Caches of computed readings: per object, per content, or the latest ones."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, Self, TypeVar, cast, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - used as a decorator, like `property`
    """A property that is computed once for each object and then is an ordinary attribute.

    Unlike `functools.cached_property` of Python 3.11 it holds no lock, which all objects of a class
    would share: one long text being read in a thread would make every other text wait. Two threads
    that ask at once may both compute it, which is harmless for values that are the same each time.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> "lazy[T] | T":
        """Compute the value and put it in the attribute's own place."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


ReadT = TypeVar("ReadT")
KeyT = TypeVar("KeyT", bound=Hashable)
_MISSING = object()
_MOST_ALONE = 2


class Keeping:
    """Something that is read by functions, each of which reads it once.

    Two threads that ask at once may both read, which is harmless: a reading is the same each time.
    """

    def __init__(self) -> None:
        self._kept: dict[object, object] = {}
        self._remembered: defaultdict[object, dict[object, object]] = defaultdict(dict)

    @property
    def is_unread(self) -> bool:
        """True if nothing has been read from this yet."""
        return not self._kept

    def once(self, read: Callable[[Self], ReadT]) -> ReadT:
        """Return what a function reads from this, and keep it as long as this lasts.

        Args:
            read: A function of a module (or a class), which is the same each time.
        """
        if read not in self._kept:
            self._kept[read] = read(self)
        return cast("ReadT", self._kept[read])

    def remembered(self, function: Callable[[KeyT], ReadT], key: KeyT) -> ReadT:
        """Return what a function makes of one thing, and keep it as long as this lasts.

        Args:
            function: A function of a module (or a class), which is the same each time.
            key: The thing: a sentence of an answer that comes back while the answer grows.
        """
        known = self._remembered[function]
        found = known.get(key, _MISSING)
        if found is _MISSING:
            found = known[key] = function(key)
        return cast("ReadT", found)


class Recent(Generic[KeyT, T]):
    """Things by their keys, the least used ones dropped first. Safe to share between threads.

    Args:
        chars_kept: Characters that all of them may have together. One that has more is kept alone;
            one of more than twice as many is made anew for everybody.
    """

    def __init__(self, chars_kept: int) -> None:
        self._chars_kept = chars_kept
        self._things: OrderedDict[KeyT, tuple[T, int]] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def get(self, key: KeyT, chars: int, make: Callable[[], T]) -> T:
        """Return the shared thing of a key.

        Args:
            key: What tells it from all others.
            chars: Its size.
            make: Makes one; quick, because everybody waits for it.
        """
        if chars > _MOST_ALONE * self._chars_kept:
            return make()
        with self._lock:
            found = self._things.get(key)
            if found is None:
                found = self._things[key] = (make(), chars)
                self._chars += chars
                self._drop()
            else:
                self._things.move_to_end(key)
        return found[0]

    def keep(self, chars: int) -> None:
        """Keep so many characters from now on."""
        with self._lock:
            self._chars_kept = chars
            self._drop()

    def _drop(self) -> None:
        while self._chars > self._chars_kept and not self._is_alone():
            _, (_, dropped) = self._things.popitem(last=False)
            self._chars -= dropped

    def _is_alone(self) -> bool:
        return len(self._things) == 1 and self._chars <= _MOST_ALONE * self._chars_kept

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._things.clear()
            self._chars = 0

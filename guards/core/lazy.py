"""Attributes that are computed when first asked for, without a lock."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

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

"""Parameters of a table or a figure that a reader may choose: what a target takes, and values within its ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.own_data import OwnData

Value: TypeAlias = int | float
LEAST_EPSILON, LARGEST_EPSILON = 1e-4, 100
LEAST_DELTA, LARGEST_DELTA = 1e-100, 0.5
MOST_VALUES = 30
"""Of one parameter."""


@frozen
class Parameter:
    """A parameter that a target takes.

    Attributes
    ----------
    name
        ``n``, ``d``, ``epsilons`` or ``deltas``, as the command line has it.
    means
        What it is in this target.
    usual
        The values that are taken where the reader chooses none, ascending.
    least, most
        The range of a value.
    whole
        Whether the values are integers.
    count
        Values at most.
    instead
        In words, what is taken where none is chosen, if that depends on the data; ``usual`` is then empty.
    """

    name: str
    means: str
    usual: tuple[Value, ...]
    least: Value
    most: Value
    whole: bool = True
    count: int = MOST_VALUES
    instead: str = ""

    def read(self, values: Iterable[Fraction]) -> tuple[Value, ...]:
        """Return the values as the target takes them, ascending.

        Raises
        ------
        InvalidParameterError
            If there are none or too many, one is out of range or no integer where one is wanted, or one stands twice.
        """
        exact = sorted(values)
        if not 1 <= len(exact) <= self.count:
            problem = f"{len(exact)} values are given"
            remedy = "pass one value" if self.count == 1 else f"pass 1 to {self.count} values"
            raise InvalidParameterError(self.name, problem, remedy)
        # Bounds are compared as the decimals that they print.
        low, high = Fraction(str(self.least)), Fraction(str(self.most))
        for value in exact:
            whole = value.denominator == 1 or not self.whole
            if not whole or not low <= value <= high:
                problem = "a value is out of range" if whole else "a value is no integer"
                remedy = f"pass {'integers' if self.whole else 'numbers'} from {self.least} to {self.most}"
                raise InvalidParameterError(self.name, problem, remedy)
        found = tuple(int(value) if self.whole else float(value) for value in exact)
        if len(set(found)) < len(found):
            raise InvalidParameterError(self.name, "a value stands twice", "pass each value once")
        return found


def records(usual: tuple[int, ...], least: int, most: int, means: str = "records", **more: Any) -> Parameter:  # noqa: ANN401 - as in `Parameter`
    """Return a parameter ``n``."""
    return Parameter("n", means, usual, least, most, **more)


def columns(usual: tuple[int, ...], least: int, most: int, **more: Any) -> Parameter:  # noqa: ANN401 - as in `Parameter`
    """Return a parameter ``d``."""
    return Parameter("d", "columns", usual, least, most, **more)


def epsilons(*usual: Value, most: Value = LARGEST_EPSILON, count: int = MOST_VALUES) -> Parameter:
    """Return a parameter ``epsilons``."""
    return Parameter("epsilons", "epsilons", usual, LEAST_EPSILON, most, whole=False, count=count)


def deltas(*usual: Value, count: int = MOST_VALUES) -> Parameter:
    """Return a parameter ``deltas``."""
    return Parameter("deltas", "deltas", usual, LEAST_DELTA, LARGEST_DELTA, whole=False, count=count)


@frozen
class Parameters:
    """The parameters of one run: what the target takes, and what the reader chose.

    Attributes
    ----------
    target
        Its name.
    takes
        What it takes.
    chosen
        What was chosen, by name.
    data
        The reader's own records, where there are some.
    """

    target: str
    takes: tuple[Parameter, ...]
    chosen: Mapping[str, tuple[Value, ...]] = field(factory=dict)
    data: OwnData | None = None

    @classmethod
    def of(
        cls,
        target: str,
        takes: tuple[Parameter, ...],
        given: Mapping[str, Iterable[Fraction] | None],
        data: OwnData | None = None,
    ) -> Parameters:
        """Read what a reader gives; None stands for what is not given.

        Raises
        ------
        InvalidParameterError
            If the target does not take a parameter, or as `Parameter.read`.
        """
        known = {one.name: one for one in takes}
        chosen = {}
        for name, values in given.items():
            if values is None:
                continue
            if name not in known:
                remedy = f"it takes {' and '.join(f'--{one}' for one in known)}" if known else "it takes no parameters"
                raise InvalidParameterError(name, f"{target} does not take it", remedy)
            chosen[name] = known[name].read(values)
        return cls(target, takes, chosen, data)

    def values(self, name: str) -> tuple[Value, ...]:
        """Return the values of a parameter that the target takes."""
        usual = {one.name: one.usual for one in self.takes}[name]
        return self.chosen.get(name, usual)

    def integers(self, name: str) -> tuple[int, ...]:
        """Return the values of a parameter whose values are integers."""
        return tuple(int(value) for value in self.values(name))

    @property
    def own(self) -> tuple[str, ...]:
        """The parameters whose values are not the usual ones."""
        return tuple(one.name for one in self.takes if self.chosen.get(one.name, one.usual) != one.usual)

    @property
    def note(self) -> str:
        """What a reader has to know; empty where all values are the usual ones."""
        told = [f"{name} = {listed(self.values(name))}" for name in self.own]
        told += [] if self.data is None else [f"records of {self.data.file}"]
        whose = "the usual ones" if self.target.startswith("beyond.") else "the document's"
        return f"own parameters, not {whose}: {'; '.join(told)}" if told else ""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold: all values, the names of those that are not the usual ones, and the data."""
        values = {one.name: list(self.values(one.name)) or one.instead for one in self.takes}
        data = None if self.data is None else self.data.to_json()
        return {"parameters": values, "own_parameters": list(self.own), "own_data": data}


def listed(values: Iterable[Value]) -> str:
    """Write values for a person."""
    return ", ".join(f"{value}" for value in values)

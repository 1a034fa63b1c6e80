"""Anybody's mechanism as a target: a function of the data, of batches, an object that simulates, or the name of one."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.of_domain import Reading
from dpmatrix.auditing.targets.forms import Form, Raised, caught
from dpmatrix.auditing.targets.target import Call, Target, batch_of, from_single_draw, stacked
from dpmatrix.errors import InvalidParameterError, NoVerdictError

PILOTS = 200
"""Sample outputs from each data set, from which a form is chosen."""
_PILOTS_OF_BATCHES = 4
PILOT_SECONDS = 1.0
MOST_PILOTED = 8
"""Pairs of data sets on which a form is chosen."""
_REMEDY = (
    "pass f(data), f(data, generator), f(data, size, generator), or an object with simulate(data, size, generator)"
)
_GENERATORS = ("generator", "rng")
_NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@frozen(eq=False)
class _OwnEntropy:
    """A function of the data alone; the global generators that it may use are seeded anew for every batch."""

    function: Callable[[FloatArray], object]
    form: Form | None = None

    def calls(self, data: FloatArray, size: int, generator: np.random.Generator) -> Iterator[Call]:
        seed = int(generator.integers(2**32))
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - for mechanisms that draw from it
        return (partial(self.function, data) for _ in range(size))

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return batch_of(self.calls(data, size, generator), self.form)


@frozen(eq=False)
class _ByName:
    """A function whose further parameters have names that say what they are; they are passed by these."""

    function: Callable[..., object]
    generator_name: str
    form: Form | None = None

    def calls(self, data: FloatArray, size: int, generator: np.random.Generator) -> Iterator[Call]:
        options: dict[str, object] = {self.generator_name: generator}
        return (partial(self.function, data, **options) for _ in range(size))

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return batch_of(self.calls(data, size, generator), self.form)


@frozen(eq=False)
class _Batches:
    """A function that makes ``size`` outputs at once; in a form it makes one a call, so that an exception is of one."""

    function: Callable[..., object]
    generator_name: str | None = None
    form: Form | None = None

    def calls(self, data: FloatArray, size: int, generator: np.random.Generator) -> Iterator[Call]:
        return (lambda: _only(self._drawn(data, 1, generator)) for _ in range(size))

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        if self.form is not None:
            return batch_of(self.calls(data, size, generator), self.form)
        return np.asarray(self._drawn(data, size, generator))

    def _drawn(self, data: FloatArray, size: int, generator: np.random.Generator) -> object:
        if self.generator_name is None:
            return self.function(data, size, generator)
        return self.function(data, size=size, **{self.generator_name: generator})


def _only(batch: object) -> object:
    array = np.asarray(batch)
    return array[0] if array.ndim and len(array) == 1 else array


def _instance_of(mechanism: type) -> str:
    """Say how an instance of a class is audited, here and by its name."""
    try:
        given = "epsilon=1" if "epsilon" in inspect.signature(mechanism).parameters else "..."
    except (TypeError, ValueError):
        given = "..."
    made = f"{mechanism.__name__}({given})"
    return f"pass an instance, {made}; for the command line write `m = {made}` in a file and audit file.py:m"


def as_target(mechanism: object, form: Form | None = None, domain: str | None = None) -> Target:
    """Make a target of a mechanism.

    Parameters
    ----------
    mechanism
        A callable of one required argument ``data`` (with entropy of its own: the operating system's, or the global
        generators of `random` and `numpy.random`), of two, ``data, generator``, or of three, ``data, size,
        generator``; or an object with a method ``simulate(data, size, generator)``, as the mechanisms of this library.
        Parameters with defaults are passed if their names say what they are: ``generator`` or ``rng``, and beside it
        ``size``. Outputs are real numbers, vectors or square matrices, all of one shape; those of a function that gives
        one a call may be of any kind if a form is given.
    form
        What is looked at of such outputs; see `form_of`.
    domain
        What the records are, as `dpmatrix.auditing.pairs.domains` says; they are numbers without it.

    Raises
    ------
    InvalidParameterError
        If it is none of these; a class is none, since it has to be given its parameters first.
    """
    if inspect.isclass(mechanism):
        raise InvalidParameterError("mechanism", f"{mechanism.__name__} is a class", _instance_of(mechanism))
    simulate = getattr(mechanism, "simulate", None)
    found: Any = simulate if callable(simulate) else mechanism
    if not callable(found):
        raise InvalidParameterError("mechanism", f"{mechanism!r} cannot be called", _REMEDY)
    try:
        found = found if domain is None else Reading(found, domain)
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError) as error:
        raise InvalidParameterError("mechanism", f"{mechanism!r} has no signature", "wrap it in a function") from error
    required = [one for one in parameters if one.default is one.empty and one.kind in _POSITIONAL]
    if len(required) == 1:
        names = [one.name for one in parameters if one.kind in _NAMED and one is not required[0]]
        for name in (name for name in _GENERATORS if name in names):
            return _Batches(found, name, form) if "size" in names else _ByName(found, name, form)
        return _OwnEntropy(found, form)
    if len(required) == 2:
        return from_single_draw(found, form)
    if len(required) == 3:
        return _Batches(found, None, form)
    raise InvalidParameterError("mechanism", f"it takes {len(required)} required arguments", _REMEDY)


def _module(name: str) -> ModuleType:
    try:
        if not name.endswith(".py"):
            return importlib.import_module(name)
        path = Path(name).resolve()
        specification = importlib.util.spec_from_file_location(path.stem, path)
        if specification is None or specification.loader is None:
            raise ImportError(name)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
    except SystemExit as error:
        raise NoVerdictError(f"{name} calls exit({error}) when it is imported") from error
    except Exception as error:  # whatever the module raises, it cannot be audited
        raise InvalidParameterError("mechanism", f"{name} cannot be imported ({error})", "name a module") from error
    return module


def named_object(name: str) -> Any:  # noqa: ANN401 - whatever the module defines
    """Import what a name such as "package.module:name" or "path/to/file.py:name" stands for.

    Raises
    ------
    InvalidParameterError
        If the name is of another form, or leads nowhere.
    NoVerdictError
        If the module calls exit.
    """
    module_name, _, path = name.partition(":")
    if not module_name or not path:
        raise InvalidParameterError("mechanism", f"{name!r} names nothing", "write package.module:name or file.py:name")
    found: Any = _module(module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            raise InvalidParameterError("mechanism", f"{module_name} has no {path}", "name what the module defines")
        found = getattr(found, part)
    return found


def form_of(
    target: Target, data_sets: Sequence[FloatArray], seconds: float = PILOT_SECONDS, raised: Sequence[str] = ()
) -> Form | None:
    """Choose a form of the outputs of a target from a few of them; None if they are numbers of one shape.

    An exception is an output where it is not the only one. None as well for a mechanism that always fails, exits or
    returns nothing, which the audit itself will tell, and for one that makes batches and never fails.

    Parameters
    ----------
    target
        As `as_target` makes it, or a `NamedTarget`.
    data_sets
        On which samples are drawn, in turn.
    seconds
        No more are begun after this time, but for the first: a slow mechanism keeps its time for the audit.
    raised
        Names of exceptions that are known to be raised on other data.
    """
    calls = getattr(target, "calls", None)
    if calls is None:
        return None
    pilots = _PILOTS_OF_BATCHES if _makes_batches(target) else PILOTS
    begin, found = time.monotonic(), list[object]()
    try:
        for number, (place, data) in product(range(pilots), enumerate(data_sets)):
            if found and time.monotonic() - begin > seconds:
                break
            found += map(caught, calls(data.copy(), 1, np.random.default_rng((number, place))))
    except (Exception, SystemExit):
        return None
    returned = [output for output in found if not isinstance(output, Raised)]
    if not returned:
        return None
    if raised or len(returned) < len(found):
        return Form.of([*found, *map(Raised, raised)])
    if _makes_batches(target) or all(output is None for output in found):
        return None
    try:
        stacked(found)
    except Exception:  # numpy has its own for nested lists of uneven length
        return Form.of(found)
    return None


def _makes_batches(target: object) -> bool:
    return isinstance(_resolved(target.name) if isinstance(target, NamedTarget) else target, _Batches)


@lru_cache(maxsize=16)
def _resolved(name: str, form: Form | None = None, domain: str | None = None) -> Target:
    return as_target(named_object(name), form, domain)


@frozen
class NamedTarget:
    """A mechanism by its name, which every process imports for itself.

    Attributes
    ----------
    name
        "package.module:name" or "path/to/file.py:name"; the name may have dots.
    form, domain
        As in `as_target`.
    """

    name: str
    form: Form | None = None
    domain: str | None = None

    def __attrs_post_init__(self) -> None:
        _resolved(self.name, None, self.domain)

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> NDArray[np.generic]:
        """Run the mechanism."""
        return _resolved(self.name, self.form, self.domain)(data, size, generator)

    @property
    def calls(self) -> Callable[[FloatArray, int, np.random.Generator], Iterator[Call]] | None:
        """What lists calls that make an output each."""
        found: Callable[[FloatArray, int, np.random.Generator], Iterator[Call]] | None
        found = getattr(_resolved(self.name, None, self.domain), "calls", None)
        return found

    def fingerprint(self) -> str:
        """Return a hash of the source of the module, so that an edited mechanism is not taken for the same."""
        module = self.name.partition(":")[0]
        source = module if module.endswith(".py") else _module(module).__file__
        return hashlib.sha256(Path(source).read_bytes() if source else b"").hexdigest()

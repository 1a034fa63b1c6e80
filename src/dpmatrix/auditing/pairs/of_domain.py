"""Neighbouring data sets of any domain, and a mechanism that takes them, as what the auditor knows: rows of floats."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.domains import Domain, domain_of
from dpmatrix.auditing.pairs.neighbours import neighbouring_pairs
from dpmatrix.auditing.pairs.own import OwnPairs, own_pairs
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.privacy.adjacency import Adjacency

MOST_PAIRS = 36
_SEED = 20261130
_MOST_COLUMNS, _MOST_CODES, _RANDOM = 6, 12, 4


class Reading:
    """A mechanism on rows of codes: each call is given the records that they stand for, made anew.

    Parameters
    ----------
    mechanism
        Whose first argument is the data.
    domain
        As `domain_of` reads it.
    """

    def __init__(self, mechanism: Callable[..., object], domain: str) -> None:
        self._mechanism = mechanism
        self._domain = domain_of(domain)
        self.__signature__ = inspect.signature(mechanism)

    def __call__(self, data: FloatArray, *arguments: object, **options: object) -> object:
        """Call the mechanism."""
        return self._mechanism(self._domain.records(data), *arguments, **options)


def pairs_of_domain(domain: Domain, records: int, adjacency: Adjacency) -> OwnPairs:
    """Build pairs of data sets of a domain: extreme, ordinary and random records beside others of many shapes.

    Parameters
    ----------
    domain
        What a record may be.
    records
        n >= 1, of the larger data set.
    adjacency
        A record is replaced, or leaves with its row: zeros in its place may be no record.

    Returns
    -------
    OwnPairs
        The codes of the records, always the same for the same arguments; the changed record is the last.

    Raises
    ------
    InvalidParameterError
        If the number of records is not a positive integer, or numbers differ too much in size.
    """
    records = positive_integer(records, "records")
    others = _others(domain, records - 1)
    changes = _changes(domain)
    if adjacency is Adjacency.ADD_REMOVE_ONE:
        leaving = {one.tobytes(): one for _, old, new in changes for one in (new, old)}
        changes = [(f"{_told(domain.records(one[None])[0])} leaves", one, one) for one in leaving.values()]
    found: dict[tuple[bytes, bytes], tuple[str, Any, Any]] = {}
    # Each change goes with one kind of others, then the first ones with another kind, and so on.
    rounds = [(step, place) for step in range(len(others)) for place in range(min(len(changes), MOST_PAIRS // 2))]
    for step, place in rounds:
        name, old, new = changes[place]
        words, rest = others[(step + place) % len(others)]
        data = np.vstack([rest, old])
        neighbour = rest if adjacency is Adjacency.ADD_REMOVE_ONE else np.vstack([rest, new])
        found.setdefault((data.tobytes(), neighbour.tobytes()), (f"{name}; beside {words}", data, neighbour))
    try:
        return own_pairs(islice(found.values(), MOST_PAIRS), adjacency)
    except InvalidParameterError as error:
        raise InvalidParameterError("domain", error.problem, error.remedy) from error


def pairs_to_try(
    adjacency: Adjacency,
    records: int,
    dimension: int | None,
    norm_bound: float | None,
    domain: str | None,
    delete_rows: bool,
) -> OwnPairs:
    """Return the pairs of a domain, or of numbers of bounded norm, with the bound; parameters as in `audit_mechanism`.

    Raises
    ------
    InvalidParameterError
        If one of them is out of its domain, or does not go with another.
    """
    if domain is None:
        if dimension is None:
            raise InvalidParameterError("dimension", "it is not known what a record is", "give a dimension or a domain")
        bound = 1.0 if norm_bound is None else norm_bound
        return OwnPairs(neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows), bound)
    for name, value in (("dimension", dimension), ("norm_bound", norm_bound)):
        if value is not None:
            raise InvalidParameterError(name, "the domain says what a record is", f"leave {name} or the domain out")
    if not delete_rows:
        problem = "a record of zeros need not be in the domain"
        raise InvalidParameterError("delete_rows", problem, "let removed records take their rows along")
    return pairs_of_domain(domain_of(domain), records, adjacency)


def _filled(domain: Domain, place: int) -> FloatArray:
    """Return the record of the codes at one place of each column's list, in turn, shape (c,)."""
    return np.array([(codes := column.codes())[place % len(codes)] for column in domain.columns])


def _changes(domain: Domain) -> list[tuple[str, FloatArray, FloatArray]]:
    low, high = _filled(domain, 0), _filled(domain, 1)
    found = [("the first record there is, or the last", low, high)]
    by_column = []
    for index, column in enumerate(domain.columns[:_MOST_COLUMNS]):
        called = column.name or ("the record" if len(domain.columns) == 1 else f"column {index}")
        codes, some = column.codes()[:_MOST_CODES], []
        further = [(base, code) for code in codes[2:] for base in (low, high)]
        for base, code in [(high, codes[0]), (low, codes[1]), *further]:
            new = base.copy()
            new[index] = code
            values = (column.value(base[index]), column.value(code))
            some.append((f"{called} is {_told(values[0])} or {_told(values[1])}", base, new))
        by_column.append(some)
    found += [one for several in zip_longest(*by_column) for one in several if one is not None]
    generator = np.random.default_rng(_SEED)
    for number in range(_RANDOM):
        old, new = np.stack([column.drawn(generator, 2) for column in domain.columns], axis=1)
        # They are so few that they are not to come after all codes of all columns.
        found.insert(min(len(found), 4 * number + 4), ("one random record or another", old, new))
    return [(name, old, new) for name, old, new in found if not np.array_equal(old, new)]


def _told(value: object) -> str:
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return f"{{{', '.join(sorted(map(repr, plain)))}}}" if isinstance(plain, frozenset) else repr(plain)


def _others(domain: Domain, number: int) -> list[tuple[str, FloatArray]]:
    low, high = _filled(domain, 0), _filled(domain, 1)
    generator = np.random.default_rng(_SEED)
    halves = np.where(np.arange(number)[:, None] % 2 == 0, low, high)
    mixed = np.array([_filled(domain, place) for place in range(number)]).reshape(number, len(low))
    random = np.stack([column.drawn(generator, number) for column in domain.columns], axis=1)
    return [
        ("the first record there is", np.tile(low, (number, 1))),
        ("the last record there is", np.tile(high, (number, 1))),
        ("both in turn", halves),
        ("all kinds of records", mixed),
        ("random records", random),
    ]

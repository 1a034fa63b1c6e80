"""Which checkpoints remain, by jumps to the last close one, and what `check` finds in a histogram that was tampered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product

import mpmath
import pytest
from flint import fmpq_mat

from dpmatrix.claims import Truth
from dpmatrix.claims.registry import Implementation
from dpmatrix.streaming import Checkpoint, SpectralHistogram, checkpoint_bound, precedes, thin
from dpmatrix.streaming import histogram as histogram_module

Closeness = Callable[[int, int], bool]


def jumps(count: int, close: Closeness) -> list[int]:
    """Go from each checkpoint to the last close one that is not the newest, or to the next one."""
    places = [0]
    while places[-1] < count - 1:
        here = places[-1]
        places.append(max([p for p in range(here + 2, count - 1) if close(here, p)], default=here + 1))
    return places[:count]


def patient(close: Closeness) -> Closeness:
    """Ask about each of six places in two ways at most; a scan that does not end asks more often."""
    asked = []

    def counted(i: int, p: int) -> bool:
        asked.append((i, p))
        assert len(asked) <= 72, "the scan does not end"
        return close(i, p)

    return counted


def tables(count: int) -> Iterator[dict[tuple[int, int], bool]]:
    pairs = list(combinations(range(count), 2))
    for answers in product((False, True), repeat=len(pairs)):
        yield dict(zip(pairs, answers, strict=True))


def by_table(table: dict[tuple[int, int], bool], i: int, p: int) -> bool:
    return table[i, p]


@pytest.mark.parametrize("count", range(6))
def test_what_remains_is_where_the_jumps_land(count: int) -> None:
    for table in tables(count):
        close = partial(by_table, table)
        assert thin(count, patient(close)) == jumps(count, close)


@pytest.mark.parametrize("count", range(7))
def test_what_remains_of_ordered_checkpoints_is_where_the_jumps_land(count: int) -> None:
    """A checkpoint reaches as far as a table says, and later ones reach further, or to the next one at least."""
    seen = set()
    for reach in product(range(count), repeat=count):
        if list(reach) != sorted(reach):
            continue

        def close(i: int, p: int, reach: tuple[int, ...] = reach) -> bool:
            return p <= reach[i]

        kept = thin(count, patient(close), ordered=True)
        assert kept == jumps(count, close)
        seen.add(len(kept))
    assert seen == {min(count, 3), *range(min(count, 3), count + 1)}


def test_a_row_costs_two_comparisons_for_each_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(small: fmpq_mat, large: fmpq_mat) -> Truth:
        asked.append((small, large))
        return precedes(small, large)

    monkeypatch.setattr(histogram_module, "precedes", counted)
    histogram = SpectralHistogram(1, 40, Fraction(1, 10), 1)
    for _ in range(40):
        asked.clear()
        before = len(histogram.checkpoints) + 1
        histogram.observe([1])
        assert len(asked) <= 2 * before
    assert len(histogram.checkpoints) > 20


def test_thinning_says_which_algorithms_it_is() -> None:
    assert thin(0, lambda _i, _p: True) == []
    cited = [citation.claim for citation in Implementation.of(thin).citations]
    assert sorted(cited) == ["sliding-window.algorithm-1", "sliding-window.algorithm-6"]


def superfluous(stamps: list[int], close: Closeness) -> bool:
    return any(close(i, i + 2) for i in range(len(stamps) - 3))


def fault(stamps: list[int], sizes: list[int], time: int, window: int) -> str:
    """Say in a word what is wrong with checkpoints of one number each, for an eta of a half."""
    seen = range(max(1, time - window + 1), time + 1)

    def close(i: int, p: int) -> bool:
        return sizes[i] <= 2 * sizes[p]

    if stamps != sorted(set(stamps)):
        return "do not increase"
    if [stamp for stamp in stamps if stamp <= min(seen)] != stamps[:1]:
        return "the window's start"
    if any(late - early > 1 and not close(i, i + 1) for i, (early, late) in enumerate(pairwise(stamps))):
        return "neither adjacent nor close"
    return "superfluous" if superfluous(stamps, close) else ""


def complaint(stamps: list[int], sizes: list[int], time: int, window: int) -> str:
    histogram = SpectralHistogram(1, window, Fraction(1, 2))
    histogram._time = time
    histogram._checkpoints = [Checkpoint(s, fmpq_mat([[size]])) for s, size in zip(stamps, sizes, strict=True)]
    try:
        histogram.check()
    except AssertionError as error:
        return str(error)
    return ""


def test_a_check_finds_each_fault_of_its_own_kind() -> None:
    """Stamps in any order below six, sizes that halve, fall by more or not at all, and windows before and after."""
    found: dict[str, int] = {}
    for length in range(1, 5):
        for stamps in product(range(1, 6), repeat=length):
            for sizes in product((5, 2), repeat=length):
                for time, window in ((5, 4), (5, 2), (6, 9), (5, 5)):
                    expected = fault(list(stamps), list(sizes), time, window)
                    said = complaint(list(stamps), list(sizes), time, window)
                    assert expected in said
                    assert bool(expected) == bool(said)
                    found[expected] = found.get(expected, 0) + 1
    assert min(found.values()) > 20
    assert len(found) == 5


@pytest.mark.parametrize(
    ("stamps", "sizes"),
    [
        ([1, 2, 3, 4, 5], [9, 8, 1, 1, 1]),
        ([1, 2, 3, 4, 5], [9, 4, 3, 2, 1]),
        ([1, 2, 3, 4, 5], [9, 4, 4, 2, 1]),
        ([1, 2, 3, 4, 5, 6], [99, 40, 16, 4, 4, 4]),
        ([1, 3, 4, 6, 7], [8, 4, 3, 2, 1]),
        ([1, 3, 5, 7], [40, 20, 9, 5]),
    ],
)
def test_a_check_looks_at_every_neighbour_and_every_pair_but_the_last(stamps: list[int], sizes: list[int]) -> None:
    expected = fault(stamps, sizes, 9, 9)
    said = complaint(stamps, sizes, 9, 9)
    assert expected in said
    assert bool(expected) == bool(said)


def test_a_histogram_without_rows_has_nothing_to_check() -> None:
    assert complaint([], [], 0, 3) == ""


@pytest.mark.parametrize(
    ("dimension", "window", "eta", "floor", "row_norm"),
    [(1, 10, 0.5, 1.0, 1.0), (3, 1000, 0.25, 0.5, 1.0), (5, 64, 0.1, 7.0, 3.0), (2, 5, 0.75, 0.01, 0.5)],
)
def test_the_bound_on_their_number_is_that_of_determinants(dimension, window, eta, floor, row_norm) -> None:
    """Every second determinant falls by 1 - eta in some direction, from ((W R^2 + d f)/((1 - eta) d))^d down to f^d."""
    with mpmath.workdps(40):
        keep = 1 - mpmath.mpf(eta)
        first = ((window * mpmath.mpf(row_norm) ** 2 + dimension * mpmath.mpf(floor)) / (keep * dimension)) ** dimension
        falls = mpmath.log(first / mpmath.mpf(floor) ** dimension, 1 / keep)
        expected = 3 + int(mpmath.ceil(2 * falls))
    assert checkpoint_bound(dimension, window, eta, floor, row_norm) == expected
    if row_norm == 1:
        assert checkpoint_bound(dimension, window, eta, floor) == expected

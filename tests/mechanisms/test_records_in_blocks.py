"""Records as they are read: copies in blocks, numbers that stay as they are, and messages that name what is wrong."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.exact_products import block_rows
from dpmatrix.mechanisms.norms import clip_records
from dpmatrix.mechanisms.records import (
    as_records,
    bounded_blocks,
    bounded_records,
    norm_remedy,
    record_array,
    record_blocks,
    refuse_masked,
)

WHOLE: list[Any] = [
    as_records,
    record_array,
    lambda data, **options: bounded_records(data, Fraction(1), "clip", **options),
]
READERS: list[Any] = [
    as_records,
    record_array,
    lambda data, **options: list(record_blocks(np.asarray(data), **options)),
    lambda data, **options: list(bounded_blocks(np.asarray(data), Fraction(1), "clip", **options)),
    lambda data, **options: bounded_records(data, Fraction(1), "clip", **options),
]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([[0.1], [0.1, 0.2]], "its rows differ in length; pass an array of shape (n, d)"),
        ([0.1, 0.2], "it has shape (2,); pass an array of shape (n, d) with records as rows"),
        (np.zeros((1, 2, 1)), "it has shape (1, 2, 1); pass an array of shape (n, d) with records as rows"),
        (0.5, "it has shape (); pass an array of shape (n, d) with records as rows"),
        (np.zeros((0, 3)), "shape (0, 3) is empty; pass one record or more, d >= 1"),
        (np.zeros((2, 0)), "shape (2, 0) is empty; pass one record or more, d >= 1"),
        ([[1j]], "its type complex128 is not real; pass real numbers"),
        ([["1"]], "its type str_ is not real; pass real numbers"),
        (
            np.ma.array([[1.0]]),
            "it is masked, and its mask would be lost; pass the records that count, as an array without a mask",
        ),
    ],
    ids=repr,
)
def test_what_is_no_array_of_records_is_refused_by_its_name(data: Any, problem: str) -> None:
    for read in WHOLE:
        for name, options in (("data", {}), ("rows", {"parameter": "rows"})):
            with pytest.raises(InvalidParameterError) as caught:
                read(data, **options)
            assert str(caught.value) == f"{name}: {problem}"


def test_a_data_set_without_records_is_read_where_that_is_allowed() -> None:
    for read in WHOLE:
        assert read(np.zeros((0, 3)), none_allowed=True).shape == (0, 3)
        with pytest.raises(InvalidParameterError, match="empty"):
            read(np.zeros((0, 0)), none_allowed=True)
        assert read([[0.5]]).shape == (1, 1)


def test_a_mask_is_refused_by_the_name_that_is_given() -> None:
    for data in (np.ma.array([0.5]), [np.ma.array([0.5])], ([0.5], (np.ma.array(0.5),))):
        with pytest.raises(InvalidParameterError) as caught:
            refuse_masked(data, "rows")
        assert caught.value.parameter == "rows"
    refuse_masked([[0.5]], "rows")


@pytest.mark.parametrize("place", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (np.nan, "row {} holds NaN or an infinity; remove or repair the record"),
        (-np.inf, "row {} holds NaN or an infinity; remove or repair the record"),
        (2**53 + 1, "row {} holds a number that binary64 rounds; round the records towards zero first"),
        (Fraction(1, 3), "row {} holds a number that binary64 rounds; round the records towards zero first"),
        (10**400, "an entry is not a real number; pass real numbers"),
        ("x", "an entry is not a real number; pass real numbers"),
    ],
    ids=repr,
)
def test_the_first_row_that_cannot_be_read_is_named(monkeypatch, wrong: Any, words: str, place: int) -> None:
    """However the rows are cut into blocks; the last row is always wrong."""
    monkeypatch.setattr("dpmatrix.mechanisms.records.block_rows", lambda dimension: 2 if dimension == 3 else 1)
    data = np.full((5, 3), 0.5, dtype=object)
    data[place, 2] = data[4, 1] = wrong
    for name, options in (("data", {}), ("rows", {"parameter": "rows"})):
        for first in (None, 7):
            for read in READERS[2:4] if first else READERS[:1] + READERS[2:]:
                more = {"first_row": first} if first else {}
                with pytest.raises(InvalidParameterError) as caught:
                    read(data, **options, **more)
                assert str(caught.value) == f"{name}: {words.format(place + (first or 0))}"
                assert caught.value.__context__ is None


def test_blocks_are_numbered_and_have_so_many_rows_as_their_products_ask_for() -> None:
    rows = block_rows(3)
    data = np.random.default_rng(1).uniform(-1, 1, (2 * rows + 5, 3)) / 2
    for first in (0, 11):
        for read in (record_blocks, lambda array, **options: bounded_blocks(array, Fraction(1), "reject", **options)):
            found = list(read(data, first_row=first))
            assert [number for number, _ in found] == [first, first + rows, first + 2 * rows]
            assert (np.vstack([block for _, block in found]) == data).all()
    assert next(record_blocks(data))[0] == next(bounded_blocks(data, Fraction(1), "clip"))[0] == 0
    assert (as_records(data) == data).all()
    assert (bounded_records(data, Fraction(1), "clip") == data).all()


@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "u8", "?", "O", "g"])
def test_blocks_are_contiguous_copies_of_floats(kind: str) -> None:
    for order in "CF":
        data = np.array([[0, 1, 1], [1, 0, 0]], dtype=kind, order=order)
        ((_, block),) = record_blocks(data)
        assert block.dtype == np.float64
        assert block.flags.c_contiguous
        assert not np.shares_memory(block, data)
        assert (block == data).all()
        block[:] = 7
        assert (data != 7).all()


@pytest.mark.parametrize("kind", ["f8", "f4", "?"])
def test_floats_of_64_bits_are_copied_once_and_not_looked_at_one_by_one(kind: str) -> None:
    """Beside the copy there is a truth value for each number, an eighth of it."""
    data = np.zeros((block_rows(40), 40), dtype=kind)
    tracemalloc.start()
    try:
        ((_, block),) = record_blocks(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert block.nbytes < peak < 1.25 * block.nbytes


def test_a_number_beyond_all_floats_is_an_infinity_and_no_warning() -> None:
    wide = np.array([["1e400"]], dtype=np.longdouble)
    if not np.isfinite(wide).all():
        pytest.skip("no wider floats here")
    with np.errstate(all="raise"), pytest.raises(InvalidParameterError, match="row 0 holds NaN or an infinity"):
        as_records(wide)


def test_a_wider_float_that_binary64_rounds_is_refused() -> None:
    wide = np.array([[1.0, 1.0]], dtype=np.longdouble)
    assert (as_records(wide) == 1).all()
    wide[0, 1] = np.nextafter(wide[0, 1], 2)
    if wide[0, 1] == 1 or wide.astype(np.float64)[0, 1] != 1:
        pytest.skip("no wider floats here")
    with pytest.raises(InvalidParameterError, match="row 0 holds a number that binary64 rounds"):
        as_records(wide)


class Meddling(Fraction):
    """A number that changes the array in which it stands while it is read."""

    array: Any = None

    def __float__(self) -> float:
        self.array[0, 1] = 0.25
        return 0.5


def test_what_was_checked_is_what_is_used() -> None:
    number = Meddling(1, 2)
    array = np.array([[number, 0.125]], dtype=object)
    number.array = array
    assert as_records(array).tolist() == [[0.5, 0.125]]
    assert array[0, 1] == 0.25


def test_longer_records_are_clipped_in_their_places_or_refused_without_their_number(monkeypatch) -> None:
    monkeypatch.setattr("dpmatrix.mechanisms.records.block_rows", lambda _: 2)
    bound = Fraction(3, 2)
    data = np.array([[0.5, 1.0], [3.0, 4.0], [1.5, 0.0], [0.0, 1.25], [-6.0, 8.0]])
    found = bounded_records(data, bound, "clip")
    assert (found[[0, 2, 3]] == data[[0, 2, 3]]).all()
    assert (found[[1, 4]] == clip_records(data[[1, 4]], bound)).all()
    for name, options in (("data", {}), ("rows", {"parameter": "rows"})):
        with pytest.raises(InvalidParameterError) as caught:
            bounded_records(data, bound, "reject", **options)
        remedy = norm_remedy("it", "pass over_norm='clip'")
        assert str(caught.value) == f"{name}: a record is longer than norm_bound = 3/2; {remedy}"
    assert (bounded_records(data, Fraction(10), "reject") == data).all()
    assert norm_remedy("A", "B") == (
        "no guarantee covers this refusal: choose A without looking at the records, and B, which costs no privacy"
    )

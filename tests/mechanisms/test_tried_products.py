"""A matrix product that does not sum products is refused before records are multiplied; exact ones pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import UnsoundArithmeticError
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism, tried_products
from dpmatrix.mechanisms.exact_products import BLOCK_ROWS
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.tried_products import integer_product, try_product
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee

SIZES = [(1, 1), (1, 5), (2, 2), (8, 3), (64, 7), (256, 20), (1024, 33), (BLOCK_ROWS, 2), (BLOCK_ROWS, 16)]
LARGE = [(rows, columns) for rows, columns in SIZES if rows > 1 and columns > 1]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget what was tried, before and after."""
    try_product.cache_clear()
    yield
    try_product.cache_clear()


def strassen(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Multiply first' second by one step of Strassen's algorithm, of blocks that are padded to an even size."""
    a, b = first.T, second
    rows, middle, columns = a.shape[0], a.shape[1], b.shape[1]
    a = np.pad(a, ((0, rows % 2), (0, middle % 2)))
    b = np.pad(b, ((0, middle % 2), (0, columns % 2)))
    (a11, a12), (a21, a22) = (np.hsplit(half, 2) for half in np.vsplit(a, 2))
    (b11, b12), (b21, b22) = (np.hsplit(half, 2) for half in np.vsplit(b, 2))
    p = (a11 + a22) @ (b11 + b22)
    q, r = (a21 + a22) @ b11, a11 @ (b12 - b22)
    s, t = a22 @ (b21 - b11), (a11 + a12) @ b22
    u, v = (a21 - a11) @ (b11 + b12), (a12 - a22) @ (b21 + b22)
    return np.block([[p + s - t + v, r + t], [q + s, p - q + r + u]])[:rows, :columns]


def single(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Multiply in single precision."""
    return (first.astype(np.float32).T @ second.astype(np.float32)).astype(np.float64)


def emulated(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Multiply as sums of two pieces of 24 bits each, of which the product of the lower ones is left out."""
    pieces = []
    for matrix in (first, second):
        upper = np.round(matrix / 2.0**12) * 2.0**12
        pieces.append((upper, matrix - upper))
    (a, b), (c, d) = pieces
    return a.T @ c + (a.T @ d + b.T @ c)


def off_by_one(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Add one to the last entry."""
    product = first.T @ second
    product[-1, -1] += 1
    return product


def wrong_square(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Be wrong for a matrix with itself alone, where a library takes another way."""
    return off_by_one(first, second) if first is second else first.T @ second


def wrong_pair(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Be wrong for two matrices alone."""
    return first.T @ second if first is second else off_by_one(first, second)


def shifted(amount: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a product that is off by a little, infinite, or no number, in every entry."""
    return lambda first, second: first.T @ second + amount


def backwards(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Sum products in the other order, in two halves."""
    half = len(first) // 2
    return first[half:][::-1].T @ second[half:][::-1] + first[:half][::-1].T @ second[:half][::-1]


def compensated(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Round the exact sums once."""
    return np.array([[math.fsum(a * b) for b in second.T] for a in first.T])


@pytest.mark.parametrize("size", LARGE, ids=str)
def test_strassens_product_is_refused(monkeypatch, size: tuple[int, int]) -> None:
    monkeypatch.setattr(tried_products, "_product", strassen)
    with pytest.raises(UnsoundArithmeticError, match=f"for {size[0]} rows of {size[1]} numbers"):
        try_product(*size)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "wrong",
    [
        single,
        off_by_one,
        wrong_square,
        wrong_pair,
        *map(shifted, (0.75, -1.0, math.inf, -math.inf, math.nan, 2.0**53, -(2.0**54))),
    ],
)
def test_a_product_that_is_off_anywhere_is_refused(monkeypatch, wrong, size: tuple[int, int]) -> None:
    monkeypatch.setattr(tried_products, "_product", wrong)
    with pytest.raises(UnsoundArithmeticError):
        try_product(*size)


def test_a_half_is_refused_where_a_half_can_be_held(monkeypatch) -> None:
    """Below 2**52: cut off by the check in integers, it would not be seen there."""
    held = []

    def half(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        product = first.T @ second
        held.append(product < 2**52)
        return product + 0.5 * held[-1]

    monkeypatch.setattr(tried_products, "_product", half)
    with pytest.raises(UnsoundArithmeticError):
        try_product(1, 5)
    assert any(places.any() for places in held)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_emulated_doubles_are_refused(monkeypatch, size: tuple[int, int]) -> None:
    monkeypatch.setattr(tried_products, "_product", emulated)
    with pytest.raises(UnsoundArithmeticError):
        try_product(*size)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sums_of_products_in_any_order_pass(monkeypatch, size: tuple[int, int]) -> None:
    try_product(*size)
    for exact in (backwards, *((compensated,) if size[0] * size[1] ** 2 < 10**5 else ())):
        try_product.cache_clear()
        monkeypatch.setattr(tried_products, "_product", exact)
        try_product(*size)


def test_the_check_in_integers_is_that_of_python() -> None:
    """The trial's integers and their sums, entry by entry, so that the check itself is checked."""
    seen: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    original = tried_products._product

    def kept(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        seen.append((first, second, original(first, second)))
        return seen[-1][2]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tried_products, "_product", kept)
        for size in ((1, 2), (4, 3), (64, 3)):
            try_product(*size)
    for first, second, product in seen:
        exact = [[sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) for y in second.T] for x in first.T]
        assert [[int(entry) for entry in row] for row in product] == exact
        assert 2**50 < product.min() <= product.max() < 2**53, "large enough that a sum of two is rounded"


def test_nothing_is_released_where_the_product_is_not_exact(monkeypatch) -> None:
    """And whether it is refused depends on the numbers of records and columns alone."""
    monkeypatch.setattr(tried_products, "_product", strassen)
    promise = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.REPLACE_ONE)
    for records in (np.zeros((3, 2)), np.full((3, 2), 0.7), np.full((3, 2), 1e-200)):
        for mechanism in (LaplaceInputPerturbation(1), SymmetrisedWishartMechanism(1)):
            with pytest.raises(UnsoundArithmeticError):
                mechanism.release(records)
        with pytest.raises(UnsoundArithmeticError):
            SlidingWindowGram(WindowParameters(2, 4, promise, leaf=4, coordinate_bits=8)).add(records)


def test_each_size_is_tried_once_and_before_it_is_used(monkeypatch) -> None:
    calls: list[tuple[int, int]] = []
    original = tried_products._product
    monkeypatch.setattr(
        tried_products, "_product", lambda first, second: calls.append(first.shape) or original(first, second)
    )
    for rows in (3, 4, 3, 5):
        integer_product(np.ones((rows, 2)), np.ones((rows, 2)))
    trial_of_four, trial_of_eight = [(4, 2)] * 2, [(8, 2)] * 2
    assert calls == [*trial_of_four, (3, 2), (4, 2), (3, 2), *trial_of_eight, (5, 2)]
    calls.clear()
    integer_product(np.ones((BLOCK_ROWS, 1024)), np.ones((BLOCK_ROWS, 1024)))
    assert calls == [(1024, 1024), (1024, 1024), (BLOCK_ROWS, 1024)], "a trial has at most 2**20 numbers"


@pytest.mark.parametrize(
    ("rows", "columns", "tried"),
    [
        *((1, 1, 1), (2, 3, 2), (3, 3, 4), (4, 3, 4), (5, 3, 8), (4096, 256, 4096), (4096, 257, 4080)),
        *((2049, 1024, 1024), (1023, 1024, 1024), (513, 1025, 1023), (4096, 2**19, 2), (2, 2**20, 1)),
        *((1, 2**20, 1), (4096, 2**20 + 1, 1), (4096, 2**22, 1)),
    ],
)
def test_the_trial_has_the_next_power_of_two_of_rows_within_its_most_numbers(
    monkeypatch, rows: int, columns: int, tried: int
) -> None:
    """And the product is that of the first matrix, transposed, with the second one."""
    trials: list[tuple[int, int]] = []
    monkeypatch.setattr(tried_products, "try_product", lambda *size: trials.append(size))
    monkeypatch.setattr(tried_products, "_product", lambda *factors: factors)
    first, second = (np.broadcast_to(number, (rows, columns)) for number in (1.0, 2.0))
    assert integer_product(first, second) == (first, second)
    assert trials == [(tried, columns)]


class Extreme:
    """A generator that gives one end of the range that it is asked for, and keeps the size."""

    def __init__(self, upper: bool) -> None:
        self.upper = upper
        self.sizes: list[tuple[int, ...]] = []

    def integers(self, low, high=None, size=None, *, dtype, endpoint=False) -> np.ndarray:
        """Mean what numpy means: from zero where only one end is given."""
        low, high = (0, low) if high is None else (low, high)
        self.sizes.append(size)
        return np.full(size, high - (not endpoint) if self.upper else low, dtype=dtype)


@pytest.mark.parametrize("rows", [1, 2, 4, 4080, 2**20])
def test_the_range_of_the_known_integers_and_of_the_weights(monkeypatch, rows: int) -> None:
    """The largest integers whose sums of products stay below 2**53, down to their half, and all 64-bit weights."""
    largest = next(k for k in range(math.isqrt(2**53 // rows) + 1, 0, -1) if rows * k**2 < 2**53)
    for upper, known, weight in ((True, largest, 2**64 - 1), (False, largest // 2 + 1, 0)):
        generator, seen = Extreme(upper), []
        monkeypatch.setattr(np.random, "default_rng", lambda _seed, generator=generator: generator)
        original = generator.integers

        def kept(*arguments, original=original, seen=seen, **options) -> np.ndarray:
            seen.append(original(*arguments, **options))
            return seen[-1]

        generator.integers = kept
        try_product.cache_clear()
        try_product(rows, 1)
        assert [int(numbers.flat[0]) for numbers in seen] == [known, weight]
        assert generator.sizes == [(2, rows, 1), (1, 4)]


def test_a_false_entry_is_overlooked_with_the_probability_that_is_said(monkeypatch) -> None:
    """The worst error is 2**52: a weight hides it where its last 12 bits are zero, and all four weights must."""
    error = 2**52
    hidden = [weight for weight in range(2**13) if error * weight % 2**64 == 0]
    assert hidden == [0, 2**12]
    drawn: list[np.ndarray] = []
    generator = np.random.default_rng

    class Blunt:
        """Draw the known integers fairly, and weights of which some hide the error."""

        def __init__(self, seed: int) -> None:
            self.fair = generator(seed)

        def integers(self, *arguments, **options) -> np.ndarray:
            numbers = self.fair.integers(*arguments, **options)
            if numbers.ndim == 2:
                numbers[:, : len(drawn)] = 2**12
                drawn.append(numbers)
            return numbers

    def off(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        product = first.T @ second
        return np.where(product < error, product + error, product - error)

    monkeypatch.setattr(np.random, "default_rng", Blunt)
    monkeypatch.setattr(tried_products, "_product", off)
    for _ in range(4):
        with pytest.raises(UnsoundArithmeticError):
            try_product(4, 3)
    try_product(4, 3)
    assert len(drawn) == 5, "with the fifth all four weights hide it"


def test_limit_a_product_that_is_wrong_for_other_numbers_alone_passes(monkeypatch) -> None:
    """What a trial on known integers cannot see."""

    def sly(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return first.T @ second + float(first[0, 0] == 1)

    monkeypatch.setattr(tried_products, "_product", sly)
    try_product(4, 2)
    assert integer_product(np.ones((3, 2)), np.ones((3, 2)))[0, 0] == 4

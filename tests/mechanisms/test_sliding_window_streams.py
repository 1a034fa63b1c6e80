"""The private sliding window: its sums against the exact window, its guarantee, and its memory on disk."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams import dyadic as dyadic_module
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)


def rows_of(count: int, dimension: int = 2, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension))
    return rows / (np.linalg.norm(rows, axis=1)[:, None] * 1.001)


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dyadic_module, "noise_triangle", lambda parameters, _entropy: [0] * parameters.entries)


def truncated_gram(rows: np.ndarray, bits: int = 14) -> list[list[int]]:
    whole = [[int(Fraction(float(x)) * 2**bits) for x in row] for row in rows]
    width = rows.shape[1]
    return [[sum(r[i] * r[j] for r in whole) for j in range(width)] for i in range(width)]


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize(("window", "leaf", "chunk"), [(1, 1, 1), (12, 3, 5), (8, 1, 3), (40, 4, 7), (5, 5, 11)])
def test_without_noise_each_output_is_the_exact_sum_from_its_stamp(window: int, leaf: int, chunk: int) -> None:
    """And the stamp is at or before the window, the next one after its beginning, at every time."""
    rows = rows_of(130)
    parameters = WindowParameters(2, window, PROMISE, leaf=leaf)
    stream = SlidingWindowGram(parameters, entropy=SeededEntropy(1))
    for start in range(0, len(rows), chunk):
        stream.add(rows[start : start + chunk])
        seen = stream.time // leaf * leaf
        first, *others = stream.stamps
        begin = max(1, seen - window + 1)
        assert first <= begin < min(others, default=seen + 2)
        assert stream.publish().integers.tolist() == truncated_gram(rows[first - 1 : seen])


@pytest.mark.usefixtures("without_noise")
def test_without_noise_the_output_is_within_eta_and_slack() -> None:
    parameters = WindowParameters(2, 64, PROMISE, leaf=1)
    stream = SlidingWindowGram(parameters, entropy=SeededEntropy(1))
    rows = rows_of(300)
    counts = []
    for time in range(1, 301):
        stream.add(rows[time - 1 : time])
        window = rows[max(0, time - 64) : time]
        exact, output = window.T @ window, stream.publish().to_numpy()
        assert np.linalg.eigvalsh(output - exact)[0] > -0.1, "truncation alone is below"
        over = (exact + (parameters.slack + 0.1) * np.eye(2)) / (1 - 0.25) - output
        assert np.linalg.eigvalsh(over)[0] > -0.1
        counts.append(len(stream.stamps))
    assert max(counts) < 20


def test_each_row_enters_at_most_one_sum_of_each_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count, leaf by leaf, the noise that is drawn and the sums that a leaf is added to: at most h + 1."""
    opened: list[int] = []
    original = dyadic_module.noise_triangle

    def counted(parameters, entropy):
        opened.append(1)
        return original(parameters, entropy)

    monkeypatch.setattr(dyadic_module, "noise_triangle", counted)
    parameters = WindowParameters(1, 8, PROMISE)
    sums = dyadic_module.DyadicSums.begin(parameters, SeededEntropy(3))
    seen = []
    for _ in range(32):
        seen.append(sum(part is not None for part in sums.parts))
        sums.add([1], 1)
        sums.close_leaf(SeededEntropy(4))
    assert max(seen) == parameters.height + 1 == 4
    assert len(opened) == 4 + 4 * (4 + 2 + 1 + 1) - 4 + 4, "8 sums for each finished block, 4 for the one that begins"


def test_the_guarantee_is_that_of_all_sums_together() -> None:
    for relation, factor in ((Adjacency.ADD_REMOVE_ONE, 1), (Adjacency.REPLACE_ONE, 2)):
        promise = PrivacyGuarantee(1, Fraction(1, 10**6), relation)
        parameters = WindowParameters(3, 1024, promise, leaf=16, coordinate_bits=5)
        assert parameters.height == 6
        assert parameters.squared_sensitivity == 7 * factor * 16**5
        assert parameters.profile.delta(1) <= arb(1) / 10**6
        assert parameters.profile.delta(1) > arb(8) / 10**7, "hardly more noise than needed"
    assert (
        WindowParameters(1, 8, PrivacyGuarantee(1, 0.1, Adjacency.REPLACE_ONE), coordinate_bits=0).squared_sensitivity
        == 4
    )


def test_the_error_of_an_output_is_that_of_at_most_2h_plus_1_sums() -> None:
    """Variance of 100 errors against (2h + 1) V: 300 independent values; twice it has probability 1e-11."""
    parameters = WindowParameters(2, 8, PROMISE, coordinate_bits=3)
    errors = []
    for seed in range(100):
        stream = SlidingWindowGram(parameters, entropy=SeededEntropy(seed))
        stream.add(np.zeros((15, 2)))
        errors += [int(stream.publish().integers[i, j]) for i, j in ((0, 0), (1, 0), (1, 1))]
    sums = 2 * parameters.height + 1
    assert np.mean(np.square(errors, dtype=float)) < 2 * sums * float(parameters.variance)
    assert np.mean(np.square(errors, dtype=float)) > 0.4 * float(parameters.variance), "and there is noise"


def test_releases_say_what_they_guarantee() -> None:
    stream = SlidingWindowGram(SMALL)
    stream.add(rows_of(10))
    release = stream.publish()
    assert release.guarantee == PROMISE
    assert release.grid == Fraction(1, 4**14)
    assert not SlidingWindowGram(SMALL, entropy=SeededEntropy(1)).publish().private
    assert stream.time == 10
    assert len(stream.memory) == 3 * (1 + 2 * sum(p is not None for p in stream._sums.parts) + len(stream.stamps))


def test_a_suspended_window_goes_on_exactly_where_it_was(tmp_path) -> None:
    """The same seeded bits before and after: the resumed window publishes what an uninterrupted one does."""
    rows, source = rows_of(50), SeededEntropy(5)
    plain, broken = SlidingWindowGram(SMALL, entropy=SeededEntropy(5)), SlidingWindowGram(SMALL, entropy=source)
    for start in range(0, 50, 7):
        plain.add(rows[start : start + 7])
        broken.add(rows[start : start + 7])
        path = tmp_path / f"window-{start}"
        suspend(broken, path, key=b"secret")
        broken = resume(path, key=b"secret", entropy=source)
        assert broken.stamps == plain.stamps
        assert broken.memory == plain.memory
        assert (broken.publish().integers == plain.publish().integers).all()
        assert not broken.publish().private, "bits that were not secret stay so"


def test_no_noise_is_used_twice(tmp_path) -> None:
    stream = SlidingWindowGram(SMALL)
    stream.add(rows_of(4))
    path = tmp_path / "window"
    suspend(stream, path)
    for act in (lambda: stream.add(rows_of(1)), stream.publish, lambda: suspend(stream, tmp_path / "other")):
        with pytest.raises(NotPrivateError):
            act()
    again = resume(path)
    assert again.guarantee == PROMISE
    with pytest.raises(InvalidParameterError):
        resume(path)
    again.add(rows_of(1))


@pytest.mark.parametrize("damage", ["truncated", "edited", "key", "empty", "no newline", "binary"])
def test_a_damaged_file_is_refused(tmp_path, damage: str) -> None:
    stream = SlidingWindowGram(SMALL)
    stream.add(rows_of(4))
    path = tmp_path / "window"
    suspend(stream, path, key=b"one")
    content = path.read_bytes()
    digit = max(k for k in range(len(content)) if content[k : k + 1].isdigit())
    flipped = content[:digit] + (b"1" if content[digit : digit + 1] != b"1" else b"2") + content[digit + 1 :]
    damaged = {
        "truncated": content[:-9],
        "edited": flipped,
        "key": content,
        "empty": b"",
        "no newline": content[:-1],
        "binary": b"\xff" + content,
    }[damage]
    path.write_bytes(damaged)
    with pytest.raises(InvalidParameterError):
        resume(path, key=b"two" if damage == "key" else b"one")
    assert path.exists(), "a file that is refused is not marked as used"


def test_an_interrupted_window_is_not_gone_on_with() -> None:
    class Failing(SeededEntropy):
        fails = False

        def words(self, count: int):
            if self.fails:
                raise KeyboardInterrupt
            return super().words(count)

        def bits(self, count: int) -> int:
            if self.fails:
                raise KeyboardInterrupt
            return super().bits(count)

    entropy = Failing(1)
    stream = SlidingWindowGram(SMALL, entropy=entropy)
    stream.add(rows_of(5))
    entropy.fails = True
    with pytest.raises(KeyboardInterrupt):
        stream.add(rows_of(5))
    entropy.fails = False
    with pytest.raises(NotPrivateError):
        stream.add(rows_of(5))


def test_bad_rows_change_nothing() -> None:
    stream = SlidingWindowGram(attrs.evolve(SMALL, over_norm="reject"))
    before = stream.memory
    for bad in ([[2.0, 0.0]], [[0.5]], [[float("nan"), 0.0]], [0.5, 0.5]):
        with pytest.raises(InvalidParameterError):
            stream.add(bad)
    assert stream.memory == before
    stream.add(np.zeros((0, 2)))
    assert stream.time == 0
    clipping = SlidingWindowGram(WindowParameters(2, 12, PROMISE))
    clipping.add([[2.0, 0.0]])
    assert clipping.time == 1


@pytest.mark.parametrize(
    "change",
    [
        {"window": 0},
        {"leaf": 5},
        {"leaf": 0},
        {"eta": 1},
        {"eta": 0},
        {"tolerance": -1},
        {"dimension": 0},
        {"coordinate_bits": -1},
    ],
)
def test_bad_parameters_are_refused(change: dict[str, int]) -> None:
    arguments = {"dimension": 2, "window": 12, "guarantee": PROMISE} | change
    with pytest.raises(InvalidParameterError):
        WindowParameters(**arguments)
    with pytest.raises(InvalidParameterError):
        WindowParameters(2, 12, PrivacyGuarantee(1, 0, Adjacency.ADD_REMOVE_ONE))

"""What a refusal says: no number of a record, in no message, no error that it keeps, and no line of the command.

That there is a refusal may depend on the records, and no guarantee covers it. With the defaults no mechanism refuses
records of finite numbers, of a shape that neighbours share.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.errors import DpmatrixError, InvalidParameterError
from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms import GaussianCompression, OnlinePerturbedLeader, PrivateSubspaceRecovery
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

SECRET = 987654.4375
TRACES = ("987654", "9.87", "4375")
DELTA = dict.fromkeys(("gaussian", "gaussian-orthogonal", "mod-sulq"), Fraction(1, 10**6))
REFUSING: dict[str, Any] = {"over_norm": "reject"}

SPOILED: dict[str, Any] = {
    "too long": [[0.5, 0.25], [0.1, SECRET], [0.25, 0.5]],
    "not finite": [[0.5, SECRET], [0.1, float("nan")], [0.25, 0.5]],
    "rounded by binary64": [[0.5, 0.25], [int(SECRET) * 10**20 + 1, 0], [0.25, 0.5]],
    "beyond the floats": [[0.5, 0.25], [int(SECRET) * 10**400, 0], [0.25, 0.5]],
    "a fraction beyond the floats": [[0.5, 0.25], [Fraction(int(SECRET) * 10**400 + 1, 3), 0], [0.25, 0.5]],
    "text": [["0.5", "0.25"], ["0.1", f"name {SECRET}"], ["0.25", "0.5"]],
    "objects": np.array([[0.5, 0.25], [f"{SECRET}", 0.5], [0.25, 0.5]], dtype=object),
    "ragged": [[0.5, 0.25], [SECRET], [0.25, 0.5]],
    "complex": np.array([[0.5, 0.25], [SECRET * 1j, 0.5], [0.25, 0.5]]),
    "masked": np.ma.masked_greater([[0.5, 0.25], [0.1, SECRET], [0.25, 0.5]], 1),
    "of one dimension": [0.5, SECRET, 0.25],
}


def menu(name: str) -> Callable[[Any], object]:
    made = {**MATRICES, **DIRECTIONS}[name](1, **REFUSING, **({"delta": DELTA[name]} if name in DELTA else {}))
    return lambda data: made.release(data, entropy=SeededEntropy(1))


def window(data: Any) -> None:
    promise = PrivacyGuarantee(1, 1e-6, Adjacency.ADD_REMOVE_ONE)
    parameters = WindowParameters(2, 4, promise, coordinate_bits=8, **REFUSING)
    SlidingWindowGram(parameters, entropy=SeededEntropy(1)).add(data)


METHODS: dict[str, Callable[[Any], object]] = {
    **{name: menu(name) for name in (*MATRICES, *DIRECTIONS)},
    "leader": lambda data: OnlinePerturbedLeader(1, delta=1e-6, steps=3, **REFUSING).release(data),
    "recovery": lambda data: PrivateSubspaceRecovery(1, rank=1, delta=1e-6, **REFUSING).release(data),
    "window": window,
    "DPPCA": lambda data: DPPCA(1, epsilon=1, **REFUSING).fit(data),
    "DPSecondMoment": lambda data: DPSecondMoment(epsilon=1, **REFUSING).fit(data),
}


def words_of(error: BaseException) -> str:
    """Return everything that an error and those that it keeps would show."""
    found, left = [], [error]
    while left:
        one = left.pop()
        found.append(f"{one!r} {one} {getattr(one, '__notes__', '')}")
        left += [kept for kept in (one.__cause__, one.__context__) if kept is not None]
    return " ".join(found)


@pytest.mark.parametrize("spoiled", SPOILED)
@pytest.mark.parametrize("method", METHODS)
def test_no_refusal_shows_a_number_of_a_record(method: str, spoiled: str) -> None:
    with pytest.raises(ValueError) as caught:
        METHODS[method](SPOILED[spoiled])
    shown = words_of(caught.value)
    assert not any(trace in shown for trace in TRACES), shown


@pytest.mark.parametrize(
    "number", [int(SECRET) * 10**400, Fraction(-int(SECRET) * 10**400, 7)], ids=["int", "fraction"]
)
@pytest.mark.parametrize("method", ["fit", "transform", "inverse_transform", "score_samples", "score"])
def test_an_estimator_refuses_numbers_beyond_the_floats_by_name(method: str, number: Any) -> None:
    fitted = DPPCA(2, epsilon=10**6).fit(np.eye(3, 2))
    with pytest.raises(InvalidParameterError) as caught:
        getattr(fitted, method)([[0.5, 0.25], [number, 0]])
    assert caught.value.parameter == "X"
    assert str(caught.value) == "X: an entry is larger than every float; pass numbers that a float holds"
    shown = words_of(caught.value)
    assert not any(trace in shown for trace in (*TRACES, "OverflowError")), shown


@pytest.mark.parametrize("method", METHODS)
def test_which_record_is_too_long_and_by_how_much_is_not_said(method: str) -> None:
    messages = set()
    for place, value in ((0, 2.0), (2, 1.5), (1, SECRET)):
        records = np.full((3, 2), 0.25)
        records[place, 1] = value
        with pytest.raises(DpmatrixError) as caught:
            METHODS[method](records)
        messages.add(words_of(caught.value))
    assert len(messages) == 1


def test_a_compression_tells_a_column_and_no_number() -> None:
    with pytest.raises(DpmatrixError) as caught:
        GaussianCompression(1, acknowledge="compression.corollary-3-7").release([[0, SECRET], [0, 0.5]])
    assert not any(trace in words_of(caught.value) for trace in TRACES)


@pytest.mark.parametrize("cell", ["987654.4375", "name 987654.4375", "nan987654.4375", '"987654.4375'])
@pytest.mark.parametrize("options", [[], ["--no-header"], ["--workers", "2"], ["--columns", "1,2"]])
def test_no_line_of_the_command_shows_a_cell(tmp_path, cell: str, options: list[str]) -> None:
    path = tmp_path / "records.csv"
    path.write_text(f"0.5,0.25\n0.1,{cell}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["pca", str(path), "--epsilon", "1", "--norm-bound", "1", "--no-clip", *options])
    assert done.exit_code != 0
    shown = done.output + (words_of(done.exception) if done.exception else "")
    assert not any(trace in shown for trace in TRACES), shown


LIMITS = np.array([[np.finfo(float).max, -5e-324, 0.0], [0.0, 0.0, 0.0], [1e300, 1e-300, -1.0]])


@pytest.mark.parametrize("name", [*MATRICES, *DIRECTIONS])
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_no_record_of_finite_numbers_is_refused(name: str, adjacency: Adjacency) -> None:
    """The smallest and the largest floats, zeros, one record, and none where it may be the one that was removed."""
    more = {"delta": DELTA[name]} if name in DELTA else {}
    mechanism = {**MATRICES, **DIRECTIONS}[name](1, adjacency=adjacency, **more)
    sets = [LIMITS, LIMITS[1:2], LIMITS[:1]]
    sets += [LIMITS[:0]] if adjacency is Adjacency.ADD_REMOVE_ONE else []
    for data in sets:
        blocks = mechanism.release_blocks([data], 3, entropy=SeededEntropy(1))
        assert blocks.integers.shape[0] == 3 or name in DIRECTIONS
        if len(data):
            assert mechanism.release(data, entropy=SeededEntropy(1)).integers.size == blocks.integers.size
        fit = DPPCA(mechanism=name, adjacency=adjacency.value, delta=DELTA.get(name, 0)).fit(data)
        assert fit.guarantee_ == mechanism.guarantee


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_neither_is_one_by_the_streams_and_by_subspace_recovery(adjacency: Adjacency) -> None:
    promise = PrivacyGuarantee(1, 1e-6, adjacency)
    assert len(OnlinePerturbedLeader(1, adjacency, delta=1e-6, steps=3).release(LIMITS)) == 3
    assert PrivateSubspaceRecovery(1, adjacency, rank=1, delta=1e-6).release(LIMITS).guarantee is not None
    window = SlidingWindowGram(WindowParameters(3, 2, promise, coordinate_bits=8))
    window.add(LIMITS)
    assert window.publish().guarantee == promise


def test_a_mean_makes_no_finite_record_infinite() -> None:
    largest = np.finfo(float).max
    mean = np.array([2.0**969, -(2.0**969)])
    fit = DPSecondMoment(mean=mean).fit([[-largest, largest], [largest, -largest]])
    assert fit.guarantee_ is not None
    for far in (2.0**970, -largest, np.inf):
        with pytest.raises(ValueError, match="mean"):
            DPSecondMoment(mean=[0.0, far]).fit([[0.5, 0.25]])

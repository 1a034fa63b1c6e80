"""What a refusal says: no number of a record, in no message, no error that it keeps, and no line of the command.

That there is a refusal may depend on the records, and no guarantee covers it. With longer records clipped, and records
of finite numbers, no mechanism of the menu refuses any data of a public length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.errors import DpmatrixError
from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms import GaussianCompression, OnlinePerturbedLeader, PrivateSubspaceRecovery
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

SECRET = 987654.4375
TRACES = ("987654", "9.87", "4375")
DELTA = {"gaussian": 1e-6, "mod-sulq": 1e-6}

SPOILED: dict[str, Any] = {
    "too long": [[0.5, 0.25], [0.1, SECRET], [0.25, 0.5]],
    "not finite": [[0.5, SECRET], [0.1, float("nan")], [0.25, 0.5]],
    "rounded by binary64": [[0.5, 0.25], [int(SECRET) * 10**20 + 1, 0], [0.25, 0.5]],
    "text": [["0.5", "0.25"], ["0.1", f"name {SECRET}"], ["0.25", "0.5"]],
    "objects": np.array([[0.5, 0.25], [f"{SECRET}", 0.5], [0.25, 0.5]], dtype=object),
    "ragged": [[0.5, 0.25], [SECRET], [0.25, 0.5]],
    "complex": np.array([[0.5, 0.25], [SECRET * 1j, 0.5], [0.25, 0.5]]),
    "masked": np.ma.masked_greater([[0.5, 0.25], [0.1, SECRET], [0.25, 0.5]], 1),
    "of one dimension": [0.5, SECRET, 0.25],
}


def menu(name: str) -> Callable[[Any], object]:
    made = {**MATRICES, **DIRECTIONS}[name](1, **({"delta": DELTA[name]} if name in DELTA else {}))
    return lambda data: made.release(data, entropy=SeededEntropy(1))


def window(data: Any) -> None:
    parameters = WindowParameters(2, 4, PrivacyGuarantee(1, 1e-6, Adjacency.ADD_REMOVE_ONE), coordinate_bits=8)
    SlidingWindowGram(parameters, entropy=SeededEntropy(1)).add(data)


ROADS: dict[str, Callable[[Any], object]] = {
    **{name: menu(name) for name in (*MATRICES, *DIRECTIONS)},
    "leader": lambda data: OnlinePerturbedLeader(1, delta=1e-6, steps=3).release(data, entropy=SeededEntropy(1)),
    "recovery": lambda data: PrivateSubspaceRecovery(1, rank=1, delta=1e-6).release(data, entropy=SeededEntropy(1)),
    "window": window,
    "DPPCA": lambda data: DPPCA(1, epsilon=1).fit(data),
    "DPSecondMoment": lambda data: DPSecondMoment(epsilon=1).fit(data),
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
@pytest.mark.parametrize("road", ROADS)
def test_no_refusal_shows_a_number_of_a_record(road: str, spoiled: str) -> None:
    with pytest.raises(ValueError) as caught:
        ROADS[road](SPOILED[spoiled])
    shown = words_of(caught.value)
    assert not any(trace in shown for trace in TRACES), shown


@pytest.mark.parametrize("road", ROADS)
def test_which_record_is_too_long_and_by_how_much_is_not_said(road: str) -> None:
    messages = set()
    for place, value in ((0, 2.0), (2, 1.5), (1, SECRET)):
        records = np.full((3, 2), 0.25)
        records[place, 1] = value
        with pytest.raises(DpmatrixError) as caught:
            ROADS[road](records)
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
    done = CliRunner().invoke(app, ["pca", str(path), "--epsilon", "1", *options])
    assert done.exit_code != 0
    shown = done.output + (words_of(done.exception) if done.exception else "")
    assert not any(trace in shown for trace in TRACES), shown


@pytest.mark.parametrize("name", [*MATRICES, *DIRECTIONS])
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_where_longer_records_are_clipped_no_finite_record_is_refused(name: str, adjacency: Adjacency) -> None:
    """The smallest and the largest floats, zeros, one record, and none where it may be the one that was removed."""
    more = {"delta": DELTA[name]} if name in DELTA else {}
    mechanism = {**MATRICES, **DIRECTIONS}[name](1, adjacency=adjacency, over_norm="clip", **more)
    limits = np.array([[np.finfo(float).max, -5e-324, 0.0], [0.0, 0.0, 0.0], [1e300, 1e-300, -1.0]])
    sets = [limits, limits[1:2], limits[:1]]
    sets += [limits[:0]] if adjacency is Adjacency.ADD_REMOVE_ONE else []
    for data in sets:
        blocks = mechanism.release_blocks([data], 3, entropy=SeededEntropy(1))
        assert blocks.integers.shape[0] == 3 or name in DIRECTIONS
        if len(data):
            assert mechanism.release(data, entropy=SeededEntropy(1)).integers.size == blocks.integers.size

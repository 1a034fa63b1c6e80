"""The density search finds the worst loss of mechanisms whose worst loss is known."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from flint import arb

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.density import certain_loss, worst_privacy_loss
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency


def gram(data: np.ndarray) -> list[arb]:
    """Return the upper triangle of X'X as balls."""
    columns = data.shape[1]
    rows = [[arb(entry) for entry in row] for row in data.tolist()]
    return [sum((row[i] * row[j] for row in rows), arb(0)) for i in range(columns) for j in range(i, columns)]


def laplace_log_ratio(scale: arb) -> object:
    def log_ratio(data: np.ndarray, neighbour: np.ndarray, output: np.ndarray) -> arb:
        terms = zip(output.tolist(), gram(data), gram(neighbour), strict=True)
        return sum((abs(arb(o) - b) - abs(arb(o) - a) for o, a, b in terms), arb(0)) / scale

    return log_ratio


def as_output(pair: NeighbouringPair, parameters: np.ndarray) -> np.ndarray:
    return parameters


def search(log_ratio: object, **changes: object) -> object:
    sizes = {"dimension": 2, "records": 1, "adjacency": Adjacency.REPLACE_ONE, "output_parameters": 3}
    return worst_privacy_loss(log_ratio, as_output, **(sizes | changes))


def test_the_l1_sensitivity_is_found_and_never_exceeded() -> None:
    """With scale one the worst loss under replacement is the l1 sensitivity sqrt(5) of the upper triangle."""
    worst = search(laplace_log_ratio(arb(1)))
    assert worst.certified
    assert math.sqrt(5) * 0.99 < worst.loss <= math.sqrt(5)
    assert abs(laplace_log_ratio(arb(1))(worst.pair.data, worst.pair.neighbour, worst.output)) >= worst.loss
    again = search(laplace_log_ratio(arb(1)))
    assert (again.loss, again.evaluations) == (worst.loss, worst.evaluations)


POINTS = """
import hashlib, importlib, sys
from dpmatrix.auditing.density import worst_privacy_loss
from dpmatrix.privacy.adjacency import Adjacency

points = hashlib.sha256()


def noting(data, neighbour, output):
    points.update(data.tobytes() + neighbour.tobytes() + output.tobytes())
    return float(abs(output).sum())


sizes = {"dimension": 2, "records": 2, "adjacency": Adjacency.REPLACE_ONE, "output_parameters": 3}
for name in sys.argv[1:]:
    importlib.import_module(name)
worst_privacy_loss(noting, lambda _pair, parameters: parameters, examples=60, refinement=1, **sizes)
print(points.hexdigest())
"""


def test_the_points_do_not_depend_on_what_is_imported(tmp_path) -> None:
    """Hypothesis takes numbers from the modules of a project for draws; a process of its own has seen no other."""
    numbers = ", ".join(f"{place / 177}" for place in range(900))
    (tmp_path / "full_of_numbers.py").write_text(f"NUMBERS = [{numbers}]\n", encoding="utf-8")
    (tmp_path / "points.py").write_text(POINTS, encoding="utf-8")
    found = [
        subprocess.run(
            [sys.executable, str(tmp_path / "points.py"), *more], capture_output=True, text=True, check=True
        ).stdout
        for more in ([], ["full_of_numbers"])
    ]
    assert found[0] == found[1]


def test_a_scale_calibrated_too_low_is_found() -> None:
    """The scale 2 / eps of the pair (e1, e2) guarantees eps = 1 and gives sqrt(5) / 2."""
    worst = search(laplace_log_ratio(arb(2)))
    assert worst.certified
    assert worst.loss > 1
    honest = search(laplace_log_ratio(arb(5).sqrt()))
    assert 0.99 < honest.loss <= 1


@pytest.mark.parametrize("delete_rows", [False, True])
def test_removal_has_its_own_worst_loss(delete_rows: bool) -> None:
    """Under removal the l1 sensitivity of the upper triangle is 3/2, at the flat vector."""
    worst = search(laplace_log_ratio(arb(1)), adjacency=Adjacency.ADD_REMOVE_ONE, records=2, delete_rows=delete_rows)
    assert 1.4 < worst.loss <= 1.5
    assert len(worst.pair.data) - len(worst.pair.neighbour) == int(delete_rows)


def test_a_vanishing_density_is_an_infinite_loss() -> None:
    def exponential(data: np.ndarray, neighbour: np.ndarray, output: np.ndarray) -> arb | float:
        """Noise that is never negative: the support starts at the trace of the Gram matrix."""
        floors = [float(np.sum(data**2)), float(np.sum(neighbour**2))]
        inside = [output[0] >= floor for floor in floors]
        if not any(inside):
            return math.nan
        return floors[0] - floors[1] if all(inside) else math.copysign(math.inf, 1 if inside[0] else -1)

    worst = search(exponential, output_parameters=1)
    assert worst.loss == math.inf
    assert not worst.certified


def test_only_the_certain_part_of_a_ball_counts() -> None:
    assert certain_loss(arb(2)) == pytest.approx(2, abs=1e-15)
    assert certain_loss(arb(2)) <= 2
    assert certain_loss(arb(-3, 1)) == pytest.approx(2, abs=1e-6)
    assert certain_loss(arb(-3, 1)) <= 2
    assert certain_loss(arb(0, 1)) == 0
    assert certain_loss(arb("nan")) == 0
    assert certain_loss(arb("0 +/- inf")) == 0
    assert certain_loss(arb("-inf")) == math.inf
    assert certain_loss(math.nan) == 0
    assert certain_loss(-1.5) == 1.5


@pytest.mark.parametrize("name", ["dimension", "records", "output_parameters", "examples", "refinement"])
@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_sizes_outside_their_domain_are_refused(name: str, bad: object) -> None:
    with pytest.raises(InvalidParameterError):
        search(laplace_log_ratio(arb(1)), **{name: bad})

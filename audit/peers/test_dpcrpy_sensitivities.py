"""Streams of dpcrpy 1.0.0: the sensitivities that its mechanisms name are enough for what they do, by linear algebra.

A mechanism of the library publishes running sums of a stream of numbers, one of which changes by one: it names an l1
and an l2 sensitivity, and takes its noise from an object that is scaled by it. What comes out is linear in the stream
and in the noise. Both matrices are read off here, with a noise that is one in one place and zero elsewhere. Where one
number changes, the outputs move as if the noise had moved by a certain vector; the shortest such vector has to be no
longer than the sensitivity that is named. No chance is involved.

Of the l1 norm the shortest vector is known where there are as many draws that matter as outputs; elsewhere nothing is
said of it. The k-ary mechanism, the calibration of the noise and its low bits were not tried. The library does not say
what may change between neighbours; its l1 sensitivities are those of one number that changes by at most one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from dpcrpy import ABCRG, BCRG, FDA, AuBCR, BinMech, Honaker, SimpleMech, TwoLevel

TOLERANCE = 1e-9
STREAMS: dict[str, Callable[[object], object]] = {
    "SimpleMech": lambda noise: SimpleMech(8, noise),
    "TwoLevel": lambda noise: TwoLevel(3, noise),
    "BinMech": lambda noise: BinMech(3, noise),
    "Honaker": lambda noise: Honaker(3, noise),
    "FDA": lambda noise: FDA(3, noise),
    "BCRG": lambda noise: BCRG(3, noise),
    "ABCRG": lambda noise: ABCRG(3, noise),
    "AuBCR": lambda noise: AuBCR(3, noiMech=noise),
}


class Told:
    """Stands in for the noise of a mechanism: one at one draw, zero at the others, never scaled."""

    def __init__(self) -> None:
        self.one: int | None = None
        self.drawn = 0

    def genNoise(self) -> float:  # noqa: N802 - the library's name
        """Return the next draw."""
        self.drawn += 1
        return 1.0 if self.drawn - 1 == self.one else 0.0

    def getMse(self) -> float:  # noqa: N802 - the library's name
        """Return what is called the error of a draw."""
        return 1.0

    def getSensType(self) -> int:  # noqa: N802 - the library's name
        """Return the norm by whose sensitivity the noise would be scaled: none."""
        return 0


def matrices(make: Callable[[object], object]) -> tuple[object, np.ndarray, np.ndarray]:
    """Return the mechanism, what a number does to the outputs, and what a draw of noise does to them."""
    noise = Told()
    mechanism = make(noise)
    length = mechanism.size()

    def outputs(stream: np.ndarray, one: int | None) -> np.ndarray:
        noise.one, noise.drawn = one, 0
        mechanism.init()
        return np.array([float(mechanism.dpRelease(number)[0]) for number in stream])

    silent = np.zeros(length)
    of_numbers = np.array([outputs(row, None) for row in np.eye(length)]).T
    draws = noise.drawn
    return mechanism, of_numbers, np.array([outputs(silent, draw) for draw in range(draws)]).T


@pytest.mark.parametrize("name", STREAMS)
def test_named_sensitivities_are_enough(record_property, name: str) -> None:
    mechanism, numbers, noise = matrices(STREAMS[name])
    assert numbers == pytest.approx(np.tri(len(numbers)), abs=TOLERANCE)  # running sums of everything
    moved = np.linalg.pinv(noise) @ numbers
    assert noise @ moved == pytest.approx(numbers, abs=1e-8)
    longest = np.linalg.norm(moved, axis=0).max()
    assert longest <= mechanism.getL2Sens() * (1 + TOLERANCE)
    said = f"l2 {longest:.4g} of {mechanism.getL2Sens():.4g}"
    used = noise[:, np.abs(noise).max(axis=0) > 0]
    if used.shape[0] == used.shape[1]:
        absolute = np.abs(np.linalg.solve(used, numbers)).sum(axis=0).max()
        assert absolute <= mechanism.getL1Sens() * (1 + TOLERANCE)
        said += f", l1 {absolute:.4g} of {mechanism.getL1Sens():.4g}"
    record_property("tried", f"not refuted: dpcrpy, {name}: sensitivity {said}")


def test_half_of_a_sensitivity_is_not_enough() -> None:
    mechanism, numbers, noise = matrices(STREAMS["SimpleMech"])
    assert np.linalg.norm(np.linalg.pinv(noise) @ numbers, axis=0).max() > mechanism.getL2Sens() / 2

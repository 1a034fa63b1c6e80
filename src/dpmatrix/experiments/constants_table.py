"""The printed constants over a grid of settings: where they keep their guarantee, where they fail, what they waste."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import evolve, frozen

from dpmatrix.experiments.printed_noise import PRINTED, Judgement, PrintedNoise, Setting, judge, margin

EPSILONS = tuple(map(Fraction, ("0.1", "0.2", "0.5", "1", "2", "3", "5", "8", "12", "20")))
DELTAS = tuple(map(Fraction, ("1e-2", "1e-4", "1e-6", "1e-9")))
DIMENSIONS = (2, 10, 50)
ROWS = 50

SHOWN = tuple(Setting(epsilon, Fraction("1e-6"), 10, ROWS) for epsilon in map(Fraction, ("0.1", "1", "10")))
"""Settings whose excess a table has columns for."""

ACCURACY = Fraction(1, 100)
"""How closely the epsilon is found at which a constant begins to fail, relative to it."""


@frozen
class Breakdown:
    """The least epsilon of a grid at which a constant fails, and where between its neighbours failure begins.

    Attributes
    ----------
    setting
        Where it certainly fails; of several, one with the greatest delta and the least dimension.
    kept
        A smaller epsilon, close to it, at which it is not certain to fail; None if it fails at all the grid has.
    delta
        The delta that the noise has there, as a decimal.
    """

    setting: Setting
    kept: Fraction | None
    delta: float


@frozen
class Row:
    """What became of one constant.

    Attributes
    ----------
    noise
        The constant.
    judged, keeps, fails
        Settings at which it was judged, certainly keeps its guarantee, and certainly fails.
    breakdown
        Where it begins to fail; None if it does nowhere.
    excess
        Printed over minimal noise by setting; None where no noise is known to keep the guarantee.
    """

    noise: PrintedNoise
    judged: int
    keeps: int
    fails: int
    breakdown: Breakdown | None
    excess: tuple[tuple[Setting, float | None], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON can hold it; exact numbers are strings."""
        first = self.breakdown
        return {
            "claim": self.noise.claim,
            "says": self.noise.says,
            "parameter": self.noise.parameter,
            "adjacency": self.noise.adjacency.value,
            "pure": self.noise.pure,
            "judged": self.judged,
            "keeps": self.keeps,
            "fails": self.fails,
            "fails_first": first
            and _setting(first.setting) | {"kept": first.kept and str(first.kept), "delta_there": first.delta},
            "excess": [_setting(setting) | {"excess": excess} for setting, excess in self.excess],
        }


def constants_table() -> list[Row]:
    """Judge every printed constant at every setting of the grid; a few seconds."""
    return [_row(noise) for noise in PRINTED]


def excess_curve(noise: PrintedNoise) -> list[tuple[Fraction, float | None]]:
    """Return the excess of a constant at each epsilon of the grid, with the delta and the dimension of `SHOWN`."""
    return [(epsilon, judge(noise, evolve(SHOWN[0], epsilon=epsilon)).excess) for epsilon in EPSILONS]


def _row(noise: PrintedNoise) -> Row:
    grid = [
        Setting(epsilon, delta, dimension, ROWS)
        for epsilon in EPSILONS
        for delta in (DELTAS[:1] if noise.pure else DELTAS)
        for dimension in DIMENSIONS
    ]
    # Only the guarantee is in question here, not the minimal noise.
    quick = evolve(noise, tight=None)
    found = [judge(quick, setting) for setting in grid]
    failures = [judgement for judgement in found if judgement.keeps is False]
    return Row(
        noise,
        len(found),
        sum(judgement.keeps is True for judgement in found),
        len(failures),
        _breakdown(failures[0]) if failures else None,
        tuple((judgement.setting, judgement.excess) for judgement in (judge(noise, setting) for setting in SHOWN)),
    )


def _breakdown(failure: Judgement) -> Breakdown:
    setting, noise = failure.setting, failure.noise
    fails = Fraction(setting.epsilon)  # type: ignore[arg-type] # the grid holds fractions
    smaller = [epsilon for epsilon in EPSILONS if epsilon < fails]
    kept = max(smaller, default=None)
    while kept is not None and fails - kept > ACCURACY * kept:
        middle = ((kept + fails) / 2).limit_denominator(10_000)
        kept, fails = (kept, middle) if margin(noise, evolve(setting, epsilon=middle)) < 0 else (middle, fails)
    worst = evolve(setting, epsilon=fails)
    return Breakdown(worst, kept, float(judge(evolve(noise, tight=None), worst).delta))


def _setting(setting: Setting) -> dict[str, Any]:
    return {"epsilon": str(setting.epsilon), "delta": str(setting.delta), "dimension": setting.dimension}

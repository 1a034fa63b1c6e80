"""Regret of the perturbed leader of `analyze-gauss`, measured on three streams against the proved bound."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.reproduction import Reproduction, Series, Tell
from dpmatrix.mechanisms.analyze_gauss import OnlinePerturbedLeader, simulate_stream, slide_deviation
from dpmatrix.privacy.adjacency import Adjacency

FloatArray = npt.NDArray[np.float64]

TARGET = "analyze-gauss.regret-online"
STREAMS = ("alternating", "switching", "random")
"""Two directions in turn; one direction that gives way to another half-way; a random direction with noise."""

POLICIES = ("tuned", "fixed", "private")
"""Noise of one step at the tuned epsilon and delta = 1/m; at a given epsilon and delta; and for all steps together."""
STEPS, DIMENSION, EPSILON, DELTA = 400, 6, 1, 1e-6


@frozen
class RegretCurve:
    """Expected regret of one policy on one stream, by simulation.

    Attributes
    ----------
    stream, policy
        See `STREAMS` and `POLICIES`.
    epsilon
        That of the policy; that of the tuned one follows from the stream.
    deviation
        Standard deviation of the noise.
    steps
        Lengths of the prefixes.
    regret, spread
        Mean over the repetitions of the best reward less the reward so far, and its standard deviation.
    bound
        ``(10 + 7 sqrt(2 log m)) sqrt(k OPT) n^(1/4)`` for each prefix; proved for the tuned policy at the last one.
    """

    stream: str
    policy: str
    epsilon: float
    deviation: float
    steps: tuple[int, ...]
    regret: tuple[float, ...]
    spread: tuple[float, ...]
    bound: tuple[float, ...]

    @property
    def label(self) -> str:
        """The policy, with its epsilon where that is given."""
        return self.policy if self.policy == POLICIES[0] else f"{self.policy} epsilon = {self.epsilon:g}"

    def to_json(self) -> dict[str, Any]:
        """Return the curve as JSON can hold it."""
        return {
            "stream": self.stream,
            "policy": self.label,
            "deviation": self.deviation,
            "private": False,
            "rows": [
                {"steps": steps, "regret": regret, "spread": spread, "bound": bound}
                for steps, regret, spread, bound in zip(self.steps, self.regret, self.spread, self.bound, strict=True)
            ],
        }


def stream_rows(name: str, steps: int, dimension: int, generator: np.random.Generator) -> FloatArray:
    """Make a stream, shape (m, n), every row of norm at most 1.

    Raises
    ------
    InvalidParameterError
        If there is no such stream.
    """
    rows = np.zeros((steps, dimension))
    if name == "alternating":
        rows[np.arange(steps), np.arange(steps) % 2] = 1.0
    elif name == "switching":
        rows[np.arange(steps), (np.arange(steps) >= steps // 2).astype(int)] = 1.0
    elif name == "random":
        rows = generator.normal(size=(steps, dimension)) / np.sqrt(dimension)
        rows[:, 0] += generator.normal(size=steps)
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1) * (1 + 2**-40))[:, None]
    else:
        raise InvalidParameterError("stream", f"{name!r} is no stream", f"pass one of {STREAMS}")
    return rows


def best_rewards(rows: FloatArray, rank: int) -> FloatArray:
    """Return OPT of every prefix: shape (m,)."""
    moments = np.cumsum(rows[:, :, None] * rows[:, None, :], axis=0)
    return np.asarray(np.linalg.eigvalsh(moments)[:, -rank:].sum(axis=1))


def tuned_epsilon(rank: int, dimension: int, best: float) -> float:
    """Return the epsilon of the tuned policy, ``min(1, sqrt(k sqrt(n) / OPT))``."""
    return min(1.0, math.sqrt(rank * math.sqrt(dimension) / best))


def policy_deviation(policy: str, epsilon: float, delta: float, dimension: int, steps: int) -> float:
    """Return the standard deviation of a policy's noise; see `POLICIES`.

    Raises
    ------
    InvalidParameterError
        If there is no such policy.
    """
    if policy == POLICIES[0]:
        return float(slide_deviation(Fraction(epsilon), Fraction(1, steps)))
    exact = Fraction(str(epsilon)), Fraction(str(delta))
    if policy == POLICIES[1]:
        return float(slide_deviation(*exact))
    if policy == POLICIES[2]:
        leader = OnlinePerturbedLeader(exact[0], Adjacency.ADD_REMOVE_ONE, steps=steps, delta=exact[1])
        return math.sqrt(leader.noise_variance(dimension)) * float(leader.grid)
    raise InvalidParameterError("policy", f"{policy!r} is no policy", f"pass one of {POLICIES}")


def regret_curve(
    stream: str,
    policy: str,
    *,
    steps: int = STEPS,
    dimension: int = DIMENSION,
    rank: int = 1,
    repetitions: int = 20,
    seed: int = 2014,
    epsilon: float = EPSILON,
    delta: float = DELTA,
) -> RegretCurve:
    """Measure the regret of one policy on one stream.

    Parameters
    ----------
    stream, policy
        See `STREAMS` and `POLICIES`.
    steps, dimension, rank
        m, n and k < n.
    repetitions
        Runs with fresh noise.
    seed
        Of the stream and of the noise.
    epsilon, delta
        Of a policy that is not tuned, read as the decimals that they print.

    Raises
    ------
    InvalidParameterError
        If there is no such stream or policy, or a number is out of range.
    """
    if not (steps >= 2 and repetitions >= 1 and 1 <= rank < dimension):
        raise InvalidParameterError("steps", "a size is out of range", "pass steps >= 2 and 1 <= rank < dimension")
    generator = np.random.default_rng(seed)
    rows = stream_rows(stream, steps, dimension, generator)
    best = best_rewards(rows, rank)
    if policy == POLICIES[0]:
        epsilon = tuned_epsilon(rank, dimension, float(best[-1]))
    deviation = policy_deviation(policy, epsilon, delta, dimension, steps)
    regrets = np.empty((repetitions, steps))
    for repetition in range(repetitions):
        noisy = simulate_stream(rows, deviation, 1, generator)[0]
        leaders = np.linalg.eigh(noisy)[1][:, :, -rank:]
        # The first subspace is arbitrary; the leader of step t answers row t + 1.
        first = np.eye(dimension)[None, :, :rank]
        played = np.concatenate([first, leaders[:-1]])
        rewards = (np.einsum("tij,ti->tj", played, rows) ** 2).sum(axis=1)
        regrets[repetition] = best - np.cumsum(rewards)
    marks = np.unique(np.geomspace(2, steps, 12).astype(int)) - 1
    factors = 10 + 7 * np.sqrt(2 * np.log(marks + 1))
    return RegretCurve(
        stream,
        policy,
        epsilon,
        deviation,
        tuple((marks + 1).tolist()),
        tuple(regrets.mean(axis=0)[marks].tolist()),
        tuple(regrets.std(axis=0)[marks].tolist()),
        tuple((factors * np.sqrt(rank * best[marks]) * dimension**0.25).tolist()),
    )


def regret_curves(
    tell: Tell = lambda _done, _total: None,
    epsilons: tuple[float, ...] = (EPSILON,),
    **sizes: Any,  # noqa: ANN401 - those of `regret_curve`
) -> list[RegretCurve]:
    """Measure every policy on every stream, at every epsilon where it is not tuned; the rest as in `regret_curve`."""
    policies = [(POLICIES[0], epsilons[0]), *product(POLICIES[1:], epsilons)]
    places = list(product(STREAMS, policies))
    curves = []
    for done, (stream, (policy, epsilon)) in enumerate(places):
        tell(done, len(places))
        curves.append(regret_curve(stream, policy, epsilon=epsilon, **sizes))
    tell(len(places), len(places))
    return curves


def regret_reproduction(seed: int, tell: Tell, **sizes: Any) -> Reproduction:  # noqa: ANN401 - those of `regret_curve`
    """Draw the regret of every policy on every stream, with the bound that is proved for the tuned one."""
    curves = regret_curves(tell, seed=seed, **sizes)
    rows, series = [], []
    for curve in curves:
        points = zip(curve.steps, curve.regret, curve.spread, curve.bound, strict=True)
        rows += [(curve.stream, curve.label, curve.deviation, *point) for point in points]
        steps = [float(count) for count in curve.steps]
        series.append(Series(curve.stream, curve.label, steps, curve.regret, curve.spread))
        if curve.policy == POLICIES[0]:
            series.append(Series(curve.stream, "proved bound, tuned", steps, curve.bound))
    notes = (
        "the slides plot nothing: these are streams on which a tuned epsilon and a fixed one part",
        "the bound is proved for the tuned policy at the last step; 'private' divides one guarantee among all steps",
    )
    columns = ("stream", "policy", "noise deviation", "steps", "regret", "spread", "bound")
    return Reproduction(TARGET, columns, tuple(rows), notes, tuple(series), "steps", "regret", logarithmic=True)

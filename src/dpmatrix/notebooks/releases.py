"""Code cells that make a release on made-up data, and that make a table or a figure again, by document."""

from __future__ import annotations

_RECORDS = """\
import numpy as np

# Made up: {rows} records of 3 numbers, each of norm below 1. The norm bound is public, never read off the data.
records = np.random.default_rng(1).normal(size=({rows}, 3)) * np.array([3, 1, 1])
records /= 1.01 * np.linalg.norm(records, axis=1, keepdims=True)
"""
_PUBLISHED = """\
print("guarantee:", release.guarantee)
print("published:", release.to_numpy(), sep="\\n")
"""


def _made_up(code: str, rows: int = 1000) -> str:
    """Return code that makes records up, with code that makes a release of them, and prints it."""
    return f"{_RECORDS.format(rows=rows)}\n{code}{_PUBLISHED}"


RELEASES: dict[str, tuple[str, str]] = {
    "wishart": (
        "The repaired mechanism of Theorem 4 adds the difference of two Wishart matrices.",
        _made_up(
            """\
from dpmatrix.mechanisms import SymmetrisedWishartMechanism

release = SymmetrisedWishartMechanism(epsilon=1).release(records)
""",
        ),
    ),
    "analyze-gauss": (
        "The repaired Algorithm 1 adds Gaussian noise to the second moment.",
        _made_up(
            """\
from fractions import Fraction

from dpmatrix.mechanisms import AnalyzeGauss
from dpmatrix.privacy import Adjacency

release = AnalyzeGauss(1, Adjacency.ADD_REMOVE_ONE, delta=Fraction(1, 10**6)).release(records)
""",
        ),
    ),
    "compression": (
        "Compression has no guarantee: Corollary 3.7 is refuted. Its class wants that acknowledged.",
        _made_up(
            """\
from dpmatrix.mechanisms import GaussianCompression

release = GaussianCompression(10, acknowledge="compression.corollary-3-7").release(records)
""",
            rows=50,
        ),
    ),
    "near-optimal": (
        "The repaired Algorithm 2, PPCA, draws one direction; its guarantee has no delta.",
        _made_up(
            """\
from dpmatrix.mechanisms import Ppca

release = Ppca(epsilon=1).release(records)
""",
        ),
    ),
    "sliding-window": (
        "A window publishes the second moment of the last rows at every time, under one guarantee for all outputs.",
        _made_up(
            """\
from fractions import Fraction

from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

promise = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
window = SlidingWindowGram(WindowParameters(dimension=3, window=1000, guarantee=promise, leaf=100))
window.add(records)
release = window.publish()
""",
            rows=2500,
        ),
    ),
}
"""A sentence about the mechanism, and the code."""

_AGAIN = """\
from dpmatrix.experiments.again import make_again

again = make_again({target!r}, {parameters}, seed=7)
show_table(again)
"""
AGAIN: dict[str, tuple[str, str]] = {
    "analyze-gauss": ("analyze-gauss.regret-online", "n=[100], d=[4], epsilons=[0.5, 1]"),
    "compression": ("compression.theorem-5-1", "n=[1000, 2000], d=[2, 3]"),
    "near-optimal": ("near-optimal.figure-5", "n=[1000], epsilons=[0.1, 1], deltas=[1e-3]"),
    "sliding-window": ("sliding-window.table-1", "n=[10**6], d=[100], epsilons=[1], deltas=[1e-6]"),
}
"""A target of a document that needs no data, and parameters with which it takes a moment."""


def again_code(document: str) -> str:
    """Return the code that makes the table or figure of a document again."""
    target, parameters = AGAIN[document]
    return _AGAIN.format(target=target, parameters=parameters)

"""The K-norm mechanism for second-moment matrices: noise of the norm whose unit ball is what a record can change."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, cast

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import acb, arb, fmpq_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.mechanisms.noise_moments import NoiseMoments, k_norm_moments
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.mechanisms.second_moment import exact_symmetric
from dpmatrix.mechanisms.wishart_noise import NoiseParts, simulate_coupled_traces, simulate_wishart
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.dominance import sum_dominates
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy import LazyReals
from dpmatrix.randomness.lazy_matrices import LazyWishart
from dpmatrix.randomness.lazy_traces import CoupledTraces

MOST_COLUMNS = 8
"""Largest d: a draw takes 1.4 pairs on average for d = 2, 55 for d = 6, and 1,463 for d = 8 under replace-one."""

_SLACK = 1e-9
_BLOCK = 4096


@implements("beyond.k-norm-privacy@c1ec3710", "beyond.k-norm-sampler@66465219")
@frozen
class KNormMechanism(RoundedPerturbation):
    r"""Adds N of a density proportional to :math:`e^{-\|N\|/c}`: (epsilon, 0)-differentially private, for d <= 8.

    The scale is c = r**2 / (n epsilon) for records of norm at most r. Let :math:`N_+` and :math:`N_-` be the parts of N
    of either sign. Under replace-one the norm is the larger of their traces, under add/remove-one it is the nuclear
    norm, their sum. The unit balls are spanned by the changes vv' - ww' of two records in the unit ball, and by vv' and
    -ww' alone: the mechanism of Hardt and Talwar (2010), for second moments that of d'Orsi and Novikov (2025).

    *Proof.* Each is a norm, as the largest of linear functions: of tr SN and -tr SN over 0 <= S <= I, and of tr SN over
    -I <= S <= I. A neighbour's matrix differs by (vv' - ww')/n, of norm at most r**2 / n, so the density changes by a
    factor of at most :math:`e^{r^2/nc} = e^\epsilon`. Records are truncated and the output is rounded as
    `RoundedPerturbation` says, which keeps the guarantee.

    *Sampling, exactly.* Let P and Q be semidefinite with the density of `CoupledTracesMechanism` (replace-one), or
    independent with densities proportional to :math:`e^{-\mathrm{tr} P/c}` (add/remove-one), and accept them if P + Q
    is at least |P - Q|. Then R = P - N_+ = Q - N_- is semidefinite, the pairs (N, R) correspond to the accepted pairs
    (P, Q) with a Jacobian of 1, and the exponent is a multiple of tr R plus the norm of N: so N and R are independent,
    and N has the density in question. The share of accepted pairs is vol(S - S) / (C(2D, D) vol(S)) under replace-one,
    S the semidefinite matrices of trace at most one and D = d (d + 1)/2: Rogers and Shephard (1957) bound it by one.
    `k_norm_moments` computes it exactly. It falls quickly with d, therefore no more than `MOST_COLUMNS` columns are
    taken. How many pairs are drawn does not depend on the records.

    Parameters
    ----------
    epsilon, adjacency, norm_bound, over_norm, divisor
        See `InputPerturbation`.
    """

    name: ClassVar[str] = "K-norm mechanism"

    def noise_scale(self, dimension: int, divisor: int) -> Fraction:  # noqa: ARG002 - the same for every d
        """Return the scale c."""
        return self.norm_bound**2 / (divisor * self.epsilon)

    def check_dimension(self, dimension: int) -> None:
        """Refuse more than `MOST_COLUMNS` columns.

        Raises
        ------
        InvalidParameterError
            If d is larger.
        """
        if dimension > MOST_COLUMNS:
            problem = f"{dimension} is above {MOST_COLUMNS}, where exact noise takes too long to draw"
            instead = "CoupledTracesMechanism" if self.replaces else "SymmetrisedWishartMechanism"
            raise InvalidParameterError("dimension", problem, f"choose {instead}")

    @property
    def replaces(self) -> bool:
        """Whether the norm is that for a replaced record."""
        return self.adjacency is Adjacency.REPLACE_ONE

    def noise_sampler(self, dimension: int) -> Callable[[Entropy], NoiseParts]:
        """Return the sampler of N, of scale 1: it draws pairs until one is accepted, whose difference is N.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        self.check_dimension(dimension)

        def draw(entropy: Entropy) -> NoiseParts:
            while True:
                first, second = self._pair(dimension, entropy)
                if sum_dominates(first, second):
                    return NoiseParts((first,), (second,))

        return draw

    def _pair(self, dimension: int, entropy: Entropy) -> tuple[LazyReals, LazyReals]:
        if self.replaces:
            return CoupledTraces(dimension, entropy).parts()
        first, second = (LazyWishart(dimension, dimension + 1, Fraction(1, 2), entropy) for _ in range(2))
        return first, second

    def float_noise(self, size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
        """Draw N of scale 1 in floating point, shape (size, d, d). NEVER private."""
        self.check_dimension(dimension)
        kept: list[FloatArray] = []
        while sum(map(len, kept)) < size:
            if self.replaces:
                first, second = simulate_coupled_traces(_BLOCK, dimension, generator)
            else:
                first, second = (simulate_wishart(_BLOCK, dimension, Fraction(1, 2), generator) for _ in range(2))
            values, vectors = np.linalg.eigh(first - second)
            root = (vectors * np.abs(values)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
            least = np.linalg.eigvalsh(first + second - root)[:, 0]
            kept.append((first - second)[least > -_SLACK])
        return np.concatenate(kept)[:size]

    def moments(self, dimension: int) -> NoiseMoments:
        """Return the moments of N, exactly, see `k_norm_moments`.

        Raises
        ------
        InvalidParameterError
            As in `check_dimension`.
        """
        self.check_dimension(dimension)
        return k_norm_moments(dimension, replaces=self.replaces)

    def log_density_ratio(self, data: npt.ArrayLike, neighbour: npt.ArrayLike, output: npt.ArrayLike) -> arb:
        """Enclose the privacy loss of the ideal output, without truncation, at one symmetric point.

        Raises
        ------
        InvalidParameterError
            If the data sets cannot be compared, or the output is not a symmetric (d, d) matrix.
        """
        first, second = self.read_pair(data, neighbour)
        point = exact_symmetric(output, first.shape[1])
        before, after = (self.norm(point - self.second_moment(records)) for records in (first, second))
        return (after - before) / rational(self.scale_for(first))

    def norm(self, matrix: fmpq_mat) -> arb:
        """Enclose the norm of a symmetric rational matrix under the relation."""
        above, below = signed_traces(matrix)
        return above.max(below) if self.replaces else above + below


def signed_traces(matrix: fmpq_mat) -> tuple[arb, arb]:
    """Enclose the sum of the positive eigenvalues of a symmetric rational matrix, and of the negative ones, negated."""
    above, below = arb(0), arb(0)
    found = cast("list[tuple[acb, int]]", matrix.charpoly().complex_roots())
    for root, count in found:
        above += count * root.real.max(arb(0))
        below += count * (-root.real).max(arb(0))
    return above, below

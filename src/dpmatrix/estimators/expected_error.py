"""What the noise of a release will cost, from public numbers alone and before anything is spent."""

from __future__ import annotations

import math

from attrs import frozen

from dpmatrix.mechanisms.noise_sizes import NoiseSize


@frozen
class ExpectedError:
    """The noise of a matrix that will be published, and what it does to components and variances.

    Numbers are in the units of the published matrix: X'X / n, or X'X under add-remove-one. The rounding of records to
    binary digits comes on top, and so does what clipping does.

    Attributes
    ----------
    off_diagonal, diagonal : float
        Standard deviation of an entry there; ``off_diagonal`` is 0 where there is none. With ``centred=True`` these and
        the next are of the matrix with the constant column.
    frobenius : float
        Root of the expected square of the noise's Frobenius norm. Each published eigenvalue differs from that of the
        records by no more on average, and so does the root of the sum of the squares of all these differences
        (Hoffman and Wielandt, 1953); with ``centred=True`` by no more than `error`.
    largest : float
        The trace of the matrix without noise is at most this: the bound on the norm squared, times n under
        add-remove-one.
    n_components, n_features : int or None, int
        k and d; k is None where no components are computed.
    centring : float
        How much larger than ``frobenius`` the expected Frobenius norm of the covariance matrix's error can be, since
        the mean is read off the noisy matrix; 0 without ``centred``.
    """

    off_diagonal: float
    diagonal: float
    frobenius: float
    largest: float
    n_components: int | None
    n_features: int
    centring: float = 0.0

    @classmethod
    def of(
        cls, size: NoiseSize, largest: float, n_components: int | None, n_features: int, centring: float = 0.0
    ) -> ExpectedError:
        """Take the size of a noise."""
        beside = 0.0 if size.off_diagonal is None else float(size.off_diagonal)
        return cls(beside, float(size.diagonal), float(size.frobenius), largest, n_components, n_features, centring)

    @property
    def error(self) -> float:
        """Bound on the expected Frobenius norm of what components are computed from, less that of the records."""
        return self.frobenius + self.centring

    @property
    def lost(self) -> float | None:
        """How much less than the best k directions the published ones hold, on average at most; None without k.

        The projector P onto the best directions and Q onto the published ones have ``tr PM - tr QM <= tr (Q - P)N``,
        since Q is best for M + N. That is at most ``||Q - P||_F ||N||_F``, and ``||Q - P||_F**2 <= 2 min(k, d - k)``.
        """
        if self.n_components is None:
            return None
        return math.sqrt(2 * min(self.n_components, self.n_features - self.n_components)) * self.error

    @property
    def noise_exceeds_matrix(self) -> bool:
        """Whether the noise is as large as the matrix can be, both in Frobenius norm.

        Then most of what is published is noise. A direction that many records share may still stand out of it.
        """
        return self.error >= self.largest

"""Noise of norm at most 1 by its eigenvalues that misleads the choice of a projection: shared, no evidence by itself.

Each is outside one hypothesis alone: the noise is not symmetric, or what is chosen is no projection.
"""

from __future__ import annotations

from flint import fmpq_mat

from dpmatrix.spec.common.spectra import diagonal
from proofs_checks.exact_matrices import line

SKEW_NOISE = fmpq_mat([[0, 100], [0, 0]])
"""Both eigenvalues are 0; the form is 50 along (1, 1) and -50 along (1, -1)."""
SEEN_ALIKE = 50 * line(1, -1)
"""With that noise the first of the two lines below seems to cost 0 and the second 50; it is the other way round."""
DEAR, FREE = line(1, 1), line(1, -1)

NO_PROJECTION = diagonal((101, -100))
"""A symmetric matrix of rank 2 and trace 1: beside e_1 it multiplies the noise diag(1, -1) by 200."""
E_1 = line(1, 0)

"""Post-processing in floating point, after the release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError


def project_psd(matrix: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Replace the negative eigenvalues of a symmetric matrix by zero.

    This is the nearest positive semidefinite matrix in Frobenius norm. If A is positive semidefinite and the error
    ``|Y - A|`` is t in spectral norm, no eigenvalue of Y is below -t, so the projection of Y is within 2 t of A.

    Parameters
    ----------
    matrix
        Shape (d, d) or a stack (..., d, d); the lower triangle is read.

    Raises
    ------
    InvalidParameterError
        If the matrix is not square or not finite.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim < 2 or values.shape[-1] != values.shape[-2] or not np.isfinite(values).all():
        problem = f"shape {values.shape}, or an entry that is not finite"
        raise InvalidParameterError("matrix", problem, "pass finite square matrices")
    eigenvalues, eigenvectors = np.linalg.eigh(values)
    kept = eigenvectors * np.maximum(eigenvalues, 0.0)[..., None, :]
    projected = kept @ np.swapaxes(eigenvectors, -1, -2)
    return np.asarray((projected + np.swapaxes(projected, -1, -2)) / 2, dtype=np.float64)

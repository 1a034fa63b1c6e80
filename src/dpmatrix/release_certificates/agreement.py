"""Whether the numbers of a release are those that its mechanism gives: each is computed again, or refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpmatrix import __version__
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import Release
from dpmatrix.mechanisms.choice import AUTO, Choice, resolve
from dpmatrix.mechanisms.menu import MATRICES, AnyMechanism, Settings, claims_of, components, variances
from dpmatrix.mechanisms.ppca import Ppca
from dpmatrix.mechanisms.sequential_ppca import SequentialPpca
from dpmatrix.randomness.entropy import SystemEntropy
from dpmatrix.release_certificates.fields import refuse
from dpmatrix.release_certificates.reading import ReleaseFile
from dpmatrix.release_certificates.record import NAMES, grid_of, noise_of

CLOSE = 1e-9
"""Components and variances may be off by this much of the largest entry: machines differ in the last digits."""

_WHERE = (
    "certify the file as it was released, on the machine that released it: where eigenvalues are equal, others may "
    "compute other components"
)


def agreeing_mechanism(file: ReleaseFile) -> AnyMechanism:
    """Return the mechanism of a release, once everything that can be computed from public parameters agrees.

    What cannot be computed again stays a word of the file: that bits were secret, that longer records were clipped or
    refused, and that noise of this amount was drawn.

    Raises
    ------
    InvalidParameterError
        If a number is not what the mechanism gives for the parameters; the error names the field.
    """
    if file.version != __version__:
        remedy = "certify it with the version that made it"
        refuse("dpmatrix", f"another version than this, {__version__}, made it", remedy)
    if file.mechanism not in NAMES:
        refuse("mechanism", "it is unknown here", f"it has to be one of {', '.join(NAMES)}")
    mechanism, choice = _built(file)
    _check_guarantee(file, mechanism)
    for field, here, there in (
        ("parameters.delta", file.delta, mechanism.guarantee.delta),
        ("claims", file.claims, claims_of(mechanism)),
        ("parameters.coordinate_bits", file.coordinate_bits, mechanism.coordinate_bits),
        ("noise", dict(file.noise), noise_of(mechanism, file.dimension, file.divisor)),
        ("release.grid", file.grid, grid_of(mechanism, file.dimension, file.divisor)),
    ):
        if here != there:
            refuse(field, "it is not what the mechanism gives for the epsilon, the relation and the bound of the file")
    if choice is not None and choice.record() != file.choice:
        refuse("choice", "it is not what follows from the parameters of the file")
    _check_integers(file, mechanism)
    _check_components(file, mechanism)
    return mechanism


def _built(file: ReleaseFile) -> tuple[AnyMechanism, Choice | None]:
    rank, name = len(file.components), NAMES[file.mechanism]
    if rank > file.dimension:
        refuse("components", "there are more than columns")
    settings = Settings(
        mechanism=name if file.choice is None else AUTO,
        calibration=file.calibration,
        delta=file.delta if file.choice is None else Fraction(file.choice["delta"]),
        public={
            "epsilon": file.epsilon,
            "adjacency": file.adjacency,
            "norm_bound": file.norm_bound,
            "over_norm": file.over_norm,
        },
        divisor=file.divisor if name in MATRICES else None,
        rank=rank,
    )
    try:
        mechanism, choice = resolve(settings, file.dimension)
    except InvalidParameterError as error:
        # The problem quotes the value, which may be of any length.
        raise InvalidParameterError(f"release: {error.parameter}", error.problem[:200], error.remedy[:200]) from error
    if choice is not None and choice.mechanism != name:
        refuse("mechanism", f"{choice.mechanism!r} is what is chosen for the parameters of the file")
    return mechanism, choice


def _check_guarantee(file: ReleaseFile, mechanism: AnyMechanism) -> None:
    if file.guarantee is None:
        return
    if file.guarantee != mechanism.guarantee:
        refuse("guarantee", "it is not that of the mechanism with the parameters of the file")
    if file.entropy != SystemEntropy.description:
        refuse("entropy", "the release says to be private, and its random bits are not known to be secret")


def _check_integers(file: ReleaseFile, mechanism: AnyMechanism) -> None:
    """Make sure of the shape, and of what holds for every output of the mechanism."""
    dimension, rank, integers = file.dimension, len(file.components), file.integers
    drawn = _are_directions(mechanism, rank)
    if (len(integers), len(integers[0])) != (dimension, rank if drawn else dimension):
        refuse("release.integers", "their number is not that of the columns and components")
    if not drawn and any(integers[i][j] != integers[j][i] for i in range(dimension) for j in range(i)):
        refuse("release.integers", "they are not symmetric")
    # A column of length 1, or a projector of trace k, whose entries are off by half a grid or less.
    slack = 2 * file.grid * dimension
    if drawn and any(
        abs(sum(entry**2 for entry in column) * file.grid**2 - 1) > slack for column in zip(*integers, strict=True)
    ):
        refuse("release.integers", "a direction does not have length 1")
    if isinstance(mechanism, Ppca) and not drawn:
        trace: Fraction = sum(integers[i][i] for i in range(dimension)) * file.grid
        if abs(trace - rank) > slack:
            refuse("release.integers", "they are no projector of that rank")


def _are_directions(mechanism: AnyMechanism, rank: int) -> bool:
    """Whether the published columns are the components, and not a matrix whose eigenvectors they are."""
    return isinstance(mechanism, SequentialPpca) or (isinstance(mechanism, Ppca) and rank == 1)


def _check_components(file: ReleaseFile, mechanism: AnyMechanism) -> None:
    """Make sure that components and variances are computed from the integers, and so give nothing more away."""
    release = Release(
        integers=np.array(file.integers, dtype=object),
        grid=file.grid,
        guarantee=file.guarantee,
        mechanism=file.mechanism,
        adjacency=file.adjacency,
        entropy=file.entropy,
    )
    rows, rank = np.array(file.components), len(file.components)
    if rows.shape[1] != file.dimension:
        refuse("components", "their length is not the number of columns")
    found, eigenvalues = components(mechanism, release, rank), variances(mechanism, release)
    told = None if file.explained_variance is None else np.array(file.explained_variance)
    largest = 1.0 if eigenvalues is None else float(np.abs(release.to_numpy()).max())
    if (told is None) != (eigenvalues is None) or (
        eigenvalues is not None
        and told is not None
        and (told.shape != (rank,) or not np.allclose(told, eigenvalues[:rank], rtol=0, atol=CLOSE * largest))
    ):
        refuse("explained_variance", "it is not computed from the integers")
    if not np.allclose(rows, found, rtol=0, atol=CLOSE):
        # Other eigenvectors of equal eigenvalues are not accepted: which of them were chosen may depend on the records.
        refuse("components", "they are not computed from the integers", _WHERE)

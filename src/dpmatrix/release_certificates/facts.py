"""What a certificate tells of how a release was made: none of it depends on the records."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpmatrix.claims import code_name
from dpmatrix.mechanisms.menu import AnyMechanism, excess
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.privacy.adjacency import replaces
from dpmatrix.release_certificates.numbers import at_most, decimal, is_brief, shown
from dpmatrix.release_certificates.reading import ReleaseFile
from dpmatrix.reporting.answers import BITS, LATTICE, ROUNDING
from dpmatrix.reporting.certificates import certificates
from dpmatrix.reporting.sentences import counted

Fact = tuple[str, str]
"""Name and words."""

_BIAS = (
    "Records that were shortened, and digits that were cut off, make the matrix smaller; by how much depends on the "
    "records. The largest eigenvalues of a noisy matrix are too large on average, and of negative ones the file says "
    "zero."
)

_COMPUTED = (
    "What is computed from it",
    "It keeps the guarantee, if nothing else of the records is used. The components in the file are computed so.",
)


def facts(file: ReleaseFile, mechanism: AnyMechanism) -> list[Fact]:
    """Return whose privacy it is, what was bounded, and how it was released.

    Parameters
    ----------
    file
        The release.
    mechanism
        Its mechanism, with which it agrees.
    """
    replacing, dimension = replaces(file.adjacency), file.dimension
    neighbours = (
        "Two data sets are neighbours where one record becomes any other (replace-one). Their number n is public."
        if replacing
        else "Two data sets are neighbours where one record appears or disappears (add-remove-one). The number n of "
        "records is a secret, and stands neither here nor in the file."
    )
    longer = "shortened to it" if file.over_norm == "clip" else "refused, and nothing was released then"
    n = f"n = {file.records:,} records; " if file.records is not None else ""
    drawn = BITS if file.private else "They are not known to be secret: see the file."
    return [
        (
            "Unit of privacy",
            "One record, which is a row of numbers. Whether a person has one record is not known here.",
        ),
        ("Neighbours", neighbours),
        ("Bound", f"Every record has Euclidean norm at most {shown(file.norm_bound)}; a longer one is {longer}."),
        ("Size", f"{n}d = {dimension:,} columns; {counted(len(file.components), 'component')}."),
        ("Mechanism", f"{file.mechanism}. {_published(mechanism)}"),
        ("Calibration", _calibration(file, mechanism)),
        ("Noise", _noise(file)),
        ("Random bits", drawn),
        *_documented(mechanism, "What is not covered?", "What the proof does not cover"),
        *([_COMPUTED] if file.private else []),
        ("Trust", "Whoever ran the mechanism saw the records (central model)."),
    ]


def details(file: ReleaseFile, mechanism: AnyMechanism) -> list[Fact]:
    """Return what else is known of how it was released, for who asks further; see `facts`."""
    why = "Why that holds of the released integers (a written proof, read by people)"
    return [
        *_exact(file),
        *([] if file.choice is None else [("Choice", _choice(file.choice))]),
        ("Grid", f"Published numbers are integers times {_grid(file)}. It was known before the records were seen."),
        (
            "Arithmetic",
            f"Coordinates are cut to {file.coordinate_bits} binary digits after the point. {_arithmetic(mechanism)}",
        ),
        *_documented(mechanism, "Why is it true?", why),
    ]


def _exact(file: ReleaseFile) -> list[Fact]:
    """Write in full what the head of the certificate rounds; nothing where it rounds nothing."""
    given = {"norm bound": file.norm_bound}
    if file.guarantee is not None:
        given = {"epsilon": file.guarantee.epsilon, "delta": file.guarantee.delta, **given}
    long = [f"{name} = {value}" for name, value in given.items() if not is_brief(value)]
    return [("Exact numbers", f"{'; '.join(long)}.")] if long else []


def _documented(mechanism: AnyMechanism, question: str, name: str) -> list[Fact]:
    """Quote the documentation of the mechanism, if it has an answer."""
    [found] = certificates({code_name(mechanism): ()})
    return [(name, row.answer) for row in found.rows if row.question == question]


def _published(mechanism: AnyMechanism) -> str:
    if hasattr(mechanism, "rank"):
        return "It publishes directions, and no matrix."
    return "It publishes the matrix X'X of the records, divided by n where that is public, with noise."


def _calibration(file: ReleaseFile, mechanism: AnyMechanism) -> str:
    if isinstance(mechanism, RoundedPerturbation):
        return "The scale that the exact sensitivity asks for; there is no other."
    if file.calibration == "tight":
        return "tight: the least noise that is certified to keep the guarantee, to the fineness of its search."
    times = excess(mechanism, file.dimension)
    return f"printed: the noise of the document, {times:.3g} times what the guarantee needs."


def _choice(choice: Mapping[str, Any]) -> str:
    """Say by what the mechanism was chosen; the numbers were computed again, see `agreement`."""
    errors = ", ".join(f"{name} {error}" for name, error in choice["squared_errors"].items())
    left_out = "".join(f" Without {name}, {reason}." for name, reason in choice["left_out"].items())
    return (
        f"It was chosen by the {choice['compared']}, which is at most, for delta = {choice['delta']} or less: {errors}."
        f"{left_out} Computed again from the parameters: it agrees. No record has a part in it."
    )


def _noise(file: ReleaseFile) -> str:
    told = [
        f"{name.replace('_', ' ')} {value if len(value) <= 12 else shown(Fraction(value))}"
        for name, value in file.noise.items()
        if name != "law"
    ]
    return f"{file.noise['law']}; {', '.join(told)}. Computed again from the parameters: it agrees."


def _grid(file: ReleaseFile) -> str:
    value = file.grid
    exact = str(value)
    return exact if len(exact) <= 24 else f"about {decimal(value)} (the file has it exactly)"


def _arithmetic(mechanism: AnyMechanism) -> str:
    if isinstance(mechanism, RoundedPerturbation) or hasattr(mechanism, "rank"):
        return ROUNDING
    return LATTICE


def utility(file: ReleaseFile, mechanism: AnyMechanism) -> list[Fact]:
    """Return the size of the noise, by public parameters alone; nothing where it is not computed; see `facts`."""
    size = noise_size(mechanism, file.dimension, file.divisor, file.grid)
    if size is None:
        return []
    entry = f"Standard deviation at most {at_most(size.diagonal)}"
    if size.off_diagonal not in (None, size.diagonal):
        entry += f" on the diagonal, and {at_most(size.off_diagonal)} off it"
    found = [
        ("Noise of an entry", f"{entry}. The noise has mean zero."),
        (
            "Noise as a whole",
            f"Expected Frobenius norm at most {at_most(size.frobenius)} (the root of its expected square).",
        ),
    ]
    if file.records is not None:
        square = file.norm_bound**2
        found.append(
            ("To compare with", f"The trace of the matrix without noise is at most the bound squared, {shown(square)}.")
        )
    return [*found, ("Bias", _BIAS)]

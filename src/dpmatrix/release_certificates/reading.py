"""Reading a file of a release: each field, and no other, or one line that says what is wrong."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.choice import AUTO
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.release_certificates.fields import (
    MOST_CHARACTERS,
    RELEASE,
    as_float,
    as_fraction,
    as_integer,
    check_fields,
    day,
    entries,
    matrix,
    read_bytes,
    refuse,
    relation,
    strict_json,
    table,
    text,
    texts,
    truth,
    whole,
)

MOST_COLUMNS = 4096
FIELDS = frozenset(
    {
        *("format", "dpmatrix", "released", "private", "mechanism", "claims", "guarantee", "parameters"),
        *("norm_bound", "over_norm", "calibration", "noise", "entropy"),
        *("columns", "components", "explained_variance", "release"),
    }
)
"""All fields but the number of records, and how the mechanism was chosen."""


@frozen(kw_only=True)
class ReleaseFile:
    """A file of a release, each field of its type and in its domain; whether they agree is for `agreement`.

    Attributes
    ----------
    name, sha256
        Name of the file without its folder, and the hash of its bytes.
    version, released
        Version of this library that made it, and on which day.
    guarantee
        What it says to guarantee; None where it is not private.
    epsilon, delta, adjacency, norm_bound, over_norm, calibration, coordinate_bits
        Parameters of its mechanism.
    noise
        The law and its amount, as texts.
    columns
        Names.
    components, explained_variance
        What was computed from the integers.
    grid, integers
        What was published.
    records
        Their number; None where it is a secret.
    choice
        How the mechanism was chosen, as `Choice.record` writes it; None where it was asked for by name.
    """

    name: str
    sha256: str
    version: str
    released: datetime.date
    mechanism: str
    claims: tuple[str, ...]
    guarantee: PrivacyGuarantee | None
    epsilon: Fraction
    delta: Fraction
    adjacency: Adjacency
    coordinate_bits: int
    norm_bound: Fraction
    over_norm: str
    calibration: str
    noise: Mapping[str, str]
    entropy: str
    columns: tuple[str, ...]
    components: tuple[tuple[float, ...], ...]
    explained_variance: tuple[float, ...] | None
    grid: Fraction
    integers: tuple[tuple[int, ...], ...]
    records: int | None
    choice: Mapping[str, Any] | None

    @property
    def private(self) -> bool:
        """Whether it says to have a guarantee."""
        return self.guarantee is not None

    @property
    def dimension(self) -> int:
        """Number of columns d."""
        return len(self.columns)

    @property
    def divisor(self) -> int:
        """What X'X is divided by."""
        return 1 if self.records is None else self.records


def read_release(path: Path) -> ReleaseFile:
    """Read a file of a release.

    Raises
    ------
    InvalidParameterError
        If it is none, of another form, or a field is missing, unknown or malformed.
    OSError
        If it cannot be read.
    """
    content = read_bytes(path, "release")
    record = strict_json(content, "release", RELEASE)
    if not isinstance(record, dict) or "mechanism" not in record:
        raise InvalidParameterError("release", "it is JSON, and no release", RELEASE)
    if record.get("format") != 1 or isinstance(record.get("format"), bool):
        problem = "it is missing" if "format" not in record else "it is not 1, the form that is known here"
        refuse("format", problem, "release again with this version, which writes what a certificate needs")
    check_fields(record, FIELDS, {"records", "choice"}, "")
    private = truth(record, "private")
    parameters = table(record, "parameters", {"epsilon", "delta", "adjacency", "coordinate_bits"})
    published = table(record, "release", {"grid", "integers"})
    adjacency = relation(parameters, "parameters.adjacency")
    columns = texts(record, "columns")
    if not 1 <= len(columns) <= MOST_COLUMNS:
        refuse("columns", f"there are {len(columns)}, and a certificate is for 1 to {MOST_COLUMNS}")
    return ReleaseFile(
        name=path.name,
        sha256=sha256(content).hexdigest(),
        version=text(record["dpmatrix"], "dpmatrix"),
        released=day(record["released"]),
        mechanism=text(record["mechanism"], "mechanism"),
        claims=texts(record, "claims"),
        guarantee=_guarantee(record, private=private),
        epsilon=as_fraction(parameters["epsilon"], "parameters.epsilon"),
        delta=as_fraction(parameters["delta"], "parameters.delta"),
        adjacency=adjacency,
        coordinate_bits=whole(parameters["coordinate_bits"], "parameters.coordinate_bits", 0),
        norm_bound=as_fraction(record["norm_bound"], "norm_bound"),
        over_norm=text(record["over_norm"], "over_norm"),
        calibration=text(record["calibration"], "calibration"),
        noise=_noise(record),
        entropy=text(record["entropy"], "entropy"),
        columns=columns,
        components=matrix(record["components"], "components", as_float),
        explained_variance=None
        if record["explained_variance"] is None
        else tuple(entries(record["explained_variance"], "explained_variance", as_float)),
        grid=as_fraction(published["grid"], "release.grid"),
        integers=matrix(published["integers"], "release.integers", as_integer),
        records=_records(record, adjacency),
        choice=_choice(record),
    )


def _choice(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read the words and the delta; that the errors are right is for `agreement`, which computes them."""
    if "choice" not in record:
        return None
    found = table(record, "choice", {"asked", "delta", "compared", "squared_errors", "left_out"})
    if found["asked"] != AUTO:
        refuse("choice.asked", f"it is not {AUTO!r}")
    as_fraction(found["delta"], "choice.delta")
    return found


def _guarantee(record: Mapping[str, Any], *, private: bool) -> PrivacyGuarantee | None:
    if not private:
        if record["guarantee"] is not None:
            refuse("guarantee", "there is one, and the release says that it is not private")
        return None
    found = table(record, "guarantee", {"epsilon", "delta", "adjacency"})
    epsilon, delta = (as_fraction(found[name], f"guarantee.{name}") for name in ("epsilon", "delta"))
    if epsilon <= 0 or not 0 <= delta < 1:
        refuse("guarantee", "epsilon is not positive, or delta is outside [0, 1)")
    return PrivacyGuarantee(epsilon, delta, relation(found, "guarantee.adjacency"))


def _noise(record: Mapping[str, Any]) -> dict[str, str]:
    found = record["noise"]
    if not isinstance(found, dict) or "law" not in found or len(found) > 8:
        refuse("noise", "it is no object with a law")
    if not all(isinstance(value, str) and len(value) <= 4 * MOST_CHARACTERS for value in found.values()):
        refuse("noise", "an entry is no text, or a very long one")
    return found


def _records(record: Mapping[str, Any], adjacency: Adjacency) -> int | None:
    if adjacency is Adjacency.ADD_REMOVE_ONE:
        if "records" in record:
            refuse("records", "under add-remove-one their number is a secret", "publish no file that holds it")
        return None
    if "records" not in record:
        refuse("records", "it is missing")
    return whole(record["records"], "records", 1)

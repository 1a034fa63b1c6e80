"""What certificates answer, where the answer is not in the documentation of one mechanism: by kind of data."""

from __future__ import annotations

from attrs import frozen

SEVERAL = "Guarantees of several releases add up (PrivacyBudget); tighter sums are in dpmatrix.privacy.composition."
OUTSIDE = (
    "Outside of this library: how the records were collected and who may read them, backups and logs, and what is "
    "computed from the records beside the release."
)
BITS = (
    "Bits of the operating system, in bulk AES-256-CTR under keys from it: the guarantee is then a computational one. "
    "Seeded bits void the guarantee, and the release carries none."
)
LATTICE = (
    "Coordinates are truncated to a public lattice, which shortens records; sums are exact integers, and the noise is "
    "drawn exactly. The guarantee is proved for the integers that are released."
)
ROUNDING = (
    "The ideal real-valued draw is refined until its rounding to a public grid is decided, and that correct rounding "
    "is released: a function of the ideal output, which inherits its guarantee."
)


@frozen
class Answers:
    """Answers that mechanisms on one kind of data share.

    Attributes
    ----------
    guarantee
        What is guaranteed; empty where the documentation of the mechanism says it.
    adjacency, unit, trust, assumptions, calibration, floats, not_covered, several
        To the questions of these names; ``floats`` is empty where it depends on the mechanism.
    """

    guarantee: str
    adjacency: str
    unit: str
    trust: str
    assumptions: str
    calibration: str
    floats: str
    not_covered: str
    several: str


TABLE = Answers(
    guarantee="",
    adjacency=(
        "A parameter of the mechanism. replace-one: one record becomes another, and the number of records is public. "
        "add-remove-one: one record appears or disappears, and the number of records is a secret."
    ),
    unit=(
        "One record, a row of the data. A person with k records is protected by the guarantee for groups of k: "
        "k epsilon for pure guarantees, and more delta for others (dpmatrix.privacy.group_guarantee)."
    ),
    trust="Central: whoever runs the mechanism sees the records; whoever sees the release alone does not.",
    assumptions=(
        "Every record has Euclidean norm at most norm_bound, a public number. That is decided exactly for each record; "
        "a longer one is shortened to it, or refused where that was chosen. A record's columns, d and the divisor are "
        "public."
    ),
    calibration="The least that the exact sensitivity allows; there is no other calibration.",
    floats="",
    not_covered="The refusal of data (what is no finite number; longer records where that was chosen), and time.",
    several=SEVERAL,
)
"""Of a table of records that is there at once."""

STREAM = Answers(
    guarantee=(
        "Differential privacy with the epsilon and the delta > 0 that were chosen when the stream began, for all that "
        "is ever published, outputs and time stamps at all times, and for one look into the memory together with all "
        "outputs before it."
    ),
    adjacency=(
        "A parameter of the guarantee, for streams of equal length that differ in the row of one time. add-remove-one: "
        "that row is zero in one of them. replace-one: it is any other row of the ball. That there was a row at a time "
        "is public."
    ),
    unit=(
        "One row of the stream, whenever it comes and however often the window is published. A person with k rows is "
        "protected by the guarantee for groups of k (dpmatrix.privacy.group_guarantee)."
    ),
    trust=(
        "Central: whoever adds rows sees them. Whoever sees everything that is ever published does not, nor does "
        "who looks into the memory once and sees what was published before."
    ),
    assumptions=(
        "Every row has Euclidean norm at most 1, decided exactly; a longer one is shortened to it, or refused where "
        "that was chosen. The stream is fixed in advance: it does not answer to what was published. Dimension, window, "
        "leaf, eta, tolerance and the number of rows are public."
    ),
    calibration=(
        "The least variance of a discrete Gaussian whose exact privacy profile, over all sums that one row enters "
        "together, keeps the guarantee; it grows with the logarithm of the window. There is no other calibration."
    ),
    floats=LATTICE,
    not_covered=(
        "Time of arrival, time of computing, the refusal of a row, a look into the memory together with later outputs, "
        "and streams that answer to what was published."
    ),
    several=(
        "One guarantee covers the whole sequence of outputs and time stamps of a stream. The guarantees of several "
        "streams over the same rows add up (PrivacyBudget)."
    ),
)
"""Of rows that come one after the other."""

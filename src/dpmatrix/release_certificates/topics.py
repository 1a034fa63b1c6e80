"""The sections of NIST SP 800-226, and where a certificate answers them.

Numbers are those of the table of contents of the initial public draft (December 2023). The final version (March 2025)
has these topics and one on audits, and may number them otherwise. Words are our own.
"""

from __future__ import annotations

from attrs import frozen

from dpmatrix.release_certificates.reading import ReleaseFile

VERSION = (
    "Numbers are those of the table of contents of the initial public draft of December 2023; the final version of "
    "March 2025 has these topics and one on audits, and may number them otherwise. Sections 1 and 4.6 ask nothing."
)
ANSWERED, OPEN, NOT_APPLICABLE = "answered above", "open: the holder of the data has to answer it", "not applicable"


@frozen
class Topic:
    """A section: its number, what it is about, whether the page answers it, where, and what there is to say."""

    section: str
    about: str
    status: str
    anchor: str
    words: str


def topics(file: ReleaseFile, *, additive: bool, audited: bool) -> list[Topic]:
    """Return a row for each section.

    Parameters
    ----------
    file
        The release.
    additive
        Whether the page states the size of noise that was added.
    audited
        Whether a run of audits is at hand.
    """
    given = file.guarantee is not None
    none = "there is no guarantee"

    def answered(section: str, about: str, anchor: str, words: str = "") -> Topic:
        return Topic(section, about, ANSWERED, anchor, words)

    def guaranteed(section: str, about: str, anchor: str, words: str = "") -> Topic:
        return answered(section, about, anchor, words) if given else Topic(section, about, NOT_APPLICABLE, "", none)

    def left(section: str, about: str, words: str) -> Topic:
        return Topic(section, about, OPEN, "", words)

    def outside(section: str, about: str, words: str) -> Topic:
        return Topic(section, about, NOT_APPLICABLE, "", words)

    pure = "pure: delta is 0" if file.delta == 0 else "approximate: delta is positive"
    return [
        guaranteed("2.1", "what is promised to whom", "numbers"),
        guaranteed("2.1.1", "the promise as mathematics", "numbers"),
        guaranteed("2.1.2", "composition, groups, and what is computed from a release", "hazards"),
        guaranteed("2.2", "how large epsilon is, and what that means", "numbers"),
        guaranteed("2.3", "which variant of the definition", "numbers", f"{pure}; no other variant is used"),
        left(
            "2.4", "whose data one unit is", "a unit is a record; whether one person has one record is not known here"
        ),
        guaranteed("2.5", "how to compare guarantees", "unit", "only with the same relation, bound and delta"),
        left("2.6", "other releases from the same data, private or not", "none is known here"),
        answered("none in the draft", "audits and measurements", "audits")
        if audited
        else left("none in the draft", "audits and measurements", "no run of the audits is at hand"),
        answered("3.1", "mechanism, sensitivity, bounded contributions", "unit"),
        answered("3.2", "how accurate and how useful", "utility", "accuracy; usefulness depends on the purpose")
        if additive
        else left("3.2", "how accurate and how useful", "not computed for this mechanism"),
        left("3.3", "bias", "see its three parts"),
        left(
            "3.3.1", "systemic bias: noise weighs more on small groups", "groups among the records are not known here"
        ),
        left("3.3.2", "human bias: how readers take noisy numbers", "who reads them is not known here"),
        answered("3.3.3", "statistical bias", "utility", "of noise, and of what is computed from a noisy matrix")
        if additive
        else left("3.3.3", "statistical bias", "not computed for this mechanism"),
        outside("3.4", "queries of analytics", "one matrix, or directions, and no query"),
        outside("3.4.1", "counts", "none is released"),
        answered("3.4.2", "sums", "unit", "a matrix of sums of products, with bounded records")
        if additive
        else outside("3.4.2", "sums", "none is released"),
        answered("3.4.3", "averages", "unit", "the sums divided by n, which is public")
        if additive and file.records is not None
        else outside("3.4.3", "averages", "none is released"),
        outside("3.4.4", "least and greatest values", "none is released"),
        answered("3.5", "machine learning", "unit", "components are computed from what is released, and nothing else"),
        outside("3.6", "synthetic data", "none is released"),
        outside("3.7", "texts, pictures and other data without columns", "a record is a row of numbers"),
        answered("4.1", "query model", "unit", "one release; nobody asks again, and nothing adapts"),
        left("4.2", "whom to trust", "see its parts; who held the records is not known here"),
        answered("4.2.1", "central model", "unit", "whoever ran the mechanism saw the records"),
        outside("4.2.2", "local model", "records were not made noisy one by one"),
        outside("4.2.3", "shuffling and secure computation", "neither is used"),
        answered("4.3", "implementation: floating point, random bits, time, errors", "unit"),
        left("4.4", "security of the data and access to them", "nothing is known of it here"),
        left("4.5", "how the data were collected, and what was exposed then", "nothing is known of it here"),
    ]

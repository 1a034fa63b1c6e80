"""What the sections of NIST SP 800-226 ask of a release, and where its certificate answers.

Numbers are those of the table of contents of the initial public draft (December 2023). Of the final version (March
2025) a summary was read: the same topics in the same order, and one on audits after 2.6. Words are our own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from dpmatrix.release_certificates.reading import ReleaseFile

ASK_NOTHING = ("1", "1.1", "1.2", "2", "3.3", "3.4", "4", "4.6")
"""Sections that introduce or close, and ask nothing that their parts do not ask."""

VERSION = (
    "Numbers are those of the table of contents of the initial public draft of December 2023. The final version of "
    "March 2025 has, by a summary of it, these topics in this order and one on audits after 2.6; its own numbers were "
    f"not compared. Sections {', '.join(ASK_NOTHING[:-1])} and {ASK_NOTHING[-1]} ask nothing that others do not ask."
)
ANSWERED, OPEN, NOT_APPLICABLE = "answered above", "open: the holder of the data has to answer it", "not applicable"
ON_AUDITS = "none in the draft"
"""Stands for the number of the section that only the final version has."""

NUMBERS, UNIT, UTILITY, CLAIMS, AUDITS, HAZARDS = "numbers", "unit", "utility", "claims", "audits", "hazards"
DETAILS = "details"
"""Parts of the page, by the names to which links lead; the details are a part of its appendix."""
IN_WORDS, GROUPS_TABLE, RESTS_ON, TRIED = (
    "The numbers in words",
    "For a person with several records",
    "Claims that the mechanism implements",
    "Audits",
)

Shown = Mapping[str, Collection[str]]
"""What each part of the page shows, by the names that stand there."""


def page_shows(
    *,
    private: bool,
    facts: Collection[str],
    details: Collection[str],
    utility: Collection[str],
    claimed: bool,
    audited: bool,
    hazards: Collection[str],
) -> Shown:
    """Return what a page shows.

    Parameters
    ----------
    private
        Whether there is a guarantee.
    facts, details, utility, hazards
        Names that stand in these parts.
    claimed, audited
        Whether claims, and audits of this mechanism, are named.
    """
    return {
        NUMBERS: (IN_WORDS, GROUPS_TABLE) if private else (),
        UNIT: facts,
        DETAILS: details,
        UTILITY: utility,
        CLAIMS: (RESTS_ON,) if claimed else (),
        AUDITS: (TRIED,) if audited else (),
        HAZARDS: hazards,
    }


@frozen
class Place:
    """Where a page says something: the part, and the name that stands there."""

    anchor: str
    name: str


@frozen
class Topic:
    """A question of a section, whether the page answers it, where, and what else there is to say."""

    section: str
    question: str
    status: str
    places: tuple[Place, ...] = ()
    words: str = ""


def topics(file: ReleaseFile, shown: Shown) -> list[Topic]:
    """Return the questions of all sections that ask something, in their order.

    A question counts as answered where the page shows one of the places that answer it, and not otherwise.

    Parameters
    ----------
    file
        The release.
    shown
        What the page shows.
    """
    asked = _Questions(shown, file.private)
    return [*_guarantee(file, asked), *_algorithms(file, asked), *_deployment(asked)]


@frozen
class _Questions:
    """Makes topics out of what a page shows."""

    shown: Shown
    private: bool

    def _there(self, places: Mapping[str, Collection[str]]) -> tuple[Place, ...]:
        return tuple(
            Place(anchor, name) for anchor, names in places.items() for name in self.shown[anchor] if name in names
        )

    def told(
        self, section: str, question: str, places: Mapping[str, Collection[str]], words: str = "", *, otherwise: str
    ) -> Topic:
        """Return a question that the page answers, or that is open for the reason in ``otherwise``."""
        found = self._there(places)
        return (
            Topic(section, question, ANSWERED, found, words) if found else Topic(section, question, OPEN, (), otherwise)
        )

    def guaranteed(self, section: str, question: str, places: Mapping[str, Collection[str]], words: str = "") -> Topic:
        """Return a question about the guarantee, which does not arise where there is none."""
        if not self.private:
            return self.outside(section, question, "there is no guarantee")
        return self.told(section, question, places, words, otherwise="the page does not say it")

    def left(
        self, section: str, question: str, words: str, places: Mapping[str, Collection[str]] | None = None
    ) -> Topic:
        """Return a question that only the holder of the data can answer."""
        return Topic(section, question, OPEN, self._there(places or {}), words)

    def outside(self, section: str, question: str, words: str) -> Topic:
        """Return a question that does not arise."""
        return Topic(section, question, NOT_APPLICABLE, (), words)


def _guarantee(file: ReleaseFile, asked: _Questions) -> list[Topic]:
    several, person = (
        {HAZARDS: ["Several releases"]},
        {NUMBERS: [GROUPS_TABLE], HAZARDS: ["Several records of one person"]},
    )
    numbers = {NUMBERS: [IN_WORDS]}
    of_epsilon = [name for name in asked.shown[HAZARDS] if name.startswith("Epsilon above ")]
    variant = "pure: delta is 0" if file.delta == 0 else "approximate: delta is positive"
    return [
        asked.guaranteed("2.1", "What is promised, and to whom?", {**numbers, UNIT: ["Unit of privacy"]}),
        asked.guaranteed("2.1", "What may still be inferred about a person?", numbers),
        asked.guaranteed(
            "2.1.1", "Which probabilities are compared, on which data sets?", {**numbers, UNIT: ["Neighbours"]}
        ),
        asked.guaranteed("2.1.2", "What of several releases from the same records?", several),
        asked.guaranteed("2.1.2", "What of results computed from the release?", {UNIT: ["What is computed from it"]}),
        asked.guaranteed("2.2", "How large is epsilon, and what does that mean?", {**numbers, HAZARDS: of_epsilon}),
        asked.left(
            "2.2", "Why this epsilon, and out of which budget?", "the file holds no reason and no budget", several
        ),
        asked.guaranteed("2.3", "Which variant of the definition?", numbers, variant),
        _failure(file, asked),
        asked.guaranteed(
            "2.3",
            "Were the parameters converted from another variant?",
            {UNIT: ["Calibration", "Noise"]},
            "no: the mechanism is calibrated to epsilon and delta themselves",
        ),
        asked.guaranteed("2.4", "What is one unit?", {UNIT: ["Unit of privacy", "Neighbours"]}),
        asked.left(
            "2.4", "Is a unit a person, or has a person several?", "who has which records is not known here", person
        ),
        asked.guaranteed(
            "2.5",
            "With which guarantees may it be compared?",
            {UNIT: ["Neighbours", "Bound"]},
            "with those of the same neighbours, bound and delta",
        ),
        asked.left(
            "2.6", "What else was released from these records, private or not?", "nothing is known of it here", several
        ),
        asked.told(
            ON_AUDITS,
            "What did tests of the implementation find, and what would they miss?",
            {AUDITS: [TRIED]},
            otherwise="the page has no audit of this mechanism",
        ),
    ]


def _failure(file: ReleaseFile, asked: _Questions) -> Topic:
    question = "May it fail altogether, and how likely is that?"
    if file.private and file.delta == 0:
        return asked.outside("2.3", question, "delta is 0")
    warned = [name for name in asked.shown[HAZARDS] if name.startswith("Delta")]
    if file.records is None:
        words = "how delta compares with 1/n is for the holder, who knows n"
    else:
        words = f"delta is {'not ' if file.delta * file.records >= 1 else ''}below 1/n"
    return asked.guaranteed("2.3", question, {NUMBERS: [IN_WORDS], HAZARDS: warned}, words)


def _algorithms(file: ReleaseFile, asked: _Questions) -> list[Topic]:
    additive = bool(asked.shown[UTILITY])
    uncomputed = "not computed for this mechanism"
    proofs = [name for name in asked.shown[DETAILS] if name.startswith("Why that holds")]
    bounded = {UNIT: ["Bound"], HAZARDS: ["Choices", "Records longer than the bound"]}
    size = {UTILITY: ["Noise of an entry", "Noise as a whole", "To compare with"]}
    found = [
        asked.left(
            "3",
            "Was a tested library used, and no code of one's own?",
            f"the file says dpmatrix {file.version}; that it was used, whoever released vouches for",
        ),
        asked.told(
            "3.1",
            "Which mechanism, and which noise?",
            {UNIT: ["Mechanism", "Calibration", "Noise"]},
            otherwise=uncomputed,
        ),
        asked.guaranteed("3.1", "Who proved that it is private?", {DETAILS: proofs, CLAIMS: [RESTS_ON]}),
        asked.told("3.2", "How accurate is it?", size, otherwise=uncomputed),
        asked.left("3.2", "Is it of use for its purpose?", "the purpose is not known here"),
        asked.left("3.3.1", "Does noise weigh more on small groups?", "groups among the records are not known here"),
        asked.left("3.3.2", "How will readers take noisy numbers?", "who reads them is not known here"),
        asked.told("3.3.3", "Which statistical bias has it?", {UTILITY: ["Bias"]}, otherwise=uncomputed),
        asked.outside("3.4.1", "How were counts bounded?", "no count is released"),
    ]
    sums, means = "How were the values that are summed bounded?", "By what are the sums divided?"
    if additive:
        found.append(asked.told("3.4.2", sums, bounded, otherwise=uncomputed))
    else:
        found.append(asked.outside("3.4.2", sums, "no sum is released"))
    if additive and file.records is not None:
        found.append(
            asked.told("3.4.3", means, {UNIT: ["Size", "Mechanism"]}, "by n, which is public", otherwise=uncomputed)
        )
    else:
        found.append(asked.outside("3.4.3", means, "nothing is divided"))
    return [
        *found,
        asked.outside("3.4.4", "How were least and greatest values bounded?", "none is released"),
        asked.guaranteed(
            "3.5", "What was learned, and what keeps it private?", {UNIT: ["Mechanism", "What is computed from it"]}
        ),
        asked.outside("3.6", "How was synthetic data made?", "none is released"),
        asked.outside(
            "3.7",
            "What is a unit of texts, pictures or sounds?",
            "a record is a row of numbers; if they were computed from such things, their holder has to say what one is",
        ),
    ]


def _deployment(asked: _Questions) -> list[Topic]:
    unknown = "nothing is known of it here"
    return [
        asked.told(
            "4.1",
            "Were the questions known in advance?",
            {UNIT: ["Mechanism"]},
            "one release; nobody asks again, and nothing adapts",
            otherwise=unknown,
        ),
        asked.left("4.2", "Who is trusted, and rightly?", "who held the records is not known here", {UNIT: ["Trust"]}),
        asked.told("4.2.1", "Who saw the records (central model)?", {UNIT: ["Trust"]}, otherwise=unknown),
        asked.outside(
            "4.2.2", "Who made records noisy one by one (local model)?", "nobody: the mechanism sees all records"
        ),
        asked.outside("4.2.3", "Who shuffled, or computed on secret shares?", "nobody: neither is used"),
        asked.told("4.3", "What of floating point?", {DETAILS: ["Grid", "Arithmetic"]}, otherwise=unknown),
        asked.told("4.3", "Where do random bits come from?", {UNIT: ["Random bits"]}, otherwise=unknown),
        asked.left(
            "4.3",
            "What do times, errors and systems beneath tell?",
            "no guarantee covers them, and who could see them is not known here",
            {HAZARDS: ["Errors and time"]},
        ),
        asked.left(
            "4.3",
            "Were the bound, the columns and other settings tuned on the records?",
            "the file does not say how they were chosen",
            {HAZARDS: ["Choices", "Records longer than the bound"]},
        ),
        asked.left("4.4", "Who may read the records, and how are they kept?", unknown),
        asked.left("4.5", "Was more collected than was needed?", unknown),
    ]

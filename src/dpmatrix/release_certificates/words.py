"""The numbers of a guarantee in words: for one record, and for a person with several."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import replaces
from dpmatrix.privacy.groups import group_guarantee
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.release_certificates.numbers import at_most, even_odds, odds_factor, shown

GROUPS = (1, 2, 5, 10)
"""Numbers of records of one person for which a certificate states the guarantee."""

_EVERYBODY = "What the release teaches about everybody it also teaches about this person, and that is not bounded."


@frozen
class GroupRow:
    """What is guaranteed to a person with so many records, in decimals; ``epsilon`` is None where nothing is."""

    records: int
    epsilon: str | None
    delta: str
    factor: str


def group_rows(guarantee: PrivacyGuarantee) -> list[GroupRow]:
    """Return the guarantee for each of `GROUPS`."""
    return [_row(guarantee, records) for records in GROUPS]


def _row(guarantee: PrivacyGuarantee, records: int) -> GroupRow:
    try:
        found = group_guarantee(guarantee, records)
    except InvalidParameterError:
        return GroupRow(records, None, "", "")
    delta = shown(found.delta) if records == 1 or found.is_pure else at_most(found.delta)
    return GroupRow(records, shown(found.epsilon), delta, odds_factor(found.epsilon))


def promise(guarantee: PrivacyGuarantee) -> list[str]:
    """Say what a guarantee means for one record, a sentence or two each."""
    epsilon, delta = guarantee.epsilon, guarantee.delta
    factor = odds_factor(epsilon)
    if replaces(guarantee.adjacency):
        change, about = "one record were any other record", "a statement about one record"
    else:
        change, about = "one record were missing, or there were one more", "the statement that a record is there"
    words = [
        f"If {change}, the probability of every possible outcome would be at most e^epsilon = {factor} times as large"
        + (f", plus delta = {shown(delta)}." if delta else ".")
    ]
    if guarantee.is_pure:
        words.append(
            f"The odds that anybody assigns to {about} change by a factor of at most e^epsilon = {factor} when the "
            "release is seen. That is so for who knows all other records, and for who holds them to say nothing about "
            f"this one. {_EVERYBODY}"
        )
        words.append(
            f"Who held it as likely as not comes to hold it with a probability of at most {even_odds(epsilon)} %."
        )
    else:
        words.append(
            f"But for what delta allows, the odds that anybody assigns to {about} change by a factor of at most "
            f"e^epsilon = {factor}. Delta is no small change of these odds: with a probability of up to "
            f"{shown(delta)} a mechanism with this guarantee may publish a record as it is. {_EVERYBODY}"
        )
    if not replaces(guarantee.adjacency):
        words.append(
            "Between two values of a record that is there lie two steps, one removed and one added: see the row of "
            "two records."
        )
    return words


def hazards(guarantee: PrivacyGuarantee | None, records: int | None, over_norm: str) -> list[tuple[str, str]]:
    """List what can make a guarantee worth less than it sounds, each with a name."""
    found = [] if guarantee is None else [*_of_epsilon(guarantee.epsilon), *_of_delta(guarantee.delta, records)]
    longer = (
        "A longer record was shortened to it, which costs no privacy. A bound that was chosen by a look at the records "
        "does."
        if over_norm == "clip"
        else "A longer record was refused. That there was a refusal, and a bound that was raised until there was none, "
        "tell about the records, and no guarantee covers either."
    )
    return [*found, *_ALWAYS[:2], ("Records longer than the bound", longer), *_ALWAYS[2:]]


_SEVERAL = "Guarantees of all releases from the same records add up. Only one release is known here."
_PERSON = (
    "The guarantee is one for a record. For a person with more it is weaker, as the table of groups says; nothing here "
    "knows who has how many."
)
_ERRORS = (
    "That the command ended in an error, which one, and how long it took depend on the records. The guarantee covers "
    "none of this: it is for nobody who may not see the records."
)
_CHOICES = (
    "Columns, the bound, a point that was subtracted, and the epsilon have to be chosen without a look at the records."
)
_ALWAYS = (
    ("Several releases", _SEVERAL),
    ("Several records of one person", _PERSON),
    ("Errors and time", _ERRORS),
    ("Choices", _CHOICES),
)
_ABOVE_TEN = (
    "For a single record such a number says next to nothing: what protects it, if anything does, is something else "
    "than this guarantee."
)
_STEPS = (
    (10, _ABOVE_TEN),
    (3, "Something that was held for unlikely can come to be held for likely. Ask why so large a number was needed."),
    (1, "Numbers up to 1 are usually recommended, and this one is larger. Ask which attack was thought of."),
)


def _of_epsilon(epsilon: Fraction) -> list[tuple[str, str]]:
    for bound, words in _STEPS:
        if epsilon > bound:
            start = f"Epsilon is {shown(epsilon)}: odds can change by a factor of {odds_factor(epsilon)}."
            return [(f"Epsilon above {bound}", f"{start} {words}")]
    return []


def _of_delta(delta: Fraction, records: int | None) -> list[tuple[str, str]]:
    if not delta:
        return []
    if records is None:
        words = (
            f"Delta is {shown(delta)}, and the number n of records is a secret. Its holder has to see to it that delta "
            "lies far below 1/n: a mechanism that publishes one record, drawn at random, keeps delta = 1/n."
        )
        return [("Delta, and n unknown", words)]
    if delta * records < 1:
        return []
    words = (
        f"Delta is {shown(delta)}, and 1/n is {shown(Fraction(1, records))}. A mechanism that publishes one record, "
        "drawn at random, keeps delta = 1/n: this delta does not exclude it."
    )
    return [("Delta not below 1/n", words)]

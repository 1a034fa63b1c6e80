"""A mechanism of known worth: what it claims, what is true, and, if it is faulty, the line that was changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

from attrs import evolve, frozen

from audit.zoo.ceiling import LossLaw, most_certifiable
from dpmatrix.auditing.density import LogRatio, OutputMap
from dpmatrix.auditing.pairs.neighbours import neighbouring_pairs
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.targets.target import Target, seen_at_resolution
from dpmatrix.exact import Exact
from dpmatrix.privacy.adjacency import Adjacency

RESOLUTION = 2.0**-30
"""Grid on which the mathematics of a float target is judged; far below every noise here."""

FLAGRANT = 1.2
"""Violations at least this large, as true over claimed epsilon, are what an auditor has to certify."""


class Flag(Enum):
    """Kinds of fault."""

    SCALE = "the noise is of the right kind and too small"
    SENSITIVITY = "the noise is calibrated to the wrong change of the statistic"
    LAYOUT = "the entries of the noise are arranged wrongly"
    PREPROCESSING = "the records are not prepared as the proof assumes"
    DATA_DEPENDENT = "a quantity that must be public is computed from the data"
    REUSE = "randomness is used twice or not fresh"
    SUPPORT = "the possible outputs depend on the data"
    SAMPLER = "the sampler does not draw from the law that is meant"
    ACCOUNTING = "something is released that nobody paid for"
    REPRESENTATION = "the law is right and its floating-point form is not"


@frozen
class Truth:
    """What is known about a mechanism by computation.

    Attributes
    ----------
    epsilon
        The least epsilon that holds together with the claimed delta; infinite if none does.
    delta
        The least delta that holds together with the claimed epsilon; None if it is not known.
    exact
        Whether these are the least values over all neighbours with the stated number of records; else they are those
        of one pair, and lower bounds.
    """

    epsilon: float
    delta: float | None = None
    exact: bool = True


def _no_pairs() -> tuple[NeighbouringPair, ...]:
    return ()


@frozen
class Density:
    """The density of a mechanism, as far as its owner knows it.

    Attributes
    ----------
    log_ratio, outputs, output_parameters
        As for `worst_privacy_loss`. Densities are continuous: a ratio at a point is nearly attained around it.
    """

    log_ratio: LogRatio
    outputs: OutputMap
    output_parameters: int


@frozen(eq=False, kw_only=True)
class Specimen:
    """A mechanism with a claim.

    Attributes
    ----------
    name
        Unique, in kebab case.
    note
        What the mechanism does if it is correct; why the fault matters if it is faulty.
    target
        Maps data of shape (records, dimension), rows in the unit ball, to a batch of outputs.
    epsilon, delta, adjacency
        The claim.
    dimension, records
        Of the data sets that the claim and the truth are about.
    mutation
        The one line that was changed; empty if the mechanism is correct.
    parent
        Name of the correct specimen of which this is a mutation; empty if the mechanism is correct.
    flags
        Kinds of fault.
    compute_truth
        Returns what is known to be true, in floating point; None if nothing is.
    telling_pairs
        Returns neighbours that are the worst for this mechanism, beyond those of `neighbouring_pairs`.
    delete_rows
        Whether a removed record takes its row along.
    is_hidden
        Whether the violation, though real, is so rare at the claimed epsilon that no affordable number of outputs
        can certify it.
    compute_losses
        Returns the laws of the privacy loss on the pairs that can be told apart best; None where nobody computed them.
    density
        For the tier that looks at density ratios; None where outputs alone are looked at.
    repeats
        Whether its outputs repeat, so that an audit that tests them for that gives no verdict.
    """

    name: str
    note: str
    target: Target
    epsilon: Exact
    adjacency: Adjacency
    dimension: int
    records: int = 1
    delta: Exact = 0
    mutation: str = ""
    parent: str = ""
    flags: frozenset[Flag] = frozenset()
    compute_truth: Callable[[], Truth] | None = None
    telling_pairs: Callable[[], tuple[NeighbouringPair, ...]] = _no_pairs
    delete_rows: bool = False
    is_hidden: bool = False
    compute_losses: Callable[[], tuple[LossLaw, ...]] | None = None
    density: Density | None = None
    repeats: bool = False

    @property
    def is_faulty(self) -> bool:
        """Whether this is a mutation."""
        return bool(self.mutation)

    @property
    def is_about_representation(self) -> bool:
        """Whether the fault lies in the low bits, for `audit_representation` to find."""
        return Flag.REPRESENTATION in self.flags

    def truth(self) -> Truth | None:
        """Compute what is true; None where that is not known."""
        return None if self.compute_truth is None else self.compute_truth()

    def is_flagrant(self) -> bool:
        """Tell whether the truth is known to exceed the claim by the factor `FLAGRANT`."""
        truth = self.truth()
        if truth is None:
            return False
        return math.isinf(truth.epsilon) or truth.epsilon >= FLAGRANT * float(self.epsilon) * (1 - 1e-9)

    def mutated(
        self,
        *,
        name: str,
        mutation: str,
        note: str,
        flags: tuple[Flag, ...],
        target: Target,
        truth: Callable[[], Truth] | None,
        telling_pairs: Callable[[], tuple[NeighbouringPair, ...]] | None = None,
        is_hidden: bool = False,
        losses: Callable[[], tuple[LossLaw, ...]] | None = None,
        density: Density | None = None,
        repeats: bool = False,
    ) -> Specimen:
        """Return a faulty copy that makes the same claim; ``target`` has the changed line."""
        return evolve(
            self,
            name=name,
            mutation=mutation,
            note=note,
            flags=frozenset(flags),
            target=target,
            compute_truth=truth,
            parent=self.name,
            is_hidden=is_hidden,
            compute_losses=losses,
            density=density,
            repeats=repeats,
            telling_pairs=self.telling_pairs if telling_pairs is None else telling_pairs,
        )

    def is_demanded(self) -> bool:
        """Tell whether a good auditor has to find it: flagrant, or a matter of low bits, and not hidden."""
        return (self.is_flagrant() or self.is_about_representation) and not self.is_hidden

    def best_possible(self, samples: int, failure_probability: Exact) -> float | None:
        """Bound what samples on each of two data sets can certify of epsilon at delta = 0; None where it is not known.

        See `most_certifiable`; no event on the pairs of `compute_losses` does better, but by luck.
        """
        if self.compute_losses is None:
            return None
        return max(most_certifiable(law, samples, failure_probability) for law in self.compute_losses())

    def pairs(self) -> tuple[NeighbouringPair, ...]:
        """Return neighbours to try: the telling ones first, then the adversarial families."""
        families = neighbouring_pairs(self.dimension, self.records, self.adjacency, delete_rows=self.delete_rows)
        return (*self.telling_pairs(), *families)

    def audited_target(self) -> Target:
        """Return the target as its audit should see it: on a grid, unless the low bits are the point."""
        return self.target if self.is_about_representation else seen_at_resolution(self.target, RESOLUTION)


def of_one_record(
    name: str,
    note: str,
    target: Target,
    truth: Truth | None,
    *,
    dimension: int,
    telling_pairs: Callable[[], tuple[NeighbouringPair, ...]],
) -> Specimen:
    """Make a correct mechanism that guarantees epsilon = 1 where the only record is replaced."""
    return Specimen(
        name=name,
        note=note,
        target=target,
        epsilon=1,
        adjacency=Adjacency.REPLACE_ONE,
        dimension=dimension,
        compute_truth=None if truth is None else lambda: truth,
        telling_pairs=telling_pairs,
    )

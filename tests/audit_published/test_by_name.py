"""The suites audit what a user would: mechanisms that new processes can import, with pairs that are somebody's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from audit.by_name import ByName, importable
from audit.published import PUBLISHED, auditors
from audit.published.auditors import SOURCE, ask_ours, mechanism_of
from audit.zoo import correct_specimens, faulty_specimens, specimen, trial
from audit.zoo.trial import HANDED_OVER, Allowance, examine, source_of, target_of
from dpmatrix.auditing.independence.probes import check_independence
from dpmatrix.auditing.pairs.neighbours import neighbouring_pairs
from dpmatrix.auditing.planning.conditions import LIBRARY
from dpmatrix.errors import InvalidParameterError, NoVerdictError
from dpmatrix.privacy import Adjacency
from tests.audit_published.kept_at_import import TARGETS, find

EVERY = (*correct_specimens(), *faulty_specimens())
PAIR = neighbouring_pairs(1, 1, Adjacency.REPLACE_ONE)[0]


def back(target: Any) -> Any:
    return pickle.loads(pickle.dumps(target))


def test_every_mechanism_of_the_suites_is_found_again_by_its_name() -> None:
    pairs = [(record.mechanism, mechanism_of, record.name) for record in PUBLISHED]
    pairs += [(creature.target, target_of, creature.name) for creature in EVERY]
    for target, finder, name in pairs:
        named = importable(target, finder, name)
        assert isinstance(named, ByName)
        again = back(named)
        assert again.target is target
        assert (again.find, again.name) == (finder, name)


def test_a_name_of_another_mechanism_or_of_none_is_not_used() -> None:
    creature = specimen("histogram-laplace")

    def other(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.zeros(size)

    assert importable(other, target_of, creature.name) is other
    assert importable(other, target_of, "unicorn") is other
    assert importable(other, mechanism_of, "unicorn") is other


def test_errors_of_a_search_are_not_taken_for_a_missing_name() -> None:
    def broken(name: str) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        importable(TARGETS["fresh"], broken, "fresh")


def test_new_processes_see_noise_that_is_fixed_at_the_start() -> None:
    """Without a name nobody looks, and the fault passes; with it the outputs of two starts are the same."""
    unnamed = check_independence(TARGETS["seeded"], PAIR, entropy=1)
    assert unnamed is not None
    assert "cannot be imported" in unnamed
    with pytest.raises(NoVerdictError):
        check_independence(importable(TARGETS["seeded"], find, "seeded"), PAIR, entropy=1)
    assert check_independence(importable(TARGETS["fresh"], find, "fresh"), PAIR, entropy=1) is None


@pytest.mark.parametrize(
    ("finder", "name"), [(mechanism_of, "delta-siege/laplace-inversion"), (target_of, "laplace-half")]
)
def test_new_processes_draw_from_mechanisms_of_the_suites(finder: Any, name: str) -> None:
    pair = PAIR if finder is mechanism_of else specimen(name).pairs()[0]
    assert check_independence(importable(finder(name), finder, name), pair, entropy=1) is None


class AskedError(Exception):
    """What an audit was asked, instead of one."""


def asked(monkeypatch: pytest.MonkeyPatch, module: Any, call: Any) -> tuple[Any, str]:
    def instead(target: Any, pairs: Any, **options: Any) -> None:
        raise AskedError(target, options["source"])

    monkeypatch.setattr(module, "audit_within", instead)
    with pytest.raises(AskedError) as found:
        call()
    return found.value.args[0], found.value.args[1]


def test_published_mechanisms_are_asked_about_by_name_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    record = next(record for record in PUBLISHED if record.name == "casacuberta/floats-exact")
    target, source = asked(monkeypatch, auditors, lambda: ask_ours(record, 1.0))
    assert back(target).target is record.mechanism
    assert source == SOURCE != LIBRARY
    changed = evolve(record, mechanism=TARGETS["fresh"])
    assert asked(monkeypatch, auditors, lambda: ask_ours(changed, 1.0))[0] is TARGETS["fresh"]


def test_specimens_are_asked_about_by_name_and_their_pairs_are_whose_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for creature in EVERY:
        own = creature.telling_pairs()
        assert source_of(creature) == (HANDED_OVER if own else LIBRARY)
        library = neighbouring_pairs(
            creature.dimension, creature.records, creature.adjacency, delete_rows=creature.delete_rows
        )
        words = [(pair.name, pair.data.tobytes()) for pair in creature.pairs()]
        # What counts as the library's is what the command tries of itself, and no more.
        assert (words == [(pair.name, pair.data.tobytes()) for pair in library]) is not bool(own)
    for name in ("laplace-half", next(creature.name for creature in EVERY if creature.telling_pairs())):
        creature = specimen(name)
        target, source = asked(monkeypatch, trial, lambda: examine(creature, Allowance(seconds=1.0), generator=1))  # noqa: B023
        assert back(target).target is creature.target
        assert source == source_of(creature)


def test_a_finder_says_that_there_is_no_such_name() -> None:
    with pytest.raises(InvalidParameterError):
        target_of("unicorn")
    with pytest.raises(LookupError):
        mechanism_of("unicorn")

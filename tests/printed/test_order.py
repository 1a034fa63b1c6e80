"""The order of a document's claims is that of the units in which their statements begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpmatrix.claims import Kind as Sort
from dpmatrix.commands.places import about_the_place, in_order, line_by_line
from dpmatrix.commands.sentences import indexes
from dpmatrix.printed.index import Entry, Index, Kind, SentencesError
from dpmatrix.printed.order import Stated, read_order
from dpmatrix.printed.units import units
from dpmatrix.spec import FOLDER, catalogue, documents, load

INDEX = Index(
    (
        Entry("aa-1", "Section 1", Kind.HEADING),
        Entry("bb-1", "Section 1", Kind.JUDGED, ("toy.lemma-1",)),
        Entry("cc-1", "Section 2", Kind.JUDGED, ("toy.theorem-1/half",)),
    )
)


def written(folder: Path, text: str) -> Path:
    path = folder / "order.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_places_are_those_of_the_units(tmp_path: Path) -> None:
    path = written(tmp_path, 'lemma-1 = "bb-1"\nlemma-2 = "bb-1"\ntheorem-1 = "cc-1"\n')
    assert read_order(path, "toy", INDEX) == (
        Stated("toy.lemma-1", "bb-1", "Section 1"),
        Stated("toy.lemma-2", "bb-1", "Section 1"),
        Stated("toy.theorem-1", "cc-1", "Section 2"),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('lemma-1 = "dd-1"', "'dd-1' is no unit of toy"),
        ("lemma-1 = 1", "1 is no unit of toy"),
        ('theorem-1 = "cc-1"\nlemma-1 = "bb-1"', r"lemma-1 is stated before toy\.theorem-1"),
        ('lemma-1 = "bb-1"\nlemma-1 = "bb-1"', "overwrite"),
        ("[", "order.toml"),
    ],
)
def test_another_order_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SentencesError, match=told):
        read_order(written(tmp_path, text), "toy", INDEX)


def test_every_claim_stands_once_in_the_order_of_its_document() -> None:
    for document in documents():
        found = [stated.claim for stated in in_order(document)]
        assert sorted(found) == sorted(claim for claim in catalogue().ids if claim.partition(".")[0] == document)


def test_a_statement_begins_where_its_label_stands() -> None:
    """A label that stands alone, as "Theorem 4.", has a hash that is known without the document."""
    registry, alone = load(), 0
    for document, index in indexes().items():
        known = {entry.key for entry in index.entries}
        for stated in in_order(document):
            (label,) = units(f"{registry[stated.claim].source.label}.")
            if label.key in known:
                alone += 1
                assert stated.key == label.key, stated.claim
    assert alone > 50


def test_a_statement_begins_where_it_is_judged() -> None:
    """What follows its first unit, headings aside, is judged by the claim or its steps, or is not judged at all."""
    for document, index in indexes().items():
        keys = [entry.key for entry in index.entries]
        for stated in in_order(document):
            after = index.entries[keys.index(stated.key) :][:12]
            claims = [{name.partition("/")[0].partition("+")[0] for name in entry.names} for entry in after]
            assert any(stated.claim in names for names in claims) or stated.claim == "near-optimal.table-2"


def test_neighbours_are_those_of_the_document() -> None:
    assert about_the_place("wishart.theorem-4") == {
        "place": "Section 4",
        "before": "wishart.theorem-3",
        "after": "wishart.trace-inequality",
    }
    assert about_the_place("wishart.definition-1")["before"] is None
    assert about_the_place("wishart.theorem-10")["after"] is None
    assert about_the_place("cross.adjacency")["place"] == ""
    assert about_the_place("cross.adjacency")["before"] is not None
    assert about_the_place("toy.lemma-1") == {"place": "", "before": None, "after": None}


def test_algorithms_stand_line_by_line_where_it_is_said() -> None:
    for claim in load():
        for place in line_by_line(claim.id):
            where, name = place.split()
            file, _, number = where.partition(":")
            line = (FOLDER.parent / file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
            assert line.startswith(f"def {name}(")
    assert [place.split()[1] for place in line_by_line("wishart.algorithm-1")] == [
        "algorithm_1",
        "algorithm_1_repaired",
    ]
    assert line_by_line("wishart.lemma-1") == line_by_line("cross.adjacency") == []


def test_which_printed_algorithms_do_not_stand_line_by_line() -> None:
    without = {claim.id for claim in load() if claim.kind is Sort.ALGORITHM and not line_by_line(claim.id)}
    assert without == {"compression.procedure-4-2"}, "it is a law, and draws nothing"

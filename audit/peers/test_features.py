"""The table of features on the page of the documentation, asked of the libraries themselves."""

from __future__ import annotations

import warnings

import pytest

from audit.peers.features import LIBRARIES, PROBES
from dpmatrix.documentation import pages

TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for page in pages()
    if page.name == "features"
    for line in page.text.splitlines()
    if line.startswith("| ") and not line.startswith("| question")
]


def test_every_question_is_asked() -> None:
    assert [row[0] for row in TABLE] == list(PROBES)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_a_cell_says_what_the_library_does(row: list[str], library: str) -> None:
    said = row[1 + LIBRARIES.index(library)].partition(":")[0]
    assert said in ("yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert bool(PROBES[row[0]][library]()) is (said == "yes")

"""Where the documents were published: told for each of them, and on its page as in the list."""

from __future__ import annotations

import pytest

from dpmatrix.documentation import pages
from dpmatrix.spec import documents
from dpmatrix.typesetting.publications import PUBLICATIONS

OURS = {"cross", "beyond"}


def test_every_document_of_others_can_be_found():
    assert set(documents()) - OURS == set(PUBLICATIONS)
    assert all(one.arxiv or one.within for one in PUBLICATIONS.values())


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_titles_and_authors_are_those_of_the_catalogue(name):
    publication, (authors, _, title) = PUBLICATIONS[name], documents()[name].partition(": ")
    assert publication.title.startswith(title)
    assert [author.partition(",")[0] for author in publication.authors.split(" and ")] == [
        word.rpartition(" ")[2] for word in authors.split(", ")
    ]


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_the_page_of_a_document_says_where_it_was_published(name):
    publication = PUBLICATIONS[name]
    (text,) = (page.text for page in pages() if page.name == name)
    told = [f"*{publication.title}*. {publication.cited}.", publication.edition]
    told += [f"{publication.slides}."] if publication.slides else []
    assert " ".join(told) in " ".join(text.partition("\n## ")[0].replace("`", "").split())


@pytest.mark.parametrize(
    ("name", "short", "cited"),
    [
        ("wishart", "AAAI 2016, arXiv 1511.05680", "AAAI 2016, doi 10.1609/aaai.v30i1.10185, arXiv 1511.05680"),
        ("near-optimal", "JMLR 2013, arXiv 1207.2812", "JMLR 14 (2013), pages 2905–2943, arXiv 1207.2812"),
        ("sliding-window", "2020, arXiv 2009.02668", "2020, arXiv 2009.02668"),
    ],
)
def test_where_to_look(name, short, cited):
    assert (PUBLICATIONS[name].short, PUBLICATIONS[name].cited) == (short, cited)


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_an_entry_has_its_year_and_braces_in_pairs(name):
    entry = "\n".join(PUBLICATIONS[name].entry("key"))
    assert f"year = {{{PUBLICATIONS[name].year}}}" in entry
    assert entry.count("{") == entry.count("}")
    assert "= {}" not in entry

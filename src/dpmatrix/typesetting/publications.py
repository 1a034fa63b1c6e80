"""Where the documents were published: one list for their pages, the first page and BibTeX.

Each number was looked up in the references of other documents or in public catalogues. What was not found there is left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from dpmatrix.typesetting.notations import latex_text


@frozen(kw_only=True)
class Publication:
    """A document as a library finds it.

    Attributes
    ----------
    authors
        As BibTeX takes them.
    title, year
        Its own.
    within
        The journal or the proceedings, in full; empty where it is on arXiv alone.
    venue
        The same in short.
    journal
        Whether that is a journal.
    volume, pages, doi, arxiv
        Numbers; empty where there is none, or none was verified.
    edition
        Which text was judged, in sentences.
    slides
        Where the document is not the publication and only slides about it: what they say of themselves.
    """

    authors: str
    title: str
    year: int
    within: str = ""
    venue: str = ""
    journal: bool = False
    volume: str = ""
    pages: str = ""
    doi: str = ""
    arxiv: str = ""
    edition: str
    slides: str = ""

    @property
    def short(self) -> str:
        """Where to look for it, in few words: ``AAAI 2016, arXiv 1511.05680``."""
        return ", ".join(part for part in (f"{self.venue} {self.year}".strip(), self._on_arxiv) if part)

    @property
    def cited(self) -> str:
        """Where to look for it, with every number."""
        found = (
            f"{self.venue} {self.volume} ({self.year})" if self.journal else f"{self.venue} {self.year}".strip(),
            f"pages {self.pages}" if self.pages else "",
            f"doi {self.doi}" if self.doi else "",
            self._on_arxiv,
        )
        return ", ".join(part for part in found if part)

    @property
    def _on_arxiv(self) -> str:
        return f"arXiv {self.arxiv}" if self.arxiv else ""

    def entry(self, key: str) -> Iterator[str]:
        """Yield the lines of an entry of BibTeX."""
        kind, place = ("article", "journal") if self.journal else ("inproceedings", "booktitle")
        fields = {
            "author": latex_text(self.authors),
            "title": f"{{{latex_text(self.title)}}}",
            place: latex_text(self.within),
            "volume": self.volume,
            "pages": self.pages.replace("–", "--"),
            "year": str(self.year),
            "doi": self.doi,
            "eprint": self.arxiv,
            "archivePrefix": "arXiv" if self.arxiv else "",
            "note": "" if self.slides else latex_text(self.edition.rstrip(".")),
        }
        yield f"@{kind if self.within else 'misc'}{{{key},"
        yield from (f"  {field} = {{{value}}}," for field, value in fields.items() if value)
        yield "}"


PUBLICATIONS: Mapping[str, Publication] = {
    "wishart": Publication(
        authors="Jiang, Wuxuan and Xie, Cong and Zhang, Zhihua",
        title="Wishart Mechanism for Differentially Private Principal Components Analysis",
        within="Proceedings of the AAAI Conference on Artificial Intelligence",
        venue="AAAI",
        year=2016,
        volume="30",
        doi="10.1609/aaai.v30i1.10185",
        arxiv="1511.05680",
        edition="The text that was judged has proofs in an appendix.",
    ),
    "analyze-gauss": Publication(
        authors="Dwork, Cynthia and Talwar, Kunal and Thakurta, Abhradeep and Zhang, Li",
        title="Analyze Gauss: Optimal Bounds for Privacy-Preserving Principal Component Analysis",
        within="Proceedings of the 46th Annual ACM Symposium on Theory of Computing",
        venue="STOC",
        year=2014,
        pages="11–20",
        edition="The text that was judged is that of the slides, and not that of the paper.",
        slides="The first slide names Weiting Zhan as the presenter, and this address: "
        "docs.google.com/presentation/d/118XzZIBe1MyouyXHRcEpl-_vDVOkFo_kfCVdQEdKYzo",
    ),
    "compression": Publication(
        authors="Zhou, Shuheng and Ligett, Katrina and Wasserman, Larry",
        title="Differential Privacy with Compression",
        within="Proceedings of the 2009 International Symposium on Information Theory (ISIT)",
        venue="ISIT",
        year=2009,
        pages="2718–2722",
        doi="10.1109/ISIT.2009.5205863",
        arxiv="0901.1365",
        edition="The text that was judged is that of arXiv.",
    ),
    "near-optimal": Publication(
        authors="Chaudhuri, Kamalika and Sarwate, Anand D. and Sinha, Kaushik",
        title="A Near-Optimal Algorithm for Differentially-Private Principal Components",
        within="Journal of Machine Learning Research",
        venue="JMLR",
        journal=True,
        year=2013,
        volume="14",
        pages="2905–2943",
        arxiv="1207.2812",
        edition="The text that was judged is that of the journal. A preliminary version appeared at NIPS 2012.",
    ),
    "sliding-window": Publication(
        authors="Upadhyay, Jalaj and Upadhyay, Sarvagya",
        title="A Framework for Private Matrix Analysis",
        year=2020,
        arxiv="2009.02668",
        edition="The text that was judged is that of arXiv.",
    ),
}
"""The documents that others published, by the name of the document."""

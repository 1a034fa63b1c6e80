"""How an item tells the figures of a page, as it tells those of a claim: by a piece of prose with places for them."""

from __future__ import annotations

import re

import attrs

from dpmatrix.documentation import pages
from dpmatrix.reporting.prose import Number, tell


def prose(text: str) -> str:
    """Return what is neither a block, a table nor the target of a link, in one line."""
    text = re.sub(r"^```.*?^```$", " ", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\|.*$", " ", text, flags=re.MULTILINE)
    return " ".join(re.sub(r"\]\([^)]*\)", "]", text).split())


@attrs.frozen
class Written:
    """A page of the documentation by its name."""

    name: str

    def tells(self, template: str, *values: Number) -> None:
        """Check that numbers, which the item computed, are the figures that the page has in the places."""
        (text,) = (page.text for page in pages() if page.name == self.name)
        tell(f"the page {self.name}", [prose(text)], template, values)


def page(name: str) -> Written:
    """Name a page, as the reader of told figures wants it: ``auditor = page("auditor")``."""
    return Written(name)

"""Where names lead: claims, modules and public names, wherever they stand in code letters. And links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from attrs import frozen
from markupsafe import Markup, escape

from dpmatrix.claims import claim_of
from dpmatrix.documentation.reference import Member, PublicModule
from dpmatrix.documentation.sources import ORDER
from dpmatrix.documentation.verdicts import Contents, claim_document


def reference_file(module: str) -> str:
    """Return the file of a module's reference."""
    return f"{module}.html"


def built(target: str) -> str:
    """Return where a link leads once the pages are built: one to a page's file leads to the HTML made of it."""
    file, mark, place = target.partition("#")
    name = file.removesuffix(".md")
    return f"{name}.html{mark}{place}" if name != file and name in ORDER else target


def heading_place(words: str) -> str:
    """Return the name by which a heading is linked to, the same that code hosts give it in the file of the page."""
    return re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")


@frozen
class Links:
    """Where the names of claims and of the library lead.

    Attributes
    ----------
    contents
        The claims.
    names
        The place of each public name, in full and by its last part where that is one name's alone.
    """

    contents: Contents
    names: Mapping[str, str]

    @classmethod
    def of(cls, contents: Contents, modules: Iterable[PublicModule]) -> Links:
        """Index the claims and the public modules."""
        places: dict[str, str] = {}
        short: dict[str, set[str]] = {}
        for module in modules:
            places[module.name] = reference_file(module.name)
            for member in module.members:
                place = f"{reference_file(module.name)}#{member.name}"
                places[member.name] = place
                short.setdefault(_last(member), set()).add(place)
        alone = {name: next(iter(found)) for name, found in short.items() if len(found) == 1}
        return cls(contents, {**alone, **places})

    def place(self, name: str) -> str | None:
        """Return where a name leads, or None where it is no claim and nothing public."""
        if self.contents.knows(name):
            claim = claim_of(name)
            return f"{claim_document(claim)}.html#{claim}"
        return self.names.get(name.partition("(")[0])

    def code(self, name: str) -> Markup:
        """Return code letters, linked where they name something; a claim shows its verdict to who points at it."""
        place = self.place(name)
        letters = Markup("<code>{}</code>").format(name)
        if place is None:
            return letters
        claim = self.contents.registry.claims.get(claim_of(name))
        title = "" if claim is None else Markup(' title="{}"').format(claim.verdict.value)
        return Markup('<a href="{}"{}>{}</a>').format(place, title, letters)

    def text(self, words: str) -> Markup:
        """Return plain words, with what stands between backticks in code letters."""
        pieces = words.split("`")
        if len(pieces) % 2 == 0:
            return escape(words)
        return Markup("").join(self.code(piece) if odd % 2 else escape(piece) for odd, piece in enumerate(pieces))


def _last(member: Member) -> str:
    return member.name.rpartition(".")[2]

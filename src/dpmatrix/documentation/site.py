"""The documentation as a folder of offline HTML files."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from dpmatrix.atomic_files import write_atomically
from dpmatrix.documentation.links import Links, built, heading_place, reference_file
from dpmatrix.documentation.reference import PublicModule, public_modules
from dpmatrix.documentation.sources import DOCUMENTS, Page, markdown, pages
from dpmatrix.documentation.theorems import theorems
from dpmatrix.documentation.verdicts import GROUPS, Contents, group_counts, verdict_counts
from dpmatrix.reporting.sentences import paragraphs
from dpmatrix.spec import traced
from dpmatrix.typesetting.prose import in_signs
from dpmatrix.typesetting.publications import PUBLICATIONS
from dpmatrix.typesetting.registries import typeset_claims

TABLES = ("documents", "modules", "verdicts", "what holds", "what does not hold", "every claim", "theorems")
"""What may stand in double brackets in a line that a table takes, such as ``[[what holds]]``."""


def _linking(links: Links) -> MarkdownIt:
    """Return the reader of Markdown that links names in code letters, and pages to built pages."""
    reader = markdown()

    def code_inline(
        _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        return str(links.code(tokens[index].content))

    def fence(
        _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        _, _, file = tokens[index].info.strip().partition(" ")
        name = Markup('<p class="file">{}</p>').format(file) if file else ""
        return f"{name}<pre><code>{escape(tokens[index].content)}</code></pre>\n"

    def link_open(
        renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        tokens[index].attrSet("href", built(str(tokens[index].attrGet("href"))))
        return renderer.renderToken(tokens, index, options, env)

    def table_open(
        _renderer: RendererHTML, _tokens: Sequence[Token], _index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        return '<div class="scroll" role="group" aria-label="table" tabindex="0"><table>'

    def table_close(
        _renderer: RendererHTML, _tokens: Sequence[Token], _index: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        return "</table></div>\n"

    reader.add_render_rule("table_open", table_open)
    reader.add_render_rule("table_close", table_close)
    reader.add_render_rule("code_inline", code_inline)
    reader.add_render_rule("link_open", link_open)
    reader.add_render_rule("fence", fence)
    return reader


@frozen
class Site:
    """What the pages are rendered from."""

    contents: Contents
    links: Links
    modules: tuple[PublicModule, ...]
    written: tuple[Page, ...]

    @classmethod
    def read(cls) -> Site:
        """Load the specification, the library and the pages."""
        contents, found = Contents.read(), tuple(public_modules())
        return cls(contents, Links.of(contents, found), found, tuple(pages()))

    def files(self) -> dict[str, str]:
        """Return the text of each HTML file by its name.

        Raises
        ------
        ValueError
            If a page asks for a table that does not exist.
        """
        environment = self._environment()
        found = {f"{page.name}.html": self._page(environment, page) for page in self.written}
        template = environment.get_template("reference.html.j2")
        found |= {reference_file(one.name): template.render(module=one, title=one.name) for one in self.modules}
        return found

    def _environment(self) -> Environment:
        reader = _linking(self.links)
        environment = Environment(
            loader=ChoiceLoader([PackageLoader("dpmatrix.documentation"), PackageLoader("dpmatrix.reporting")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )
        given: Mapping[str, Any] = {
            "pages": self.written,
            "documents": DOCUMENTS,
            "publications": PUBLICATIONS,
            "modules": self.modules,
            "contents": self.contents,
            "counts": verdict_counts,
            "theorems": theorems(self.contents.registry),
            "groups": tuple(GROUPS),
            "group_counts": group_counts,
            "paragraphs": paragraphs,
            "formulas": typeset_claims(self.contents.registry, traced()),
            "reference_file": reference_file,
            "code": self.links.code,
        }
        environment.globals.update(given)
        environment.filters["linked"] = lambda words: self.links.text(in_signs(words))
        environment.filters["in_signs"] = in_signs
        environment.filters["markdown"] = lambda text: Markup(reader.render(text))  # noqa: S704 - raw HTML is off
        return environment

    def _page(self, environment: Environment, page: Page) -> str:
        render: Callable[[str], str] = environment.filters["markdown"]
        body = []
        for prose, table in page.parts():
            body.append(_anchored(render(prose)))
            if table and table not in TABLES:
                raise ValueError(f"{page.name}: no table {table!r}; there are {', '.join(TABLES)}")
            if table:
                template = environment.get_template(f"{table.replace(' ', '_')}.html.j2")
                body.append(template.render(entries=self.contents.of(page.name), document=page.name))
        whole = Markup("").join(Markup(part) for part in body)  # noqa: S704 - rendered with escapes
        return environment.get_template("page.html.j2").render(title=page.title, body=whole)


def _anchored(rendered: str) -> str:
    """Give every heading a name to link to."""

    def named(heading: re.Match[str]) -> str:
        name = heading_place(html.unescape(re.sub(r"<[^>]*>", "", heading[2])))
        return f'<h{heading[1]} id="{name}">{heading[2]}</h{heading[1]}>'

    return re.sub(r"<h([23])>(.*?)</h\1>", named, rendered)


def write(folder: Path) -> list[Path]:
    """Write all files, and nothing where one of them cannot be made.

    Parameters
    ----------
    folder
        Where they go; it is made where it is missing.

    Returns
    -------
    The files that were written.
    """
    made = Site.read().files()
    for name, text in made.items():
        write_atomically(folder / name, text)
    return [folder / name for name in made]

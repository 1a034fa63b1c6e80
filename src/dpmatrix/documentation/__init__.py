"""Documentation that runs: pages in Markdown, tables computed from the registry, a reference read from docstrings.

Prose stands in ``pages/``; each of its code blocks is executed by the tests. A verdict is never written there: lines
such as ``[[what holds]]`` are replaced by tables of the claims as they are now.
"""

from dpmatrix.documentation.site import write
from dpmatrix.documentation.sources import Block, Page, blocks, pages

__all__ = ["Block", "Page", "blocks", "pages", "write"]

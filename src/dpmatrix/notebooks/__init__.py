"""Jupyter notebooks of the documents, whose cells a reader can change: `notebook`, and what their cells import."""

from dpmatrix.notebooks.documents import notebook
from dpmatrix.notebooks.showing import show, show_table

__all__ = ["notebook", "show", "show_table"]

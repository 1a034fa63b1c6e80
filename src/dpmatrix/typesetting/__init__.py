"""Traced statements as a reader expects them: MathML for pages, LaTeX for papers, Unicode for a terminal.

All three are written from one formula, which `tidied` makes of what a margin computes; nothing is written by hand.
"""

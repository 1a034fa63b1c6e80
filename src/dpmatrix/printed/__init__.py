"""The documents themselves: the sentences that they print, and what each of them became in the specification.

No text of a document stands here: a sentence is known by its place and a hash of its words, and read from the copy of
whoever has one.
"""

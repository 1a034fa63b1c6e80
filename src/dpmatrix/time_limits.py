"""How much longer than it was given an audit may take: its process and the one that watches it keep to the same."""

TOLERANCE, SLACK = 0.2, 2.0
"""An audit takes at most its seconds, this share more, and so many more seconds."""

"""Keep the fingerprints of all claims in `spec/fingerprints.json`, so that looking a claim up need not compute them.

    python audit/fingerprints.py

`make snapshot` does so. After a change of what they depend on the file counts for nothing until it is written again.
"""

from __future__ import annotations

from dpmatrix.reporting.known_fingerprints import keep
from dpmatrix.spec import load

if __name__ == "__main__":
    keep(load())

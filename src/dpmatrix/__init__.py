"""An executable, audited reference for differentially private matrix analysis.

- `dpmatrix.spec`: what the documents state, as claims that can be evaluated.
- `dpmatrix.mechanisms`: the algorithms, implemented so that their guarantee survives the computer.
- `dpmatrix.estimators`: the same with the conventions of scikit-learn (the extra ``estimators``).
- `dpmatrix.privacy`: exact sensitivities and privacy profiles, as certified enclosures.
- `dpmatrix.auditing`: attempts to break a guarantee, on anybody's mechanism.
"""

from importlib.metadata import version

__version__ = version("dpmatrix")

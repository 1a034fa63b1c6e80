"""Estimators with the conventions of scikit-learn over the mechanisms.

Data are arrays with one record a row, shape (n, d). What `fit` keeps is computed from one release and from nothing
else; what `transform` returns for private records is NOT private. scikit-learn comes with the extra ``estimators``.
"""

from dpmatrix.estimators.budget import Expense, PrivacyBudget
from dpmatrix.estimators.expected_error import ExpectedError
from dpmatrix.estimators.notices import PrivacyWarning
from dpmatrix.estimators.principal_components import DPPCA
from dpmatrix.estimators.second_moment import DPSecondMoment

__all__ = ["DPPCA", "DPSecondMoment", "ExpectedError", "Expense", "PrivacyBudget", "PrivacyWarning"]

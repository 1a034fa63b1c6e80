"""Data loaders, and the documents' tables and figures."""

from dpmatrix.experiments.records import DataSet, bundled_records, insurance_records, real_records

__all__ = ["DataSet", "bundled_records", "insurance_records", "real_records"]

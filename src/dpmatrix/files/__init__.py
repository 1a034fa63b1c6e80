"""Files of records that need not fit into memory, read here block by block or by workers part by part."""

from dpmatrix.files.blocks import Block, RecordFile
from dpmatrix.files.identity import FileIdentity
from dpmatrix.files.parts import CsvPart, FilePart, ParquetPart
from dpmatrix.files.sources import RecordSource, open_records, open_source, release_file
from dpmatrix.files.splitting import SplitFile, split_records

__all__ = [
    "Block",
    "CsvPart",
    "FileIdentity",
    "FilePart",
    "ParquetPart",
    "RecordFile",
    "RecordSource",
    "SplitFile",
    "open_records",
    "open_source",
    "release_file",
    "split_records",
]

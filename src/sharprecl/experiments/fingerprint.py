"""One short name for all answers that a table was made from."""

from sharprecl.experiments.tables import Table
from sharprecl.files import sha256_json


def fingerprint(table: Table) -> str:
    """Hex SHA-256 over the keys and answers of a table's runs, and the true labels: changes with any one of them."""
    data = {run.data: table.data[run.data].gold for run in table.runs if run.data in table.data}
    return sha256_json([[[run.key, run.answers] for run in table.runs], data])

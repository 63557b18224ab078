"""A small table as files, well or badly written, and the errors of `read_table` for the bad ones."""

import csv
import io

import pytest

from chanceless import ContingencyTable
from chanceless.errors import TableError
from chanceless.files import read_table

TRUTH = ["cat", "cat", "dog", "dog", "dog", "owl"]
FOUND = ["1", "1", "01", "1.0", "1.0", "1.0"]
EXPECTED = ContingencyTable.from_labels(TRUTH, FOUND)


def csv_bytes(columns, separator=",", end="\n", quoting=csv.QUOTE_MINIMAL):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


PETS = csv_bytes({"id": range(6), "animal": TRUTH, "cluster": FOUND})


def refused(path, truth="animal", predicted="cluster", error=TableError):
    """Return the error about this file: its text is one line that names the file, and no staged copy of it."""
    with pytest.raises(error) as caught:
        read_table(path, truth, predicted)
    message = str(caught.value)
    assert type(caught.value) is error
    assert "\n" not in message
    assert repr(str(path)) in message
    assert "chanceless-" not in message
    return caught.value

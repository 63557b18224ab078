"""The data sets of the benchmark suite: which there are, and how one is read, checked and prepared for clustering."""

import csv
import warnings
import zlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from chanceless import DataError

WHERE_TO_GET_IT = (
    "the benchmark suite of M. Gagolewski, version 1, https://github.com/gagolews/clustering-data-v1 "
    "(doi:10.5281/zenodo.7088171), unpacked; the data are for research only"
)
_BATTERIES = ("fcps", "graves", "mnist", "other", "sipu", "uci", "wut")
_SUITE_FOLDER = "clustering-data-v1"
# Pre-processing, as the authors did it: images are brought down to a few dimensions, everything is standardised.
_MOST_FEATURES = 100
_REDUCED_FEATURES = 10

Features = NDArray[np.float64]
Labels = NDArray[np.int64]


class DataSet(Protocol):
    """Something to cluster, with its true labels."""

    @property
    def name(self) -> str:
        """How it is called, as a path without suffix."""
        ...

    @property
    def n_samples(self) -> int:
        """How many samples it should have."""
        ...

    def read(self) -> tuple[Features, Labels]:
        """Read features, as they are, and true labels; raise DataError if that cannot be."""
        ...

    def stamp(self) -> str:
        """Tell one state of the data from another, cheaply: what is kept of older data is not used again."""
        ...


@dataclass(frozen=True, slots=True)
class SuiteDataSet:
    """A data set of the suite in a folder: `<battery>/<name>.data.gz` and `.labels0.gz`."""

    folder: Path
    name: str
    n_samples: int
    n_features: int

    def read(self) -> tuple[Features, Labels]:
        """Read both files, each of which must have a row for every sample."""
        features = _read_numbers(self._file("data"), np.float64)
        truth = _read_numbers(self._file("labels0"), np.int64)
        self._check_shape("data", features, (self.n_samples, self.n_features))
        self._check_shape("labels0", truth, (self.n_samples, 1))
        if not np.isfinite(features).all():
            msg = f"{self._file('data')} should hold finite numbers, but some are not; unpack the suite again"
            raise DataError(msg)
        return features, truth[:, 0]

    def stamp(self) -> str:
        """Sum up the bytes of both files."""
        return "-".join(f"{zlib.crc32(_bytes_of(self._file(kind))):08x}" for kind in ("data", "labels0"))

    def _file(self, kind: str) -> Path:
        return self.folder / f"{self.name}.{kind}.gz"

    def _check_shape(self, kind: str, array: NDArray[Any], expected: tuple[int, int]) -> None:
        if array.shape != expected:
            rows, columns = expected
            msg = (
                f"{self._file(kind)} should have {rows} rows of {columns}, but has {array.shape[0]} of "
                f"{array.shape[1]}; unpack the suite again"
            )
            raise DataError(msg)


@dataclass(frozen=True, slots=True)
class BundledDataSet:
    """A small data set that comes with scikit-learn or is drawn by it: for a first look, without the suite."""

    name: str
    n_samples: int

    def read(self) -> tuple[Features, Labels]:
        """Load or draw it; the same at each call."""
        if self.name.startswith("load_"):
            features, truth = getattr(datasets, self.name)(return_X_y=True)
        else:
            features, truth = getattr(datasets, self.name)(n_samples=self.n_samples, random_state=0)
        return np.asarray(features, dtype=np.float64), np.asarray(truth, dtype=np.int64)

    def stamp(self) -> str:
        """Say which version of scikit-learn it comes from."""
        return f"scikit-learn-{sklearn.__version__}"


BUNDLED = (
    BundledDataSet("load_iris", 150),
    BundledDataSet("load_wine", 178),
    BundledDataSet("make_moons", 300),
    BundledDataSet("make_circles", 400),
    BundledDataSet("make_blobs", 500),
    BundledDataSet("load_breast_cancer", 569),
)


def suite(folder: Path) -> list[SuiteDataSet]:
    """List the 79 data sets of the suite, by number of samples, wherever below the folder it was unpacked."""
    root = _suite_root(folder)
    table = resources.files("chanceless.paper") / "data_sets.csv"
    with table.open(encoding="utf-8") as lines:
        return [
            SuiteDataSet(root, row["name"], int(row["samples"]), int(row["features"])) for row in csv.DictReader(lines)
        ]


def prepare(features: Features, seed: int) -> Features:
    """Reduce more than 100 features to 10, then give each the mean 0 and the standard deviation 1."""
    if features.shape[1] > _MOST_FEATURES:
        features = TruncatedSVD(_REDUCED_FEATURES, random_state=seed).fit_transform(features)
    return np.asarray(StandardScaler().fit_transform(features))


def _suite_root(folder: Path) -> Path:
    for candidate in (folder, folder / _SUITE_FOLDER):
        if any((candidate / battery).is_dir() for battery in _BATTERIES):
            return candidate
    msg = f"--data should be a folder with {', '.join(_BATTERIES)} in it, got {str(folder)!r}; get {WHERE_TO_GET_IT}"
    raise DataError(msg)


def _read_numbers(file: Path, dtype: type[np.number[Any]]) -> NDArray[Any]:
    _bytes_of(file)
    try:
        with warnings.catch_warnings(action="ignore"):  # of an empty file, which is refused for its number of rows
            return np.loadtxt(file, dtype=dtype, ndmin=2)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        msg = (
            f"{file} should be gzipped text with a row of numbers for each sample, but: {error}; unpack the suite again"
        )
        raise DataError(msg) from error


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); get {WHERE_TO_GET_IT}"
        raise DataError(msg) from error

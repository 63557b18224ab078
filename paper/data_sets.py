"""The data sets of the benchmark suite: their list, reading, checks and preparation for clustering."""

import csv
import gzip
import io
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from paper.work import DataError

WHERE_TO_GET_IT = (
    "get the benchmark suite of M. Gagolewski, version 1, https://github.com/gagolews/clustering-data-v1 "
    "(doi:10.5281/zenodo.7088171), and unpack it; the data are for research only"
)
_BATTERIES = ("fcps", "graves", "mnist", "other", "sipu", "uci", "wut")
_SUITE_FOLDER = "clustering-data-v1"
# Preprocessing as in the paper: images are reduced to a few dimensions, all features are standardised.
_MOST_FEATURES = 100
_REDUCED_FEATURES = 10

Features = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SuiteDataSet:
    """A data set of the suite, in two files `<name>.data.gz` and `<name>.labels0.gz` with a row for each sample."""

    folder: Path
    name: str
    n_samples: int
    n_features: int

    def read(self) -> tuple[Features, Labels]:
        """Return the raw features and the true labels, or raise a DataError."""
        features, truth = self._read("data", np.float64, self.n_features), self._read("labels0", np.int64, 1)
        if not np.isfinite(features).all():
            raise self._damaged("data", "hold finite numbers only")
        return features, truth[:, 0]

    def checksum(self) -> str:
        """Return a text that changes with the data, for the cache: the CRC-32 of both files."""
        return "-".join(f"{zlib.crc32(self._bytes(kind)):08x}" for kind in ("data", "labels0"))

    def _file(self, kind: str) -> Path:
        return Path(f"{self.folder / self.name}.{kind}.gz")

    def _damaged(self, kind: str, problem: str) -> DataError:
        return DataError(f"{self._file(kind)} must {problem}. Hint: unpack the suite again.")

    def _bytes(self, kind: str) -> bytes:
        file = self._file(kind)
        try:
            return file.read_bytes()
        except OSError as error:
            raise DataError(f"{file} must be readable, got {error.strerror}. Hint: {WHERE_TO_GET_IT}.") from error

    def _read(self, kind: str, dtype: type[np.number[Any]], n_columns: int) -> NDArray[Any]:
        content = self._bytes(kind)
        try:
            with warnings.catch_warnings(action="ignore"):  # an empty file fails the check of its shape
                array: NDArray[Any] = np.loadtxt(io.BytesIO(gzip.decompress(content)), dtype=dtype, ndmin=2)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            expected = "be gzipped text with a row of numbers for each sample"
            raise self._damaged(kind, f"{expected}, got an error: {error}") from error
        if array.shape != (self.n_samples, n_columns):
            rows, columns = array.shape
            raise self._damaged(kind, f"have {self.n_samples} rows of {n_columns}, got {rows} of {columns}")
        return array


@dataclass(frozen=True, slots=True)
class BundledDataSet:
    """A small data set that scikit-learn contains or generates, for a first look without the suite."""

    name: str
    n_samples: int

    def read(self) -> tuple[Features, Labels]:
        """Load or generate it, the same at each call."""
        generated: dict[str, Any] = {"n_samples": self.n_samples, "random_state": 0}
        options = {"return_X_y": True} if self.name.startswith("load_") else generated
        features, truth = getattr(datasets, self.name)(**options)
        return np.asarray(features, dtype=np.float64), np.asarray(truth, dtype=np.int64)

    def checksum(self) -> str:
        """Return the version of scikit-learn."""
        return f"scikit-learn-{sklearn.__version__}"


DataSet = SuiteDataSet | BundledDataSet
BUNDLED = (
    BundledDataSet("load_iris", 150),
    BundledDataSet("load_wine", 178),
    BundledDataSet("make_moons", 300),
    BundledDataSet("make_circles", 400),
    BundledDataSet("make_blobs", 500),
    BundledDataSet("load_breast_cancer", 569),
)


def suite(folder: Path) -> list[SuiteDataSet]:
    """List the 79 data sets by number of samples; the suite is in this folder or in its own folder there."""
    candidates = [folder, folder / _SUITE_FOLDER]
    root = next((root for root in candidates if any((root / name).is_dir() for name in _BATTERIES)), None)
    if root is None:
        expected = f"be a folder with {', '.join(_BATTERIES)} in it"
        raise DataError(f"--data must {expected}, got {str(folder)!r}. Hint: {WHERE_TO_GET_IT}.")
    with Path(__file__).with_name("data_sets.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [SuiteDataSet(root, row["name"], int(row["samples"]), int(row["features"])) for row in rows]


def prepare(features: Features, seed: int) -> Features:
    """Reduce more than 100 features to 10, and standardise to mean 0 and standard deviation 1."""
    if features.shape[1] > _MOST_FEATURES:
        features = TruncatedSVD(_REDUCED_FEATURES, random_state=seed).fit_transform(features)
    return np.asarray(StandardScaler().fit_transform(features))

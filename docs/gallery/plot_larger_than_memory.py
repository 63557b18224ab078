"""
A Parquet file larger than memory
=================================

A clustering of a billion samples does not fit into the memory of a laptop, but
its score can still be exact. We write a table in parts, count it within a
memory limit, and check that the score has the same bits as in memory. The
table is small here, since this page runs whenever the site is built. The code
stays the same when it grows.
"""

# sphinx_gallery_thumbnail_number = 1
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from chanceless import compare
from chanceless.files import read_spectrum, read_table
from chanceless.plots import plot_contingency

threadpool_limits(1)  # the same clusters on every machine

# %%
# Cluster and write, part by part
# -------------------------------
#
# The points come from 20 groups. Mini-batch k-means learns 18 clusters from
# the first 20,000 points, then labels every part. No step holds more than one
# part in memory.

N_PARTS, ROWS_IN_PART = 8, 250_000  # at full size: 4_000 parts, for example
stored = tempfile.TemporaryDirectory()
folder = Path(stored.name)
centres = np.random.default_rng(4).uniform(-20, 20, size=(20, 2))
model = None
for number in range(N_PARTS):
    points, group = make_blobs(
        ROWS_IN_PART, centers=centres, random_state=number
    )
    if model is None:
        model = MiniBatchKMeans(18, n_init=5, random_state=0)
        model.fit(points[:20_000])
    table = {
        "x": points[:, 0],
        "y": points[:, 1],
        "group": group,
        "cluster": model.predict(points).astype(np.int64),
    }
    pq.write_table(pa.table(table), folder / f"part-{number:04}.parquet")
parts = sorted(folder.glob("*.parquet"))
print(f"{len(parts)} files, {N_PARTS * ROWS_IN_PART:,} rows")

# %%
# Count within a limit
# --------------------
#
# ``read_spectrum`` lets DuckDB read the two columns and count. What comes back
# is the spectrum: the distinct sizes and counts, which is all that a score
# needs.

spectrum = read_spectrum(folder, "group", "cluster", memory_limit="100MB")
print(spectrum)
comparison = compare(spectrum)
for score in ("adjusted_mutual_info", "adjusted_rand", "completeness"):
    print(f"{score:20} {comparison[score]:.4f}")

# %%
# How much memory does it need?
# -----------------------------
#
# We count more and more files in two ways, within 100 MB and after loading the
# two columns. Each run is a new process, and we watch how much memory it uses.

FROM_FILES = """
import sys
from chanceless import adjusted_mutual_info_score
from chanceless.files import read_spectrum

paths = sys.argv[1:]
spectrum = read_spectrum(paths, "group", "cluster", memory_limit="100MB")
print(repr(adjusted_mutual_info_score(spectrum)))
"""

IN_MEMORY = """
import sys
import pyarrow as pa
from pyarrow.parquet import ParquetFile
from chanceless import adjusted_mutual_info_score

parts = [ParquetFile(path).read(["group", "cluster"]) for path in sys.argv[1:]]
table = pa.concat_tables(parts)
print(repr(adjusted_mutual_info_score(table["group"], table["cluster"])))
"""


def run(code, paths):
    """Run code in a new process; return its score and peak memory in MB."""
    peak = 0
    command = [sys.executable, "-c", code, *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.Error):  # it has just ended
                peak = max(peak, watched.memory_info().rss)
            time.sleep(0.005)
        printed = process.communicate()[0]
    return float(printed), peak / 2**20


numbers = [N_PARTS // 4, N_PARTS // 2, N_PARTS]
ways = {"from files": FROM_FILES, "in memory": IN_MEMORY}
scores = {way: [] for way in ways}
peaks = {way: [] for way in ways}
for number in numbers:
    for way, code in ways.items():
        score, peak = run(code, parts[:number])
        scores[way].append(score)
        peaks[way].append(peak)
        rows = f"{number * ROWS_IN_PART:9,} rows {way:10}"
        print(f"{rows} {peak:4.0f} MB, AMI {score!r}")
assert scores["from files"] == scores["in memory"]  # to the last bit

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
millions = [number * ROWS_IN_PART / 1e6 for number in numbers]
for (way, values), marker in zip(peaks.items(), "os", strict=True):
    ax.plot(millions, values, marker=marker, label=way)
ax.set(
    xlabel="million rows",
    ylabel="peak memory of the process, MB",
    ylim=(0, None),
    xticks=millions,
)
ax.legend(frameon=False)

# sphinx_gallery_start_ignore
assert peaks["in memory"][-1] - peaks["in memory"][0] > 30
assert abs(peaks["from files"][-1] - peaks["from files"][0]) < 30
# sphinx_gallery_end_ignore

# %%
# The scores are the same to the last bit: both ways count the same table, and
# scores are computed from its counts alone. Memory grows with the rows if they
# are loaded. From files it does not: it depends on the number of cells of the
# table, and on the limit. (Most of the lower line is Python and the libraries
# themselves.)

# %%
# Which groups were lost?
# -----------------------
#
# A spectrum has no labels. For verdicts and pictures, ``read_table`` returns
# the table itself, which is small for few clusters. Rows are groups, columns
# are clusters; 18 clusters cannot keep 20 groups apart:

table = read_table(folder, "group", "cluster", memory_limit="100MB")
ax = plot_contingency(table)

# %%
for group in compare(table).explanation.true_clusters:
    if group.verdict != "kept":
        print(f"group {group.label}: {group.text}")

# sphinx_gallery_start_ignore
assert table.spectrum() == spectrum
assert any(
    group.verdict == "merged"
    for group in compare(table).explanation.true_clusters
)
# sphinx_gallery_end_ignore

# %%
# The same without Python
# -----------------------
#
# .. code-block:: sh
#
#     chanceless compare "*.parquet" group cluster --score AMI \
#         --scores-only --memory-limit 100MB

command = """compare *.parquet group cluster --score AMI
--scores-only --memory-limit 100MB"""
printed = subprocess.check_output(
    [sys.executable, "-m", "chanceless", *command.split()],
    cwd=folder,
    text=True,
)
print(printed.strip())

# sphinx_gallery_start_ignore
assert float(printed) == compare(spectrum)["adjusted_mutual_info"]
stored.cleanup()
# sphinx_gallery_end_ignore

# %%
# Conclusion
# ----------
#
# A score needs counts, and counts can be made from files of any size. Nothing
# is sampled, and nothing is rounded on the way.
#
# At full size:
#
# * Set ``memory_limit`` to what you can spare, such as ``"4GB"``. With few
#   clusters, less is enough; what does not fit is spilled to the temporary
#   directory (``TMPDIR``), which needs 40 bytes for each cell of the table.
# * With millions of clusters on both sides, use ``read_spectrum`` alone:
#   ``read_table`` holds all cells in memory.
# * ``progress=print`` shows how far it is.
# * Python and the buffers for reading need memory in addition to the limit.
#   :doc:`/how-to/parquet` has measurements of 200 million rows, and shows rows
#   chosen by a condition, weights and missing labels. CSV, JSON and Arrow
#   files work in the same way: :doc:`/how-to/files`.

"""The compiled core: integer labels -> cells, spectra and terms. Labels and options are checked by its callers."""

try:
    from chanceless._core import _native
except ImportError as error:  # pragma: no cover - a broken installation
    error.add_note(
        "The compiled module of chanceless is missing. From a checkout, install it with: pip install . "
        "(needs a C++20 compiler)."
    )
    raise

Clusterings = _native.Clusterings
PackedClusterings = _native.PackedClusterings
PairScorer = _native.PairScorer
Spectrum = _native.Spectrum
MAX_SAMPLES = _native.MAX_SAMPLES
count_cells = _native.count_cells
merge_cells = _native.merge_cells
encode = _native.encode
renumber = _native.renumber
encode_arrow = _native.encode_arrow
encode_fixed_width = _native.encode_fixed_width
encode_numpy_strings = _native.encode_numpy_strings
encode_strings = _native.encode_strings
row_entropy = _native.row_entropy
column_entropy = _native.column_entropy
joint_entropy = _native.joint_entropy
mean_log_row_size = _native.mean_log_row_size
mean_log_column_size = _native.mean_log_column_size
mean_log_count = _native.mean_log_count
score = _native.score
score_labels = _native.score_labels
v_measure = _native.v_measure
mean = _native.mean
beyond_chance = _native.beyond_chance
mean_beyond_chance = _native.mean_beyond_chance
expected_information = _native.expected_information
information_variance = _native.information_variance
cubes_of_sizes = _native.cubes_of_sizes
hahn_coefficients = _native.hahn_coefficients
mutual_information = _native.mutual_information
variation_of_information = _native.variation_of_information
pairwise_adjusted_mutual_information = _native.pairwise_adjusted_mutual_information
pairwise_adjusted_row_entropy = _native.pairwise_adjusted_row_entropy
pairwise_adjusted_column_entropy = _native.pairwise_adjusted_column_entropy
pairs_of_samples = _native.pairs_of_samples
third_cumulant = _native.third_cumulant
log_pearson_tail = _native.log_pearson_tail
moments_hold = _native.moments_hold
draw_statistics = _native.draw_statistics
table_bound = _native.table_bound
permutation_exact = _native.permutation_exact
permutation_resample = _native.permutation_resample
permutation_splitting = _native.permutation_splitting
clopper_pearson = _native.clopper_pearson
log_steps = _native.log_steps
expected_changes = _native.expected_changes
pairwise_changes = _native.pairwise_changes

__all__ = [
    "MAX_SAMPLES",
    "Clusterings",
    "PackedClusterings",
    "PairScorer",
    "Spectrum",
    "beyond_chance",
    "clopper_pearson",
    "column_entropy",
    "count_cells",
    "cubes_of_sizes",
    "draw_statistics",
    "encode",
    "encode_arrow",
    "encode_fixed_width",
    "encode_numpy_strings",
    "encode_strings",
    "expected_changes",
    "expected_information",
    "hahn_coefficients",
    "information_variance",
    "joint_entropy",
    "log_pearson_tail",
    "log_steps",
    "mean",
    "mean_beyond_chance",
    "mean_log_column_size",
    "mean_log_count",
    "mean_log_row_size",
    "merge_cells",
    "moments_hold",
    "mutual_information",
    "pairs_of_samples",
    "pairwise_adjusted_column_entropy",
    "pairwise_adjusted_mutual_information",
    "pairwise_adjusted_row_entropy",
    "pairwise_changes",
    "permutation_exact",
    "permutation_resample",
    "permutation_splitting",
    "renumber",
    "row_entropy",
    "score",
    "score_labels",
    "table_bound",
    "third_cumulant",
    "v_measure",
    "variation_of_information",
]

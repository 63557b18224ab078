"""
Choosing the number of clusters
===============================

How many clusters do scikit-learn's handwritten digits have? There are ten
digits, but that does not make ten the best K for k-means. We ask twice: with
the truth at hand, and without it. The answers differ, and both are ranges.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from chanceless import compare, compare_all, compare_to
from chanceless.plots import plot_contingency, plot_ranking, plot_stability

# One thread is faster for data as small as this, and gives the same result on
# every machine.
threadpool_limits(1)
images, truth = load_digits(return_X_y=True)


def cluster(data, k, seed=0):
    """Return the labels of k-means, the best of four starts."""
    return KMeans(k, n_init=4, random_state=seed).fit_predict(data)


# %%
# The wrong score grows with K
# ----------------------------
#
# Homogeneity asks whether clusters are pure. Small clusters are, even random
# ones. On the right, we shuffle the labels of each clustering, so that nothing
# is left but chance.

rng = np.random.default_rng(0)
scores = {
    "homogeneity": "s",
    "normalized_mutual_info": "^",
    "adjusted_mutual_info": "o",
}
ks = [2, 5, 10, 20, 50, 100, 200, 400]
found = {
    k: KMeans(k, n_init=1, random_state=0).fit_predict(images) for k in ks
}
shuffled = {k: rng.permutation(labels) for k, labels in found.items()}

figure, panels = plt.subplots(
    1, 2, figsize=(9, 3.6), sharey=True, layout="constrained"
)
curves = {}
for ax, title, clusterings in zip(
    panels,
    ["k-means", "the same labels, shuffled"],
    [found, shuffled],
    strict=True,
):
    for score, marker in scores.items():
        curve = [compare(truth, clusterings[k])[score] for k in ks]
        ax.plot(ks, curve, marker=marker, label=score.replace("_", " "))
        curves[title, score] = curve
    ax.set(
        title=title,
        xlabel="number of clusters",
        xscale="log",
        xticks=ks,
        xticklabels=ks,
    )
    ax.minorticks_off()
panels[0].set_ylabel("score against the ten digits")
panels[1].legend(frameon=False)

print("400 shuffled clusters:")
for score in scores:
    print(f"{score:22} {curves['the same labels, shuffled', score][-1]:5.2f}")

# sphinx_gallery_start_ignore
homogeneity = curves["k-means", "homogeneity"]
assert np.argmax(homogeneity) == len(ks) - 1
assert curves["the same labels, shuffled", "normalized_mutual_info"][3] < 0.05
assert curves["the same labels, shuffled", "normalized_mutual_info"][-1] > 0.15
assert (
    max(map(abs, curves["the same labels, shuffled", "adjusted_mutual_info"]))
    < 0.02
)
# sphinx_gallery_end_ignore

# %%
# Choose by homogeneity, and you choose the largest K. Normalised mutual
# information (NMI) gives points for chance as well: few with 20 clusters of
# 1,797 samples, many with 400. Adjusted mutual information (AMI) stays at 0
# for shuffled labels at every K, and falls when clusters are only cut into
# pieces. So we use AMI from here on.

# %%
# With the truth
# --------------
#
# ``compare_to`` ranks candidates by AMI with the truth. We give it three seeds
# for each K from 2 to 20.

candidates = {
    f"K={k}, seed {seed}": cluster(images, k, seed)
    for k in range(2, 21)
    for seed in range(3)
}
ranking = compare_to(truth, candidates, "adjusted_mutual_info", intervals=True)


def number_of_clusters(name):
    """Return K, which every name has: "K=10, seed 0"."""
    return int(name.split(",")[0].removeprefix("K="))


plot_ranking(ranking, number_of_clusters, label="number of clusters")

# %%
# Bars are 95 % intervals: how far the score would move with other images of
# this kind, labelled by the same fixed rule (``resample_clusterings`` has the
# intervals if they are clustered again). Open dots cannot be distinguished
# from the best one, the orange dot, by these images. Three dots at one K
# differ in the seed alone, which the intervals know nothing about. Which K
# have an open dot?

may_be_best = [
    name
    for name, tied in zip(ranking.names, ranking.may_be_best, strict=True)
    if tied
]
tied_ks = sorted(set(map(number_of_clusters, may_be_best)))
print("first in the ranking:", ranking.names[0])
print("may be best: K =", *tied_ks)
for seed in range(3):
    first = next(name for name in ranking.names if f"seed {seed}" in name)
    print("first with", first.split(", ")[1] + ":", first.split(", ")[0])

# %%
# The first of the ranking is one of many, and another seed may put another K
# first. What keeps K = 10 behind? Look at a table:

ten, best = "K=10, seed 0", ranking.names[0]
figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, name in zip(panels, [ten, best], strict=True):
    plot_contingency(compare(truth, candidates[name]), ax=ax)
    score = ranking[name]["adjusted_mutual_info"]
    ax.set_title(f"{name}\nadjusted mutual info: {score:.3f}")

# %%
# Rows are digits, columns are clusters. With ten clusters, two digits share
# one, and k-means spends another on a second shape of a digit. With more
# clusters, the shared one comes apart. Some digits need two clusters, since
# people write them in two ways. ``compare`` says which, in words:

for digit in compare(truth, candidates[best]).explanation.true_clusters:
    print(digit.label, digit.text)

# sphinx_gallery_start_ignore
for name, is_shared in [(ten, True), (best, False)]:
    counts = compare(truth, candidates[name]).table.to_dense()
    second = np.sort(counts / counts.sum(axis=1, keepdims=True), axis=0)[-2]
    assert (second.max() > 0.4) == is_shared, name
assert len(tied_ks) >= 4
assert min(tied_ks) >= 10
assert max(tied_ks) >= 15
assert (
    ranking[best]["adjusted_mutual_info"]
    > ranking[ten]["adjusted_mutual_info"] + 0.01
)
# sphinx_gallery_end_ignore

# %%
# Without the truth
# -----------------
#
# No score can tell which K is right if nobody knows the digits. But we can
# measure whether the clusters of one half of the images are found again in
# another half. Each run clusters a random half; ``missing="drop"`` compares
# two runs on the images that both have.


def cluster_half(k):
    """Cluster a random half of the images; the others have no label."""
    chosen = rng.random(len(images)) < 0.5
    labels = np.full(len(images), np.nan)
    labels[chosen] = cluster(images[chosen], k)
    return labels


halves = {
    f"K={k}, half {half}": cluster_half(k)
    for k in range(2, 21)
    for half in range(12)
}
matrix = compare_all(halves, missing="drop")
ax = plot_stability(matrix, lambda name: name.split(",")[0])

# %%
stability = {
    k: summary["mean"]
    for k, summary in matrix.stability(lambda name: name.split(",")[0]).items()
}
for k in sorted(stability, key=stability.get, reverse=True)[:6]:
    print(f"{k:5} {stability[k]:.2f}")

# %%
# Few clusters are unstable: halves disagree on which digits to put together.
# Agreement is best with about as many clusters as digits, and falls slowly
# after that. How like the truth are these stable clusterings?

most_stable = max(stability, key=stability.get)
for meaning, name in [("stable", f"{most_stable}, seed 0"), ("best", best)]:
    score = ranking[name]["adjusted_mutual_info"]
    print(f"{meaning:6} {name:12} AMI with the truth {score:.3f}")

# sphinx_gallery_start_ignore
assert 8 <= number_of_clusters(most_stable) <= 13
assert (
    stability[most_stable]
    > max(stability[f"K={k}"] for k in range(2, 7)) + 0.05
)
assert stability[most_stable] > stability["K=20"] + 0.03
assert number_of_clusters(most_stable) < np.median(tied_ks)
stable, top = (
    ranking[name]["adjusted_mutual_info"]
    for name in (f"{most_stable}, seed 0", best)
)
assert stable < top - 0.01
# sphinx_gallery_end_ignore

# %%
# Conclusion
# ----------
#
# * With the truth, k-means does best with more clusters than digits, and many
#   K cannot be distinguished. Without the truth, the most stable K are
#   smaller: a cluster that two digits share can be found again in every half.
#   **Stable is not right**, but unstable is not worth an interpretation.
# * Ten is among the stable K, but its clusters are not the ten digits: two
#   digits share one. Digits are ten because we name them so; k-means looks at
#   pixels.
# * Report a range, or a K from it that you can interpret, and say how many
#   others were as good.
#
# Limits: a K chosen with the truth is tuned to it, so report its score on
# other samples. Intervals are about the sampling of images, not about seeds.
# With other random halves, the most stable K moves by one or two.
# :doc:`/how-to/number-of-clusters` has the recipes,
# :doc:`/explanation/how-sure` what the intervals mean,
# :doc:`/explanation/scores` every score.

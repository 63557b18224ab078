"""The rules in docs/how-to/compare.md, for one cluster at a time, in integers: verdict, partners and text."""

from fractions import Fraction

TRUE = {
    "kept": "kept as {}",
    "split": "split into {}",
    "merged": "merged with {}",
    "mostly": ("{} in {}", ", which also holds {:,} other sample{}", "the rest in {}", "the rest over {}"),
    "noise": ("{} noise", ", {} in {}"),
    "scattered": ("scattered over {}", "scattered over {:,} clusters, less than 10 % in each"),
}
PRED = {
    "kept": "is {}",
    "merged": "merges {}",
    "part": "part of {home}, with {}",
    "mostly": ("{} from {}", ", which also has {:,} other sample{}", "the rest from {}", "the rest from {}"),
    "noise": ("{} noise", ", {} from {}"),
    "scattered": TRUE["scattered"],
}
"""The words of both sides, in the order of the rules."""


def some(part, whole, share):
    return 100 * part >= share * whole


def percent(part, whole):
    """A share in whole percent; one that misses 10, 50, 75 or 100 is not written as such."""
    exact = Fraction(100 * part, whole)
    if 99 < exact < 100:
        return "more than 99 %"
    return f"{int(exact) if round(exact) in (10, 50, 75) else round(exact)} %"


def listed(names, n_more=0):
    n_more += max(len(names) - 5, 0)
    return ", ".join(map(str, names[:5])) + (f" and {n_more:,} more" if n_more else "")


def judged(matrix, i, noise, words, own, other):  # noqa: PLR0911 - one for each rule
    """Verdict, partners and text of row i, from the rules; `noise` has the rows and columns that are single samples."""
    row, sizes, others = matrix[i], [sum(line) for line in matrix], [sum(line) for line in zip(*matrix, strict=True)]
    size, rules = sizes[i], list(words)
    ordered = sorted(range(len(row)), key=lambda j: -row[j])
    met = [] if i in noise[0] else [j for j in ordered if row[j] and j not in noise[1]]
    large = [j for j in met if some(row[j], size, 10)]
    pieces = [j for j in large if some(row[j], others[j], 75)]
    n_noise = size - sum(row[j] for j in met)
    suffix = f"; {percent(n_noise, size)} noise" if some(n_noise, size, 10) else ""
    home = met[0] if met else None
    share, is_whole = (percent(row[home], size), some(row[home], size, 75)) if met else ("", False)

    if is_whole and some(row[home], others[home], 75):
        return rules[0], [other[home]], words[rules[0]].format(other[home]) + suffix
    if some(sum(row[j] for j in pieces), size, 75):
        partners = [other[j] for j in pieces]
        return rules[1], partners, words[rules[1]].format(listed(partners)) + suffix
    if is_whole:
        mates = [k for k in range(len(matrix)) if k != i and k not in noise[0] and matrix[k][home]]
        mates.sort(key=lambda k: -matrix[k][home])
        relevant = [own[k] for k in mates if some(matrix[k][home], others[home], 10)]
        at_home = [own[k] for k in mates if some(matrix[k][home], sizes[k], 50)]
        if partners := relevant or at_home[:1]:
            names = listed(partners, 0 if relevant else len(at_home) - 1)
            return rules[2], partners, words[rules[2]].format(names, home=other[home]) + suffix
    if met and some(row[home], size, 50):
        start, strays, second, several = words["mostly"]
        only_two = len(met) == 2 and met == large
        partners = [other[j] for j in (met if only_two else met[:1])]
        text = start.format(share, other[home])
        if is_whole:
            n_strays = others[home] - row[home]
            return "mostly", partners, text + strays.format(n_strays, "s"[: n_strays != 1]) + suffix
        n_more = len(met) - 1
        rest = second.format(other[met[1]]) if only_two else several.format(f"{n_more:,} other{'s' * (n_more > 1)}")
        rest += " and noise" * (n_noise > 0 and not suffix)
        return "mostly", partners, text + suffix.replace(";", ",") + (f", {rest}" if n_more else "")
    partners = [other[j] for j in large]
    if some(n_noise, size, 50):
        start, rest = words["noise"]
        return (
            "noise",
            partners,
            start.format(percent(n_noise, size)) + (rest.format(share, partners[0]) if large else ""),
        )
    if not large:
        return "scattered", partners, words["scattered"][1].format(len(met)) + suffix
    names = listed([f"{partners[0]} ({share})", *partners[1:]], len(met) - len(large))
    return "scattered", partners, words["scattered"][0].format(names) + suffix

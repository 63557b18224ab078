#pragma once

// Expectations of products of falling factorials, (x)_m = x (x - 1) ... (x - m + 1), over random tables.
//
// For the counts x_ij of a random table with sizes a_i, b_j and n samples,
//
//     E[product of (x_c)_(p_c) over distinct cells c] = product of (a_i)_(R_i) * product of (b_j)_(C_j) / (n)_R,
//
// where R_i and C_j are the sums of the p_c in a row or column, and R the sum of all. So powers of x_ij behave as
// powers of A_i B_j / N would, with independent A_i, B_j and N, where E[A^p] = (a)_p, E[B^p] = (b)_p, E[N^-p] = 1 /
// (n)_p. (No such variables exist. But all that is used of them is that expectations of products are products.) In one
// cell,
//
//     (x)_p (x)_q = sum over s of pairings(p, q, s) (x)_(p + q - s),     pairings = binomial(p, s) binomial(q, s) s!.
//
// Cumulants of powers are far smaller than their moments: that of three powers of A is about a^-2 of the moment, for
// large a. As differences of moments they would lose these digits. Here, all of them are sums of terms of one sign.
//
// Powers of A, B, 1/N are in units of powers of a, b, 1/n: nothing overflows.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace chanceless {

/// In how many ways s of p balls can be paired with s of q others.
inline double pairings(std::size_t p, std::size_t q, std::size_t s) noexcept {
    if (s > std::min(p, q)) return 0.0;
    std::uint64_t ways = 1;
    for (std::size_t k = 0; k < s; ++k) ways = ways * (p - k) / (k + 1);
    for (std::size_t k = 0; k < s; ++k) ways *= q - k;
    return static_cast<double>(ways);
}

/// (x)_p (x)_q (x)_r = sum over s of pairings(p, q, r, s) (x)_(p + q + r - s).
inline double pairings(std::size_t p, std::size_t q, std::size_t r, std::size_t s) noexcept {
    double ways = 0.0;
    for (std::size_t k = 0; k <= std::min(s, p + q); ++k) ways += pairings(p, q, k) * pairings(p + q - k, r, s - k);
    return ways;
}

/// Orders p <= q, and the number of permutations of them.
struct OrderPair {
    std::size_t p;
    std::size_t q;
    double permutations;
};

/// Orders p <= q <= r. Entry s of a list belongs to (x)_(p + q + r - s), for s up to p + q; those for s = 0 and s = 1
/// are 0.
struct OrderTriple {
    std::size_t p;
    std::size_t q;
    std::size_t r;
    double permutations;
    /// The product (x)_p (x)_q (x)_r, less what comes from products of two of them.
    std::vector<double> in_cell;
    /// (x)_(p+q+r) - (x)_(p+q) (x)_r - (x)_(p+r) (x)_q - (x)_(q+r) (x)_p + 2 (x)_p (x)_q (x)_r; no entry is negative.
    std::vector<double> cumulant;

    [[nodiscard]] std::size_t total() const noexcept { return p + q + r; }
};

/// All pairs and triples of orders up to D, by their largest order.
template <std::size_t D>
class Orders {
  public:
    static constexpr std::size_t n_pairs = D * (D + 1) / 2;
    static constexpr std::size_t n_triples = D * (D + 1) * (D + 2) / 6;

    static const Orders& instance() {
        static const Orders orders;
        return orders;
    }

    [[nodiscard]] const std::vector<OrderPair>& pairs() const noexcept { return pairs_; }
    [[nodiscard]] const std::vector<OrderTriple>& triples() const noexcept { return triples_; }
    [[nodiscard]] static std::size_t place(std::size_t p, std::size_t q) noexcept { return q * (q - 1) / 2 + (p - 1); }

    /// pairings(p, q, s) for p < 2D and q, s <= D.
    [[nodiscard]] double ways(std::size_t p, std::size_t q, std::size_t s) const noexcept { return ways_[p][q][s]; }

  private:
    Orders() {
        for (std::size_t p = 0; p < 2 * D; ++p) {
            for (std::size_t q = 0; q <= D; ++q) {
                for (std::size_t s = 0; s <= D; ++s) ways_[p][q][s] = pairings(p, q, s);
            }
        }
        for (std::size_t r = 1; r <= D; ++r) {
            for (std::size_t q = 1; q <= r; ++q) {
                pairs_.push_back({q, r, q == r ? 1.0 : 2.0});
                for (std::size_t p = 1; p <= q; ++p) triples_.push_back(triple(p, q, r));
            }
        }
    }

    static OrderTriple triple(std::size_t p, std::size_t q, std::size_t r) {
        const double permutations = p == r ? 1.0 : p == q || q == r ? 3.0 : 6.0;
        OrderTriple result{p, q, r, permutations, {0.0, 0.0}, {0.0, 0.0}};
        for (std::size_t s = 2; s <= p + q; ++s) {
            const double all = pairings(p, q, r, s);
            result.in_cell.push_back(all - pairings(p, q, s) - pairings(p, r, s) - pairings(q, r, s));
            result.cumulant.push_back(2.0 * all - pairings(p + q, r, s) - pairings(p + r, q, s) -
                                      pairings(q + r, p, s));
        }
        return result;
    }

    std::vector<OrderPair> pairs_;
    std::vector<OrderTriple> triples_;
    std::array<std::array<std::array<double, D + 1>, D + 1>, 2 * D> ways_;
};

/// unit^first * (factor(first) moment(first) + unit * (factor(first + 1) moment(first + 1) + ...)), to `last`.
template <class Number, class Factor, class Moment>
Number power_series(const Number& unit, std::size_t first, std::size_t last, const Factor& factor,
                    const Moment& moment) {
    Number sum(0.0);
    for (std::size_t s = last; s > first; --s) sum = (sum + Number(factor(s)) * moment(s)) * unit;
    sum += Number(factor(first)) * moment(first);
    for (std::size_t s = 0; s < first; ++s) sum *= unit;
    return sum;
}

/// Moments and joint cumulants of the powers of A, for one size a.
template <class Number, std::size_t D>
struct SizePowers {
    Number clusters;                                          // of this size; or the weight of a node
    Number inverse;                                           // 1 / a
    std::array<Number, 3 * D + 1> moment;                     // of A^p: (a)_p
    std::array<std::array<Number, D + 1>, 2 * D> covariance;  // of A^p and A^q: (a)_(p+q) - (a)_p (a)_q
    std::array<Number, Orders<D>::n_triples> third_cumulant;  // of A^p, A^q and A^r

    SizePowers(double size, double n_clusters) : clusters(n_clusters), inverse(Number(1.0) / Number(size)) {
        moment[0] = Number(1.0);
        for (std::size_t p = 1; p <= 3 * D; ++p) {
            const double left = std::max(0.0, size - static_cast<double>(p - 1));
            moment[p] = moment[p - 1] * Number(left) * inverse;
        }
        const auto& orders = Orders<D>::instance();
        for (std::size_t p = 1; p < 2 * D; ++p) {
            for (std::size_t q = 1; q <= D; ++q) {
                covariance[p][q] =
                    -lower_moments(p + q, 1, std::min(p, q), [&](std::size_t s) { return orders.ways(p, q, s); });
            }
        }
        for (std::size_t t = 0; t < Orders<D>::n_triples; ++t) {
            const OrderTriple& triple = orders.triples()[t];
            third_cumulant[t] = lower_moments(triple.total(), 2, triple.p + triple.q,
                                              [&](std::size_t s) { return triple.cumulant[s]; });
        }
    }

  private:
    template <class Factor>
    Number lower_moments(std::size_t order, std::size_t first, std::size_t last, const Factor& factor) const {
        return power_series(inverse, first, last, factor, [&](std::size_t s) { return moment[order - s]; });
    }
};

/// Moments and joint cumulants of the powers of 1/N. With ratio(p, q, n) = (n)_p (n)_q / (n)_(p+q) - 1,
///
///     covariance of N^-p and N^-q   = ratio(p, q, n) E[N^-p] E[N^-q],
///     cumulant of N^-p, N^-q, N^-r  = (ratio(p, r, n) ratio(q, r, n - p) + ratio(p, q, n) ratio(p + q, r, n)
///                                      + ratio(q, r, n - p) - ratio(q, r, n)) E[N^-p] E[N^-q] E[N^-r].
template <class Number, std::size_t D>
class TotalPowers {
  public:
    explicit TotalPowers(double n_samples) : n_(n_samples) {
        moment_[0] = Number(1.0);
        for (std::size_t p = 1; p <= 3 * D; ++p) {
            const double left = n_ - static_cast<double>(p - 1);
            moment_[p] = left > 0.0 ? moment_[p - 1] * (Number(n_) / Number(left)) : Number(0.0);
        }
    }

    /// n^p / (n)_p, and 0 for p > n, where all that it is multiplied by adds up to zero.
    [[nodiscard]] const Number& moment(std::size_t p) const noexcept { return moment_[p]; }

    [[nodiscard]] Number covariance(std::size_t p, std::size_t q) const noexcept {
        const Number product = moment_[p] * moment_[q];
        return exceeds_samples(p + q) ? -product : product * ratio(p, q, n_);
    }

    [[nodiscard]] Number third_cumulant(std::size_t p, std::size_t q, std::size_t r) const noexcept {
        const auto& e = moment_;
        const Number product = e[p] * e[q] * e[r];
        if (exceeds_samples(p + q + r)) {
            return Number(2.0) * product - e[p + q] * e[r] - e[p + r] * e[q] - e[q + r] * e[p];
        }
        return product * (ratio(p, r, n_) * ratio(q, r, n_ - static_cast<double>(p)) +
                          ratio(p, q, n_) * ratio(p + q, r, n_) + ratio_step(q, r, p));
    }

  private:
    [[nodiscard]] bool exceeds_samples(std::size_t order) const noexcept { return static_cast<double>(order) > n_; }

    /// The product of (n - k) / (n - q - k) = 1 + q / (n - q - k) for k < p, less 1.
    [[nodiscard]] static Number ratio(std::size_t p, std::size_t q, double n) noexcept {
        Number result(0.0);
        for (std::size_t k = 0; k < p; ++k) {
            const Number excess = Number(static_cast<double>(q)) / Number(n - static_cast<double>(q + k));
            result = result + excess + result * excess;
        }
        return result;
    }

    /// ratio(q, r, n - step) - ratio(q, r, n), factor by factor.
    [[nodiscard]] Number ratio_step(std::size_t q, std::size_t r, std::size_t step) const noexcept {
        const Number one(1.0);
        const Number excess(static_cast<double>(r));
        Number product(1.0);
        Number difference(0.0);
        for (std::size_t k = 0; k < q; ++k) {
            const Number left(n_ - static_cast<double>(r + k));
            const Number left_after(n_ - static_cast<double>(r + k + step));
            const Number change = excess * Number(static_cast<double>(step)) / (left * left_after);
            difference = difference * (one + excess / left_after) + product * change;
            product *= one + excess / left;
        }
        return difference;
    }

    double n_;
    std::array<Number, 3 * D + 1> moment_;
};

}  // namespace chanceless

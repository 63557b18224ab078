#pragma once

// Variance and third cumulant, over random tables, of a sum of polynomials of the counts of all cells.
//
// Let T be the sum over all cells of t(x) = W_1 (x)_1 + ... + W_D (x)_D, where the weights W depend on the sizes of the
// row and the column. In terms of the falling factorials below, powers of x_ij act like powers of A_i B_j / N, but for
// products within one cell. These add
//
//     V = the part of t * t in lower orders than the product has,
//     Z = that of t * t * t, less what comes from V * t,
//
// so that, with the cumulants of A_i B_j / N on the right,
//
//     variance         = cumulant(T, T) + E[sum of V],
//     third cumulant   = cumulant(T, T, T) + 3 cumulant(sum of V, T) + E[sum of Z].
//
// A cumulant of three cells is a sum over the ways in which their rows, their columns and 1/N tie them together. With
//
//     R_p(i) = sum over j of W_p(i, j) E[B_j^p],  C_p(j) the same for columns,  M_p = sum over i of E[A_i^p] R_p(i),
//     P_pq(i) = sum over j of W_p(i, j) W_q(i, j) cov(B_j^p, B_j^q),  Q_pq(j) the same for columns,
//
// no sum runs over pairs of cells. For orders p, q, r:
//
//     rows alone           cumulant(A^p, A^q, A^r) (R_p R_q R_r + R_p P_qr + R_q P_pr + R_r P_pq)
//     columns alone        the same with B, C, Q
//     rows and columns     cumulant(A^p, A^q, A^r) cumulant(B^p, B^q, B^r) W_p W_q W_r, and in six permutations
//                          cov(A^p, A^q) R_q W_p cov(B^p, B^r) C_r        (one cell in the middle of a chain)
//     1/N and one other    cov(N^-(p+q), N^-r) M_r times what ties p and q together, in three permutations
//     1/N alone            cumulant(N^-p, N^-q, N^-r) M_p M_q M_r
//
// all but the last two times E[N^-(p+q+r)]. As moments, before the products of lower moments are subtracted, the terms
// would be of size n^3. The cumulants are of size n, so that much fewer digits cancel.

#include "chance/size_nodes.hpp"

namespace chanceless::chance {

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

/// W_1 ... W_top for a cell, in units of powers of n / (a b), which is 1 over the mean; entry 0 is not used.
template <class Number, std::size_t D>
struct CellWeights {
    std::size_t top = 0;
    std::array<Number, D + 1> at{};
};

template <class Number>
struct Cumulants {
    Number variance{0.0};
    Number third{0.0};
};

template <class Number, std::size_t D>
class CumulantSum {
  public:
    using Powers = SizePowers<Number, D>;
    using Weights = CellWeights<Number, D>;

    CumulantSum(const std::vector<WeightedSize>& rows, const std::vector<WeightedSize>& columns, double n_samples)
        : rows_(rows), columns_(columns), samples_(n_samples), total_(n_samples) {}

    /// weights_of(i, j, row, column) returns the weights of a cell of the i-th size of rows and the j-th of columns.
    template <class WeightsOf>
    Cumulants<Number> value(const WeightsOf& weights_of, const CancellationCheck& check_cancelled) {
        for_each_cell(weights_of, check_cancelled, [this](auto... cell) { add_cell(cell...); });
        prepare_chains();
        for_each_cell(weights_of, check_cancelled, [this](auto... cell) { add_chains(cell...); });
        add_within(rows_);
        add_within(columns_);
        add_total();
        return result_;
    }

  private:
    static constexpr std::size_t n_pairs = Orders<D>::n_pairs;
    static constexpr std::size_t n_lower = 2 * D;  // the orders of V are below

    using ByOrder = std::array<Number, D + 1>;
    using ByTwoOrders = std::array<ByOrder, D + 1>;
    using ByPair = std::array<Number, n_pairs>;
    using ByLower = std::array<Number, n_lower>;

    /// What a row has of all its cells, or a column.
    struct Sums {
        ByOrder linear{};     // R_p, C_p
        ByPair squares{};     // P_pq, Q_pq
        ByLower lower{};      // as R_p, of V
        ByTwoOrders chain{};  // what it adds to a chain
    };
    struct Side {
        std::vector<Powers> powers;
        std::vector<Sums> sums;

        explicit Side(const std::vector<WeightedSize>& sizes) : sums(sizes.size()) {
            powers.reserve(sizes.size());
            for (const WeightedSize& size : sizes) {
                powers.emplace_back(static_cast<double>(size.amount.samples), size.weight);
            }
        }
    };

    template <class WeightsOf, class Work>
    void for_each_cell(const WeightsOf& weights_of, const CancellationCheck& check_cancelled, const Work& work) {
        for (std::size_t i = 0; i < rows_.powers.size(); ++i) {
            check_cancelled();
            for (std::size_t j = 0; j < columns_.powers.size(); ++j) {
                work(i, j, weights_of(i, j, rows_.powers[i], columns_.powers[j]));
            }
        }
    }

    void add_cell(std::size_t i, std::size_t j, const Weights& weights) {
        const Powers& row = rows_.powers[i];
        const Powers& column = columns_.powers[j];
        const Number unit = Number(samples_) * row.inverse * column.inverse;
        const ByLower lower = lower_orders(weights, unit);
        add_to(rows_.sums[i], column, weights, lower);
        add_to(columns_.sums[j], row, weights, lower);
        result_.third += row.clusters * column.clusters *
                         (three_in_cell(row, column, weights, unit) + two_in_cell(row, column, weights, lower));
    }

    /// V.
    static ByLower lower_orders(const Weights& weights, const Number& unit) {
        ByLower result{};
        const auto& orders = Orders<D>::instance();
        for (const auto& [p, q, permutations] : orders.pairs()) {
            if (q > weights.top) break;
            Number product = Number(permutations) * weights.at[p] * weights.at[q];
            for (std::size_t s = 1; s <= p; ++s) {
                product *= unit;
                result[p + q - s] += Number(orders.ways(p, q, s)) * product;
            }
        }
        return result;
    }

    /// Adds a cell to the sums of its row, or column; `other` is the column, or row.
    static void add_to(Sums& sums, const Powers& other, const Weights& weights, const ByLower& lower) {
        for (std::size_t p = 1; p <= weights.top; ++p) {
            sums.linear[p] += other.clusters * other.moment[p] * weights.at[p];
        }
        for (std::size_t m = 1; m < 2 * weights.top; ++m) {
            sums.lower[m] += other.clusters * other.moment[m] * lower[m];
        }
        for (std::size_t q = 1; q <= weights.top; ++q) {
            const Number weighted = other.clusters * weights.at[q];
            for (std::size_t p = 1; p <= q; ++p) {
                sums.squares[Orders<D>::place(p, q)] += weighted * weights.at[p] * other.covariance[p][q];
            }
        }
    }

    /// Z, and three powers tied together by the row and by the column.
    Number three_in_cell(const Powers& row, const Powers& column, const Weights& weights, const Number& unit) const {
        std::array<Number, 3 * D + 1> moment;
        for (std::size_t m = 0; m <= 3 * weights.top; ++m) {
            moment[m] = total_.moment(m) * row.moment[m] * column.moment[m];
        }
        Number sum(0.0);
        const std::vector<OrderTriple>& triples = Orders<D>::instance().triples();
        for (std::size_t t = 0; t < triples.size() && triples[t].r <= weights.top; ++t) {
            const OrderTriple& triple = triples[t];
            const std::size_t order = triple.total();
            const Number inside = power_series(
                unit, 2, triple.p + triple.q, [&](std::size_t s) { return triple.in_cell[s]; },
                [&](std::size_t s) { return moment[order - s]; });
            const Number across = total_.moment(order) * row.third_cumulant[t] * column.third_cumulant[t];
            sum += Number(triple.permutations) * weights.at[triple.p] * weights.at[triple.q] * weights.at[triple.r] *
                   (inside + across);
        }
        return sum;
    }

    /// V and one more power in the same cell.
    Number two_in_cell(const Powers& row, const Powers& column, const Weights& weights, const ByLower& lower) const {
        Number sum(0.0);
        for (std::size_t m = 1; m < 2 * weights.top; ++m) {
            Number inner(0.0);
            for (std::size_t q = 1; q <= weights.top; ++q) {
                inner += total_.moment(m + q) * row.covariance[m][q] * column.covariance[m][q] * weights.at[q];
            }
            sum += lower[m] * inner;
        }
        return Number(3.0) * sum;
    }

    /// Ends of chains: in the same row as the cell in the middle, or in the same column.
    void prepare_chains() {
        for (std::size_t p = 1; p <= D; ++p) {
            for (std::size_t q = 1; q <= D; ++q) {
                for (std::size_t i = 0; i < rows_.sums.size(); ++i) {
                    rows_.sums[i].chain[p][q] = rows_.powers[i].covariance[p][q] * rows_.sums[i].linear[q];
                }
                for (std::size_t j = 0; j < columns_.sums.size(); ++j) {
                    Number sum(0.0);
                    for (std::size_t r = 1; r <= D; ++r) {
                        sum +=
                            total_.moment(p + q + r) * columns_.powers[j].covariance[p][r] * columns_.sums[j].linear[r];
                    }
                    columns_.sums[j].chain[p][q] = sum;
                }
            }
        }
    }

    void add_chains(std::size_t i, std::size_t j, const Weights& weights) {
        Number sum(0.0);
        for (std::size_t p = 1; p <= weights.top; ++p) {
            Number inner(0.0);
            for (std::size_t q = 1; q <= D; ++q) inner += rows_.sums[i].chain[p][q] * columns_.sums[j].chain[p][q];
            sum += weights.at[p] * inner;
        }
        result_.third += Number(6.0) * rows_.powers[i].clusters * columns_.powers[j].clusters * sum;
    }

    /// What rows alone tie together, or columns alone.
    void add_within(const Side& side) {
        const std::vector<OrderTriple>& triples = Orders<D>::instance().triples();
        for (std::size_t i = 0; i < side.powers.size(); ++i) {
            const Powers& powers = side.powers[i];
            const auto& [linear, squares, lower, chain] = side.sums[i];
            const auto square = [&squared = squares](std::size_t p, std::size_t q) {
                return squared[Orders<D>::place(p, q)];
            };
            Number sum(0.0);
            for (std::size_t t = 0; t < triples.size(); ++t) {
                const auto p = triples[t].p;
                const auto q = triples[t].q;
                const auto r = triples[t].r;
                sum += Number(triples[t].permutations) * total_.moment(p + q + r) * powers.third_cumulant[t] *
                       (linear[p] * (linear[q] * linear[r] + square(q, r)) + linear[q] * square(p, r) +
                        linear[r] * square(p, q));
            }
            for (std::size_t m = 1; m < n_lower; ++m) {
                Number inner(0.0);
                for (std::size_t q = 1; q <= D; ++q) {
                    inner += total_.moment(m + q) * powers.covariance[m][q] * linear[q];
                }
                sum += Number(3.0) * lower[m] * inner;
            }
            result_.third += powers.clusters * sum;
        }
    }

    /// What 1/N ties together, and the variance.
    void add_total() {
        ByOrder linear{};
        ByLower lower{};
        for (std::size_t i = 0; i < rows_.powers.size(); ++i) {
            const Powers& row = rows_.powers[i];
            for (std::size_t p = 1; p <= D; ++p) linear[p] += row.clusters * row.moment[p] * rows_.sums[i].linear[p];
            for (std::size_t m = 1; m < n_lower; ++m) lower[m] += row.clusters * row.moment[m] * rows_.sums[i].lower[m];
        }
        for (const auto& [p, q, permutations] : Orders<D>::instance().pairs()) {
            const Number tied = tied_pair(p, q);
            result_.variance +=
                Number(permutations) * (total_.moment(p + q) * tied + total_.covariance(p, q) * linear[p] * linear[q]);
            for (std::size_t r = 1; r <= D; ++r) {
                result_.third += Number(3.0 * permutations) * total_.covariance(p + q, r) * tied * linear[r];
            }
        }
        for (std::size_t m = 1; m < n_lower; ++m) {
            result_.variance += total_.moment(m) * lower[m];
            for (std::size_t q = 1; q <= D; ++q) {
                result_.third += Number(3.0) * total_.covariance(m, q) * lower[m] * linear[q];
            }
        }
        for (const OrderTriple& triple : Orders<D>::instance().triples()) {
            const auto& [p, q, r, permutations, in_cell, cumulant] = triple;
            result_.third += Number(permutations) * total_.third_cumulant(p, q, r) * linear[p] * linear[q] * linear[r];
        }
    }

    /// Two powers tied together by a row, a column, or both.
    Number tied_pair(std::size_t p, std::size_t q) const {
        Number sum(0.0);
        for (std::size_t i = 0; i < rows_.powers.size(); ++i) {
            const Sums& row = rows_.sums[i];
            sum += rows_.powers[i].clusters * rows_.powers[i].covariance[p][q] *
                   (row.linear[p] * row.linear[q] + row.squares[Orders<D>::place(p, q)]);
        }
        for (std::size_t j = 0; j < columns_.powers.size(); ++j) {
            const Sums& column = columns_.sums[j];
            sum +=
                columns_.powers[j].clusters * columns_.powers[j].covariance[p][q] * column.linear[p] * column.linear[q];
        }
        return sum;
    }

    Side rows_;
    Side columns_;
    double samples_;
    TotalPowers<Number, D> total_;
    Cumulants<Number> result_;
};

}  // namespace chanceless::chance

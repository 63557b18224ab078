#pragma once

// Variance and third cumulant, over random tables, of a sum of polynomials of the counts of all cells.
//
// Let T be the sum over all cells of t(x) = W_1 (x)_1 + ... + W_D (x)_D, where the weights W depend on the sizes of the
// row and the column. In terms of falling_factorials.hpp, powers of x_ij act like powers of A_i B_j / N, but for
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

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/falling_factorials.hpp"
#include "chanceless/size_nodes.hpp"

namespace chanceless {

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

}  // namespace chanceless

// Tests of the coefficients of a cell: values of mpmath (80 digits, by the three-term recurrence over all counts).

#include "chance/hahn.hpp"
#include "tests/check.hpp"

namespace {

using namespace chanceless::chance;
using namespace chanceless::tests;

struct KnownCell {
    std::uint64_t n_samples;
    std::uint64_t row_size;
    std::uint64_t column_size;
    double slope;
    std::vector<double> coefficients;  // F_1 ... F_6

    explicit KnownCell(const std::array<double, 10>& values)
        : n_samples(static_cast<std::uint64_t>(values[0])),
          row_size(static_cast<std::uint64_t>(values[1])),
          column_size(static_cast<std::uint64_t>(values[2])),
          slope(values[3]),
          coefficients(values.begin() + 4, values.end()) {}
};

const std::vector<KnownCell> known_cells{
    KnownCell({20, 7, 9, 2.0800503490084861606, -0.073330165191064279904, 0.29973688766821657561,
               -0.078302723574948222523, 0.03702428653721863045, -0.020155205177094144505, 0.009688978103865212846}),
    KnownCell({1000, 100, 100, 3.2930209416760212682, -0.027233672088269028379, 0.58020237619473037336,
               -0.09786432001163815138, 0.029085438334805455257, -0.011851018990953329541, 0.0060191436524598192812}),
    KnownCell({1000, 990, 20, 3.9612462582137605849, -0.010769295874599893676, 0.0067580913606846935567,
               -0.000082045905045272792157, 1.662495589349661726e-6, -4.318533603446164775e-8,
               1.2891146714784464067e-9}),
    KnownCell({1000000000000, 5, 5, 2.2180709777900471993e-11, 0.00011706072645488586757, 1.9605162869133662426e-11,
               -2.114022856940390617e-17, 1.6646637917498487572e-23, -6.3894313286034348933e-30, 0.0}),
    KnownCell({10000, 1000, 1290, 5.8590696075763567308, -0.0074699366497132388673, 0.55481966712226740487,
               -0.025013494001609273407, 0.0019548847152476557638, -0.00020514847887606961113,
               0.000026225762980388554482}),
    KnownCell({1000000, 100000, 4000, 6.9913355185741289566, -0.0024432443276815092896, 0.63393388014663422741,
               -0.017330769865130976054, 0.00082074659148248207599, -0.000052154682119586984631,
               4.0344317999321825916e-6}),
};

HahnCoefficients coefficients_of(const KnownCell& cell, std::size_t degrees) {
    return hahn_coefficients(Amount(cell.row_size), Amount(cell.column_size), Amount(cell.n_samples), degrees);
}

void coefficients_equal_known_ones() {
    for (const KnownCell& cell : known_cells) {
        const HahnCoefficients found = coefficients_of(cell, 6);
        CHECK(std::fabs(found.slope.high + found.slope.low - cell.slope) <= found.slope_error + 1e-15 * cell.slope);
        const double mean = static_cast<double>(cell.row_size) * static_cast<double>(cell.column_size) /
                            static_cast<double>(cell.n_samples);
        // The slope less log mu + 1, times a standard deviation of at most sqrt(mu).
        CHECK(std::fabs(found.at[1] - cell.coefficients[0]) <=
              std::sqrt(mean) * (found.slope_error + 1e-15 * std::fabs(1.0 + std::log(mean))));
        for (std::size_t d = 2; d <= found.degrees; ++d) {
            CHECK(std::fabs(found.at[d] - cell.coefficients[d - 1]) <= found.relative_error * std::sqrt(found.squares));
            CHECK((found.at[d] > 0.0) == (d % 2 == 0));
        }
        for (std::size_t d = found.degrees + 1; d <= 6; ++d) {
            CHECK(std::fabs(cell.coefficients[d - 1]) <= 0x1p-28 * std::sqrt(found.squares));
        }
    }
}

/// Higher degrees change nothing below, and end where they are negligible.
void degrees_are_independent() {
    for (const KnownCell& cell : known_cells) {
        const HahnCoefficients all = coefficients_of(cell, HahnCoefficients::most);
        const HahnCoefficients few = coefficients_of(cell, 3);
        CHECK(few.degrees <= 3);
        CHECK(all.degrees <= std::min<std::uint64_t>(cell.row_size, HahnCoefficients::most));
        for (std::size_t d = 1; d <= few.degrees; ++d) CHECK(few.at[d] == all.at[d]);
    }
}

/// A cell that has all samples of a row or column has one count only.
void constant_cells() {
    const HahnCoefficients found = hahn_coefficients(Amount(10), Amount(4), Amount(10));
    CHECK(found.degrees == 0);
    CHECK(std::fabs(found.slope.high + found.slope.low - (std::log(4.0) + 1.0)) <= 1e-15);
}

const TestGroup these_tests("hahn", [] {
    coefficients_equal_known_ones();
    degrees_are_independent();
    constant_cells();
});

}  // namespace

#pragma once

// Lists of cluster sizes, for tests of sums over them.

#include "counting/spectrum.hpp"

namespace chanceless::tests {

using counting::SizeGroup;

inline std::uint64_t samples_of(const std::vector<SizeGroup>& groups) {
    std::uint64_t samples = 0;
    for (const auto& [size, clusters] : groups) samples += size * clusters;
    return samples;
}

/// Adds one cluster to the list of fewer samples, so that both have the same number; returns that number.
inline std::uint64_t even_out(std::vector<SizeGroup>& rows, std::vector<SizeGroup>& columns) {
    const std::uint64_t row_samples = samples_of(rows), column_samples = samples_of(columns);
    std::vector<SizeGroup>& fewer = row_samples < column_samples ? rows : columns;
    const std::uint64_t n = std::max(row_samples, column_samples);
    const std::uint64_t rest = n - std::min(row_samples, column_samples);
    if (rest > 0) {
        fewer.push_back({rest, 1});
        std::sort(fewer.begin(), fewer.end(), [](auto& left, auto& right) { return left.size < right.size; });
    }
    return n;
}

inline std::vector<SizeGroup> sizes_from(std::uint64_t first, std::uint64_t last, std::uint64_t step) {
    std::vector<SizeGroup> groups;
    for (std::uint64_t size = first; size <= last; size += step) groups.push_back({size, 1 + size % 3});
    return groups;
}

inline std::vector<SizeGroup> geometric_sizes(double ratio, double largest) {
    std::vector<SizeGroup> groups{{1, 1000}};
    for (double size = 2.0; size < largest; size *= ratio) {
        const auto whole = static_cast<std::uint64_t>(size);
        if (whole > groups.back().size) groups.push_back({whole, 1});
    }
    return groups;
}

}  // namespace chanceless::tests

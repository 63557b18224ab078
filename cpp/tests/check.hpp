#pragma once

// Shared by the tests of the core: checks, and tables of labels.

#include <cstdio>
#include <cstdlib>
#include <random>

#include "counting/count.hpp"

namespace chanceless::tests {

using namespace base;  // for all that use this namespace

using counting::SizeGroup, counting::Labels, counting::labels_of, counting::ListedCells, counting::Spectrum,
    counting::summarise, counting::Table;

// Not of <numbers>: a compiler may look for it in the folder of this name.
inline constexpr double log_two = 0.69314718055994530942;
inline constexpr double log_ten = 2.30258509299404568402;

inline int passed = 0;
inline int failed = 0;

inline void check(bool holds, const char* what, const char* file, int line) {
    if (holds) {
        ++passed;
    } else {
        ++failed;
        std::printf("%s:%d: %s\n", file, line, what);
    }
}

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

/// Tests that run together. Each file has one group, a constant, which the list of all of them knows.
struct TestGroup {
    TestGroup(const char* its_name, void (*its_tests)()) : name(its_name), run(its_tests) { all().push_back(*this); }

    static std::vector<TestGroup>& all() {
        static std::vector<TestGroup> groups;
        return groups;
    }

    const char* name;
    void (*run)();
};

/// Whether a call throws an exception of this type.
template <class Exception, class Call>
bool throws(const Call& call) {
    try {
        call();
    } catch (const Exception&) {
        return true;
    }
    return false;
}

/// Sets an environment variable for a scope.
class EnvironmentVariable {
  public:
    EnvironmentVariable(const char* name, const char* value) : name_(name) { set(value); }
    ~EnvironmentVariable() { set(""); }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

  private:
    /// An empty value removes it.
    void set(const char* value) const noexcept {
#ifdef _WIN32
        _putenv_s(name_, value);
#else
        if (*value == '\0') {
            unsetenv(name_);
        } else {
            setenv(name_, value, 1);
        }
#endif
    }

    const char* name_;
};

template <class T>
Labels view(const std::vector<T>& labels) {
    return labels_of<T>(labels.data(), sizeof(T), labels.size());
}

/// The table of two labellings; not inline, so that only counting_tests.cpp compiles the ways to count.
Table table_of(const Labels& row_labels, const Labels& column_labels);

template <class T>
Table count_of(const std::vector<T>& row_labels, const std::vector<T>& column_labels) {
    return table_of(view(row_labels), view(column_labels));
}

inline Spectrum spectrum_of(const Table& table, bool with_overlaps = false) {
    const ListedCells cells{table.row_codes, table.column_codes, table.counts, table.row_labels.size(),
                            table.column_labels.size()};
    return summarise(cells, {1, never_cancelled}, with_overlaps);
}

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

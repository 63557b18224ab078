#pragma once

// Labels -> codes: offsets from the lowest label where labels lie close together, else by hashing or sorting.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "chanceless/cancellation.hpp"
#include "chanceless/far_labels.hpp"
#include "chanceless/hash.hpp"
#include "chanceless/labels.hpp"
#include "chanceless/threads.hpp"

namespace chanceless {

/// Whether an array with an entry for each offset is worth its memory.
inline bool lie_close(const Range& range, std::size_t n_samples) noexcept {
    return range.width() / 4 <= n_samples + 256 && range.width() < std::numeric_limits<std::uint32_t>::max();
}

/// Codes that are offsets from the lowest label. Each label is read once: if another thread changes labels meanwhile,
/// codes are wrong, but never out of range.
inline Encoded encode_by_offset(const Labels& labels, const Range& range, const Crew& crew) {
    constexpr std::size_t chunk = std::size_t{1} << 12;
    Encoded result{uninitialised_codes(labels.size, range.width() + 1), {}};
    const auto highest = static_cast<std::uint32_t>(range.width());
    crew.in_chunks(labels.size, chunk, [&](unsigned, std::size_t start, std::size_t stop) {
        std::uint32_t* const codes = result.codes.of_sample.get() + start;
        labels.write32(labels, start, stop, range.lowest, std::numeric_limits<std::uint32_t>::max(), 0, codes);
        for (std::size_t i = 0; i < stop - start; ++i) codes[i] = std::min(codes[i], highest);
    });
    return result;
}

/// The code of each sample, and the label of each code, ascending.
struct LabelCodes {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> labels;
};

inline LabelCodes encode(const Labels& labels, const CancellationCheck& check_cancelled,
                         const HashSeed& seed = process_seed()) {
    if (labels.size == 0) return {};
    const Crew alone(1, check_cancelled);
    const Range range = range_of(labels, alone);
    const Encoded encoded = lie_close(range, labels.size) ? encode_by_offset(labels, range, alone)
                                                          : encode_far(labels, range, check_cancelled, seed);
    std::vector<std::uint32_t> new_code(encoded.codes.n_codes, 0);
    for (std::size_t i = 0; i < labels.size; ++i) new_code[encoded.codes.of_sample[i]] = 1;
    check_cancelled();
    LabelCodes result;
    for (std::size_t code = 0; code < new_code.size(); ++code) {
        if (new_code[code] == 0) continue;
        new_code[code] = static_cast<std::uint32_t>(result.labels.size());
        result.labels.push_back(labels.label(range.lowest, encoded.offset(code)));
    }
    check_cancelled();
    result.codes.resize(labels.size);
    for (std::size_t i = 0; i < labels.size; ++i) result.codes[i] = new_code[encoded.codes.of_sample[i]];
    return result;
}

}  // namespace chanceless

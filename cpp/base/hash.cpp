#include "base/hash.hpp"

#include <cstdlib>
#include <random>

namespace chanceless::base {

std::optional<std::uint64_t> whole_number(const char* text) noexcept {
    if (text == nullptr) return std::nullopt;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    return end == text || *end != '\0' ? std::nullopt : std::optional(number);
}

const HashSeed& process_seed() {
    static const HashSeed seed = [] {
        if (const auto fixed = whole_number(std::getenv("CHANCELESS_HASH_SEED"))) return HashSeed(*fixed);
        std::random_device system;
        return HashSeed((std::uint64_t{system()} << 32) | system());
    }();
    return seed;
}

}  // namespace chanceless::base

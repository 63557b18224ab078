#pragma once

// Radix sort, which for integers of few bits is faster than sorting by comparison, and takes the same time for any
// order.

#include "base/cancellation.hpp"

namespace chanceless::base {

/// Stable radix sort of items by a key of `bits` bits, lowest digit first. `spare` is scratch space of the same size.
/// There is a cancellation check before each pass over the items.
template <class Item, class KeyOf>
void sort_by_digits(std::span<Item> items, std::span<Item> spare, unsigned bits, const KeyOf& key_of,
                    const CancellationCheck& check_cancelled = never_cancelled) {
    constexpr std::size_t few = 64;
    if (items.size() <= few) {
        const auto by_key = [&](const Item& left, const Item& right) { return key_of(left) < key_of(right); };
        return std::stable_sort(items.begin(), items.end(), by_key);
    }
    const unsigned widest = items.size() < 2048 ? 8 : 10;
    const unsigned passes = std::max(1U, (bits + widest - 1) / widest);
    const unsigned width = (bits + passes - 1) / passes;
    const std::size_t n_digits = std::size_t{1} << width;
    const auto digit = [&](const Item& item, unsigned pass) {
        return static_cast<std::size_t>(key_of(item) >> (pass * width)) & (n_digits - 1);
    };
    std::vector<std::size_t> places(passes * n_digits, 0);
    for (const Item& item : items) {
        for (unsigned pass = 0; pass < passes; ++pass) ++places[pass * n_digits + digit(item, pass)];
    }
    std::span<Item> from = items;
    std::span<Item> to = spare;
    for (unsigned pass = 0; pass < passes; ++pass) {
        std::size_t* const place = places.data() + pass * n_digits;
        if (place[digit(from[0], pass)] == from.size()) continue;  // all digits are equal
        check_cancelled();
        std::size_t sum = 0;
        for (std::size_t value = 0; value < n_digits; ++value) sum += std::exchange(place[value], sum);
        for (const Item& item : from) to[place[digit(item, pass)]++] = item;
        std::swap(from, to);
    }
    if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

}  // namespace chanceless::base

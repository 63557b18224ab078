#pragma once

// Writing items to many buckets by turns. Each bucket has a buffer of one cache line, and whole lines go to memory:
// with a thousand buckets this takes half as long as to write every item to its place.

#include <cstring>

#include "base/compiler.hpp"
#include "base/memory.hpp"

namespace chanceless::counting {

inline constexpr std::size_t line_bytes = 64;

/// Uninitialised array that starts at a cache line.
template <class Item>
class LineArray {
  public:
    static constexpr std::size_t per_line = line_bytes / sizeof(Item);

    LineArray() = default;
    explicit LineArray(std::size_t size) : memory_(uninitialised<Item>(size + per_line)) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        first_ = memory_.get() + (line_bytes - address % line_bytes) % line_bytes / sizeof(Item);
    }

    [[nodiscard]] Item* get() const noexcept { return first_; }

    static std::size_t whole_lines(std::size_t size) noexcept { return (size + per_line - 1) / per_line * per_line; }

  private:
    Array<Item> memory_;
    Item* first_ = nullptr;
};

/// Where a bucket starts, which is at a cache line, and how many items it has room for.
struct BucketPlace {
    std::size_t start;
    std::size_t size;
};

/// Writes items to buckets. `Streams` says whether lines bypass the cache.
template <class Item, class Place, bool Streams = has_streaming_stores>
class BucketWriter {
  public:
    /// For the buckets at `places`, `stride` apart, in `items`.
    BucketWriter(Item* items, const BucketPlace* places, std::size_t n_buckets, std::size_t stride)
        : items_(items), ends_(n_buckets), lines_(n_buckets * per_line) {
        for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
            const auto [start, size] = places[bucket * stride];
            ends_[bucket] = {static_cast<Place>(start), static_cast<Place>(start + size)};
        }
    }

    /// Does not write behind the end of a bucket, whatever the items are.
    void add(std::size_t bucket, Item item) noexcept {
        Ends& ends = ends_[bucket];
        const Place place = ends.next++;
        Item* const line = lines_.get() + bucket * per_line;
        line[place % per_line] = item;
        if (place % per_line == per_line - 1 && place < ends.last) {
            write_line<Streams>(items_ + (place - (per_line - 1)), line);
        }
    }

    /// Writes the lines that are not full; returns whether every bucket has as many items as it has room for.
    [[nodiscard]] bool finish() noexcept {
        bool complete = true;
        for (std::size_t bucket = 0; bucket < ends_.size(); ++bucket) {
            const Ends& ends = ends_[bucket];
            complete = complete && ends.next == ends.last;
            const std::size_t rest = ends.last % per_line;
            std::memcpy(items_ + (ends.last - rest), lines_.get() + bucket * per_line, rest * sizeof(Item));
        }
        finish_lines<Streams>();
        return complete;
    }

  private:
    static constexpr std::size_t per_line = LineArray<Item>::per_line;

    struct Ends {
        Place next;
        Place last;
    };

    Item* items_;
    std::vector<Ends> ends_;
    LineArray<Item> lines_;
};

}  // namespace chanceless::counting

#include "counting/encode.hpp"

namespace chanceless::counting {

namespace {

CodeArray uninitialised_codes(std::size_t n_samples, std::uint64_t n_codes) {
    return {uninitialised<std::uint32_t>(n_samples), n_samples, n_codes};
}

/// Calls visit(i, offset) for every sample, until it returns false.
template <class Visit>
void for_each_offset(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled,
                     const Visit& visit) {
    constexpr std::size_t block = 4096;
    std::uint64_t offsets[block];
    for (std::size_t start = 0; start < labels.size; start += block) {
        if (start > 0) check_cancelled();
        const std::size_t stop = std::min(labels.size, start + block);
        labels.write64(labels, start, stop, range.lowest, ~std::uint64_t{0}, 0, offsets);
        for (std::size_t i = start; i < stop; ++i) {
            if (!visit(i, offsets[i - start])) return;
        }
    }
}

/// Codes of labels that lie far apart; nullopt if many of them are distinct.
std::optional<Encoded> encode_few(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled,
                                  const HashSeed& seed) {
    constexpr std::size_t few = std::size_t{1} << 14;
    Encoded result{uninitialised_codes(labels.size, 0), {}};
    KeyDictionary dictionary(seed);
    for_each_offset(labels, range, check_cancelled, [&](std::size_t i, std::uint64_t offset) {
        result.codes.of_sample[i] = dictionary.code_of(offset);
        return dictionary.keys().size() <= few;
    });
    if (dictionary.keys().size() > few) return std::nullopt;
    result.offsets = dictionary.keys();
    std::sort(result.offsets.begin(), result.offsets.end());
    std::vector<std::uint32_t> rank(result.offsets.size());
    for (std::size_t place = 0; place < rank.size(); ++place) {
        rank[dictionary.code_of(result.offsets[place])] = static_cast<std::uint32_t>(place);
    }
    for (std::size_t i = 0; i < labels.size; ++i) result.codes.of_sample[i] = rank[result.codes.of_sample[i]];
    result.codes.n_codes = result.offsets.size();
    return result;
}

/// Divides offsets among buckets in ascending order. Nearly all buckets get about as many samples if the offsets are
/// spread evenly, a few far outside, such as a label for noise, excepted.
class OffsetDivider {
  public:
    OffsetDivider(const Labels& labels, const Range& range) {
        constexpr std::size_t n_sampled = 1024;
        std::vector<std::uint64_t> sample(std::min(n_sampled, labels.size));
        for (std::size_t i = 0; i < sample.size(); ++i) {
            const std::size_t place = labels.size / sample.size() * i;
            labels.write64(labels, place, place + 1, range.lowest, ~std::uint64_t{0}, 0, &sample[i]);
        }
        std::sort(sample.begin(), sample.end());
        const std::size_t outside = sample.size() / 128;
        lowest_ = sample[outside];
        const std::uint64_t width = sample[sample.size() - 1 - outside] - lowest_;
        const unsigned wanted = std::min(10U, static_cast<unsigned>(std::bit_width(labels.size >> 10)));
        shift_ = std::max(wanted, static_cast<unsigned>(std::bit_width(width))) - wanted;
        lowest_ = lowest_ >> shift_ << shift_;  // so that within a bucket only the lower bits differ
        last_ = ((width >> shift_) + 2) + 1;
    }

    [[nodiscard]] std::size_t n_buckets() const noexcept { return static_cast<std::size_t>(last_ + 1); }
    [[nodiscard]] std::size_t bucket_of(std::uint64_t offset) const noexcept {
        if (offset < lowest_) return 0;
        return static_cast<std::size_t>(std::min(last_, ((offset - lowest_) >> shift_) + 1));
    }

  private:
    std::uint64_t lowest_ = 0;
    std::uint64_t last_ = 0;
    unsigned shift_ = 0;
};

/// Samples with their offsets, in buckets of ascending offsets.
template <class Item>
class OffsetBuckets {
  public:
    OffsetBuckets(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled) {
        const OffsetDivider divider(labels, range);
        places_.resize(divider.n_buckets(), BucketPlace{0, 0});
        for_each_offset(labels, range, check_cancelled, [&](std::size_t, std::uint64_t offset) {
            ++places_[divider.bucket_of(offset)].size;
            return true;
        });
        std::size_t n_items = 0;
        for (BucketPlace& place : places_) {
            place.start = n_items;
            n_items += LineArray<Item>::whole_lines(place.size);
        }
        items_ = LineArray<Item>(n_items);
        BucketWriter<Item, std::size_t> writer(items_.get(), places_.data(), places_.size(), 1);
        for_each_offset(labels, range, check_cancelled, [&](std::size_t i, std::uint64_t offset) {
            writer.add(divider.bucket_of(offset), Item{offset, i});
            return true;
        });
        if (!writer.finish()) throw std::runtime_error("labels changed while they were counted");
    }

    /// Calls visit(items) for each bucket, with its items sorted by offset.
    template <class Visit>
    void for_each_sorted(const CancellationCheck& check_cancelled, const Visit& visit) {
        PeriodicCheck check(check_cancelled);
        std::vector<Item, LargePageAllocator<Item>> spare;
        for (const BucketPlace& place : places_) {
            check.after(place.size);
            const std::span<Item> items(items_.get() + place.start, place.size);
            if (spare.size() < items.size()) spare.resize(items.size());
            sort_bucket(items, std::span(spare).first(items.size()));
            visit(items);
        }
    }

  private:
    static void sort_bucket(std::span<Item> items, std::span<Item> spare) {
        constexpr std::size_t large = 8192;
        constexpr unsigned most_bits = 16;
        std::uint64_t different = 0;
        for (const Item& item : items) different |= item.offset ^ items[0].offset;
        const auto bits = static_cast<unsigned>(std::bit_width(different));
        const unsigned rest = items.size() > large || bits < most_bits ? 0 : bits - most_bits;
        sort_by_digits(items, spare, bits - rest, [rest](const Item& item) { return item.offset >> rest; });
        if (rest > 0) sort_runs(items, rest);
    }

    /// Sorts what is equal but for its lower bits: of offsets that differ, there are few.
    static void sort_runs(std::span<Item> items, unsigned lower_bits) {
        const auto comes_before = [](const Item& left, const Item& right) { return left.offset < right.offset; };
        for (std::size_t start = 0; start < items.size();) {
            std::size_t stop = start + 1;
            while (stop < items.size() && (items[stop].offset ^ items[start].offset) >> lower_bits == 0) ++stop;
            if (stop - start > 1)
                std::sort(items.begin() + static_cast<std::ptrdiff_t>(start),
                          items.begin() + static_cast<std::ptrdiff_t>(stop), comes_before);
            start = stop;
        }
    }

    std::vector<BucketPlace> places_;
    LineArray<Item> items_;
};

/// Codes of labels that lie far apart, many of them distinct. `Item` holds an offset and a sample.
template <class Item>
Encoded encode_many(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled) {
    OffsetBuckets<Item> buckets(labels, range, check_cancelled);
    Encoded result{uninitialised_codes(labels.size, 0), {}};
    buckets.for_each_sorted(check_cancelled, [&](std::span<const Item> items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i == 0 || items[i].offset != items[i - 1].offset) {
                check_n_labels(result.offsets.size());
                result.offsets.push_back(items[i].offset);
            }
            result.codes.of_sample[items[i].sample] = static_cast<std::uint32_t>(result.offsets.size() - 1);
        }
    });
    result.codes.n_codes = result.offsets.size();
    return result;
}

/// An offset and a sample, in eight bytes where both fit.
template <class Word>
struct OffsetItem {
    Word offset;
    Word sample;

    OffsetItem() = default;
    OffsetItem(std::uint64_t o, std::size_t i) noexcept : offset(static_cast<Word>(o)), sample(static_cast<Word>(i)) {}
};

/// Codes that are offsets from the lowest label. Each label is read once: if another thread changes labels meanwhile,
/// codes are wrong, but never out of range.
Encoded encode_by_offset(const Labels& labels, const Range& range, const Crew& crew) {
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

}  // namespace

void check_n_labels(std::size_t n_labels) {
    if (n_labels >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 4294967294 distinct labels in one clustering");
    }
}

Encoded encode_far(const Labels& labels, const Range& range, const CancellationCheck& check_cancelled,
                   const HashSeed& seed) {
    if (std::optional<Encoded> few = encode_few(labels, range, check_cancelled, seed)) return *std::move(few);
    constexpr std::uint64_t narrow = std::numeric_limits<std::uint32_t>::max();
    return range.width() <= narrow && labels.size <= narrow
               ? encode_many<OffsetItem<std::uint32_t>>(labels, range, check_cancelled)
               : encode_many<OffsetItem<std::uint64_t>>(labels, range, check_cancelled);
}

LabelCodes encode(const Labels& labels, const CancellationCheck& check_cancelled, const HashSeed& seed) {
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

}  // namespace chanceless::counting

// Strings, in memory and in Arrow streams, against std::unordered_map; streams that are damaged or fail.

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "counting/arrow.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace counting;
namespace {

using Strings = std::vector<std::optional<std::string>>;

/// The codes in 32 bits.
std::vector<std::uint32_t> widened(const TextCodes& codes) {
    if (codes.narrow.empty()) return {codes.wide.begin(), codes.wide.end()};
    std::vector<std::uint32_t> wide;
    for (const std::uint8_t code : codes.narrow)
        wide.push_back(code == no_text<std::uint8_t> ? no_text<std::uint32_t> : code);
    return wide;
}

/// Whether each distinct string has a code of its own, and codes are bytes if they are few. With one thread they are in
/// order of appearance.
bool are_codes_of(const TextCodes& codes, const Strings& strings) {
    std::unordered_map<std::string_view, std::uint32_t> expected;
    const std::vector<std::uint32_t> found = widened(codes);
    bool same = found.size() == strings.size();
    const bool in_order = allowed_threads() == 1;
    for (std::size_t i = 0; same && i < strings.size(); ++i) {
        if (!strings[i]) {
            same = found[i] == no_text<std::uint32_t>;
            continue;
        }
        const auto [place, is_new] = expected.try_emplace(*strings[i], found[i]);
        same = found[i] == place->second && found[i] < codes.texts.size() &&
               codes.texts[found[i]].view() == *strings[i] && strings[codes.positions[found[i]]] == strings[i] &&
               (!in_order || !is_new || (found[i] == expected.size() - 1 && codes.positions[found[i]] == i));
    }
    const bool has_right_width = expected.size() <= 255 ? codes.wide.empty() : codes.narrow.empty();
    return same && has_right_width && codes.positions.size() == expected.size() &&
           codes.texts.size() == expected.size();
}

TextCodes encoded(const Strings& strings) {
    return encode_text(strings.size(), never_cancelled, [&](std::size_t start, std::size_t stop, const auto& visit) {
        for (std::size_t i = start; i < stop; ++i) {
            if (strings[i]) visit(i, Text(*strings[i]));
        }
    });
}

/// Strings of random length that differ in one random byte; some are missing.
Strings random_strings(std::size_t n, std::size_t most, std::mt19937_64& random) {
    Strings strings(n);
    for (auto& string : strings) {
        if (random() % 10 == 0) continue;
        string.emplace(random() % most, 'x');
        if (!string->empty()) (*string)[random() % string->size()] = static_cast<char>(random() % 256);
    }
    return strings;
}

void strings_in_memory() {
    std::mt19937_64 random(5);
    for (const char* threads : {"1", "3"}) {
        const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
        for (const std::size_t most : {5U, 14U, 40U}) {
            const Strings strings = random_strings(250'000, most, random);
            CHECK(are_codes_of(encoded(strings), strings));
        }
    }
    CHECK(encoded({}).narrow.empty() && encoded({}).wide.empty());
    CHECK(are_codes_of(encoded({std::nullopt, std::nullopt}), {std::nullopt, std::nullopt}));
}

/// Numbers of strings about the most that bytes can count, the last one met at the end, with and without gaps.
void narrow_and_wide_codes() {
    for (const char* threads : {"1", "3"}) {
        const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
        for (const std::size_t n_names : {1U, 254U, 255U, 256U, 257U, 2000U}) {
            for (const bool has_gaps : {false, true}) {
                Strings strings(300'000);
                for (std::size_t i = 0; i < strings.size(); ++i) {
                    if (!has_gaps || i % 7 != 0)
                        strings[i] = std::to_string(i * 31 % (n_names - (n_names > 1 ? 1 : 0)));
                }
                strings.back() = std::to_string(n_names - 1);
                CHECK(are_codes_of(encoded(strings), strings));
            }
        }
    }
}

/// Every length, with every byte changed: no two of these strings are equal.
void every_byte_counts() {
    Strings strings;
    for (std::size_t n = 0; n < 80; ++n) {
        strings.emplace_back(std::string(n, '\0'));
        for (std::size_t place = 0; place < n; ++place) {
            for (const char byte : {'\1', 'a', '\xFF'}) {
                strings.emplace_back(std::string(n, '\0'));
                strings.back()->at(place) = byte;
            }
        }
    }
    const TextCodes codes = encoded(strings);
    CHECK(codes.texts.size() == strings.size() && are_codes_of(codes, strings));
}

/// The words of a string view make the same text as its bytes, whatever lies behind them.
void words_of_views() {
    for (std::uint32_t n = 0; n <= Text::most_inside; ++n) {
        for (const char behind : {'\0', '\xFF'}) {
            const std::string_view bytes = "abcdefghijkl";
            char view[16];
            std::fill(std::begin(view), std::end(view), behind);
            std::memcpy(view, &n, 4);
            std::memcpy(view + 4, bytes.data(), n);
            std::uint64_t words[2];
            std::memcpy(words, view, 16);
            CHECK(Text::from_words(words[0], words[1]) == Text(bytes.substr(0, n)));
            CHECK(Text::from_words(words[0], words[1]).view() == bytes.substr(0, n));
        }
    }
}

/// One array of a stream with its memory. Tests damage it before it is sent.
struct Sent {
    std::vector<std::uint8_t> valid;
    std::vector<std::int32_t> offsets32;
    std::vector<std::int64_t> offsets64;
    std::vector<std::uint32_t> views;
    std::string shifted;  // the offsets or views again, from its second byte on: not aligned
    std::vector<std::string> data;
    std::vector<std::int64_t> sizes;
    std::vector<const void*> buffers;
    ArrowArray array{};
};

/// How many structs a test sent, and how many were released.
struct Ledger {
    int sent = 0;
    int released = 0;
};

template <class Struct>
void count_release(Struct* given) {
    ++static_cast<Ledger*>(given->private_data)->released;
    given->release = nullptr;
}

/// A producer of arrays in one format; calls for an array behind the last one end the stream, or fail.
class Producer {
  public:
    Producer(std::string format, std::vector<std::unique_ptr<Sent>> arrays, bool fails = false)
        : format_(std::move(format)), arrays_(std::move(arrays)), fails_(fails) {}

    Owned<ArrowArrayStream> stream() {
        ArrowArrayStream made{};
        made.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
            auto* producer = static_cast<Producer*>(self->private_data);
            *schema = {};
            schema->format = producer->format_.c_str();
            schema->private_data = &producer->ledger;
            schema->release = &count_release<ArrowSchema>;
            ++producer->ledger.sent;
            return 0;
        };
        made.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
            return static_cast<Producer*>(self->private_data)->next(array);
        };
        made.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
        made.release = [](ArrowArrayStream* self) {
            ++static_cast<Producer*>(self->private_data)->ledger.released;
            self->release = nullptr;
        };
        made.private_data = this;
        ++ledger.sent;
        return Owned<ArrowArrayStream>(made);
    }

    Ledger ledger;

  private:
    int next(ArrowArray* array) {
        *array = {};
        if (place_ == arrays_.size()) return fails_ ? EIO : 0;
        *array = arrays_[place_++]->array;
        array->private_data = &ledger;
        array->release = &count_release<ArrowArray>;
        ++ledger.sent;
        return 0;
    }

    std::string format_;
    std::vector<std::unique_ptr<Sent>> arrays_;
    bool fails_;
    std::size_t place_ = 0;
};

void add_view(Sent& sent, const std::string& string, std::uint32_t buffer) {
    std::uint32_t view[4] = {static_cast<std::uint32_t>(string.size()), 0, 0, 0};
    if (string.size() <= 12) {
        std::memcpy(view + 1, string.data(), string.size());
    } else {
        std::memcpy(view + 1, string.data(), 4);
        view[2] = buffer;
        view[3] = static_cast<std::uint32_t>(sent.data[buffer].size());
        sent.data[buffer] += string;
    }
    sent.views.insert(sent.views.end(), view, view + 4);
}

/// Sets the buffers after the memory of an array; `shift` makes them unaligned.
void set_buffers(Sent& sent, const std::string& format, bool shift) {
    const void* places = sent.views.data();
    std::size_t n_bytes = 4 * sent.views.size();
    if (format == "u") {
        places = sent.offsets32.data();
        n_bytes = 4 * sent.offsets32.size();
    } else if (format == "U") {
        places = sent.offsets64.data();
        n_bytes = 8 * sent.offsets64.size();
    }
    if (shift) {
        sent.shifted = "_" + std::string(static_cast<const char*>(places), n_bytes);
        places = sent.shifted.data() + 1;
    }
    sent.buffers = {sent.valid.empty() ? nullptr : sent.valid.data(), places};
    sent.sizes.clear();
    for (const std::string& data : sent.data) {
        sent.buffers.push_back(data.data());
        sent.sizes.push_back(static_cast<std::int64_t>(data.size()));
    }
    if (format == "vu") sent.buffers.push_back(sent.sizes.data());
    sent.array.buffers = sent.buffers.data();
    sent.array.n_buffers = static_cast<std::int64_t>(sent.buffers.size());
}

/// An array of strings behind `offset` others that do not count.
std::unique_ptr<Sent> array_of(const Strings& strings, const std::string& format, std::size_t offset, bool shift) {
    auto sent = std::make_unique<Sent>();
    sent->data.resize(format == "vu" ? 2 : 1);
    sent->offsets32.push_back(0);
    sent->offsets64.push_back(0);
    const std::size_t n = offset + strings.size();
    const bool has_nulls = std::count(strings.begin(), strings.end(), std::nullopt) > 0;
    sent->valid.resize(has_nulls ? n / 8 + 1 : 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::optional<std::string> string = i < offset ? "not this one" : strings[i - offset];
        if (has_nulls && string) sent->valid[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
        const std::string bytes = string.value_or("whatever lies behind a null");
        if (format == "vu") {
            add_view(*sent, bytes, static_cast<std::uint32_t>(i % 2));
        } else {
            sent->data[0] += bytes;
        }
        sent->offsets64.push_back(static_cast<std::int64_t>(sent->data[0].size()));
        sent->offsets32.push_back(static_cast<std::int32_t>(sent->data[0].size()));
    }
    sent->array.length = static_cast<std::int64_t>(strings.size());
    sent->array.offset = static_cast<std::int64_t>(offset);
    sent->array.null_count = has_nulls ? -1 : 0;
    set_buffers(*sent, format, shift);
    return sent;
}

std::optional<TextCodes> encoded(Producer& producer) {
    const auto strings = ArrowStrings::read(producer.stream(), never_cancelled);
    if (!strings) return std::nullopt;
    return encode_text(strings->size(), never_cancelled, [&](std::size_t start, std::size_t stop, const auto& visit) {
        strings->for_each(start, stop, visit);
    });
}

const char* const formats[] = {"u", "U", "vu"};

/// Streams of several arrays, some of them empty, sliced, unaligned or with nulls.
void streams() {
    std::mt19937_64 random(7);
    for (const char* threads : {"1", "3"}) {
        const EnvironmentVariable allowed("CHANCELESS_THREADS", threads);
        for (const std::string format : formats) {
            for (const std::size_t n_chunks : {0U, 1U, 2U, 30U}) {
                Strings all;
                std::vector<std::unique_ptr<Sent>> arrays;
                for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
                    const std::size_t n = random() % 3 == 0 ? random() % 3 : random() % 20'000;
                    Strings strings = random_strings(n, 2 + random() % 40, random);
                    if (random() % 2 == 0)
                        std::replace(strings.begin(), strings.end(), std::optional<std::string>(), {"y"});
                    arrays.push_back(array_of(strings, format, random() % 20, random() % 3 == 0));
                    all.insert(all.end(), strings.begin(), strings.end());
                }
                Producer producer(format, std::move(arrays));
                const auto strings = ArrowStrings::read(producer.stream(), never_cancelled);
                CHECK(strings && strings->size() == all.size());
                CHECK(strings->may_have_nulls() == (std::count(all.begin(), all.end(), std::nullopt) > 0));
                const auto read = [&](std::size_t start, std::size_t stop, const auto& visit) {
                    strings->for_each(start, stop, visit);
                };
                CHECK(are_codes_of(encode_text(all.size(), never_cancelled, read), all));
            }
        }
    }
}

/// Sends one array that `damage` changed; the names are read before the array is released.
template <class Damage>
bool is_refused(const std::string& format, const Damage& damage) {
    const Strings strings = {"short", "a string that is long", std::nullopt, "", "another long string"};
    std::vector<std::unique_ptr<Sent>> arrays;
    arrays.push_back(array_of(strings, format, 0, false));
    damage(*arrays[0]);
    Producer producer(format, std::move(arrays));
    const bool refused = throws<std::invalid_argument>([&] { encoded(producer); });
    return refused && producer.ledger.sent == 3 && producer.ledger.released == 3;
}

void damaged_streams() {
    for (const std::string format : formats) {
        CHECK(!is_refused(format, [](Sent&) {}));
        CHECK(is_refused(format, [](Sent& sent) { sent.array.length = -1; }));
        CHECK(is_refused(format, [](Sent& sent) { sent.array.offset = -1; }));
        CHECK(is_refused(format, [](Sent& sent) { sent.array.n_buffers = 2; }));
        CHECK(is_refused(format, [](Sent& sent) { sent.array.buffers = nullptr; }));
        CHECK(is_refused(format, [](Sent& sent) { sent.buffers[1] = nullptr; }));
        CHECK(
            is_refused(format, [](Sent& sent) { sent.buffers[2] = sent.buffers[3 % sent.buffers.size()] = nullptr; }));
    }
    for (const std::int32_t wrong : {-1, 3, 1000}) {
        CHECK(is_refused("u", [&](Sent& sent) { sent.offsets32[2] = wrong; }));
        CHECK(is_refused("U", [&](Sent& sent) { sent.offsets64[2] = wrong; }));
    }
    CHECK(is_refused("u", [](Sent& sent) { sent.offsets32[0] = -1; }));
    CHECK(is_refused("U", [](Sent& sent) { sent.offsets64[5] = -1; }));
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[4] = 22; }));  // the size of the long string
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[4] = 0xFFFFFFFFU; }));
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[6] = 2; }));  // its buffer
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[6] = 0xFFFFFFFFU; }));
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[7] = 1; }));  // its place
    CHECK(is_refused("vu", [](Sent& sent) { sent.views[7] = 0xFFFFFFFFU; }));
    CHECK(is_refused("vu", [](Sent& sent) { sent.sizes[1] = -1; }));
    CHECK(is_refused("vu", [](Sent& sent) { sent.sizes[1] = 20; }));
}

/// Streams that are not of strings, or that fail: everything is released.
void failing_streams() {
    for (const std::string format : {"i", "z", "vz", "", "+s", "tdD"}) {
        Producer producer(format, {});
        CHECK(!encoded(producer));
        CHECK(producer.ledger.sent == 2 && producer.ledger.released == 2);
    }
    std::vector<std::unique_ptr<Sent>> arrays;
    arrays.push_back(array_of({"a", "b"}, "u", 0, false));
    Producer producer("u", std::move(arrays), true);
    CHECK(throws<std::runtime_error>([&] { encoded(producer); }));
    CHECK(producer.ledger.sent == 3 && producer.ledger.released == 3);
    Producer cancelled("u", {});
    const CancellationCheck cancel = [] { throw std::runtime_error("cancelled"); };
    CHECK(throws<std::runtime_error>([&] { ArrowStrings::read(cancelled.stream(), cancel); }));
    CHECK(cancelled.ledger.sent == cancelled.ledger.released);
}

const TestGroup these_tests("text", [] {
    strings_in_memory();
    narrow_and_wide_codes();
    every_byte_counts();
    words_of_views();
    streams();
    damaged_streams();
    failing_streams();
});

}  // namespace
}  // namespace chanceless::tests

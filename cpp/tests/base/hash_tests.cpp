// Labels made to collide: few probes for every seed, and results that do not depend on the seed.

#include <cstring>
#include <functional>
#include <set>
#include <string>

#include "counting/text.hpp"
#include "numbers/fixed_point.hpp"
#include "tests/check.hpp"

namespace chanceless::tests {

using namespace counting;
namespace {

using Keys = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

constexpr std::size_t n_labels = 12'000;

/// The inverse of an odd factor modulo 2^64, by Newton's method.
std::uint64_t inverse_of(std::uint64_t factor) {
    std::uint64_t inverse = factor;
    for (int step = 0; step < 6; ++step) inverse *= 2 - factor * inverse;
    return inverse;
}

/// The inverse of x -> x ^ (x >> shift).
std::uint64_t unshifted(std::uint64_t word, unsigned shift) {
    std::uint64_t result = word;
    for (unsigned done = shift; done < 64; done += shift) result = word ^ (result >> shift);
    return result;
}

/// The key that the finaliser of splitmix64 maps to `word`.
std::uint64_t before_splitmix(std::uint64_t word) {
    word = unshifted(word, 31) * inverse_of(0x94D049BB133111EBU);
    word = unshifted(word, 27) * inverse_of(0xBF58476D1CE4E5B9U);
    return unshifted(word, 30);
}

std::uint64_t reversed(std::uint64_t word) {
    std::uint64_t result = 0;
    for (int bit = 0; bit < 64; ++bit) result |= ((word >> bit) & 1U) << (63 - bit);
    return result;
}

Keys keys_of(const std::function<std::uint64_t(std::uint64_t)>& key) {
    Keys keys;
    for (std::uint64_t i = 0; i < n_labels; ++i) keys.push_back(key(i));
    return keys;
}

std::vector<Keys> crafted_keys() {
    std::vector<Keys> all = {
        keys_of([](std::uint64_t i) { return before_splitmix(i << 20); }),  // one slot without a seed
        keys_of([](std::uint64_t i) { return before_splitmix(i << 44); }),
        keys_of(reversed),
        keys_of([](std::uint64_t i) { return i * i; }),
        keys_of([](std::uint64_t i) { return i * 1'000'000; }),
        keys_of([](std::uint64_t i) { return i * 0x9E3779B97F4A7C15U; }),
        keys_of([](std::uint64_t i) { return ~i; }),
        keys_of([](std::uint64_t i) { return (i << 32) | i; }),
    };
    for (const unsigned shift : {1U, 8U, 16U, 24U, 32U, 40U, 50U}) {
        all.push_back(keys_of([&](std::uint64_t i) { return i << shift; }));
        all.push_back(keys_of([&](std::uint64_t i) { return (i << shift) + 77; }));
    }
    return all;
}

std::uint64_t folded(std::uint64_t left, std::uint64_t right) {
    const uint128 product = uint128{left} * right;
    return low_half(product) ^ high_half(product);
}

std::string bytes_of(const std::vector<std::uint64_t>& words) {
    std::string text(8 * words.size(), '\0');
    std::memcpy(text.data(), words.data(), text.size());
    return text;
}

/// Strings of 16 or more bytes whose last word cancels the words before, in a hash with a known factor and start.
Texts cancelling(std::size_t n_words, std::uint64_t start, std::uint64_t factor) {
    std::mt19937_64 random(n_words);
    Texts texts;
    for (std::size_t i = 0; i < n_labels; ++i) {
        std::vector<std::uint64_t> words;
        std::uint64_t hash = start;
        for (std::size_t place = 0; place + 1 < n_words; ++place) {
            words.push_back(random());
            hash = folded(hash ^ words.back(), factor);
        }
        words.push_back(hash ^ 12345U);
        texts.push_back(bytes_of(words));
    }
    return texts;
}

/// Strings with the words of integers, at the start, in the middle or at the end of zeros or letters.
Texts with_words(const Keys& keys, std::size_t n_words, std::size_t place, char filler) {
    Texts texts;
    for (const std::uint64_t key : keys) {
        texts.emplace_back(8 * n_words, filler);
        std::memcpy(texts.back().data() + 8 * place, &key, 8);
    }
    return texts;
}

/// Strings of twelve bytes, the longest that a `Text` stores, with the words of integers at a place.
Texts of_twelve(const Keys& keys, std::size_t place) {
    Texts texts;
    for (const std::uint64_t key : keys) {
        texts.emplace_back(12, 'x');
        std::memcpy(texts.back().data() + place, &key, 8);
    }
    return texts;
}

Texts pairs_of_words(const Keys& keys, std::uint64_t difference) {
    Texts texts;
    for (const std::uint64_t key : keys) texts.push_back(bytes_of({key, key ^ difference}));
    return texts;
}

std::vector<Texts> crafted_texts() {
    constexpr std::uint64_t old_factor = 0x9FB21C651E98DF25U;
    constexpr std::uint64_t old_start = 0x2545F4914F6CDD1DU;
    std::vector<Texts> all;
    for (const std::size_t n_words : {2U, 3U, 5U})
        all.push_back(cancelling(n_words, old_start + 8 * n_words, old_factor));
    for (const Keys& keys : crafted_keys()) {
        all.push_back(with_words(keys, 1, 0, 0));
        all.push_back(with_words(keys, 2, 0, 'x'));
        all.push_back(with_words(keys, 2, 1, 0));
        all.push_back(with_words(keys, 5, 1, 'x'));
        all.push_back(of_twelve(keys, 0));
        all.push_back(of_twelve(keys, 4));
        all.push_back(pairs_of_words(keys, 0));
        all.push_back(pairs_of_words(keys, ~std::uint64_t{0}));
    }
    Texts numbers, lengths;
    for (std::size_t i = 0; i < n_labels; ++i) numbers.push_back("cluster " + std::to_string(i));
    for (std::size_t i = 0; i < 2000; ++i) lengths.emplace_back(i, 'a');
    all.push_back(numbers);
    all.push_back(lengths);
    return all;
}

/// Probes beyond the first, for each distinct label. Half of the slots are used at most: 0.5 is expected for random
/// hashes, and 2 bounds the average of unlucky ones.
constexpr double most_probes = 2.0;

double probes_of(const Keys& keys, const HashSeed& seed) {
    KeyDictionary dictionary(seed);
    for (const std::uint64_t key : keys) dictionary.code_of(key);
    CHECK(dictionary.keys().size() == keys.size());
    return static_cast<double>(dictionary.displacement()) / static_cast<double>(keys.size());
}

double probes_of(const Texts& texts, const HashSeed& seed) {
    TextDictionary dictionary(seed);
    std::size_t n_distinct = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
        n_distinct += dictionary.code_of(Text(texts[i]), i) == n_distinct ? 1 : 0;
    CHECK(n_distinct == texts.size());
    return static_cast<double>(dictionary.displacement()) / static_cast<double>(texts.size());
}

void few_probes() {
    const std::vector<Keys> every_keys = crafted_keys();
    const std::vector<Texts> every_texts = crafted_texts();
    for (std::uint64_t number = 0; number < 8; ++number) {
        const HashSeed seed(number);
        for (const Keys& keys : every_keys) CHECK(probes_of(keys, seed) < most_probes);
        if (number >= 2) continue;
        for (const Texts& texts : every_texts) CHECK(probes_of(texts, seed) < most_probes);
    }
    CHECK(probes_of(every_keys[0], process_seed()) < most_probes);
    CHECK(probes_of(every_texts[0], process_seed()) < most_probes);
}

/// The attacks do what they claim, against the hashes that they were made for.
void attacks_are_attacks() {
    const auto splitmix = [](std::uint64_t key) {
        key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9U;
        key = (key ^ (key >> 27)) * 0x94D049BB133111EBU;
        return key ^ (key >> 31);
    };
    std::set<std::uint64_t> slots, hashes;
    const Keys keys = crafted_keys()[0];
    const Texts texts = crafted_texts()[1];
    for (const std::uint64_t key : keys) slots.insert(splitmix(key) & 0x7FFFU);
    for (const std::string& text : texts) {
        std::uint64_t hash = 24 + 0x2545F4914F6CDD1DU;
        for (std::size_t place = 0; place < 3; ++place) {
            std::uint64_t word;
            std::memcpy(&word, text.data() + 8 * place, 8);
            hash = folded(hash ^ word, 0x9FB21C651E98DF25U);
        }
        hashes.insert(hash);
    }
    CHECK(slots.size() == 1);
    CHECK(hashes.size() == 1);
}

/// Codes and labels are the same for all seeds.
void results_without_the_seed() {
    std::mt19937_64 random(3);
    Keys keys = crafted_keys()[0];
    keys.resize(3000);
    Texts texts;
    for (std::size_t i = 0; i < 3000; ++i) texts.push_back("label " + std::to_string(random() % 1000));
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[random() % (i + 1)];
    const LabelCodes by_process = encode(view(keys), never_cancelled);
    const auto read = [&](std::size_t start, std::size_t stop, const auto& visit) {
        for (std::size_t i = start; i < stop; ++i) visit(i, Text(texts[i]));
    };
    const TextCodes texts_by_process = encode_text(texts.size(), never_cancelled, read);
    for (std::uint64_t number = 0; number < 100; ++number) {
        const HashSeed seed(random());
        const TextCodes codes = encode_text(texts.size(), never_cancelled, read, seed);
        CHECK(codes.wide == texts_by_process.wide && codes.positions == texts_by_process.positions);
        const LabelCodes encoded = encode(view(keys), never_cancelled, seed);
        CHECK(encoded.codes == by_process.codes && encoded.labels == by_process.labels);
    }
}

/// Only a number fixes the secret: a misspelled one must not make it known to everybody.
void numbers_of_texts() {
    CHECK(whole_number("0") == 0U && whole_number("18446744073709551615") == ~std::uint64_t{0});
    for (const char* text : {"", "abc", "1x", "0x10", "1.5"}) CHECK(!whole_number(text));
    CHECK(!whole_number(nullptr));
}

const TestGroup these_tests("hash", [] {
    numbers_of_texts();
    attacks_are_attacks();
    few_probes();
    results_without_the_seed();
});

}  // namespace
}  // namespace chanceless::tests

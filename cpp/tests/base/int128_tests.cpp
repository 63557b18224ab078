// Integers of 128 bits: two limbs against their definitions, and against the compiler's own type where there is one.

#include "tests/check.hpp"

namespace chanceless::tests {

namespace {

using Unsigned = TwoLimbs<false>;
using Signed = TwoLimbs<true>;

static_assert(((Unsigned{1} << 100) - 1) / 7 * 7 + ((Unsigned{1} << 100) - 1) % 7 == (Unsigned{1} << 100) - 1);
static_assert(Unsigned{~std::uint64_t{0}} * ~std::uint64_t{0} ==
              (Unsigned{~std::uint64_t{0}} << 64) - ~std::uint64_t{0});
static_assert(static_cast<double>(Signed{-3} << 70) == -3 * 0x1p70);
static_assert(static_cast<Signed>(-0x1.8p100) == -(Signed{3} << 99));
static_assert(Signed{-1} < Signed{0} && (Signed{-1} >> 127) == -1 && static_cast<int>(Signed{-5}) == -5);
static_assert(!static_cast<bool>(Unsigned{0}) && static_cast<bool>(Unsigned{1} << 64));

/// Powers of two, what is beside them, and random numbers of every length.
std::vector<Limbs> numbers() {
    std::vector<Limbs> result{{0, 0}, {~std::uint64_t{0}, ~std::uint64_t{0}}, {0x5555555555555555, 0xAAAAAAAAAAAAAAAA}};
    for (const int bit : {0, 1, 2, 31, 32, 33, 52, 53, 54, 63, 64, 65, 95, 96, 97, 116, 117, 118, 126, 127}) {
        for (const int beside : {-1, 0, 1}) result.push_back(((Unsigned{1} << bit) + beside).limbs());
    }
    std::mt19937_64 random(128);
    for (int length = 1; length <= 128; ++length) {
        result.push_back((Unsigned(Limbs{random(), random()}) >> (128 - length)).limbs());
    }
    return result;
}

/// The product, bit by bit.
Unsigned product_of(const Unsigned& left, const Unsigned& right) {
    Unsigned sum = 0;
    for (int bit = 0; bit < 128; ++bit) {
        if (static_cast<bool>((right >> bit) & 1)) sum += left << bit;
    }
    return sum;
}

/// The nearest double, ties to even, from the leading 53 bits and what is left of them.
double nearest(const Unsigned& value) {
    int length = 0;
    while (length < 128 && (value >> length) != 0) ++length;
    if (length <= 53) return static_cast<double>(static_cast<std::int64_t>(value));
    const int dropped = length - 53;
    const auto kept = static_cast<std::int64_t>(value >> dropped);
    const Unsigned rest = value - (Unsigned{kept} << dropped);
    const Unsigned half = Unsigned{1} << (dropped - 1);
    const bool up = rest > half || (rest == half && kept % 2 == 1);
    return std::ldexp(static_cast<double>(kept + static_cast<std::int64_t>(up)), dropped);
}

void one_number(const Limbs& limbs) {
    const Unsigned value(limbs);
    const Signed same_bits(value);
    CHECK(Unsigned(same_bits) == value && -(-value) == value && value + -value == 0);
    CHECK(same_bits.is_negative() == (limbs.high >> 63 != 0) && (same_bits < 0) == same_bits.is_negative());
    CHECK(static_cast<std::uint64_t>(value) == limbs.low && static_cast<std::uint64_t>(value >> 64) == limbs.high);
    CHECK(static_cast<double>(value) == nearest(value));
    const double magnitude = nearest(same_bits < 0 ? -value : value);
    CHECK(static_cast<double>(same_bits) == (same_bits < 0 ? -magnitude : magnitude));
    // Doubles that fit are whole from 2^52 on; with one bit behind the point, that bit is dropped.
    const double whole = std::ldexp(static_cast<double>(limbs.high >> 11), static_cast<int>(limbs.low % 74));
    CHECK(static_cast<double>(Unsigned(whole)) == whole && static_cast<double>(Signed(-whole / 2)) <= 0.0);
    const auto small = static_cast<double>(limbs.low >> 12);
    CHECK(Unsigned(small + 0.5) == limbs.low >> 12 && Signed(-small - 0.5) == -Signed{limbs.low >> 12});
    for (int bits = 0; bits < 128; ++bits) {
        const Unsigned power = Unsigned{1} << bits;
        CHECK((value << bits) == product_of(value, power));
        CHECK((value >> bits) == value / power && (value & (power - 1)) == value % power);
        // Rounded down: -x is ~(x - 1), whose shift is that of x - 1, complemented.
        const Signed shifted = same_bits >> bits;
        CHECK(same_bits < 0 ? Unsigned(shifted) == -((-value - 1) >> bits) - 1 : Unsigned(shifted) == (value >> bits));
    }
}

void two_numbers(const Unsigned& left, const Unsigned& right) {
    CHECK(left + right - right == left && left - right == -(right - left));
    CHECK(left * right == product_of(left, right) && Signed(left) * Signed(right) == Signed(product_of(left, right)));
    CHECK((left & right) + (left | right) == left + right);
    CHECK((left < right) + (left == right) + (left > right) == 1 && (left <= right) == !(left > right));
    CHECK((Signed(left) < Signed(right)) ==
          (Signed(left).is_negative() == Signed(right).is_negative() ? left < right : Signed(left).is_negative()));
    if (right == 0) return;
    const Unsigned quotient = left / right, remainder = left % right;
    CHECK(remainder < right && product_of(quotient, right) + remainder == left);
}

/// A divisor of one limb, and a dividend of two whose quotient has one.
void one_limb(const Limbs& dividend, std::uint64_t divisor) {
    if (dividend.high >= divisor) return;
    const Division two_limbs = divide_two_limbs(dividend.high, dividend.low, divisor);
    CHECK(two_limbs.remainder < divisor);
    CHECK(Unsigned{two_limbs.quotient} * divisor + two_limbs.remainder == Unsigned(dividend));
    const Division chosen = divide_limbs(dividend.high, dividend.low, divisor);
    CHECK(chosen.quotient == two_limbs.quotient && chosen.remainder == two_limbs.remainder);
}

/// All integers convert as the compiler's do, and mix with 128 bits.
void conversions() {
    CHECK(Signed{std::numeric_limits<std::int64_t>::min()} == -(Signed{1} << 63));
    CHECK(Unsigned{-1} == Unsigned(Signed{-1}) && Unsigned{true} == 1 && Signed{std::int8_t{-7}} == -7);
    CHECK(3 * Unsigned{5} - 1 == 14U && -2 * Signed{4} == -8 && (Unsigned{6} | 1) == 7);
    CHECK(static_cast<std::int8_t>(Signed{-300}) == static_cast<std::int8_t>(-300 + 256));
    CHECK(static_cast<std::uint32_t>(Unsigned{1} << 32) == 0);
}

#ifdef CHANCELESS_COMPILER_HAS_INT128

CompilerUint128 joined(const Limbs& limbs) { return (CompilerUint128{limbs.high} << 64) | limbs.low; }
bool equal(const Unsigned& own, CompilerUint128 other) { return joined(own.limbs()) == other; }

void same_as_compiler(const Limbs& first, const Limbs& second) {
    const Unsigned left(first), right(second);
    const CompilerUint128 a = joined(first), b = joined(second);
    const auto signed_a = static_cast<CompilerInt128>(a), signed_b = static_cast<CompilerInt128>(b);
    CHECK(equal(left + right, a + b) && equal(left - right, a - b) && equal(left * right, a * b));
    CHECK(equal(left & right, a & b) && equal(left | right, a | b) && equal(-left, -a));
    CHECK((left < right) == (a < b) && (Signed(left) < Signed(right)) == (signed_a < signed_b));
    if (b != 0) CHECK(equal(left / right, a / b) && equal(left % right, a % b));
    const auto bits = static_cast<int>(second.low % 128);
    CHECK(equal(left << bits, a << bits) && equal(left >> bits, a >> bits));
    CHECK(equal(Unsigned(Signed(left) >> bits), static_cast<CompilerUint128>(signed_a >> bits)));
    CHECK(static_cast<double>(left) == static_cast<double>(a));
    CHECK(static_cast<double>(Signed(left)) == static_cast<double>(signed_a));
    const double whole = std::ldexp(static_cast<double>(signed_a), -static_cast<int>(second.high % 128));
    CHECK(equal(Unsigned(Signed(whole / 2)), static_cast<CompilerUint128>(static_cast<CompilerInt128>(whole / 2))));
}

#else

void same_as_compiler(const Limbs&, const Limbs&) {}

#endif

/// Sums and products of limbs with a carry, against those of 128 bits.
void carries(const Limbs& left, const Limbs& right) {
    for (const std::uint64_t before : {std::uint64_t{0}, std::uint64_t{1}}) {
        std::uint64_t carry = before;
        const std::uint64_t sum = add_with_carry(left.low, right.low, carry);
        CHECK(Unsigned(Limbs{carry, sum}) == Unsigned{left.low} + right.low + before);
    }
    std::uint64_t carry = right.high;
    const std::uint64_t low = multiply_add(left.low, right.low, left.high, carry);
    CHECK(Unsigned(Limbs{carry, low}) == Unsigned{left.low} * right.low + left.high + right.high);
}

/// Limbs of which many bits are equal: these are where digits of a quotient are guessed too large.
std::uint64_t uneven_limb(std::mt19937_64& random) {
    const std::uint64_t ones = ~std::uint64_t{0} << (random() % 64);
    return (random() % 2 == 0 ? ones : ~ones) ^ (random() % 2 == 0 ? random() >> (random() % 64) : 0);
}

const TestGroup these_tests("int128", [] {
    conversions();
    const std::vector<Limbs> all = numbers();
    for (const Limbs& left : all) {
        one_number(left);
        for (const Limbs& right : all) {
            two_numbers(Unsigned(left), Unsigned(right));
            one_limb(left, right.low);
            same_as_compiler(left, right);
            carries(left, right);
        }
    }
    std::mt19937_64 random(64);
    for (int i = 0; i < 200'000; ++i) {
        const Limbs left{uneven_limb(random), uneven_limb(random)}, right{uneven_limb(random), uneven_limb(random)};
        same_as_compiler(left, right);
        carries(left, right);
        one_limb({left.high % (right.low + (right.low == 0)), left.low}, right.low);
    }
});

}  // namespace
}  // namespace chanceless::tests

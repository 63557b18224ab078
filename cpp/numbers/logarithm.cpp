
#include "numbers/log_sum.hpp"

namespace chanceless::numbers {

namespace {

/// 2 atanh(numerator / denominator), for a ratio of at most 2^-8.
template <std::size_t F>
Fixed<F> twice_atanh(std::uint64_t numerator, std::uint64_t denominator) noexcept {
    // The first term left out is below ratio^(2 terms + 3) <= 2^(-64 F - 24).
    constexpr std::size_t terms = 4 * F;
    static const auto odd_reciprocals = [] {
        std::array<Fraction<F>, terms + 1> result{};
        for (std::size_t i = 1; i <= terms; ++i) result[i] = quotient<F>(1, 2 * i + 1);
        return result;
    }();
    const Fraction<F> ratio = quotient<F>(numerator, denominator);
    const Fraction<F> square = ratio * ratio;
    Fraction<F> series = odd_reciprocals[terms];
    for (std::size_t i = terms - 1; i > 0; --i) {
        series = series * square;
        std::uint64_t carry = 0;
        for (std::size_t limb = 0; limb < F; ++limb) {
            series[limb] = add_with_carry(series[limb], odd_reciprocals[i][limb], carry);
        }
    }
    Fixed<F> result(ratio);
    result += Fixed<F>(ratio * (square * series));
    return result + result;
}

/// log(j / 128) for j = 128 ... 256.
template <std::size_t F>
const std::array<Fixed<F>, 129>& reference_logs() noexcept {
    static const auto table = [] {
        std::array<Fixed<F>, 129> result{};
        for (std::uint64_t j = 128; j < 256; ++j) {
            result[j - 127] = result[j - 128] + twice_atanh<F>(1, 2 * j + 1);
        }
        return result;
    }();
    return table;
}

/// left * right in units of 2^-128, as both are; at most 3 units too low.
constexpr uint128 high_product(uint128 left, uint128 right) noexcept {
    const std::uint64_t left_high = high_half(left), right_high = high_half(right);
    return uint128{left_high} * right_high + high_half(uint128{left_high} * low_half(right)) +
           high_half(uint128{low_half(left)} * right_high);
}

/// left * right in the units of left, of 2^-128; right is in units of 2^-64. At most 1 unit too low.
constexpr uint128 high_product(uint128 left, std::uint64_t right) noexcept {
    return uint128{high_half(left)} * right + high_half(uint128{low_half(left)} * right);
}

/// left * right, all in units of 2^-64; at most 1 unit too low.
constexpr std::uint64_t high_product(std::uint64_t left, std::uint64_t right) noexcept {
    return high_half(uint128{left} * right);
}

/// log(1 + rest) for 0 <= rest < 2^-19.98, both in units of 2^-128; less than 28 units too low, less than 19 too high.
///
/// log(1 + rest) = rest - rest^2 / 2 + rest^3 * third, where third = 1/3 - rest/4 + rest^2/5 - rest^3/6; the terms left
/// out are below 2^-142. In units of 2^-64, `third` is 1.6 too low (1/3 is rounded down, as are the square and its
/// product) to 1 too high (rest/4 is rounded down). Times rest^3 < 2^-59.94, that is 26 and 17 units. The square is up
/// to 3 units too low, and rounded down when halved; the cube is up to 3 too low, a third of which is left in its
/// product, that is up to 1 too low itself.
constexpr uint128 log_near_one(uint128 rest) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t leading = high_half(rest);
    const uint128 square = high_product(rest, rest);
    const std::uint64_t fifth = all / 5 - high_product(leading, all / 6);
    const std::uint64_t third = all / 3 - leading / 4 + high_product(high_half(square), fifth);
    return rest - (square >> 1) + high_product(high_product(square, rest), third);
}

}  // namespace

template <std::size_t F>
Fixed<F> log_by_series(std::uint64_t value) noexcept {
    const auto& reference = reference_logs<F>();
    const int exponent = static_cast<int>(std::bit_width(value)) - 1;
    // value = 2^exponent * m with m in [1, 2); nearest is the multiple of 1/128 next to m.
    const std::uint64_t nearest = (((value << 8) >> exponent) + 1) >> 1;
    const std::uint64_t scaled = value << 7;
    const std::uint64_t target = nearest << exponent;
    Fixed<F> result = int128{exponent} * reference[128] + reference[nearest - 128];
    if (scaled >= target) {
        result += twice_atanh<F>(scaled - target, scaled + target);
    } else {
        result -= twice_atanh<F>(target - scaled, scaled + target);
    }
    return result;
}

Fixed<2> LogTables::compute(std::uint64_t value) const noexcept {
    const int zeros = std::countl_zero(value | 1);  // 0 has no logarithm, and needs no branch
    const std::uint64_t m = value << zeros;         // in units of 2^-63
    const Factor& first = first_[(m >> 56) - (1U << 7)];
    const uint128 nearer = uint128{m} * first.factor;
    const Factor& second = second_[high_half(nearer) - (1U << 13)];
    const uint128 next = nearer * second.factor;
    const Factor& third = third_[(high_half(next) >> 17) - (1U << 20)];
    const uint128 rest = next * third.factor;  // the 1 before the point overflows
    return powers_[static_cast<std::size_t>(63 - zeros)] +
           Fixed<2>(first.log + second.log + third.log + log_near_one(rest));
}

template <std::size_t size>
void LogTables::fill(std::array<Factor, size>& factors, int step_bits, int bits) noexcept {
    const Fixed<3> one = log_by_series<3>(std::uint64_t{1} << bits);
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t least = (std::uint64_t{1} << step_bits) + i;
        const std::uint64_t factor = ((std::uint64_t{1} << (step_bits + bits)) + least - 1) / least;
        factors[i] = {(one - log_by_series<3>(factor)).fraction(), factor};
    }
}

LogTables::LogTables() noexcept {
    fill(first_, 7, 14);
    fill(second_, 13, 24);
    fill(third_, 20, 27);
    const Fixed<3> log_two = log_by_series<3>(2);
    for (std::size_t i = 0; i < powers_.size(); ++i) powers_[i] = Fixed<2>(static_cast<int128>(i) * log_two);
    for (std::size_t i = 1; i < small_.size(); ++i) small_[i] = compute(i);
}

template Fixed<3> log_by_series(std::uint64_t) noexcept;
template Fixed<5> log_by_series(std::uint64_t) noexcept;

namespace {

/// At least |weight|, and hardly more; faster than the conversion of 128 bits.
double bound_of(int128 weight) noexcept {
    const auto magnitude = static_cast<uint128>(weight < 0 ? -weight : weight);
    const auto high = static_cast<double>(static_cast<std::int64_t>(high_half(magnitude)));
    const auto low = static_cast<double>(static_cast<std::int64_t>(low_half(magnitude) >> 1));
    return high * 0x1p64 + (low + 1.0) * 2.0;
}

template <class Function, std::size_t F>
Rounded round_with(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept {
    Fixed<F> sum;
    double error = 0.0;
    for (const LogTerm& term : terms) {
        sum += term.weight * Function::template at<F>(term.value);
        error += bound_of(term.weight) * Function::template error<F>(term.value);
    }
    return round_sum(sum, error, divisor, power);
}

}  // namespace

template <std::size_t F>
Rounded round_sum(const Fixed<F>& sum, double error, std::uint64_t divisor, int power) noexcept {
    // ilogb + 2: a power of two above the bound, with room for the rounding of the bound itself.
    const int margin = std::ilogb(error) + 2;
    if (const std::optional<double> nearest = sum.divided_within(margin, divisor, power)) return {*nearest, true};
    // Bounds on either side of zero: zero it is, as far as this precision can tell.
    return {sum.bit_width() <= margin ? 0.0 : sum.divided(divisor, power), false};
}

template <class Function>
double correctly_rounded(std::span<const LogTerm> terms, std::uint64_t divisor, int power) noexcept {
    if (terms.empty()) return 0.0;
    Rounded result = round_with<Function, 2>(terms, divisor, power);
    if (!result.certain) result = round_with<Function, 3>(terms, divisor, power);
    if (!result.certain) result = round_with<Function, 5>(terms, divisor, power);
    return result.value;
}

template Rounded round_sum(const Fixed<2>&, double, std::uint64_t, int) noexcept;
template double correctly_rounded<Log>(std::span<const LogTerm>, std::uint64_t, int) noexcept;
template double correctly_rounded<ValueTimesLog>(std::span<const LogTerm>, std::uint64_t, int) noexcept;

}  // namespace chanceless::numbers

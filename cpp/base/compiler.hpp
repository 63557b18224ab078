#pragma once

// What differs by compiler and processor: attributes of functions, stores and prefetches, and the popcnt instruction.

#include <cstring>

#if defined(__GNUC__)  // Clang, too
#define CHANCELESS_ALWAYS_INLINE [[gnu::always_inline]] inline
#define CHANCELESS_NEVER_INLINE [[gnu::noinline]]
#define CHANCELESS_RESTRICT __restrict
#elif defined(_MSC_VER)
#define CHANCELESS_ALWAYS_INLINE __forceinline
#define CHANCELESS_NEVER_INLINE __declspec(noinline)
#define CHANCELESS_RESTRICT  // MSVC has it, but as a part of the type of a function
#else
#define CHANCELESS_ALWAYS_INLINE inline
#define CHANCELESS_NEVER_INLINE
#define CHANCELESS_RESTRICT
#endif

// The popcnt instruction is missing from the oldest x86-64 processors, so that GCC and Clang use it on request only.
// MSVC asks the processor in std::popcount; other processors have such an instruction always.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__POPCNT__)
#include <cpuid.h>
#define CHANCELESS_USES_POPCNT [[gnu::target("popcnt")]]
#else
#define CHANCELESS_USES_POPCNT
#endif

// Every x86-64 has SSE2.
#if defined(__SSE2__) || defined(_M_X64)
#define CHANCELESS_HAS_SSE2
#include <emmintrin.h>
#endif

namespace chanceless::base {

/// Whether functions marked CHANCELESS_USES_POPCNT may be called and are faster. Asks the processor itself: not every
/// runtime library of a compiler knows it.
inline bool has_popcnt() noexcept {
#ifdef bit_POPCNT
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_POPCNT) != 0;
#else
    return false;
#endif
}

#ifdef CHANCELESS_HAS_SSE2
inline constexpr bool has_streaming_stores = true;
#else
inline constexpr bool has_streaming_stores = false;
#endif

/// Copies the 64 bytes of a cache line to another, past the cache if it `Streams`. Both addresses are multiples of 64.
template <bool Streams>
inline void write_line(void* to, const void* from) noexcept {
    static_assert(has_streaming_stores || !Streams);
#ifdef CHANCELESS_HAS_SSE2
    if constexpr (Streams) {
        for (int i = 0; i < 4; ++i) {
            const __m128i word = _mm_load_si128(static_cast<const __m128i*>(from) + i);
            _mm_stream_si128(static_cast<__m128i*>(to) + i, word);
        }
        return;
    }
#endif
    std::memcpy(to, from, 64);
}

/// Makes the lines that were written visible to other threads, in order with later stores.
template <bool Streams>
inline void finish_lines() noexcept {
#ifdef CHANCELESS_HAS_SSE2
    if constexpr (Streams) _mm_sfence();
#endif
}

/// Loads a cache line that is needed soon.
inline void prefetch(const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#elif defined(CHANCELESS_HAS_SSE2)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#endif
}

}  // namespace chanceless::base

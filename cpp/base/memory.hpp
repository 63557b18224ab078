#pragma once

// Large uninitialised arrays, in huge pages where the system has them: to map small pages would cost more time than to
// use the memory.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "base/standard.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace chanceless::base {

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using Array = std::unique_ptr<T[], Free>;

/// Memory for std::free; null if there is none.
inline void* allocate(std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t large_page = std::size_t{1} << 21;
    if (bytes >= large_page) {
        const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
        void* memory = std::aligned_alloc(large_page, rounded);
        // A hint: without it the results are the same, only later.
        if (memory != nullptr) madvise(memory, rounded, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return std::malloc(bytes > 0 ? bytes : 1);
}

/// Uninitialised array of n elements.
template <class T>
Array<T> uninitialised(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t bytes = n * sizeof(T);
    if (bytes / sizeof(T) != n) throw std::bad_alloc();
    void* memory = allocate(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return Array<T>(static_cast<T*>(memory));
}

/// Allocator of vectors with memory from `uninitialised`.
template <class T>
struct LargePageAllocator {
    using value_type = T;

    LargePageAllocator() noexcept = default;
    template <class Other>
    LargePageAllocator(const LargePageAllocator<Other>&) noexcept {}  // NOLINT: allocators convert

    /// Without a value, elements stay uninitialised.
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Values>
    void construct(U* place, Values&&... values) {
        ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
    }

    T* allocate(std::size_t n) { return uninitialised<T>(n).release(); }
    void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
    bool operator==(const LargePageAllocator&) const noexcept = default;
};

template <class T>
Array<T> zeros(std::size_t n) {
    Array<T> result = uninitialised<T>(n);
    std::memset(result.get(), 0, n * sizeof(T));
    return result;
}

}  // namespace chanceless::base

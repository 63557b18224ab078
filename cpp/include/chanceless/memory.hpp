#pragma once

// Large arrays without a constructor call for each entry, and in large pages where the system has them: small ones
// would cost more to be given by the system than to be used.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace chanceless {

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using Array = std::unique_ptr<T[], Free>;

/// Room for n numbers, whatever is in it.
template <class T>
Array<T> room_for(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr std::size_t large_page = std::size_t{1} << 21;
    const std::size_t bytes = n * sizeof(T);
    if (bytes / sizeof(T) != n) throw std::bad_alloc();
    if (bytes < large_page) {
        void* memory = std::malloc(bytes > 0 ? bytes : 1);
        if (memory == nullptr) throw std::bad_alloc();
        return Array<T>(static_cast<T*>(memory));
    }
    const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
    void* memory = std::aligned_alloc(large_page, rounded);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(memory, rounded, MADV_HUGEPAGE);  // a wish; without it everything works as well, only slower
#endif
    return Array<T>(static_cast<T*>(memory));
}

/// Lets a vector have its memory from `room_for`.
template <class T>
struct LargePages {
    using value_type = T;

    LargePages() noexcept = default;
    template <class Other>
    LargePages(const LargePages<Other>&) noexcept {}  // NOLINT: allocators convert

    /// Without a value given, entries are left as they are.
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Values>
    void construct(U* place, Values&&... values) {
        ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
    }

    T* allocate(std::size_t n) { return room_for<T>(n).release(); }
    void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
    bool operator==(const LargePages&) const noexcept = default;
};

template <class T>
Array<T> zeros(std::size_t n) {
    Array<T> result = room_for<T>(n);
    std::memset(result.get(), 0, n * sizeof(T));
    return result;
}

}  // namespace chanceless

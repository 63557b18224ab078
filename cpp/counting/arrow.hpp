#pragma once

// Strings of an Arrow C stream, read where they lie. See "The Arrow C data interface" and "The Arrow C stream
// interface" for the three structs.

#include <cstring>
#include <string>
#include <string_view>

#include "counting/text.hpp"

namespace chanceless::counting {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

/// A struct of Arrow, released at the end of its scope.
template <class Struct>
class Owned {
  public:
    Owned() noexcept = default;

    /// Takes over a struct; a released one is left.
    explicit Owned(Struct& given) noexcept : value_(given) { given.release = nullptr; }
    Owned(Owned&& other) noexcept : Owned(other.value_) {}
    Owned& operator=(Owned&& other) = delete;
    ~Owned() {
        if (value_.release != nullptr) value_.release(&value_);
    }

    [[nodiscard]] explicit operator bool() const noexcept { return value_.release != nullptr; }
    Struct* get() noexcept { return &value_; }
    const Struct* operator->() const noexcept { return &value_; }

  private:
    Struct value_{};
};

/// The strings of one array.
///
/// The interface tells the sizes of the buffers that string views point to. It does not tell those of offsets and of
/// their bytes: the last offset is relied on, and no other. Offsets and views are read once and then checked: even if
/// somebody changes them meanwhile, no byte outside is read.
class ArrowChunk {
  public:
    enum class Layout { offsets32, offsets64, views };

    ArrowChunk(Owned<ArrowArray> array, Layout layout) : array_(std::move(array)), layout_(layout) {
        if (array_->length < 0 || array_->offset < 0 || array_->n_buffers < 3 || array_->buffers == nullptr) refuse();
        if (array_->buffers[1] == nullptr && array_->length > 0) refuse();
        if (array_->null_count != 0) valid_ = static_cast<const std::uint8_t*>(array_->buffers[0]);
        const std::size_t n_offsets = size() + (layout == Layout::views ? 0 : 1);
        const std::size_t width = layout == Layout::views ? view_size : layout == Layout::offsets32 ? 4 : 8;
        places_ = static_cast<const char*>(array_->buffers[1]) + static_cast<std::size_t>(array_->offset) * width;
        align(n_offsets * width);
        if (layout == Layout::views) read_sizes();
    }

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(array_->length); }
    [[nodiscard]] bool may_have_nulls() const noexcept { return valid_ != nullptr; }

    /// Calls visit(before + i, text) for the samples i from start to stop, except for nulls.
    template <class Visit>
    void for_each(std::size_t before, std::size_t start, std::size_t stop, const Visit& visit) const {
        valid_ == nullptr ? for_each_of<false>(before, start, stop, visit)
                          : for_each_of<true>(before, start, stop, visit);
    }

  private:
    static constexpr std::size_t view_size = 16;

    [[noreturn]] static void refuse() { throw std::invalid_argument("an Arrow array of strings has wrong buffers"); }

    /// Copies offsets or views that are not aligned, as they should be.
    void align(std::size_t n_bytes) {
        if (size() == 0 || reinterpret_cast<std::uintptr_t>(places_) % alignof(std::int64_t) == 0) return;
        copy_.resize(n_bytes / sizeof(std::int64_t) + 1);
        std::memcpy(copy_.data(), places_, n_bytes);
        places_ = reinterpret_cast<const char*>(copy_.data());
    }

    void read_sizes() {
        const auto n_data = static_cast<std::size_t>(array_->n_buffers - 3);
        const void* sizes = array_->buffers[n_data + 2];
        if (n_data > 0 && sizes == nullptr) refuse();
        sizes_.resize(n_data);
        if (n_data > 0) std::memcpy(sizes_.data(), sizes, n_data * sizeof(std::int64_t));
        for (std::size_t i = 0; i < n_data; ++i) {
            if (array_->buffers[2 + i] == nullptr) sizes_[i] = 0;
            if (sizes_[i] < 0) refuse();
        }
    }

    template <bool HasNulls, class Visit>
    void for_each_of(std::size_t before, std::size_t start, std::size_t stop, const Visit& visit) const {
        switch (layout_) {
            case Layout::offsets32: return for_each_offset<HasNulls, std::int32_t>(before, start, stop, visit);
            case Layout::offsets64: return for_each_offset<HasNulls, std::int64_t>(before, start, stop, visit);
            case Layout::views: return for_each_view<HasNulls>(before, start, stop, visit);
        }
    }

    template <bool HasNulls>
    [[nodiscard]] bool is_null(std::size_t i) const noexcept {
        if (!HasNulls) return false;
        const std::size_t place = static_cast<std::size_t>(array_->offset) + i;
        return ((valid_[place / 8] >> (place % 8)) & 1U) == 0;
    }

    template <bool HasNulls, class Offset, class Visit>
    void for_each_offset(std::size_t before, std::size_t start, std::size_t stop, const Visit& visit) const {
        const auto* const offsets = reinterpret_cast<const volatile Offset*>(places_);
        const auto* const data = static_cast<const char*>(array_->buffers[2]);
        const Offset n_bytes = data == nullptr ? 0 : offsets[size()];
        Offset begin = offsets[start];
        for (std::size_t i = start; i < stop; ++i) {
            const Offset end = offsets[i + 1];
            if (begin < 0 || end < begin || end > n_bytes)
                throw std::invalid_argument("offsets must ascend from 0 to the number of bytes");
            if (!is_null<HasNulls>(i)) visit(before + i, Text({data + begin, static_cast<std::size_t>(end - begin)}));
            begin = end;
        }
    }

    template <bool HasNulls, class Visit>
    void for_each_view(std::size_t before, std::size_t start, std::size_t stop, const Visit& visit) const {
        const char* const views = places_;
        for (std::size_t i = start; i < stop; ++i) {
            if (is_null<HasNulls>(i)) continue;
            const auto* const view = reinterpret_cast<const volatile std::uint64_t*>(views + i * view_size);
            const std::uint64_t first = view[0];
            if (const auto n = static_cast<std::uint32_t>(first); n <= Text::most_inside) {
                visit(before + i, Text::from_words(first, view[1]));
            } else {
                visit(before + i, Text(bytes_of(views + i * view_size)));
            }
        }
    }

    /// The bytes of a string view: behind its size, or in one of the buffers.
    [[nodiscard]] std::string_view bytes_of(const char* view) const {
        const auto* const fields = reinterpret_cast<const volatile std::uint32_t*>(view);
        const std::uint32_t n = fields[0];
        if (n <= 12) return {view + 4, n};
        const std::uint32_t buffer = fields[2];
        const std::uint32_t begin = fields[3];
        if (buffer >= sizes_.size() || std::uint64_t{begin} + n > static_cast<std::uint64_t>(sizes_[buffer]))
            throw std::invalid_argument("string views must lie within their buffers");
        return {static_cast<const char*>(array_->buffers[2 + buffer]) + begin, n};
    }

    Owned<ArrowArray> array_;
    Layout layout_;
    const std::uint8_t* valid_ = nullptr;  // null if every sample has a string
    const char* places_;                   // the offsets or views of the samples
    std::vector<std::int64_t> copy_;
    std::vector<std::int64_t> sizes_;  // of the buffers of views
};

/// The strings of a stream; they stay where they are, and are released with it.
class ArrowStrings {
  public:
    /// Reads a stream to its end; nothing if it is not one of strings.
    static std::optional<ArrowStrings> read(Owned<ArrowArrayStream> stream, const CancellationCheck& check_cancelled) {
        const std::optional<ArrowChunk::Layout> layout = layout_of(stream);
        if (!layout) return std::nullopt;
        ArrowStrings strings;
        while (true) {
            check_cancelled();
            Owned<ArrowArray> array;
            if (stream->get_next(stream.get(), array.get()) != 0) fail(stream);
            if (!array) return strings;
            strings.add(ArrowChunk(std::move(array), *layout));
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return starts_.back(); }
    [[nodiscard]] bool may_have_nulls() const noexcept { return may_have_nulls_; }

    /// Calls visit(i, text) for the samples from start to stop, except for nulls.
    template <class Visit>
    void for_each(std::size_t start, std::size_t stop, const Visit& visit) const {
        auto place =
            static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), start) - starts_.begin()) - 1;
        for (; start < stop; ++place) {
            const std::size_t before = starts_[place];
            const std::size_t end = std::min(stop, starts_[place + 1]);
            chunks_[place].for_each(before, start - before, end - before, visit);
            start = end;
        }
    }

  private:
    ArrowStrings() = default;

    static std::optional<ArrowChunk::Layout> layout_of(Owned<ArrowArrayStream>& stream) {
        Owned<ArrowSchema> schema;
        if (stream->get_schema(stream.get(), schema.get()) != 0) fail(stream);
        const std::string_view format = schema->format;
        if (format == "vu") return ArrowChunk::Layout::views;
        if (format == "u") return ArrowChunk::Layout::offsets32;
        if (format == "U") return ArrowChunk::Layout::offsets64;
        return std::nullopt;
    }

    [[noreturn]] static void fail(Owned<ArrowArrayStream>& stream) {
        const char* message = stream->get_last_error(stream.get());
        throw std::runtime_error(std::string("an Arrow stream ended early: ") + (message == nullptr ? "" : message));
    }

    void add(ArrowChunk chunk) {
        if (chunk.size() == 0) return;
        starts_.push_back(starts_.back() + chunk.size());
        may_have_nulls_ = may_have_nulls_ || chunk.may_have_nulls();
        chunks_.push_back(std::move(chunk));
    }

    std::vector<ArrowChunk> chunks_;
    std::vector<std::size_t> starts_{0};  // of each chunk, and the end of the last one
    bool may_have_nulls_ = false;
};

}  // namespace chanceless::counting

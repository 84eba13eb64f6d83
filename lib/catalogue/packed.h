// The fields of operations without pointers, as they are in the program's file. A program that is
// loaded at any address has each pointer of its data added to when it starts, in pages that are
// copied for it; and one command uses a hundredth of the rows. So they are unpacked at first use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "catalogue/model.h"

namespace svc::catalogue {

/// Passes each text of a row to `use`, and each list of texts to `use_list`, always in this order.
/// One that is left out here stays a pointer, which is right as well.
constexpr void each_text(auto& field, const auto& use, const auto& use_list) {
  for (const auto text :
       {&Field::flag, &Field::path, &Field::help, &Field::typed, &Field::null_word, &Field::wraps,
        &Field::needs, &Field::fallback, &Field::optional_value, &Field::always, &Field::example,
        &Field::completes, &Field::stands_for}) {
    use(field.*text);
  }
  if (field.range) use(field.range->unit);
  if (field.media) {
    use(field.media->one);
    use(field.media->many);
    use_list(field.media->types);
  }
  use_list(field.choices);
  use_list(field.suggests);
}

/// Rows without their texts, the letters of all texts, and the sizes of texts and lists in the
/// order of each_text(); the size of a list comes before those of its texts.
struct PackedFields {
  std::span<const Field> rows;
  const char* letters = nullptr;
  const std::uint16_t* sizes = nullptr;
};

/// Restores the rows in `rows`, and the texts of their lists in `texts`. Both must have the size
/// that was packed.
void unpack(const PackedFields& packed, std::span<Field> rows, std::span<sv> texts);

/// The fields `Rows`, an array in static memory, packed by the compiler.
template <const auto& Rows>
struct Packed {
  struct Count {
    std::size_t letters = 0;
    std::size_t sizes = 0;
    std::size_t listed = 0;  ///< texts of lists
  };
  static constexpr Count k_count = [] {
    Count count;
    const auto add = [&](sv text) {
      count.letters += text.size();
      ++count.sizes;
    };
    const auto add_list = [&](std::span<const sv> list) {
      ++count.sizes;
      count.listed += list.size();
      for (const sv text : list) add(text);
    };
    for (const Field& row : Rows) each_text(row, add, add_list);
    return count;
  }();
  static constexpr auto k_letters = [] {
    std::array<char, k_count.letters + 1> letters{};
    char* out = letters.data();
    const auto add = [&](sv text) {
      for (const char c : text) *out++ = c;
    };
    const auto add_list = [&](std::span<const sv> list) {
      for (const sv text : list) add(text);
    };
    for (const Field& row : Rows) each_text(row, add, add_list);
    return letters;
  }();
  static constexpr auto k_sizes = [] {
    std::array<std::uint16_t, k_count.sizes + 1> sizes{};
    std::uint16_t* out = sizes.data();
    const auto add_size = [&](std::size_t size) {
      if (size > UINT16_MAX) throw "a field's text is too long";
      *out++ = static_cast<std::uint16_t>(size);
    };
    const auto add = [&](sv text) { add_size(text.size()); };
    const auto add_list = [&](std::span<const sv> list) {
      add_size(list.size());
      for (const sv text : list) add(text);
    };
    for (const Field& row : Rows) each_text(row, add, add_list);
    return sizes;
  }();
  static constexpr auto k_rows = [] {
    auto rows = Rows;
    const auto clear = [](auto& text) { text = {}; };
    for (Field& row : rows) each_text(row, clear, clear);
    return rows;
  }();

  static std::span<const Field> unpacked() {
    struct Storage {
      std::array<Field, Rows.size()> rows{};
      std::array<sv, k_count.listed> texts{};
      Storage() { unpack({k_rows, k_letters.data(), k_sizes.data()}, rows, texts); }
    };
    static const Storage storage;
    return storage.rows;
  }
};

/// The rows themselves for the compiler, and the unpacked ones for the program.
template <const auto& Rows>
constexpr std::span<const Field> fields_of() {
  if (std::is_constant_evaluated()) return Rows;
  return Packed<Rows>::unpacked();
}

}  // namespace svc::catalogue

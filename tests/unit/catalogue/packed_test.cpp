#include "catalogue/packed.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "catalogue/builders.h"

using namespace svc;

namespace svc::packed_test {

inline constexpr std::array<sv, 2> k_two = {"one", "two"};
inline constexpr std::array<sv, 3> k_types = {"image/png", "", "image/jpeg"};

/// Rows with every text, with none, and with the same ones again.
inline constexpr std::array k_fields = {
    Field{.flag = "flag",
          .path = "path.to",
          .kind = Kind::Media,
          .in = In::Compose,
          .help = "Says \"what\" it is.",
          .typed = "; typed",
          .repeated = true,
          .letter = 'x',
          .range = Range{-1.5, 2, "units"},
          .choices = k_two,
          .suggests = std::span(k_two).first(1),
          .null_word = "null",
          .max_days = 7,
          .wraps = "wraps",
          .needs = "a|b",
          .media = MediaSlot{"one", "many", k_types, 12},
          .fallback = "fallback",
          .optional_value = "N",
          .always = "always",
          .example = "example",
          .status = Status::Ignored,
          .completes = "models",
          .stands_for = "$list"},
    Field{},
    Field{.flag = "flag", .help = "\xC3\xA9", .choices = k_types},
};

std::vector<std::string_view> texts_of(std::span<const Field> rows) {
  std::vector<std::string_view> texts;
  const auto add = [&](sv text) { texts.push_back(text); };
  const auto add_list = [&](std::span<const sv> list) {
    texts.emplace_back("list");
    texts.insert(texts.end(), list.begin(), list.end());
  };
  for (const Field& row : rows) catalogue::each_text(row, add, add_list);
  return texts;
}

}  // namespace svc::packed_test

using namespace svc::packed_test;

TEST_CASE("Fields are unpacked as they were written") {
  const std::span<const Field> rows = catalogue::fields_of<k_fields>();
  REQUIRE(rows.size() == 3);
  CHECK(rows.data() != k_fields.data());
  CHECK(texts_of(rows) == texts_of(k_fields));
  const Field& full = rows[0];
  CHECK(full.flag == "flag");
  CHECK(full.help == "Says \"what\" it is.");
  CHECK(full.stands_for == "$list");
  CHECK((full.kind == Kind::Media && full.in == In::Compose && full.status == Status::Ignored));
  CHECK((full.repeated && full.letter == 'x' && full.max_days == 7));
  REQUIRE(full.range.has_value());
  CHECK((full.range->min == -1.5 && full.range->max == 2 && full.range->unit == "units"));
  REQUIRE(full.media.has_value());
  CHECK((full.media->one == "one" && full.media->many == "many" && full.media->max_bytes == 12));
  CHECK(std::ranges::equal(full.media->types, k_types));
  CHECK(std::ranges::equal(full.choices, k_two));
  CHECK(std::ranges::equal(full.suggests, std::span(k_two).first(1)));
  CHECK((rows[1].flag.empty() && rows[1].choices.empty() && !rows[1].range && !rows[1].media));
  CHECK(rows[2].help == "\xC3\xA9");
  CHECK(std::ranges::equal(rows[2].choices, k_types));
}

TEST_CASE("Fields are unpacked once, and the compiler sees the rows themselves") {
  static_assert(catalogue::fields_of<k_fields>().data() == k_fields.data());
  CHECK(catalogue::fields_of<k_fields>().data() == catalogue::fields_of<k_fields>().data());
  constexpr Fields packed(&catalogue::fields_of<k_fields>);
  static_assert(packed.size() == 3 && packed.front().flag == "flag" && !packed.empty());
  CHECK(&packed.front() == catalogue::fields_of<k_fields>().data());
  CHECK(&packed.back() == &catalogue::fields_of<k_fields>().back());
  CHECK(Fields().empty());
  CHECK(Fields(std::span(k_fields).first(1)).size() == 1);
}

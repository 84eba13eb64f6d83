#include "catalogue/packed.h"

#include <algorithm>

namespace svc::catalogue {

void unpack(const PackedFields& packed, std::span<Field> rows, std::span<sv> texts) {
  const char* letters = packed.letters;
  const std::uint16_t* sizes = packed.sizes;
  const auto take = [&](sv& text) {
    text = sv(letters, *sizes++);
    letters += text.size();
  };
  const auto take_list = [&](std::span<const sv>& list) {
    const std::span<sv> own = texts.first(*sizes++);
    texts = texts.subspan(own.size());
    for (sv& text : own) take(text);
    list = own;
  };
  std::ranges::copy(packed.rows, rows.begin());
  for (Field& row : rows) each_text(row, take, take_list);
}

}  // namespace svc::catalogue

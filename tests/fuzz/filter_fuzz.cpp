// Filter expressions: a valid one must match any object safely, with the same result each time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "emulator/api/filter/filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace svc::emulator::filter;
  static const std::array fields = {Field{"name", Match::Part},    Field{"id", Match::Exact},
                                    Field{"size", Match::Integer}, Field{"created", Match::Time},
                                    Field{"status", Match::Fuzzy}, Field{"fields.*", Match::Any}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto filter = Filter::parse(text, fields);
  if (!filter) {
    if (filter.error().message.empty()) std::abort();
    return 0;
  }
  for (const Value& value :
       {Value(), Value(std::string("report 2026")), Value(std::int64_t{7}), Value(0.5)}) {
    const auto lookup = [&](std::string_view) { return value; };
    if (filter->matches(lookup) != filter->matches(lookup)) std::abort();
  }
  return 0;
}

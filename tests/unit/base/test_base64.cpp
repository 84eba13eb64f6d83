#include <array>
#include <utility>

#include <doctest/doctest.h>

#include "base/base64.h"

using namespace svc;

TEST_CASE("the examples of RFC 4648 §10") {
  const std::array<std::pair<const char*, const char*>, 7> examples = {{{"", ""},
                                                                        {"f", "Zg=="},
                                                                        {"fo", "Zm8="},
                                                                        {"foo", "Zm9v"},
                                                                        {"foob", "Zm9vYg=="},
                                                                        {"fooba", "Zm9vYmE="},
                                                                        {"foobar", "Zm9vYmFy"}}};
  for (const auto& [plain, encoded] : examples) {
    CHECK(base64_encode(plain) == encoded);
    CHECK(base64_decode(encoded) == plain);
    CHECK(base64_length(std::string_view(plain).size()) == std::string_view(encoded).size());
  }
}

TEST_CASE("every byte survives, at every length and split anywhere") {
  std::string bytes;
  for (int i = 0; i < 70'001; ++i) bytes += static_cast<char>(i * 7 + i / 251);
  for (const std::size_t length : {1UL, 2UL, 3UL, 255UL, 256UL, 70'000UL, 70'001UL}) {
    const std::string part = bytes.substr(0, length);
    const std::string encoded = base64_encode(part);
    CHECK(base64_decode(encoded) == part);
    std::string joined;
    for (std::size_t at = 0; at < part.size(); at += 300) {
      append_base64(joined, std::string_view(part).substr(at, 300));
    }
    CHECK(joined == encoded);
  }
}

TEST_CASE("invalid base64 is rejected") {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zm 9v", "Zm9v\n", "Zm-_", "=m9v",
                           "Zg==Zg==", "Zm9\xC3"}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text).has_value());
  }
}

TEST_CASE("an error from the sink stops decoding") {
  int calls = 0;
  const auto ended =
      base64_decode(std::string(400'000, 'A'), [&](std::string_view) -> Result<void> {
        ++calls;
        return Error{Fault::Local, "full"};
      });
  CHECK_FALSE(ended.has_value());
  CHECK(calls == 1);
}

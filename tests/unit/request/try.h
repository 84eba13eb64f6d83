// One request, built as by the command line.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "request/build.h"
#include "request/media.h"

namespace svc::test {

using namespace request;

struct GivenFlag {
  const char* name;
  std::string value;
};

/// Builds `group name` with these flags.
struct Attempt {
  const Operation* operation;
  Inputs inputs{};
  BuildContext context{.base_url = "https://api.test"};

  Attempt(const char* group, const char* name, std::initializer_list<GivenFlag> flags = {})
      : operation(find_operation(group, name)) {
    REQUIRE(operation != nullptr);
    for (const GivenFlag& flag : flags) {
      const Field* field = find_field(*operation, flag.name);
      REQUIRE_MESSAGE(field != nullptr, flag.name);
      inputs.given.push_back({field, flag.value});
    }
  }

  Attempt& piped(const std::string& text) {
    context.read_stdin = [text]() -> Result<std::optional<std::string>> {
      return std::optional<std::string>(text);
    };
    return *this;
  }

  Attempt& with_body(const std::string& text) {
    inputs.body = text;
    return *this;
  }

  [[nodiscard]] Result<Request> build() const { return build_request(*operation, inputs, context); }

  /// The JSON body as sent.
  [[nodiscard]] nlohmann::json body() const {
    auto request = build();
    REQUIRE_MESSAGE(request.has_value(), (request ? "" : request.error().message));
    const auto text = complete_body(request->body);
    REQUIRE(text.has_value());
    return nlohmann::json::parse(*text);
  }

  /// Rejected before anything is sent, which is checked here.
  Error error() const {
    auto request = build();
    REQUIRE_FALSE(request.has_value());
    CHECK(request.error().fault == Fault::Usage);
    return request.error();
  }
};

/// Enough of a PNG to be recognised as one.
inline const std::string k_png = "\x89PNG\r\n\x1a\n0000";

struct TempFile {
  std::string path;
  explicit TempFile(const std::string& content, const std::string& ending = {})
      : path((std::filesystem::temp_directory_path() / (random_uuid() + ending)).string()) {
    std::ofstream(path, std::ios::binary) << content;
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::remove(path.c_str()); }
};

}  // namespace svc::test

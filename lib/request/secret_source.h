// Where a secret comes from: never from the arguments, which everybody on the machine can read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc::request {

struct SecretSource {
  enum class From : std::uint8_t { File, Input, Variable };
  From from = From::File;
  std::string name{};  ///< the file's path, the variable's name
};

/// Reads `@FILE`, `-` and `env:NAME`. Usage, which does not repeat it, for anything else.
[[nodiscard]] Result<SecretSource> parse_secret_source(const Field& field, std::string_view text);

/// What stands for it where a request is only shown: "$NAME".
[[nodiscard]] std::string secret_variable(const Field& field, const SecretSource& source);

/// The error for a secret that stands in the arguments; `flag` with its dashes.
[[nodiscard]] Error secret_in_argv(std::string_view flag);

}  // namespace svc::request

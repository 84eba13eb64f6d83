// Where the emulator is reached: for the URLs that it hands out.
#pragma once

#include <string>
#include <string_view>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// "http://127.0.0.1:8080": the scheme and host by which this request came. A request without a
/// plain host and port gets "http://127.0.0.1".
[[nodiscard]] std::string own_address(const Call& call);

/// The URL of a file's public copy; "" when it has none. `token` is
/// StoredFile::public_token.
[[nodiscard]] std::string public_file_url(const std::string& address, std::string_view token,
                                          std::string_view filename);

}  // namespace svc::emulator

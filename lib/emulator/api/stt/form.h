// A multipart form whose last field is a large file: read in its order, without holding the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

struct FormValue {
  std::string name;
  std::string value;
};

struct SoundForm {
  std::vector<FormValue> values{};  ///< in order, those before the file
  std::optional<ByteSource> file{};
};

/// Reads up to the field `file`: what comes after it is not seen. Usage, with a
/// sentence, when the form is not well formed or ends early.
[[nodiscard]] Result<SoundForm> read_form(const ByteSource& body, std::string_view boundary);

}  // namespace svc::emulator::stt

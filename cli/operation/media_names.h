// File names for results: the meaning of --output, and automatically chosen names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::cli {

enum class MediaPlace : std::uint8_t {
  None,  ///< no file: the document is the result
  Stdout,
  Chosen,     ///< an unused name in the current directory
  Directory,  ///< an unused name in a directory
  File,       ///< one file; for several, a number is inserted before the extension
  Pattern,    ///< %d in the name is replaced by the number
};

struct MediaPlan {
  MediaPlace place = MediaPlace::Chosen;
  std::string path{};  ///< of a directory (with a trailing slash), file or pattern
};

/// Returns the plan for `output`. Without it: an unused name on a terminal, standard output
/// elsewhere, and nothing if the document was requested. `is_directory` checks the file system.
[[nodiscard]] MediaPlan plan_media(const std::optional<std::string>& output, bool document_wanted,
                                   bool to_terminal, bool is_directory);

/// Returns the path of result `number` (from 1) of `count`. For a file or a pattern.
[[nodiscard]] std::string media_path(const MediaPlan& plan, std::size_t number, std::size_t count);

/// Whether a name contains exactly one %d (or %03d); %% is a literal percent sign.
[[nodiscard]] bool is_pattern(std::string_view path);

/// Returns the extension of a media type: "jpg" for "image/jpeg", "bin" if unknown.
[[nodiscard]] std::string_view extension_of(std::string_view type);

/// Returns the media type for a file name's extension; "" if unknown.
[[nodiscard]] std::string_view type_of_ending(std::string_view path);

}  // namespace svc::cli

// Where results that are files go: what --output means for them, and the names that are chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::cli {

enum class MediaPlace : std::uint8_t {
  Nowhere,  ///< the document alone is the result
  Stdout,
  Chosen,   ///< a free name in the current folder
  Folder,   ///< a free name in a folder
  File,     ///< one file; several get their number before its ending
  Pattern,  ///< %d in the name stands for the number
};

struct MediaPlan {
  MediaPlace place = MediaPlace::Chosen;
  std::string path{};  ///< of a folder (with a slash at its end), file or pattern
};

/// What `output` asks for. Without it: a free name on a terminal, standard output elsewhere, and
/// nothing where the document is what was asked for. `is_folder` tells of the file system.
[[nodiscard]] MediaPlan plan_media(const std::optional<std::string>& output, bool document_wanted,
                                   bool to_terminal, bool is_folder);

/// The path of result `number` (from 1) of `count`. For a file or a pattern.
[[nodiscard]] std::string media_path(const MediaPlan& plan, std::size_t number, std::size_t count);

/// Whether a name holds exactly one %d (or %03d); %% stands for a percent sign there.
[[nodiscard]] bool is_pattern(std::string_view path);

/// "jpg" of "image/jpeg"; "bin" of what is not known.
[[nodiscard]] std::string_view extension_of(std::string_view type);

/// The media type that the ending of a file's name tells; "" when it tells none that is known.
[[nodiscard]] std::string_view type_of_ending(std::string_view path);

}  // namespace svc::cli

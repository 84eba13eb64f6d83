#include "operation/media_names.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::cli {
namespace {

struct Ending {
  std::string_view extension;
  std::string_view type;
};

/// The first extension of each type is the one used for new files.
constexpr std::array<Ending, 9> k_endings = {{{"jpg", "image/jpeg"},
                                              {"jpeg", "image/jpeg"},
                                              {"png", "image/png"},
                                              {"webp", "image/webp"},
                                              {"gif", "image/gif"},
                                              {"heic", "image/heic"},
                                              {"avif", "image/avif"},
                                              {"mp4", "video/mp4"},
                                              {"mov", "video/quicktime"}}};

/// A `%d` in a name: its start and end, and its number of digits.
struct Number {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t width = 1;
};

std::optional<Number> find_number(std::string_view path) {
  std::optional<Number> found;
  for (std::size_t at = path.find('%'); at != std::string_view::npos;) {
    std::size_t next = at + 1;
    if (next < path.size() && path[next] == '%') {
      at = path.find('%', next + 1);
      continue;
    }
    Number number{.begin = at};
    if (next < path.size() && path[next] == '0') {
      ++next;
      if (next == path.size() || path[next] < '1' || path[next] > '9') return std::nullopt;
      number.width = static_cast<std::size_t>(path[next++] - '0');
    }
    if (next == path.size() || path[next] != 'd' || found) return std::nullopt;
    number.end = next + 1;
    found = number;
    at = path.find('%', number.end);
  }
  return found;
}

std::size_t ending_at(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos || dot <= name ? path.size() : dot;
}

}  // namespace

MediaPlan plan_media(const std::optional<std::string>& output, bool document_wanted,
                     bool to_terminal, bool is_directory) {
  if (!output) {
    if (document_wanted) return {MediaPlace::None};
    return {to_terminal ? MediaPlace::Chosen : MediaPlace::Stdout};
  }
  if (*output == "-") return {document_wanted ? MediaPlace::None : MediaPlace::Stdout};
  if (is_directory || output->ends_with('/')) {
    return {MediaPlace::Directory, output->ends_with('/') ? *output : *output + "/"};
  }
  return {is_pattern(*output) ? MediaPlace::Pattern : MediaPlace::File, *output};
}

bool is_pattern(std::string_view path) {
  return find_number(path).has_value();
}

std::string media_path(const MediaPlan& plan, std::size_t number, std::size_t count) {
  const std::string& path = plan.path;
  if (plan.place == MediaPlace::Pattern) {
    const auto at = find_number(path);
    if (!at) return path;
    const auto plain = [](std::string_view text) {
      return replace_all(std::string(text), "%%", "%");
    };
    return fmt::format("{}{:0{}}{}", plain(std::string_view(path).substr(0, at->begin)), number,
                       at->width, plain(std::string_view(path).substr(at->end)));
  }
  if (count <= 1) return path;
  const std::size_t ending = ending_at(path);
  return fmt::format("{}-{}{}", path.substr(0, ending), number, path.substr(ending));
}

std::string_view extension_of(std::string_view type) {
  for (const Ending& ending : k_endings) {
    if (ending.type == type) return ending.extension;
  }
  return "bin";
}

std::string_view type_of_ending(std::string_view path) {
  const std::size_t ending = ending_at(path);
  if (ending == path.size()) return {};
  const std::string extension = to_lower(path.substr(ending + 1));
  for (const Ending& known : k_endings) {
    if (known.extension == extension) return known.type;
  }
  return {};
}

}  // namespace svc::cli

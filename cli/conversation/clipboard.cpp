#include "conversation/clipboard.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/program.h"
#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::chrono::seconds k_limit{10};  // the clipboard's owner may hang
constexpr std::size_t k_max_image = 20'000'000;
constexpr std::array<sv, 2> k_types = {"image/png", "image/jpeg"};

bool is_image(sv type, sv bytes) {
  return bytes.starts_with(type == "image/png" ? sv("\x89PNG\r\n\x1a\n") : sv("\xff\xd8\xff"));
}

/// The commands to try, each for one type.
std::vector<std::vector<std::string>> commands(const std::string& type) {
  std::vector<std::vector<std::string>> all = {
      {"wl-paste", "--no-newline", "--type", type},
      {"xclip", "-selection", "clipboard", "-target", type, "-out"}};
  if (type == "image/png") all.push_back({"pngpaste", "-"});
  return all;
}

}  // namespace

Result<ClipboardImage> clipboard_image(const CancelToken& cancel) {
  std::string said;
  bool installed = false;
  for (const sv type : k_types) {
    for (const std::vector<std::string>& command : commands(std::string(type))) {
      ClipboardImage image{std::string(type), {}};
      ProgramOptions run{.arguments = command, .limit = k_limit, .output = ProgramOutput::Captured};
      run.take = [&](sv bytes) {
        if (image.bytes.size() <= k_max_image) image.bytes += bytes;
      };
      run.take_error = [&](sv bytes) { said += bytes.substr(0, 1000); };
      const auto end = run_program(run, cancel);
      if (!end && cancel.requested()) return end.error();
      installed = installed || end;
      if (!end || !is_image(type, image.bytes)) continue;
      if (image.bytes.size() <= k_max_image) return image;
      return usage_error(
          fmt::format("the clipboard's image is larger than {}", format_bytes(k_max_image)),
          "Save it in a smaller size and attach it with /image PATH.");
    }
  }
  if (!installed) {
    return usage_error("no program to read images from the clipboard",
                       "Install wl-clipboard (wl-paste, for Wayland) or xclip (for X11), or attach "
                       "a file with /image PATH.");
  }
  const sv reason = trim(said);
  return usage_error("no image on the clipboard",
                     reason.empty()
                         ? std::string()
                         : fmt::format("The last program said: {}",
                                       shown(reason.substr(reason.rfind('\n') + 1), 200)));
}

}  // namespace svc::cli

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/visible.h"

namespace svc {
namespace {

constexpr std::size_t k_longest_name = 200;
constexpr std::size_t k_longest_extension = 16;  // ".tar.gz" loses its ".tar" before its ".gz"

bool is_allowed(const utf8::Step& step) noexcept {
  const char32_t c = step.code_point;
  if (step.form != utf8::Form::Good || c < 0x20 || c == 0x7F || is_hidden_code_point(c))
    return false;
  return c >= 0x80 || sv("<>:\"/\\|?*").find(static_cast<char>(c)) == sv::npos;
}

std::string with_allowed_characters(sv name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const utf8::Step step = utf8::step(name, at);
    if (is_allowed(step)) {
      out += name.substr(at, step.length);
    } else {
      out += '_';
    }
    at += step.length;
  }
  return out;
}

// Windows drops dots and spaces at the end: "CON." would be "CON" there.
sv without_loose_ends(sv name) noexcept {
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  return name.substr(0, name.find_last_not_of(". ") + 1);
}

// Names of devices on Windows, whatever extension they carry.
bool is_reserved(sv name) {
  constexpr std::array<sv, 4> devices{"con", "prn", "aux", "nul"};
  const std::string stem = to_lower(trim(name.substr(0, name.find('.'))));
  if (std::find(devices.begin(), devices.end(), sv(stem)) != devices.end()) return true;
  const bool numbered = stem.starts_with("com") || stem.starts_with("lpt");
  return numbered && stem.size() == 4 && stem[3] >= '0' && stem[3] <= '9';
}

std::size_t cut_before(sv text, std::size_t max_bytes) noexcept {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    at += utf8::step(text, at).length;
    if (at > max_bytes) break;
    end = at;
  }
  return end;
}

// Cuts the stem, so that the extension still tells what the file is.
std::string shortened(sv name) {
  if (name.size() <= k_longest_name) return std::string(name);
  const std::size_t dot = name.rfind('.');
  const bool keep = dot != sv::npos && name.size() - dot <= k_longest_extension;
  const sv extension = keep ? name.substr(dot) : sv();
  const sv stem = name.substr(0, name.size() - extension.size());
  const sv cut = stem.substr(0, cut_before(stem, k_longest_name - extension.size()));
  return std::string(without_loose_ends(cut)) + std::string(extension);
}

// Empty when nothing usable is left.
std::string made_safe(sv name) {
  // Some systems take a backslash as separator too; a name is made for all of them.
  name.remove_prefix(name.find_last_of("/\\") + 1);
  const std::string allowed = with_allowed_characters(name);
  std::string out(without_loose_ends(allowed));
  if (out.empty()) return out;
  if (out.front() == '.' || out.front() == '-' || is_reserved(out)) out.insert(0, "_");
  return shortened(out);
}

}  // namespace

std::string safe_file_name(std::string_view name, std::string_view fallback) {
  if (std::string out = made_safe(name); !out.empty()) return out;
  if (std::string out = made_safe(fallback); !out.empty()) return out;
  return "download";
}

}  // namespace svc

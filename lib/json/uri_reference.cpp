// Resolves references between schemas, which are URI references (RFC 3986).
#include "json/uri_reference.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace svc {
namespace {

struct UriParts {
  std::optional<sv> scheme{};
  std::optional<sv> authority{};
  sv path{};
  std::optional<sv> query{};
  std::optional<sv> fragment{};
};

/// Removes the part after the first `mark` from `text` and returns it.
std::optional<sv> take_after(sv& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == sv::npos) return std::nullopt;
  const sv suffix = text.substr(at + 1);
  text = text.substr(0, at);
  return suffix;
}

UriParts split_uri(sv text) {
  UriParts parts;
  parts.fragment = take_after(text, '#');
  parts.query = take_after(text, '?');
  const std::size_t end = text.find_first_of(":/");
  if (end != sv::npos && end > 0 && text[end] == ':') {
    parts.scheme = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t path = std::min(text.find('/'), text.size());
    parts.authority = text.substr(0, path);
    text.remove_prefix(path);
  }
  parts.path = text;
  return parts;
}

std::string remove_dot_segments(sv path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const sv segment = path.substr(0, end);
    path.remove_prefix(end);
    const sv name = segment.starts_with('/') ? segment.substr(1) : segment;
    if (name == "..") out.erase(std::min(out.rfind('/'), out.size()));
    if (name != "." && name != "..") {
      out += segment;
    } else if (path.empty() && segment.starts_with('/')) {
      out += '/';
    }
  }
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const UriParts from = split_uri(base);
  UriParts to = split_uri(reference);
  std::string path(to.path);
  if (!to.scheme) {
    to.scheme = from.scheme;
    if (!to.authority) {
      to.authority = from.authority;
      if (path.empty()) {
        path = from.path;
        if (!to.query) to.query = from.query;
      } else if (path.front() != '/') {
        const std::size_t slash = from.path.rfind('/');
        if (slash != sv::npos) {
          path.insert(0, from.path.substr(0, slash + 1));
        } else if (from.authority) {
          path.insert(0, "/");
        }
      }
    }
  }
  std::string out;
  if (to.scheme) out.append(*to.scheme).append(":");
  if (to.authority) out.append("//").append(*to.authority);
  out += to.scheme && !to.authority && !path.starts_with('/') ? path : remove_dot_segments(path);
  if (to.query) out.append("?").append(*to.query);
  if (to.fragment) out.append("#").append(*to.fragment);
  return out;
}

}  // namespace svc

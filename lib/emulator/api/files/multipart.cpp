#include "emulator/api/files/multipart.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator {
namespace {

constexpr std::size_t k_max_parts = 1'000;
constexpr std::size_t k_longest_head = 16'384;

// Clients encode a quotation mark and line ends in names as %22, %0D and %0A, or escape the former
// with a backslash; any other percent sign is literal.
std::string unquote(sv text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) {
      out += text[++i];
    } else if (text.substr(i).starts_with("%22")) {
      out += '"';
      i += 2;
    } else if (text.substr(i).starts_with("%0D")) {
      out += '\r';
      i += 2;
    } else if (text.substr(i).starts_with("%0A")) {
      out += '\n';
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Returns a parameter of `form-data; name="a"; filename="b"`.
std::optional<std::string> parameter(sv header, sv wanted) {
  std::size_t at = header.find(';');
  while (at < header.size()) {
    const std::size_t equals = header.find('=', at);
    if (equals == sv::npos) return std::nullopt;
    const sv name = trim(header.substr(at + 1, equals - at - 1));
    std::size_t begin = equals + 1;
    std::size_t end = 0;
    std::string value;
    if (begin < header.size() && header[begin] == '"') {
      for (end = ++begin; end < header.size() && header[end] != '"'; ++end) {
        if (header[end] == '\\') ++end;
      }
      if (end >= header.size()) return std::nullopt;
      value = unquote(header.substr(begin, end - begin));
    } else {
      end = std::min(header.find(';', begin), header.size());
      value = std::string(trim(header.substr(begin, end - begin)));
    }
    if (equals_ignore_case(name, wanted)) return value;
    at = header.find(';', end);
  }
  return std::nullopt;
}

// Returns the start of the next delimiter: the mark, with only spaces up to the end of its line.
std::size_t find_delimiter(sv body, sv mark, std::size_t from) {
  for (std::size_t at = body.find(mark, from); at != sv::npos; at = body.find(mark, at + 1)) {
    const sv rest = body.substr(at + mark.size());
    if (rest.starts_with("--") || rest.starts_with("\r\n")) return at;
    const std::size_t end = rest.find_first_not_of(" \t");
    if (end != sv::npos && rest.substr(end).starts_with("\r\n")) return at;
  }
  return sv::npos;
}

Result<FormPart> read_head(sv head) {
  FormPart part;
  bool named = false;
  for (const sv line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == sv::npos) continue;
    const sv name = trim(line.substr(0, colon));
    const sv value = trim(line.substr(colon + 1));
    if (equals_ignore_case(name, "content-type")) part.content_type = value;
    if (!equals_ignore_case(name, "content-disposition")) continue;
    if (auto field = parameter(value, "name")) {
      part.name = std::move(*field);
      named = true;
    }
    part.filename = parameter(value, "filename");
  }
  if (!named) return usage_error("A part of the form has no name.");
  return part;
}

}  // namespace

std::optional<std::string> form_boundary(sv content_type) {
  const sv media = trim(content_type.substr(0, content_type.find(';')));
  if (!equals_ignore_case(media, "multipart/form-data")) return std::nullopt;
  auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) return std::nullopt;
  return boundary;
}

Result<std::vector<FormPart>> parse_form(sv body, sv boundary) {
  const std::string mark = fmt::format("\r\n--{}", boundary);
  std::vector<FormPart> parts;
  // The first boundary may be at the very start.
  const sv first = sv(mark).substr(2);
  std::size_t at = body.starts_with(first) ? first.size() : sv::npos;
  if (at == sv::npos) {
    at = find_delimiter(body, mark, 0);
    if (at == sv::npos) return usage_error("The form does not contain its boundary.");
    at += mark.size();
  }
  for (;;) {
    if (body.substr(at).starts_with("--")) return parts;
    const std::size_t line_end = body.find("\r\n", at);
    if (line_end == sv::npos) return usage_error("The form ends before its closing boundary.");
    const std::size_t head_end = body.find("\r\n\r\n", line_end);
    if (head_end == sv::npos || head_end - line_end > k_longest_head) {
      return usage_error("A part of the form has no end of its headers.");
    }
    const std::size_t data_end = find_delimiter(body, mark, head_end + 2);
    if (data_end == sv::npos) return usage_error("The form ends before its closing boundary.");
    SVC_TRY(part, read_head(body.substr(line_end, head_end - line_end)));
    const std::size_t begin = std::min(head_end + 4, data_end);
    part.data = body.substr(begin, data_end - begin);
    parts.push_back(std::move(part));
    if (parts.size() > k_max_parts) return usage_error("The form has too many parts.");
    at = data_end + mark.size();
  }
}

}  // namespace svc::emulator

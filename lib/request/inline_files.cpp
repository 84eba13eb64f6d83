#include "request/inline_files.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"

namespace svc::request {
namespace {

constexpr std::size_t k_first = 1'000'000;
constexpr std::size_t k_digits = 7;

}  // namespace

InlineFiles::InlineFiles() : m_mark(fmt::format("svc-file-{}-", random_uuid())) {}

std::string InlineFiles::stand_in(FileSource file) {
  m_files.push_back(std::move(file));
  // From 1,000,000 on, so that every number has seven digits.
  return fmt::format("{}{}", m_mark, k_first + m_files.size() - 1);
}

Payload InlineFiles::cut(std::string body) const {
  if (m_files.empty()) return body;
  std::vector<BodyPiece> pieces;
  std::size_t from = 0;
  for (std::size_t at = body.find(m_mark); at != std::string::npos; at = body.find(m_mark, from)) {
    pieces.emplace_back(body.substr(from, at - from));
    const std::size_t digits = at + m_mark.size();
    const auto number = parse_integer(std::string_view(body).substr(digits, k_digits));
    const auto index = static_cast<std::size_t>(number.value_or(0)) - k_first;
    pieces.emplace_back(Base64Source{m_files.at(index)});
    from = digits + k_digits;
  }
  pieces.emplace_back(body.substr(from));
  return pieces;
}

Result<std::string> whole_body(const Payload& body) {
  if (const auto* text = std::get_if<std::string>(&body)) return *text;
  const auto* pieces = std::get_if<std::vector<BodyPiece>>(&body);
  if (pieces == nullptr) return std::string();
  std::string whole;
  for (const BodyPiece& piece : *pieces) {
    if (const auto* text = std::get_if<std::string>(&piece)) {
      whole += *text;
    } else if (const auto* encoded = std::get_if<Base64Source>(&piece)) {
      SVC_TRY(bytes, read_file(encoded->file.path, encoded->file.size));
      append_base64(whole, bytes);
    } else {
      const auto& source = std::get<FileSource>(piece);
      SVC_TRY(bytes, read_file(source.path, source.size));
      whole += bytes;
    }
  }
  return whole;
}

}  // namespace svc::request

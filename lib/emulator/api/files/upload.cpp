// POST /v1/files: the form is read once, in the order in which it was sent.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/files/handlers.h"
#include "emulator/api/files/json.h"
#include "emulator/api/files/multipart.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/rules.h"

namespace svc::emulator::files {
namespace {

using text::refuse_argument;

constexpr std::int64_t k_least_expiry = 3'600;
constexpr std::int64_t k_most_expiry = 2'592'000;
constexpr std::size_t k_longest_name = 255;

/// The form, field by field.
class Form {
 public:
  explicit Form(const Call& call) : m_call(call) {}

  std::optional<Answer> take(const FormPart& part) {
    if (part.name == "file") return take_file(part);
    if (part.name == "purpose") m_file.purpose = part.data;
    if (part.name == "team_id" && part.data != m_call.key.team_id) {
      return refuse(403, "The caller does not have permission to execute the specified operation",
                    "team_id is not the team of this API key.");
    }
    if (!part.name.starts_with("expires_after")) return std::nullopt;
    if (m_has_file) {
      return refuse_argument("expires_after must come before the file part of the form.");
    }
    if (part.name == "expires_after[anchor]") {
      m_anchor = true;
      if (part.data == "created_at") return std::nullopt;
      return refuse_argument("expires_after[anchor] must be created_at.");
    }
    if (part.name == "expires_after" || part.name == "expires_after[seconds]") {
      return take_expiry(part);
    }
    return std::nullopt;
  }

  std::optional<Answer> finish() {
    if (!m_has_file) return refuse_argument("The form has no part named file.");
    if (m_anchor && !m_file.expires_after) {
      return refuse_argument("expires_after[anchor] needs expires_after[seconds].");
    }
    return std::nullopt;
  }

  [[nodiscard]] const NewFile& file() const { return m_file; }

 private:
  std::optional<Answer> take_expiry(const FormPart& part) {
    const auto seconds = parse_integer(trim(part.data));
    if (!seconds) return refuse_argument(part.name + " must be a whole number of seconds.");
    if (const auto fault = expiry_fault(*seconds)) return refuse_argument(*fault);
    m_file.expires_after = *seconds;
    return std::nullopt;
  }

  std::optional<Answer> take_file(const FormPart& part) {
    if (m_has_file) return refuse_argument("The form has more than one part named file.");
    if (!part.filename) return refuse_argument("The file part of the form has no filename.");
    if (const auto fault = name_fault(*part.filename)) return refuse_argument(*fault);
    if (part.data.size() > k_max_file) return refuse_file_size(k_max_file);
    m_has_file = true;
    m_file.filename = *part.filename;
    m_file.data = part.data;
    // A form's default says nothing about the file.
    if (part.content_type != "application/octet-stream") m_file.content_type = part.content_type;
    return std::nullopt;
  }

  const Call& m_call;
  NewFile m_file{};
  bool m_has_file = false;
  bool m_anchor = false;
};

}  // namespace

std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "The file name is empty.";
  if (name.size() > k_longest_name) {
    return fmt::format("The file name is longer than {} bytes.", k_longest_name);
  }
  if (first_invalid_utf8(name) || name.find('\0') != std::string_view::npos) {
    return "The file name is not UTF-8 text.";
  }
  return std::nullopt;
}

std::optional<std::string> expiry_fault(std::int64_t seconds) {
  if (seconds >= k_least_expiry && seconds <= k_most_expiry) return std::nullopt;
  return fmt::format("expires_after must be between {} and {} seconds, not {}.", k_least_expiry,
                     k_most_expiry, seconds);
}

Answer refuse_file(std::string_view id) {
  return text::refuse_missing(fmt::format("File with id={} not found", excerpt(id, 80)));
}

Answer refuse_file_size(std::uint64_t limit) {
  return refuse(413, "Payload too large",
                fmt::format("The file is larger than {}.", format_bytes(limit)));
}

Answer upload(const Call& call) {
  const auto boundary = form_boundary(call.header("Content-Type").value_or(""));
  if (!boundary) {
    return refuse(
        415, "Unsupported media type",
        "This operation takes a form: Content-Type: multipart/form-data with a boundary.");
  }
  const auto parts = parse_form(call.body, *boundary);
  if (!parts) return refuse_argument(parts.error().message);
  Form form(call);
  for (const FormPart& part : *parts) {
    if (auto refusal = form.take(part)) return *refusal;
  }
  if (auto refusal = form.finish()) return *refusal;
  const auto stored = store_file(*call.state, call.key.team_id, form.file());
  if (!stored) return refuse_internal(stored.error());
  return json_answer(file_object(*stored, own_address(call), call.state->now_ms() / 1000));
}

}  // namespace svc::emulator::files

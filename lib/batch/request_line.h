// One line of a bulk file, in either of the service's two formats, checked before anything is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/model.h"

namespace svc::batch {

/// An operation supported in batches.
struct Endpoint {
  std::string_view url;    ///< in the format with `custom_id`
  std::string_view group;  ///< of its command, and the verb
  std::string_view verb;
  std::string_view member;   ///< in `batch_request`; empty: only by file
  std::string_view needs{};  ///< a required field of its body
  bool media = false;        ///< its images and videos must be URLs
  bool text = false;         ///< a language model answers
};

/// The endpoint of chat completions.
[[nodiscard]] const Endpoint& chat_endpoint();

/// An error in a line. The column counts bytes from 1; 0 means the whole line.
struct LineError {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string message{};
};

/// "line 3, column 7: expected a value, found '}'".
[[nodiscard]] std::string describe(const LineError& fault);

/// A request as written in the line. `body` is valid as long as the line.
struct RequestLine {
  std::string id{};  ///< empty if none was given
  const Endpoint* endpoint = nullptr;
  std::string_view body{};
};

/// The two formats of a request.
enum class RequestFormat : std::uint8_t { Added, File };

struct ParsedRequestLine {
  RequestLine entry{};
  std::vector<LineError> errors{};
};

/// Parses the line `text`, number `line`, and reports as many errors as possible at once. `format`
/// is the format in which it will be sent: some operations are only available by file.
[[nodiscard]] ParsedRequestLine read_request_line(std::string_view text, std::uint64_t line,
                                                  RequestFormat format);

/// Appends a request in `format` to `line`. Without an ID (RequestFormat::Added only) the service
/// generates one. `default_model` is added to a body without a model; "" adds nothing.
void append_request_line(std::string& line, const Endpoint& endpoint, std::string_view id,
                         std::string_view body, std::string_view default_model,
                         RequestFormat format);

/// A request in a line as it is sent. `body` is a slice of the line.
struct SentRequest {
  const Operation* operation = nullptr;
  std::string_view body{};
};

/// The request in a line that append_request_line() has made; nothing if it is not one.
[[nodiscard]] std::optional<SentRequest> sent_request(std::string_view line);

/// The ID of a line without one. It is derived from the line's number, so a second run and every
/// shard generate the same ID.
[[nodiscard]] std::string generated_id(std::uint64_t line);

}  // namespace svc::batch

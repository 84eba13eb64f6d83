// One line of a bulk file, in either of the service's two forms, checked
// before anything is sent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::batch {

/// An operation that a batch can hold.
struct Endpoint {
  std::string_view url;      ///< in the form with `custom_id`
  std::string_view member;   ///< in `batch_request`; empty: by file only
  std::string_view needs{};  ///< a member that its body must have
};

[[nodiscard]] std::span<const Endpoint> endpoints();
/// The chat completion's.
[[nodiscard]] const Endpoint& chat_endpoint();

/// What is wrong with a line. The column counts bytes from 1; 0: the line as a whole.
struct LineFault {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string message{};
};

/// "line 3, column 7: expected a value, found '}'".
[[nodiscard]] std::string describe(const LineFault& fault);

/// A request as it stands in the line. `body` lives as long as the line.
struct RequestLine {
  std::string id{};  ///< empty: none was given
  const Endpoint* endpoint = nullptr;
  std::string_view body{};
};

/// Which of the two forms a request is written in.
enum class Form : std::uint8_t { Added, File };

struct RequestLineRead {
  RequestLine entry{};
  std::vector<LineFault> faults{};
};

/// Reads the line `text`, number `line`. All that is wrong is found in one go, as far as that can
/// be told. `form` is the one that it will be sent in: some operations go by file only.
[[nodiscard]] RequestLineRead read_request_line(std::string_view text, std::uint64_t line,
                                                Form form);

/// Appends a request in `form` to `line`; without an id (Form::Added only) the service makes one.
/// `default_model` is added to a body without a model; "" adds nothing.
void append_request_line(std::string& line, const Endpoint& endpoint, std::string_view id,
                         std::string_view body, std::string_view default_model, Form form);

/// The id of a line that gives none: by its number, so that a second run and every shard finds the
/// same.
[[nodiscard]] std::string made_id(std::uint64_t line);

}  // namespace svc::batch

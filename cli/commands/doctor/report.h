// The findings of `svc doctor`. No I/O here, so that each verdict can be tested.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/settings.h"
#include "http/transport.h"
#include "json/document.h"
#include "session/key_check.h"
#include "session/session.h"

namespace svc::cli {

enum class State : std::uint8_t { Ok, Note, Warning, Error };

/// "ok", "note", "warning", "error".
[[nodiscard]] std::string_view state_word(State state) noexcept;

/// One line of the report.
struct Finding {
  std::string check{};
  State state = State::Ok;
  std::string detail{};
  std::string hint{};
  Fault fault = Fault::Unexpected;  ///< of State::Error
};

/// A finding of State::Error with the text of `error`.
[[nodiscard]] Finding finding_of(std::string check, const Error& error);

/// One object per finding: {"check","state","detail","hint"}; the hint may be null.
[[nodiscard]] OrderedJson to_json(const Finding& finding);

/// {"ok":true,"checks":[…]}.
[[nodiscard]] OrderedJson to_json(std::span<const Finding> findings);

/// Nothing if no finding has State::Error, else one error of the worst class: network before
/// rejected keys before local errors before settings.
[[nodiscard]] std::optional<Error> verdict(std::span<const Finding> findings);

/// Reports the proxy variables that libcurl uses; passwords are masked.
[[nodiscard]] Finding check_proxy(const Environment& environment);

/// Compares the `Date` of a response to the local clock: a difference of more than five minutes is
/// a warning. Nothing if the response has no valid date.
[[nodiscard]] std::optional<Finding> check_clock(const http::HttpHead& head, std::int64_t now);

/// The request to a host and its result.
struct Probe {
  std::string check{};               ///< "base_url"
  const Setting* setting = nullptr;  ///< the URL
  std::optional<KeyKind> kind{};     ///< the key that the host expects, if any
  std::string key{};                 ///< the key sent; empty if there was none
  http::Outcome outcome{};
  std::string body{};
  std::chrono::milliseconds took{0};
};

/// The finding for a host: unreachable, not the service, key rejected, or ok.
[[nodiscard]] Finding assess(const Probe& probe);

}  // namespace svc::cli

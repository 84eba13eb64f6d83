// What `svc doctor` found, without the network: pure, so that each verdict can be tested.
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

/// A finding of State::Error that says what `error` says.
[[nodiscard]] Finding finding_of(std::string check, const Error& error);

/// One object per finding: {"check","state","detail","hint"}, the hint null when there is none.
[[nodiscard]] OrderedJson to_json(const Finding& finding);

/// {"ok":true,"checks":[…]}.
[[nodiscard]] OrderedJson to_json(std::span<const Finding> findings);

/// Nothing without a finding of State::Error; else one error for all, of the worst class: broken
/// network before refused key before local trouble before bad settings.
[[nodiscard]] std::optional<Error> verdict(std::span<const Finding> findings);

/// Prints the report and its hints. The error of verdict().
[[nodiscard]] Result<void> conclude(Session& session, std::span<const Finding> findings);

/// Which proxy variables libcurl obeys are set; their passwords are masked.
[[nodiscard]] Finding check_proxy(const Environment& environment);

/// The `Date` of an answer beside this machine's clock: more than five minutes apart is a warning.
/// Nothing when the answer has no usable date.
[[nodiscard]] std::optional<Finding> check_clock(const http::HttpHead& head, std::int64_t now);

/// How a host was asked and what came of it.
struct Asked {
  std::string check{};               ///< "base_url"
  const Setting* setting = nullptr;  ///< the address
  std::optional<KeyKind> kind{};     ///< of the key that the host takes; nothing: it takes none
  std::string key{};                 ///< sent; empty: none was there
  http::Outcome outcome{};
  std::string body{};
  std::chrono::milliseconds took{0};
};

/// The finding about a host: not reachable, not the service, key refused, or fine.
[[nodiscard]] Finding judge(const Asked& asked);

}  // namespace svc::cli

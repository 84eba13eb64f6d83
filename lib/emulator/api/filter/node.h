// Inside the filter: what an expression is made of.
#pragma once

#include <optional>
#include <utility>

#include "emulator/api/filter/filter.h"

namespace svc::emulator::filter {

enum class Op : std::uint8_t { Has, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// `field op value`, or `field:low..high`.
struct Comparison {
  std::string field{};
  Match match = Match::Exact;
  Op op = Op::Equal;
  std::string text{};
  std::optional<double> number{};  ///< `text` as a number or, with Match::Time, in Unix seconds
  std::optional<std::pair<double, double>> range{};  ///< both ends belong to it
};

[[nodiscard]] bool compare(const Comparison& comparison, const Value& value);

/// What `text` is as a number for that kind of field; nothing when it is none.
[[nodiscard]] std::optional<double> number_for(Match match, std::string_view text);

enum class NodeKind : std::uint8_t { And, Or, Not, Compare };

}  // namespace svc::emulator::filter

struct svc::emulator::filter::Filter::Node {
  NodeKind kind = NodeKind::Compare;
  std::vector<std::shared_ptr<const Node>> parts{};
  Comparison comparison{};
};

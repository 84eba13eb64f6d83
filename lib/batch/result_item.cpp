#include "batch/result_item.h"

#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json_slices.h"
#include "base/text.h"
#include "client/reply_json.h"

namespace svc::batch {
namespace {

using Slice = std::optional<std::string_view>;

bool is_present(const Slice& slice) {
  return slice && *slice != "null";
}

/// The text of a JSON string; "" for anything else.
std::string string_of(const Slice& slice) {
  if (!slice || !slice->starts_with('"')) return {};
  if (slice->find('\\') == std::string_view::npos) {
    return replace_invalid_utf8(slice->substr(1, slice->size() - 2));
  }
  const auto value = parse_reply(*slice);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// A whole number; decimal strings count (api 4 §0).
std::optional<std::int64_t> integer_of(const Slice& slice) {
  if (!slice) return std::nullopt;
  std::string_view digits = *slice;
  if (digits.size() >= 2 && digits.front() == '"') digits = digits.substr(1, digits.size() - 2);
  return parse_integer(digits);
}

std::int64_t count_of(std::string_view json, std::string_view path) {
  return integer_of(json_member(json, path)).value_or(0);
}

/// The text of a message's content: a string, or parts with text.
std::string content_of(const Slice& content) {
  if (!content) return {};
  if (content->starts_with('"')) return string_of(content);
  std::string text;
  for (const std::string_view part : json_elements(*content)) {
    text += string_of(json_member(part, "text"));
  }
  return text;
}

/// The last assistant entry: others may be the traffic of server tools (api 4 §8.3).
std::string chat_text(std::string_view completion) {
  const Slice choices = json_member(completion, "choices");
  if (!choices) return {};
  std::string text;
  for (const std::string_view choice : json_elements(*choices)) {
    const Slice role = json_member(choice, "message.role");
    if (role && *role != "\"assistant\"") continue;
    std::string content = content_of(json_member(choice, "message.content"));
    if (content.empty()) content = string_of(json_member(choice, "message.refusal"));
    if (!content.empty() || text.empty()) text = std::move(content);
  }
  return text;
}

std::string image_urls(std::string_view response) {
  const Slice data = json_member(response, "data");
  if (!data) return {};
  std::string text;
  for (const std::string_view image : json_elements(*data)) {
    std::string url = string_of(json_member(image, "url"));
    if (url.empty()) url = string_of(json_member(image, "file_output.file_id"));
    if (url.empty()) continue;
    if (!text.empty()) text += ' ';
    text += url;
  }
  return text;
}

std::string error_text(std::string_view error) {
  if (error.starts_with('"')) return string_of(error);
  std::string message = string_of(json_member(error, "message"));
  if (message.empty()) message = string_of(json_member(error, "error"));
  const std::string code = string_of(json_member(error, "code"));
  if (message.empty()) return code.empty() ? std::string(error) : code;
  return code.empty() ? message : code + ": " + message;
}

void read_response(std::string_view response, ResultItem& item) {
  if (!response.starts_with('{')) {
    item.reason = "the service does not know how it ended";
    return;
  }
  item.outcome = Outcome::Succeeded;
  std::string_view body = response;
  if (const Slice chat = json_member(response, "chat_get_completion"); is_present(chat)) {
    body = *chat;
    item.text = chat_text(body);
  } else if (const Slice image = json_member(response, "image_generation"); is_present(image)) {
    body = *image;
    item.text = image_urls(body);
  } else if (const Slice video = json_member(response, "video_generation"); is_present(video)) {
    body = *video;
    item.text = string_of(json_member(body, "video.url"));
  }
  item.cost_ticks = integer_of(json_member(body, "usage.cost_in_usd_ticks"));
}

Outcome failure_kind(std::string_view reason) {
  const std::string lower = to_lower(reason);
  return lower == "cancelled" || lower == "canceled" || lower.starts_with("batch was cancelled")
             ? Outcome::Cancelled
             : Outcome::Failed;
}

void fail(ResultItem& item, std::string reason) {
  item.reason = std::move(reason);
  if (item.reason.empty()) item.reason = "failed without a reason";
  item.outcome = failure_kind(item.reason);
}

}  // namespace

std::string_view outcome_name(Outcome outcome) noexcept {
  constexpr std::array<std::string_view, 4> names = {"succeeded", "failed", "cancelled", "unknown"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string result_item_id(std::string_view json) {
  return string_of(json_member(json, "batch_request_id"));
}

ResultItem read_result_item(std::string_view json) {
  ResultItem item;
  item.id = result_item_id(json);
  const Slice result = json_member(json, "batch_result");
  const std::string message = string_of(json_member(json, "error_message"));
  if (is_present(result) && result->starts_with('"')) {
    fail(item, string_of(result));
    return item;
  }
  if (is_present(result)) {
    if (const Slice error = json_member(*result, "error"); is_present(error)) {
      fail(item, error_text(*error));
      return item;
    }
  }
  if (!message.empty()) {
    fail(item, message);
    return item;
  }
  const Slice response = is_present(result) ? json_member(*result, "response") : Slice();
  if (is_present(response)) {
    read_response(*response, item);
  } else {
    item.reason = "the service gave no result";
  }
  return item;
}

Result<BatchState> read_batch_state(std::string_view json) {
  BatchState batch;
  batch.id = string_of(json_member(json, "batch_id"));
  if (batch.id.empty()) {
    return Error{Fault::Network, "the answer is no batch: it has no batch_id",
                 "Look at it with --format raw."};
  }
  batch.name = string_of(json_member(json, "name"));
  batch.requests = count_of(json, "state.num_requests");
  batch.pending = count_of(json, "state.num_pending");
  batch.succeeded = count_of(json, "state.num_success");
  batch.failed = count_of(json, "state.num_error");
  batch.cancelled = count_of(json, "state.num_cancelled");
  batch.cost_ticks = integer_of(json_member(json, "cost_breakdown.total_cost_usd_ticks"));
  batch.was_cancelled = !string_of(json_member(json, "cancel_time")).empty();
  batch.cancel_message = string_of(json_member(json, "cancel_by_xai_message"));
  batch.expire_time = string_of(json_member(json, "expire_time"));
  return batch;
}

bool has_expired(const BatchState& batch, std::int64_t now) {
  if (batch.expire_time.empty()) return false;
  std::string text = batch.expire_time;
  if (text.size() == 10) text += "T23:59:59Z";
  const auto at = parse_rfc3339(text);
  return at && *at < now;
}

bool is_finished(const BatchState& batch, std::int64_t now) {
  if (has_expired(batch, now)) return true;
  if (batch.pending > 0) return false;
  return batch.requests > 0 || batch.was_cancelled;
}

std::string reason_class(std::string_view reason) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < reason.size(); ++i) {
    const char c = reason[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
        out += "…";
        out += c;
      }
      continue;
    }
    const bool opens = (c == '\'' || c == '"') && (i == 0 || reason[i - 1] == ' ') &&
                       reason.find(c, i + 1) != std::string_view::npos;
    if (opens) quote = c;
    if (c >= '0' && c <= '9') {
      if (!out.ends_with('N')) out += 'N';
      continue;
    }
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return excerpt(out, 160);
}

}  // namespace svc::batch

#include "batch/result_item.h"

#include <array>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "client/usage.h"
#include "json/scanner.h"
#include "json/slices.h"

namespace svc::batch {
namespace {

using Slice = std::optional<std::string_view>;

bool is_present(const Slice& slice) {
  return slice && *slice != "null";
}

/// Parses an integer or a decimal string.
std::optional<std::int64_t> integer_of(const Slice& slice) {
  if (!slice) return std::nullopt;
  std::string_view digits = *slice;
  if (digits.size() >= 2 && digits.front() == '"') digits = digits.substr(1, digits.size() - 2);
  return parse_integer(digits);
}

std::int64_t count_of(std::string_view json, std::string_view path) {
  return integer_of(json_member(json, path)).value_or(0);
}

/// The text of a message's content, which is a string or an array of parts.
std::string content_of(const Slice& content) {
  if (!content) return {};
  if (content->starts_with('"')) return json_string(content);
  std::string text;
  for (const std::string_view part : json_elements(*content)) {
    text += json_string(json_member(part, "text"));
  }
  return text;
}

/// Whether a content is neither of these, nor null.
bool is_nonsense(const Slice& content) {
  return is_present(content) && !content->starts_with('"') && !content->starts_with('[');
}

/// Reads the text and outcome of the assistant's last entry; others may belong to server-side
/// tools.
void read_choices(const Slice& choices, ResultItem& item) {
  if (!choices) return;
  constexpr std::array<std::string_view, 4> paths = {"message.role", "message.content",
                                                     "message.refusal", "finish_reason"};
  Answer answer;
  bool nonsense = false;
  for (const std::string_view entry : json_elements(*choices)) {
    const std::vector<Slice> found = json_pick(entry, paths);
    if (found[0] && *found[0] != "\"assistant\"") continue;
    Choice choice{.refusal = json_string(found[2]), .finish_reason = json_string(found[3])};
    nonsense = nonsense || is_nonsense(found[1]);
    std::string content = content_of(found[1]);
    if (content.empty()) content = choice.refusal;
    if (!content.empty() || item.text.empty()) item.text = std::move(content);
    answer.choices.push_back(std::move(choice));
  }
  if (auto lacking = answer_error(answer)) {
    item.outcome = Outcome::Failed;
    item.reason = std::move(lacking->message);
  } else if (nonsense) {
    item.outcome = Outcome::Failed;
    item.reason = "expected text for \"content\" in the response";
  }
}

std::string image_urls(const Slice& data) {
  if (!data) return {};
  std::string text;
  for (const std::string_view image : json_elements(*data)) {
    std::string url = json_string(json_member(image, "url"));
    if (url.empty()) url = json_string(json_member(image, "file_output.file_id"));
    if (url.empty()) continue;
    if (!text.empty()) text += ' ';
    text += url;
  }
  return text;
}

std::string error_text(std::string_view error) {
  if (error.starts_with('"')) return json_string(error);
  std::string message = json_string(json_member(error, "message"));
  if (message.empty()) message = json_string(json_member(error, "error"));
  const std::string code = json_string(json_member(error, "code"));
  if (message.empty()) return code.empty() ? std::string(error) : code;
  return code.empty() ? message : code + ": " + message;
}

/// The fields of an item, all found in one pass.
enum Part : std::size_t {
  k_id,
  k_message,
  k_result,
  k_error,
  k_response,
  k_chat,
  k_chat_choices,
  k_chat_cost,
  k_image,
  k_image_data,
  k_image_cost,
  k_video,
  k_video_url,
  k_video_cost,
  k_other_cost,
  k_parts
};

constexpr std::array<std::string_view, k_parts> k_paths = {
    "batch_request_id",
    "error_message",
    "batch_result",
    "batch_result.error",
    "batch_result.response",
    "batch_result.response.chat_get_completion",
    "batch_result.response.chat_get_completion.choices",
    "batch_result.response.chat_get_completion.usage.cost_in_usd_ticks",
    "batch_result.response.image_generation",
    "batch_result.response.image_generation.data",
    "batch_result.response.image_generation.usage.cost_in_usd_ticks",
    "batch_result.response.video_generation",
    "batch_result.response.video_generation.video.url",
    "batch_result.response.video_generation.usage.cost_in_usd_ticks",
    "batch_result.response.usage.cost_in_usd_ticks",
};

void read_response(const std::vector<Slice>& found, ResultItem& item) {
  if (!found[k_response]->starts_with('{')) {
    item.reason = "the service reported no outcome";
    return;
  }
  item.outcome = Outcome::Succeeded;
  item.counts_as_success = true;
  Part cost = k_other_cost;
  if (is_present(found[k_chat])) {
    read_choices(found[k_chat_choices], item);
    cost = k_chat_cost;
  } else if (is_present(found[k_image])) {
    item.text = image_urls(found[k_image_data]);
    cost = k_image_cost;
  } else if (is_present(found[k_video])) {
    item.text = json_string(found[k_video_url]);
    cost = k_video_cost;
  }
  item.cost_ticks = integer_of(found[cost]);
}

Outcome failure_kind(std::string_view reason) {
  const std::string lower = to_lower(reason);
  return lower == "cancelled" || lower == "canceled" || lower.starts_with("batch was cancelled")
             ? Outcome::Canceled
             : Outcome::Failed;
}

void fail(ResultItem& item, std::string reason) {
  item.reason = std::move(reason);
  if (item.reason.empty()) item.reason = "failed without a stated reason";
  item.outcome = failure_kind(item.reason);
}

}  // namespace

std::string_view outcome_name(Outcome outcome) noexcept {
  constexpr std::array<std::string_view, 4> names = {"succeeded", "failed", "cancelled", "unknown"};
  return names[static_cast<std::size_t>(outcome)];
}

Usage result_usage(std::string_view json) {
  // Inside a string the quotes would be escaped, so this is a field name, or the end of a string
  // not followed by a colon.
  constexpr std::string_view k_name = R"("usage")";
  std::size_t at = json.rfind(k_name);
  while (at != std::string_view::npos &&
         !trim(json.substr(at + k_name.size(), 8)).starts_with(':')) {
    at = at == 0 ? std::string_view::npos : json.rfind(k_name, at - 1);
  }
  if (at == std::string_view::npos) return {};
  const std::size_t colon = json.find(':', at + k_name.size());
  json_scan::Scanner<json_scan::Input::Checked> scanner(json.substr(colon + 1));
  return usage_in(scanner.value().value_or(std::string_view())).value_or(Usage{});
}

std::string result_item_id(std::string_view json) {
  return json_string(json_member(json, "batch_request_id"));
}

ResultItem read_result_item(std::string_view json) {
  const std::vector<Slice> found = json_pick(json, k_paths);
  ResultItem item;
  item.id = json_string(found[k_id]);
  if (is_present(found[k_result]) && found[k_result]->starts_with('"')) {
    fail(item, json_string(found[k_result]));
  } else if (is_present(found[k_error])) {
    fail(item, error_text(*found[k_error]));
  } else if (std::string message = json_string(found[k_message]); !message.empty()) {
    fail(item, std::move(message));
  } else if (is_present(found[k_response])) {
    read_response(found, item);
  } else {
    item.reason = "the service returned no result";
  }
  return item;
}

Result<BatchState> read_batch_state(std::string_view json) {
  BatchState batch;
  batch.id = json_string(json_member(json, "batch_id"));
  if (batch.id.empty()) {
    return Error{Fault::Network, "response is not a batch: it has no batch_id",
                 "--format raw prints it."};
  }
  batch.name = json_string(json_member(json, "name"));
  batch.requests = count_of(json, "state.num_requests");
  batch.pending = count_of(json, "state.num_pending");
  batch.succeeded = count_of(json, "state.num_success");
  batch.failed = count_of(json, "state.num_error");
  batch.canceled = count_of(json, "state.num_cancelled");
  batch.cost_ticks = integer_of(json_member(json, "cost_breakdown.total_cost_usd_ticks"));
  batch.was_canceled = !json_string(json_member(json, "cancel_time")).empty();
  batch.cancel_message = json_string(json_member(json, "cancel_by_xai_message"));
  batch.expire_time = json_string(json_member(json, "expire_time"));
  return batch;
}

std::optional<std::int64_t> served_at(const http::HttpHead& head) {
  return parse_http_date(head.header("date").value_or(""));
}

bool has_expired(const BatchState& batch) {
  if (batch.expire_time.empty() || !batch.served_at) return false;
  std::string text = batch.expire_time;
  if (text.size() == 10) text += "T23:59:59Z";
  const auto at = parse_rfc3339(text);
  return at && *at < *batch.served_at;
}

bool is_finished(const BatchState& batch) {
  if (has_expired(batch)) return true;
  if (batch.pending > 0) return false;
  return batch.requests > 0 || batch.was_canceled;
}

std::string reason_class(std::string_view reason) {
  std::string out;
  char quote = 0;
  bool status = false;
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
    if (is_digit(c)) {
      // A status says what was wrong; other numbers tell only the items apart.
      status = status || out.ends_with("HTTP ");
      if (status) out += c;
      if (!status && !out.ends_with('N')) out += 'N';
      continue;
    }
    status = false;
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return excerpt(out, 160);
}

}  // namespace svc::batch

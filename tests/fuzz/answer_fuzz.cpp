// The service's answers: any document, or any lines as the data of events, must give an answer or
// an error, and what is passed on as JSON must be JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "batch/result_item.h"
#include "catalogue/catalogue.h"
#include "client/answer.h"
#include "client/job.h"
#include "client/list_items.h"
#include "client/model_facts.h"
#include "client/usage.h"
#include "history/message_text.h"
#include "json/document.h"
#include "json/text.h"

namespace {

using namespace svc;

constexpr View k_views[] = {View::Chat, View::Response, View::Message};

void check_operation(const Operation& operation, std::string_view text) {
  if (operation.poll) (void)read_job_status(operation.poll->judge, 200, text, {});
  const auto items = list_items(operation, text, {});
  if (!items) return;
  for (const std::string_view item : *items) {
    if (check_json(item)) std::abort();
  }
}

void check_document(std::string_view text, const nlohmann::json& document) {
  for (const View view : k_views) {
    if (const auto answer = read_answer(view, document)) {
      (void)answer_error(*answer);
      (void)bad_arguments(*answer);
    }
  }
  (void)read_usage(text);
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) check_operation(operation, text);
  }
  (void)batch::read_result_item(text);
  (void)batch::result_usage(text);
  (void)batch::result_item_id(text);
  if (const auto state = batch::read_batch_state(text)) {
    (void)batch::is_finished(*state);
    (void)batch::has_expired(*state);
  }
  (void)history::read_message_text(text);
  (void)read_model_facts(text);
}

void check_events(View view, std::string_view lines) {
  const auto stream = make_answer_stream(view, Retain::Text, {});
  for (const std::string_view line : split(lines, '\n')) {
    if (!stream->feed(line, [](const Delta&) {})) break;
    (void)stream->take_warnings();
  }
  const bool whole = static_cast<bool>(stream->finish());
  if (check_json(stream->document()) && whole) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!check_json(text)) check_document(text, parse_reply(text));
  for (const View view : k_views) check_events(view, text);
  const auto fast = make_answer_stream(View::Chat, Retain::Text, {});
  if (fast->feed_run(text, [](const Delta&) {}).bytes > text.size()) std::abort();
  return 0;
}

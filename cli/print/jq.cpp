#include "print/jq.h"

#include <algorithm>
#include <climits>
#include <mutex>
#include <utility>

// jq.h does not declare itself as C.
extern "C" {
#include <jq.h>
}

#include "base/background.h"
#include "base/text.h"
#include "base/wait.h"
#include "json/repair.h"
#include "print/json.h"

namespace svc::print {
namespace {

/// Owns a reference to a jq value.
class Value {
 public:
  explicit Value(jv value) noexcept : m_value(value) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() { jv_free(m_value); }

  /// Returns another reference, for libjq's functions, all of which take ownership of one.
  [[nodiscard]] jv share() const { return jv_copy(m_value); }
  [[nodiscard]] jv_kind kind() const { return jv_get_kind(m_value); }
  /// Returns a string's bytes; valid as long as this object.
  [[nodiscard]] sv text() const {
    const auto length = static_cast<std::size_t>(jv_string_length_bytes(share()));
    return {jv_string_value(m_value), length};
  }

 private:
  jv m_value;
};

/// libjq counts bytes in an int; repairing UTF-8 may triple them.
constexpr std::size_t k_most_bytes = static_cast<std::size_t>(INT_MAX) / 3;

Value parse(sv json) {
  const std::string text = repair_json(json);
  return Value(jv_parse_sized(text.data(), static_cast<int>(text.size())));
}

/// Returns jq's message without its decorations: "jq: error: syntax error, … (Unix shell quoting
/// issues?) at <top-level>, line 1:\n.foo[" becomes "syntax error, …, line 1".
std::string plain_message(sv message) {
  for (const sv prefix : {sv("jq: "), sv("error: ")}) {
    if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  }
  std::string first(message.substr(0, message.find('\n')));
  first.resize(std::min(first.size(), first.find(" (while parsing '")));  // the document follows
  first = replace_all(std::move(first), " (Unix shell quoting issues?)", "");
  first = replace_all(std::move(first), " at <top-level>", "");
  first = replace_all(std::move(first), "$end", "end of the program");  // 1.6
  first = replace_all(std::move(first), "unexpected end of file", "unexpected end of the program");
  while (!first.empty() && (first.back() == ':' || first.back() == ' ')) first.pop_back();
  return first;
}

std::string message_text(const Value& message) {
  if (message.kind() == JV_KIND_STRING) return std::string(message.text());
  if (message.kind() == JV_KIND_NULL) return "the program stopped";
  const Value dumped(jv_dump_string(message.share(), 0));
  return std::string(dumped.text());
}

Error run_error(const std::string& message) {
  // This is the whole message of jq's `input`.
  const std::string reason = message == "break" ? "no more input" : message;
  return Error{Fault::Unexpected, "--jq failed on the response: " + plain_message(reason),
               "Use --json to see the whole response."};
}

Result<void> print_value(const Value& value, Out& out) {
  const Terminal& terminal = out.terminal();
  if (value.kind() == JV_KIND_STRING) {
    SVC_CHECK(write_text(out, value.text()));
    return out.write("\n");
  }
  const Value dumped(jv_dump_string(value.share(), 0));
  // Below 256 levels jq writes a placeholder that is not JSON; that is printed as it is.
  if ((terminal.is_tty || terminal.color) && check_printable(dumped.text())) {
    return terminal.is_tty ? print_json(out, dumped.text()) : JsonLines(out).print(dumped.text());
  }
  SVC_CHECK(write_text(out, dumped.text()));
  return out.write("\n");
}

}  // namespace

struct JqFilter::State {
  State() : jq(jq_init()) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    watcher.reset();
    if (jq != nullptr) jq_teardown(&jq);
  }

  static void on_error(void* self, jv message) {
    const Value owned(message);
    auto& first = static_cast<State*>(self)->first_error;
    if (first.empty()) first = message_text(owned);
  }

  /// Starts a thread that halts a program once canceled: jq_next() may never return by itself.
  void watch() {
    if (cancel == nullptr || watcher) return;
    watcher.emplace([this](CancelSource& over) {
      (void)wait_readable(cancel->wake_fd(), std::nullopt, over);
      const std::lock_guard lock(mutex);
      if (running && cancel->requested() && jq_halted(jq) == 0) {
        jq_halt(jq, jv_invalid(), jv_invalid());
      }
      return true;
    });
  }
  Result<void> set_running(bool now) {
    const std::lock_guard lock(mutex);
    running = now;
    const auto fault = cancel != nullptr ? cancel->requested() : std::nullopt;
    return fault ? Result<void>(canceled(*fault)) : Result<void>();
  }

  jq_state* jq;
  std::string first_error{};
  const CancelToken* cancel = nullptr;
  std::mutex mutex{};
  bool running = false;
  std::optional<Background<bool>> watcher{};
};

JqFilter::JqFilter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
JqFilter::JqFilter(JqFilter&&) noexcept = default;
JqFilter& JqFilter::operator=(JqFilter&&) noexcept = default;
JqFilter::~JqFilter() = default;

Result<JqFilter> JqFilter::compile(sv program, const CancelToken* cancel) {
  if (program.find('\0') != sv::npos || first_invalid_utf8(program)) {
    return usage_error("--jq: the program is not UTF-8 text");
  }
  auto state = std::make_unique<State>();
  if (state->jq == nullptr) return Error{Fault::Unexpected, "--jq: cannot initialize libjq"};
  state->cancel = cancel;
  jq_set_error_cb(state->jq, State::on_error, state.get());
  // libjq 1.6 calls uninitialized pointers unless these are set.
  const auto no_input = [](jq_state*, void*) { return jv_invalid(); };
  jq_set_input_cb(state->jq, no_input, nullptr);
  jq_set_debug_cb(state->jq, nullptr, nullptr);
  // Without these two, libjq searches default directories for modules.
  jq_set_attr(state->jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
  jq_set_attr(state->jq, jv_string("JQ_ORIGIN"), jv_string("/"));
  if (jq_compile(state->jq, std::string(program).c_str()) == 0) {
    return usage_error("--jq: " + plain_message(state->first_error),
                       "See jq(1) for the language. Example: --jq '.[].id'");
  }
  return JqFilter(std::move(state));
}

Result<void> JqFilter::run(sv json, Out& out) {
  SVC_CHECK(check_printable(json));
  if (json.size() > k_most_bytes) {
    return Error{Fault::Unexpected, "the response is too large for --jq"};
  }
  jq_state* jq = m_state->jq;
  const Value input = parse(json);
  if (input.kind() == JV_KIND_INVALID) {
    return run_error(message_text(Value(jv_invalid_get_msg(input.share()))));
  }
  jq_start(jq, input.share(), 0);
  m_state->watch();
  SVC_CHECK(m_state->set_running(true));
  for (;;) {
    const Value result(jq_next(jq));
    if (result.kind() == JV_KIND_INVALID) {
      if (jv_invalid_has_msg(result.share()) == 1) {
        return run_error(message_text(Value(jv_invalid_get_msg(result.share()))));
      }
      break;
    }
    SVC_CHECK(print_value(result, out));
  }
  SVC_CHECK(m_state->set_running(false));
  if (jq_halted(jq) == 0) return {};
  const Value code(jq_get_exit_code(jq));
  if (code.kind() != JV_KIND_NUMBER || jv_number_value(code.share()) == 0) return {};
  return run_error(message_text(Value(jq_get_error_message(jq))));
}

}  // namespace svc::print

#include "print/jq.h"

#include <algorithm>
#include <climits>
#include <mutex>
#include <utility>

// jq.h does not declare itself as C.
extern "C" {
#include <jq.h>
// A function in this header calls it, and stays in a program that is not optimized.
#pragma weak jv_get_kind
}

#include "base/background.h"
#include "base/platform.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "base/wait.h"
#include "json/repair.h"
#include "print/json.h"

namespace svc::print {
namespace {

// Loaded with dlopen(), not linked: with what it needs, it would take a tenth of the time to start.
// clang-format off
#define SVC_JQ_FUNCTIONS(F) \
  F(jq_compile, jq_compile) \
  F(jq_get_error_message, jq_get_error_message) \
  F(jq_get_exit_code, jq_get_exit_code) \
  F(jq_halt, jq_halt) \
  F(jq_halted, jq_halted) \
  F(jq_init, jq_init) \
  F(jq_next, jq_next) \
  F(jq_set_attr, jq_set_attr) \
  F(jq_set_debug_cb, jq_set_debug_cb) \
  F(jq_set_error_cb, jq_set_error_cb) \
  F(jq_set_input_cb, jq_set_input_cb) \
  F(jq_start, jq_start) \
  F(jq_teardown, jq_teardown) \
  F(jv_array, jv_array) \
  F(jv_copy, jv_copy) \
  F(jv_dump_string, jv_dump_string) \
  F(jv_free, jv_free) \
  F(jv_get_kind, jv_get_kind) \
  F(jv_invalid, jv_invalid) \
  F(jv_invalid_get_msg, jv_invalid_get_msg) \
  F(jv_invalid_has_msg, jv_invalid_has_msg) \
  F(jv_number_value, jv_number_value) \
  F(jv_parse_sized, jv_parse_sized) \
  F(jv_string, jv_string) \
  F(jv_string_length_bytes, jv_string_length_bytes) \
  F(jv_string_value, jv_string_value)
// clang-format on
SVC_BUNDLED_LIBRARY(JqFunctions, SVC_JQ_FUNCTIONS);

Result<JqFunctions> load_jq() {
  const std::string name = library_name("jq", 1);
  const auto library = BundledLibrary::load(name);
  if (!library) {
    return Error{Fault::Local,
                 "cannot load " + name + ", which --jq requires: " + library.error().message,
                 install_hint("libjq1")};
  }
  return JqFunctions::find_in(*library);
}

const Result<JqFunctions>& jq_library() {
  static const Result<JqFunctions> library = load_jq();
  return library;
}

/// Owns a reference to a jq value.
class Value {
 public:
  explicit Value(jv value) noexcept : m_value(value) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() { jq_library()->jv_free(m_value); }

  /// Returns another reference, for libjq's functions, all of which take ownership of one.
  [[nodiscard]] jv share() const { return jq_library()->jv_copy(m_value); }
  [[nodiscard]] jv_kind kind() const { return jq_library()->jv_get_kind(m_value); }
  /// Returns a string's bytes; valid as long as this object.
  [[nodiscard]] sv text() const {
    const auto length = static_cast<std::size_t>(jq_library()->jv_string_length_bytes(share()));
    return {jq_library()->jv_string_value(m_value), length};
  }

 private:
  jv m_value;
};

/// libjq counts bytes in an int; repairing UTF-8 may triple them.
constexpr std::size_t k_most_bytes = static_cast<std::size_t>(INT_MAX) / 3;

Value parse(sv json) {
  const std::string text = repair_json(json);
  return Value(jq_library()->jv_parse_sized(text.data(), static_cast<int>(text.size())));
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
  const Value dumped(jq_library()->jv_dump_string(message.share(), 0));
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
  const Value dumped(jq_library()->jv_dump_string(value.share(), 0));
  // Below 256 levels jq writes a placeholder that is not JSON; that is printed as it is.
  if ((terminal.is_tty || terminal.color) && check_printable(dumped.text())) {
    return terminal.is_tty ? print_json(out, dumped.text()) : JsonLines(out).print(dumped.text());
  }
  SVC_CHECK(write_text(out, dumped.text()));
  return out.write("\n");
}

}  // namespace

struct JqFilter::State {
  State() : jq(jq_library()->jq_init()) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    watcher.reset();
    if (jq != nullptr) jq_library()->jq_teardown(&jq);
  }

  static void on_error(void* self, jv message) {
    const Value owned(message);
    auto& first = static_cast<State*>(self)->first_error;
    if (first.empty()) first = message_text(owned);
  }

  /// Starts a thread that halts a program once canceled: jq_library()->jq_next() may never return
  /// by itself.
  void watch() {
    if (cancel == nullptr || watcher) return;
    watcher.emplace([this](CancelSource& over) {
      (void)wait_readable(cancel->wake_fd(), std::nullopt, over);
      const std::lock_guard lock(mutex);
      if (running && cancel->requested() && jq_library()->jq_halted(jq) == 0) {
        jq_library()->jq_halt(jq, jq_library()->jv_invalid(), jq_library()->jv_invalid());
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
  if (const auto& library = jq_library(); !library) return library.error();
  auto state = std::make_unique<State>();
  if (state->jq == nullptr) return Error{Fault::Unexpected, "--jq: cannot initialize libjq"};
  state->cancel = cancel;
  jq_library()->jq_set_error_cb(state->jq, State::on_error, state.get());
  // libjq 1.6 calls uninitialized pointers unless these are set.
  const auto no_input = [](jq_state*, void*) { return jq_library()->jv_invalid(); };
  jq_library()->jq_set_input_cb(state->jq, no_input, nullptr);
  jq_library()->jq_set_debug_cb(state->jq, nullptr, nullptr);
  // Without these two, libjq searches default directories for modules.
  jq_library()->jq_set_attr(state->jq, jq_library()->jv_string("JQ_LIBRARY_PATH"),
                            jq_library()->jv_array());
  jq_library()->jq_set_attr(state->jq, jq_library()->jv_string("JQ_ORIGIN"),
                            jq_library()->jv_string("/"));
  if (jq_library()->jq_compile(state->jq, std::string(program).c_str()) == 0) {
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
    return run_error(message_text(Value(jq_library()->jv_invalid_get_msg(input.share()))));
  }
  jq_library()->jq_start(jq, input.share(), 0);
  m_state->watch();
  SVC_CHECK(m_state->set_running(true));
  for (;;) {
    const Value result(jq_library()->jq_next(jq));
    if (result.kind() == JV_KIND_INVALID) {
      if (jq_library()->jv_invalid_has_msg(result.share()) == 1) {
        return run_error(message_text(Value(jq_library()->jv_invalid_get_msg(result.share()))));
      }
      break;
    }
    SVC_CHECK(print_value(result, out));
  }
  SVC_CHECK(m_state->set_running(false));
  if (jq_library()->jq_halted(jq) == 0) return {};
  const Value code(jq_library()->jq_get_exit_code(jq));
  if (code.kind() != JV_KIND_NUMBER || jq_library()->jv_number_value(code.share()) == 0) return {};
  return run_error(message_text(Value(jq_library()->jq_get_error_message(jq))));
}

}  // namespace svc::print

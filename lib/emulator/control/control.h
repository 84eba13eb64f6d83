// What tests control: faults, answers, and the log of requests.
#pragma once

#include <random>

#include "emulator/json/json.h"
#include "json/pattern.h"

namespace svc::emulator {

/// A rule's action. The first five replace the response, the others change it.
enum class FaultAction : std::uint8_t {
  Status,      ///< an error response with `status` and `headers`; the operation does not run
  Reset,       ///< RST before any byte; the operation does not run
  Stall,       ///< sends nothing and keeps the connection open; the operation does not run
  Garbage,     ///< an HTML page with status 200
  Empty,       ///< status 200 with an empty body
  Latency,     ///< waits `duration`, then responds as usual
  ResetAfter,  ///< RST after `amount` bytes of the body; 0: the operation runs, nothing is sent
  CutAfter,    ///< a stream or WebSocket ends after `amount` events, without its last
  StallAfter,  ///< a stream stops sending after `amount` events
  Slow,        ///< waits `duration` before each byte; on a WebSocket, before each message
  CloseAfter,  ///< a WebSocket closes with `status` and `message` after `amount` messages
  DropAfter,   ///< a WebSocket ends without a close frame after `amount` client messages
};

/// `*` matches any text, including slashes.
[[nodiscard]] bool matches_glob(sv glob, sv text);

struct FaultRule {
  std::string text{};    ///< the rule as given
  std::string method{};  ///< "*": any
  std::string path{};    ///< a glob
  FaultAction action = FaultAction::Reset;
  int status = 0;                 ///< of Status; the close code of CloseAfter
  std::vector<Header> headers{};  ///< of Status
  std::string message{};          ///< of Status, empty: the default; the reason of CloseAfter
  std::string body{};             ///< of Status, empty: the service's own error
  std::chrono::milliseconds duration{0};
  std::uint64_t amount = 0;

  std::optional<std::uint64_t> times{};  ///< maximum number of times
  std::uint64_t after = 0;               ///< skips this many matching requests first
  std::uint64_t every = 1;               ///< applies to every N-th matching request
  double rate = 1.0;                     ///< applies with this probability
  std::string key{};                     ///< only for this key: its ID, name or secret
  std::string model{};                   ///< only for requests for this model
};

/// Parses METHOD PATH-GLOB: ACTION [args] [, times N] [, after K] [, every N] [, rate R] [, key K]
/// [, model M]. Returns Usage, with what was expected.
[[nodiscard]] Result<FaultRule> parse_fault(sv text);

/// The combined effect of the rules on one request.
struct FaultPlan {
  std::optional<FaultRule> replacement{};  ///< Status, Reset, Stall, Garbage or Empty
  std::chrono::milliseconds latency{0};
  std::chrono::milliseconds slow{0};         ///< per byte, or per WebSocket message
  std::map<FaultAction, FaultRule> after{};  ///< ResetAfter, CutAfter, StallAfter, …

  /// Returns the rule with that action, if its amount is reached; otherwise null.
  [[nodiscard]] const FaultRule* due(FaultAction action, std::uint64_t amount) const {
    const auto found = after.find(action);
    return found == after.end() || amount < found->second.amount ? nullptr : &found->second;
  }
};

/// Returns the response of a plan with Status, Garbage or Empty.
[[nodiscard]] Response fault_response(const FaultRule& rule);

/// Whether an operation takes a rule's text.
enum class AnswerText : std::uint8_t {
  Model,  ///< it is what a model says
  Named,  ///< only of rules that name the operation or its path
  None
};

/// The parts of a request that rules match.
struct FaultTarget {
  sv method;
  sv path;
  std::function<bool(sv key)> is_key{};  ///< by ID, name or secret
  std::function<bool(sv model)> names_model{};
};

/// An operation that rules can match; `{name}` in the path is one segment.
struct FaultOperation {
  std::string method;
  std::string path;
};

/// The active rules. Thread-safe.
class FaultRuleSet {
 public:
  struct Entry {
    FaultRule rule;
    std::uint64_t seen = 0;     ///< matching requests
    std::uint64_t applied = 0;  ///< how many of them it changed
  };

  /// Makes add() reject rules that match none of these operations; the error suggests the nearest.
  void set_operations(std::vector<FaultOperation> operations) {
    const std::lock_guard lock(m_mutex);
    m_operations = std::move(operations);
  }

  /// Returns Usage if there would be more than 100 rules, or if a rule matches no operation.
  [[nodiscard]] Result<void> add(std::vector<FaultRule> rules);
  void clear() {
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
    m_random.seed();
  }
  [[nodiscard]] std::vector<Entry> entries() const {
    const std::lock_guard lock(m_mutex);
    return m_entries;
  }

  /// Counts the request and returns its faults. Of several responses, only the first is used up.
  [[nodiscard]] FaultPlan plan(const FaultTarget& target);

 private:
  [[nodiscard]] Result<void> check(const FaultRule& rule) const;
  [[nodiscard]] bool should_apply(Entry& entry, const FaultTarget& target, bool taken);

  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
  std::vector<FaultOperation> m_operations{};
  std::mt19937_64 m_random{};  ///< for the same requests in the same order the same faults
};

// Answers chosen by a test: the rules of POST /_emulator/answers and of --answers.

/// A call of one of the client's functions.
struct FunctionCall {
  std::string name;
  std::string arguments;  ///< JSON text
};

/// A part of a streamed text, and the pause before it.
struct AnswerPiece {
  std::string text;
  std::chrono::milliseconds delay{0};
};

/// A rule's answer: text and tool calls, changed members, an HTTP response, or stream events.
struct CannedAnswer {
  std::optional<std::string> text{};
  std::vector<AnswerPiece> pieces{};  ///< of `text`, as streamed; empty: word by word
  std::vector<FunctionCall> calls{};
  std::string reasoning{}, refusal{}, finish_reason{};
  std::optional<std::vector<std::string>> citations{};  ///< URLs
  std::shared_ptr<const text::Json> usage{};            ///< members that replace those of the usage
  std::shared_ptr<const text::Json> members{};  ///< by path; they replace those of the answer
  std::chrono::milliseconds delay{0};           ///< before the answer
  double rate = 0;                              ///< tokens a second of a stream; 0: as usual
  double jitter = 0;  ///< 0.2: each pause is up to 20 percent shorter or longer
  int status = 0;     ///< 0: the operation responds as usual, with the members above
  std::string body{};
  std::vector<Header> headers{};
  std::vector<std::string> events{};  ///< each as sent, with its blank line
  std::vector<std::string> groups{};  ///< the parts of the match: $0, $1, …

  /// Whether the emulator writes the text itself.
  [[nodiscard]] bool says_nothing() const {
    return !text && calls.empty() && reasoning.empty() && refusal.empty();
  }
};

/// Returns `text` with $0, $1, … replaced by the `groups` that exist, and $$ by a dollar sign.
[[nodiscard]] std::string expand_groups(sv text, const std::vector<std::string>& groups);

/// The same for each string inside.
[[nodiscard]] text::Json expand_json(const text::Json& value,
                                     const std::vector<std::string>& groups);

/// Replaces what is secret in a request or an answer.
void redact(text::Json& value);

/// Returns "images" for "POST /v1/images/generations"; an operation without a name itself.
[[nodiscard]] sv operation_name(sv operation);

/// Returns the value at "choices.0.message.content" ("": the document); null if there is none.
[[nodiscard]] const text::Json* find_path(const text::Json& document, sv path);

/// The parts of a request that rules match.
struct AnswerTarget {
  std::string operation{};            ///< "chat", "responses", "realtime", …, or "GET /v1/files"
  std::string path{};                 ///< with the query, as sent
  std::vector<std::string> models{};  ///< as written in the request, and as shown in responses
  std::string prompt{};               ///< the text of the last user message
  std::string system{};               ///< the system prompt
  std::string tool_result{};          ///< the tool results at the end of the conversation
  std::shared_ptr<const text::Json> body{};
  std::size_t body_bytes = 0;
  std::uint64_t number = 0;  ///< in the log of requests; 0: it is not there
  std::vector<Header> headers{};
  std::function<bool(sv key)> is_key{};  ///< by ID, name or secret
  bool streamed = false;
  bool after_tools = false;  ///< the conversation ends with a tool result
  bool modelled = true;      ///< --strict applies
  AnswerText text = AnswerText::Model;
};

/// The conditions of a rule; empty: any.
struct AnswerMatch {
  std::string operation{};
  std::string path{};  ///< a glob, with or without the query
  std::string model{};
  std::shared_ptr<const Pattern> prompt{};
  std::shared_ptr<const Pattern> system{};
  std::shared_ptr<const Pattern> tool_result{};
  std::vector<Header> headers{};  ///< their values are globs
  std::string key{};
  std::shared_ptr<const text::Json> body{};  ///< values by path
  std::optional<std::int64_t> call{};  ///< only the n-th request that matches the other conditions
};

struct AnswerRule {
  std::string text{};  ///< the rule as given, as compact JSON
  AnswerMatch match{};
  std::optional<std::int64_t> times{};  ///< maximum number of uses
  CannedAnswer answer{};
};

/// Parses one rule or an array. Returns Usage, with the number of the rule that is wrong.
[[nodiscard]] Result<std::vector<AnswerRule>> parse_answers(sv json);

/// What POST /_emulator/verify asks.
struct AnswerCheck {
  AnswerMatch match{};
  std::optional<std::int64_t> count{};  ///< unset: at least one
};
[[nodiscard]] Result<AnswerCheck> parse_check(sv json);

/// The active rules, and the last 1,000 requests, of at most 64 MB. Thread-safe.
class AnswerRuleSet {
 public:
  enum class Place : std::uint8_t { First, Last };
  struct Entry {
    AnswerRule rule;
    std::int64_t id = 0;  ///< from 1
    Place place = Place::First;
    std::int64_t seen = 0;  ///< matching requests
    std::int64_t used = 0;  ///< how many of them it answered
  };

  /// Makes add() refuse rules for other operations, such as "GET /v1/files".
  void set_operations(std::vector<std::string> operations) {
    const std::lock_guard lock(m_mutex);
    m_operations = std::move(operations);
  }
  /// Makes take() refuse requests that no rule answers: those to a model, or all, which only rules
  /// with a status or events then answer.
  enum class Strict : std::uint8_t { No, Models, All };
  void set_strict(Strict strict) {
    const std::lock_guard lock(m_mutex);
    m_strict = strict;
  }

  /// Returns Usage if there would be more than 10,000 rules, or one is for an unknown operation.
  /// Rules with Place::Last come after all others.
  [[nodiscard]] Result<void> add(std::vector<AnswerRule> rules, Place place = Place::First);
  /// Returns false if there is no rule with that ID.
  bool remove(std::int64_t id) {
    const std::lock_guard lock(m_mutex);
    return std::erase_if(m_entries, [&](const Entry& one) { return one.id == id; }) != 0;
  }
  /// Forgets the requests.
  void forget() {
    const std::lock_guard lock(m_mutex);
    m_asked.clear();
    m_asked_bytes = 0;
  }
  /// Deletes the rules and forgets the requests.
  void clear() {
    forget();
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
    m_last_id = 0;
  }
  [[nodiscard]] std::vector<Entry> entries() const {
    const std::lock_guard lock(m_mutex);
    return m_entries;
  }

  struct Taken {
    std::optional<CannedAnswer> answer{};
    std::string refusal{};  ///< of set_strict(): the nearest rule, and what differs
  };
  /// Returns the answer of the first matching rule that is not used up. If a rule has both tool
  /// calls and text, the calls answer a user message and the text answers their results.
  [[nodiscard]] Taken take(AnswerTarget question);

  /// Returns Usage if there is no such operation.
  [[nodiscard]] Result<void> check_operation(const AnswerMatch& match) const;

  /// Lets verify() count a request that was refused before take(); `read` is called if it was.
  void note(std::uint64_t number, const std::function<AnswerTarget()>& read);

  /// Counts the matching requests; Usage, with what came instead, if they are not as many as asked.
  [[nodiscard]] Result<std::int64_t> verify(const AnswerCheck& check) const;

 private:
  [[nodiscard]] std::string explain(const AnswerTarget& question) const;
  void remember(AnswerTarget question);

  mutable std::mutex m_mutex{};
  std::vector<Entry> m_entries{};
  std::int64_t m_last_id = 0;
  std::vector<std::string> m_operations{};
  std::deque<AnswerTarget> m_asked{};
  std::size_t m_asked_bytes = 0;
  Strict m_strict = Strict::No;
};

struct LoggedRequest {
  std::uint64_t number = 0;  ///< from 1, without gaps
  std::int64_t time_ms = 0;  ///< Unix milliseconds
  std::string method{}, target{};
  std::vector<Header> headers{};   ///< without headers that contain secrets
  std::string body{};              ///< at most the first 64 kB
  std::uint64_t body_bytes = 0;    ///< the full size
  std::uint64_t messages = 0;      ///< of a WebSocket, whose `body` has its text messages as lines
  std::uint64_t binary_bytes = 0;  ///< of its binary messages
  int status = 0;                  ///< 0 until the response is sent, or if there never was one
  std::string response{};          ///< its body or text messages, as of the request
  std::uint64_t response_bytes = 0;
};

/// Stores the last 1,000 requests. Thread-safe.
class RequestLog {
 public:
  /// Returns the request's number.
  std::uint64_t add(const HttpRequest& request, std::int64_t now_ms);

  /// Records the response's status; does nothing if the request was dropped from the log.
  void set_status(std::uint64_t number, int status) {
    const std::lock_guard lock(m_mutex);
    if (LoggedRequest* entry = find(number)) entry->status = status;
  }

  /// Adds to the response's body. A text message of a WebSocket must end with a line feed.
  void add_response(std::uint64_t number, sv bytes);

  /// Records a WebSocket message.
  void add_message(std::uint64_t number, sv message, bool is_text);

  /// Returns the requests with a number above `number`, oldest first.
  [[nodiscard]] std::vector<LoggedRequest> since(std::uint64_t number) const;

  /// Deletes all requests. Numbering continues: a request in flight retains its number.
  void clear() {
    const std::lock_guard lock(m_mutex);
    m_requests.clear();
  }

  /// Returns the number of the last request; 0 if there was none.
  [[nodiscard]] std::uint64_t last() const {
    const std::lock_guard lock(m_mutex);
    return m_last;
  }

 private:
  [[nodiscard]] LoggedRequest* find(std::uint64_t number);

  mutable std::mutex m_mutex{};
  std::deque<LoggedRequest> m_requests{};
  std::uint64_t m_last = 0;
};

/// What the control operations of one scope read and change, beside its state.
struct Controls {
  AnswerRuleSet& answers;
  FaultRuleSet faults{};
  RequestLog log{};
  /// Deletes everything; `seed` and `clock_s` (Unix seconds) replace those it began with.
  std::function<Result<void>(std::optional<std::uint64_t> seed,
                             std::optional<std::int64_t> clock_s)>
      reset{};
  std::function<text::Json()> scopes{};  ///< the names of all scopes
};

}  // namespace svc::emulator

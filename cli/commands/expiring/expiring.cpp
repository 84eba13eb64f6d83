// `svc expiring`: what ends soon, on the service and on this machine.
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "commands/command.h"
#include "history/conversations.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/deferred_jobs.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using ExpiringFlags = Flags<catalogue::tool_commands::k_expiring_fields>;

/// The service deletes a stored response 30 days after it was made.
constexpr std::int64_t k_response_lifetime = 30 * 24 * 60 * 60;
constexpr std::chrono::hours k_default_range{7 * 24};

struct Ending {
  std::int64_t at{};  ///< Unix seconds
  sv kind{};
  std::string id{};
  std::string name{};
  std::string command{};
};

/// Unix seconds, or a time as text; a date without a time ends with its day.
std::optional<std::int64_t> time_in(sv item, sv path) {
  const auto found = json_member(item, path);
  if (!found) return std::nullopt;
  if (!found->starts_with('"')) return parse_integer(*found);
  std::string text = json_string(found);
  if (const auto seconds = parse_integer(text)) return seconds;
  if (text.size() == 10) text += "T23:59:59Z";
  return parse_rfc3339(text);
}

std::string text_in(sv item, sv path) {
  return json_string(json_member(item, path));
}

/// The name of a file for what has this ID, for a shell.
std::string file_for(const std::string& id, sv ending) {
  return shell_quote(safe_file_name(id + std::string(ending), "saved" + std::string(ending)));
}

class Endings {
 public:
  Endings(Session& session, std::int64_t until) : m_session(session), m_until(until) {}

  /// Collects from every source. One that cannot be read is reported, and the others are listed all
  /// the same; the last such error is returned.
  Result<void> run() {
    struct Source {
      sv what;
      Result<void> (Endings::*collect)();
    };
    constexpr std::array k_sources = {
        Source{"files", &Endings::files}, Source{"batches", &Endings::batches},
        Source{"keys", &Endings::keys}, Source{"stored responses", &Endings::responses}};
    for (const Source& source : k_sources) {
      const Result<void> collected = (this->*source.collect)();
      m_session.progress().finish();
      if (collected) continue;
      if (is_cancellation(collected.error().fault)) return collected;
      report(source.what, collected.error());
    }
    deferred();
    std::stable_sort(m_found.begin(), m_found.end(),
                     [](const Ending& a, const Ending& b) { return a.at < b.at; });
    SVC_CHECK(print());
    return m_failure ? Result<void>(*m_failure) : Result<void>();
  }

 private:
  void report(sv what, Error error) {
    error.message = fmt::format("the {} are not listed: {}", what, error.message);
    if (m_failure) m_session.notices().warning(m_failure->message);
    m_failure = std::move(error);
  }

  void add(std::optional<std::int64_t> at, sv kind, std::string id, std::string name,
           std::string command) {
    if (!at || *at > m_until || *at <= m_now) return;
    m_found.push_back(
        {*at, kind, std::move(id), std::move(name), with_profile(m_session, std::move(command))});
  }

  Result<void> list(sv group, const std::function<void(sv item)>& use) {
    const Operation& operation = *find_operation(group, "list");
    SVC_TRY(request, prepare_other(m_session, operation, {}));
    SVC_TRY(client, open_client(m_session, request));
    m_session.progress().start(fmt::format("Listing {}", operation.noun.many));
    return each_item(m_session, *client, std::move(request), use);
  }

  Result<void> files() {
    return list("files", [this](sv item) {
      const std::string id = text_in(item, "id");
      const std::string name = text_in(item, "filename");
      add(time_in(item, "expires_at"), "file", id, name,
          fmt::format("svc files download {}", shell_quote(id)));
      add(time_in(item, "public_url_expires_at"), "public URL", id, name,
          fmt::format("svc files publish {} --expires-after 30d", shell_quote(id)));
    });
  }

  Result<void> batches() {
    return list("batches", [this](sv item) {
      const std::string id = text_in(item, "batch_id");
      add(time_in(item, "expire_time"), "batch", id, text_in(item, "name"),
          fmt::format("svc batches results {} -o {} --output-dir {}", shell_quote(id),
                      file_for(id, ".jsonl"), file_for(id, "-media")));
    });
  }

  Result<void> keys() {
    Result<void> listed = list("keys", [this](sv item) {
      const std::string id = text_in(item, "apiKeyId");
      add(time_in(item, "expireTime"), "key", id, text_in(item, "name"),
          fmt::format("svc keys update {} --expire-time 30d", shell_quote(id)));
    });
    if (listed || listed.error().http_status != 0) return listed;
    // Many have no management URL or key.
    const Fault fault = listed.error().fault;
    if (fault != Fault::Auth && fault != Fault::Usage) return listed;
    m_session.notices().note(fmt::format("the keys are not listed: {}", listed.error().message));
    return {};
  }

  /// Those of conversations saved on this machine: the service has no list of them.
  Result<void> responses() {
    std::error_code failed;
    const std::string path = history::conversations_path();
    if (path.empty() || !std::filesystem::exists(path, failed)) return {};
    SVC_TRY(store, history::Conversations::open(path));
    SVC_TRY(all, store.list());
    for (const history::Conversation& one : all) {
      if (one.response_id.empty() || one.profile != m_session.settings().profile.value) continue;
      add(one.updated + k_response_lifetime, "response", one.response_id, one.title,
          fmt::format("svc responses get {} -o {}", shell_quote(one.response_id),
                      file_for(one.response_id, ".json")));
    }
    return {};
  }

  void deferred() {
    for (DeferredJob& job : deferred_jobs()) {
      if (job.profile != m_session.settings().profile.value || job.ends_at > m_until) continue;
      m_found.push_back(
          {job.ends_at, "deferred answer", std::move(job.id), "", std::move(job.command)});
    }
  }

  Result<void> print() {
    const bool table = m_session.format() == Format::Text;
    if (m_found.empty() && table && m_session.list_choice().separator == '\0') {
      m_session.notices().note(fmt::format("nothing {}ends within {}",
                                           m_failure ? "that could be listed " : "",
                                           format_duration(std::chrono::seconds(m_until - m_now))));
      return {};
    }
    OrderedJson all = OrderedJson::array();
    for (const Ending& one : m_found) {
      all.push_back({{"ends_at", one.at},
                     {"kind", one.kind},
                     {"id", one.id},
                     {"name", one.name.empty() ? OrderedJson() : OrderedJson(one.name)},
                     {"command", one.command}});
    }
    return print_list(m_session, all);
  }

  Session& m_session;
  std::int64_t m_now = unix_now();
  std::int64_t m_until;
  std::vector<Ending> m_found{};
  std::optional<Error> m_failure{};
};

}  // namespace

template <>
Result<void> run<Handler::Expiring>(Session& session) {
  const auto within = ExpiringFlags(session.inputs()).get<"within">().value_or(k_default_range);
  const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(within).count();
  return Endings(session, unix_now() + seconds).run();
}

}  // namespace svc::cli

#include "operation/value_completion.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "command_line/flags.h"
#include "history/conversations.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr auto k_fresh = std::chrono::seconds(60);
constexpr auto k_longest = std::chrono::seconds(2);  ///< for all requests together

/// A list whose items contain the candidates; sources with several rows merge them.
struct ValueList {
  sv source;
  sv group;
  sv verb;
  sv items;
  sv id;
};

constexpr std::array k_lists = {
    ValueList{"acls", "keys", "endpoints", "acls", "acl"},
    ValueList{"keys", "keys", "list", "apiKeys", "apiKeyId"},
    ValueList{"collections", "collections", "list", "collections", "collection_id"},
    ValueList{"files", "files", "list", "data", "id"},
    ValueList{"batches", "batches", "list", "batches", "batch_id"},
    ValueList{"voices", "tts", "voices", "voices", "voice_id"},
    ValueList{"phone-numbers", "phone", "list", "phone_numbers|phoneNumbers",
              "phone_number_id|phoneNumberId"},
    ValueList{"payment-methods", "billing", "payment-methods list", "paymentMethods",
              "paymentMethodId"},
};

/// Returns the settings chosen by the command line so far.
Overrides overrides_in(const Words& words) {
  Overrides settings = {{std::string(k_global_flag<"timeout">), "2s"},
                        {std::string(k_global_flag<"connect-timeout">), "1s"},
                        {std::string(k_global_flag<"retries">), "0"}};
  constexpr std::array k_read = {k_global_flag<"profile">, k_global_flag<"base-url">,
                                 k_global_flag<"management-url">, k_global_flag<"team-id">};
  for (const auto& [flag, value] : cut_arguments(nullptr, words).flags) {
    const bool read = std::find(k_read.begin(), k_read.end(), flag.name()) != k_read.end();
    // The word being completed may still be empty.
    if (read && value && !value->empty()) settings[std::string(flag.name())] = *value;
  }
  return settings;
}

/// Whether the word contains nothing that a shell must quote or a terminal interprets.
bool is_plain(const std::string& word) {
  return !word.empty() && word.size() <= 200 && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           sv("-_.:@/+*").find(c) != sv::npos;
  });
}

class Completer {
 public:
  /// `cancel` ends its requests.
  Completer(Session& session, const CancelToken& cancel) : m_session(session), m_cancel(cancel) {}

  Words candidates(sv source) {
    if (source == "profiles") return profiles();
    if (source == "settings") return settings();
    if (source == "templates") return templates();
    if (source == "aliases") return aliases();
    if (source == "conversations" || source == "sessions") {
      return conversations(source == "conversations");
    }
    const std::filesystem::path cache = cache_path(source);
    if (auto words = cached(cache)) return *std::move(words);
    Words words = source == "models"            ? model_names()
                  : source == "language-models" ? language_model_names()
                                                : from_lists(source);
    if (source == "acls") add_model_acls(words);
    // A canceled request returned nothing: do not cache that.
    if (!m_session.cancel_token().requested()) keep(cache, words);
    return words;
  }

 private:
  /// Local, and therefore always fresh.
  static Words conversations(bool numbers) {
    Words words;
    std::error_code failed;
    const std::string path = history::conversations_path();
    if (!std::filesystem::exists(path, failed)) return words;
    auto store = history::Conversations::open(path);
    const auto all =
        store ? store->list(1000) : Result<std::vector<history::Conversation>>(Error{});
    if (!all) return words;
    for (const history::Conversation& one : *all) {
      if (!one.name.empty()) words.push_back(one.name);
      if (numbers) words.push_back(std::to_string(one.id));
    }
    return words;
  }

  static Words settings() {
    Words words;
    for (const SettingRow& row : setting_rows()) words.emplace_back(row.name);
    return words;
  }

  Words templates() const {
    Words words;
    const std::string& profile = m_session.settings().profile.value;
    for (const auto& [name, one] : m_session.config().templates(profile)) words.push_back(name);
    return words;
  }

  Words aliases() const {
    Words words;
    for (const auto& [name, expansion] : m_session.config().aliases()) words.push_back(name);
    return words;
  }

  Words profiles() const {
    Words words = {"default", "emulator"};
    for (const auto& [name, values] : m_session.config().profiles()) {
      if (name != "default") words.push_back(name);
    }
    return words;
  }

  /// A key command that asks for a passphrase must not run on completion.
  [[nodiscard]] bool may_ask(Host host) const {
    const Settings& settings = m_session.settings();
    const bool management = host == Host::Management;
    const auto is_set = [&](const char* name) {
      const auto value = m_session.environment()(name);
      return value && !value->empty();
    };
    const bool given = management ? is_set("SVC_MANAGEMENT_API_KEY") || is_set("SVC_MANAGEMENT_KEY")
                                  : is_set("SVC_API_KEY");
    const Setting& command = management ? settings.management_key_command : settings.key_command;
    return settings.wants_emulator() || given || !command.is_set();
  }

  json fetch(const Operation& operation) {
    if (!may_ask(operation.host)) return {};
    auto request = prepare(m_session, operation, {});
    if (!request) return {};
    auto client = m_session.client(operation.host, 0, &m_cancel);
    if (!client || !complete_address(m_session, *request)) return {};
    const auto reply = (*client)->call(*request);
    return reply ? parse_reply(reply->body) : json();
  }

  /// Returns the first field that exists of several names separated by `|`; otherwise null.
  static const json* member(const json& object, sv names) {
    for (const sv name : split(names, '|')) {
      const auto found = object.is_object() ? object.find(std::string(name)) : object.end();
      if (found != object.end()) return &*found;
    }
    return nullptr;
  }

  static void collect(const json& document, sv items, sv id, sv prefix, Words& words) {
    const json* list = member(document, items);
    if (list == nullptr || !list->is_array()) return;
    for (const json& item : *list) {
      const json* value = member(item, id);
      if (value == nullptr || !value->is_string()) continue;
      words.push_back(std::string(prefix) + value->get<std::string>());
    }
  }

  Words from_lists(sv source) {
    Words words;
    for (const ValueList& list : k_lists) {
      if (list.source != source) continue;
      const Operation* operation = find_operation(list.group, list.verb);
      if (operation != nullptr) collect(fetch(*operation), list.items, list.id, "", words);
    }
    return words;
  }

  Words model_names() {
    Words words;
    collect(fetch(k_plain_models), "data", "id", "", words);
    return words;
  }

  Words language_model_names() {
    Words words;
    const json document = fetch(k_language_models);
    collect(document, "models", "id", "", words);
    return words.empty() ? model_names() : words;
  }

  void add_model_acls(Words& words) {
    words.insert(words.end(), {"api-key:endpoint:*", "api-key:model:*"});
    const json document = fetch(*find_operation("models", "list"));
    const json& clusters = svc::member(document, "clusterConfigs");
    if (!clusters.is_array()) return;
    for (const json& cluster : clusters) {
      if (!cluster.is_object()) continue;
      for (const auto& [name, list] : cluster.items()) {
        if (sv(name).ends_with("Models")) collect(cluster, name, "name", "api-key:model:", words);
      }
    }
  }

  [[nodiscard]] std::filesystem::path cache_path(sv source) const {
    const std::filesystem::path state = state_directory();
    if (state.empty()) return {};
    const Settings& settings = m_session.settings();
    const std::string whose = settings.profile.value + '\n' + settings.base_url.value + '\n' +
                              settings.management_url.value + '\n' + settings.team_id.value;
    return state / "complete" / fmt::format("{}-{:016x}", source, std::hash<std::string>{}(whose));
  }

  static std::optional<Words> cached(const std::filesystem::path& path) {
    std::error_code failed;
    const auto written = std::filesystem::last_write_time(path, failed);
    const auto age = std::filesystem::file_time_type::clock::now() - written;
    if (path.empty() || failed || age < age.zero() || age > k_fresh) return std::nullopt;
    const auto text = read_file(path.string());
    if (!text) return std::nullopt;
    Words words;
    for (const sv word : split(*text, '\n')) words.emplace_back(word);
    return words;
  }

  static void keep(const std::filesystem::path& path, const Words& words) {
    if (path.empty() || !make_private_directory(path.parent_path())) return;
    (void)write_file(path.string(), join(words, "\n"), Replace::Yes, 0600);
  }

  Session& m_session;
  const CancelToken& m_cancel;
};

}  // namespace

Words complete_words(Session& session, sv source) {
  const TimeoutToken limit(k_longest);
  const LinkedToken deadline({&session.cancel_token(), &limit});
  Words words = Completer(session, deadline).candidates(source);
  std::erase_if(words, [](const std::string& word) { return !is_plain(word); });
  return words;
}

Words values_behind_tab(sv source, const Words& words, const CancelToken& cancel) {
  Invocation invocation;
  invocation.operation = &k_plain_models;
  invocation.globals.settings = overrides_in(words);
  invocation.globals.quiet = true;
  invocation.globals.no_stdin = true;
  print::Out discard([](sv) { return Result<void>(); });
  print::Notices silent(discard, {.quiet = true});
  print::Progress progress(discard, false);
  Session session(invocation, cancel, discard, silent, progress);
  if (!session.open(OpenRules{ConfigUse::Optional, NewProfile::Allow})) return {};
  Words values = complete_words(session, source);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace svc::cli

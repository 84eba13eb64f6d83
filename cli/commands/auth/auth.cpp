// `svc auth login | logout | status`: the keys of a profile.
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "client/config_write.h"
#include "client/credentials.h"
#include "commands/command.h"
#include "json/document.h"
#include "print/text_view.h"
#include "session/key_check.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {
namespace {

using AuthFlags = Flags<catalogue::tool_commands::k_login_fields>;

KeyKind kind_of(const Session& session) {
  return AuthFlags(session.inputs()).is_true<"management">() ? KeyKind::Management
                                                             : KeyKind::Inference;
}

sv kind_name(KeyKind kind) {
  return kind == KeyKind::Inference ? "api_key" : "management_key";
}

/// Writes an object in the session's format; as text, in `name: value` lines.
Result<void> write_object(Session& session, const OrderedJson& object) {
  const std::string text = compact_json(object);
  if (session.format() == Format::Text) return print::print_fields(session.out(), text);
  return session.write_document(text);
}

/// Whether the user can be asked on a terminal.
bool is_interactive(const Session& session) {
  return ::isatty(STDIN_FILENO) == 1 && !session.globals().no_stdin;
}

Result<std::string> type_key(Session& session, KeyKind kind) {
  const std::string question = fmt::format(
      "{} for profile {} (not shown): ", kind == KeyKind::Inference ? "API key" : "Management key",
      session.settings().profile.value);
  auto key = read_secret(
      STDIN_FILENO, [&] { return session.say(question); }, session.cancel_token());
  // Echo is off, so the line end was not printed either.
  SVC_CHECK(session.say("\n"));
  return key;
}

/// Reads a line with the URL of a host; "" if it is empty.
Result<std::string> type_url(Session& session, const SettingRow& row) {
  SVC_CHECK(session.say(fmt::format("URL of the {} service (https://…): ",
                                    row.name == "base_url" ? "inference" : "management")));
  SVC_TRY(line, read_line(STDIN_FILENO, session.cancel_token()));
  std::string url(trim(line.text));
  if (url.empty() && line.end == LineEnd::Input) SVC_CHECK(session.say("\n"));
  return url;
}

/// Uses the URL, after adding https:// if it has no scheme. `check`: it must be the service's.
Result<void> accept_url(Session& session, KeyKind kind, std::string url, bool check) {
  const SettingRow& row = url_setting_of(kind);
  if (url.find("://") == std::string::npos) url.insert(0, "https://");
  SVC_TRY(accepted, check_setting(row, "the URL", url));
  session.use(row.member, {accepted, Origin::Typed});
  return check ? try_url(session, kind) : Result<void>();
}

/// Asks until a URL is valid. The URL is checked before its key is asked for.
Result<void> ask_url(Session& session, KeyKind kind, bool check) {
  constexpr int k_attempts = 3;
  for (int attempt = 1;; ++attempt) {
    SVC_TRY(url, type_url(session, url_setting_of(kind)));
    if (url.empty()) {
      return usage_error("no URL given",
                         "The service's console or operator provides it. Without an account, try "
                         "svc with `svc -p emulator chat Hello`.");
    }
    Result<void> accepted = accept_url(session, kind, std::move(url), check);
    if (accepted || is_cancellation(accepted.error().fault) || attempt == k_attempts) {
      return accepted;
    }
    session.notices().warning(accepted.error().message);
  }
}

Result<std::string> pipe_key(Session& session, KeyKind kind) {
  SVC_TRY(text, session.read_stdin());
  const std::string hint =
      fmt::format("Type it on a terminal, or pipe it in: `pass show svc | svc auth login{}`.",
                  kind == KeyKind::Management ? " --management" : "");
  if (!text) return usage_error("no key given: standard input is ignored", hint);
  sv bytes = *text;
  // Some editors and shells start a file with a byte order mark.
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  std::string key(trim(bytes));
  if (key.empty()) return usage_error("no key given: standard input is empty", hint);
  return key;
}

Result<std::string> ask_key(Session& session, KeyKind kind) {
  auto key = is_interactive(session) ? type_key(session, kind) : pipe_key(session, kind);
  if (!key) return key;
  SVC_CHECK(check_key("standard input", *key));
  return key;
}

/// Warns if another source overrides the stored key: "SVC_API_KEY is set and …".
void warn_of_better_sources(Session& session, KeyKind kind, sv consequence) {
  const Settings& settings = session.settings();
  const bool inference = kind == KeyKind::Inference;
  std::string better;
  for (const char* name : {inference ? "SVC_API_KEY" : "SVC_MANAGEMENT_API_KEY",
                           inference ? "" : "SVC_MANAGEMENT_KEY"}) {
    if (better.empty() && session.environment()(name)) better = name;
  }
  for (const char* name : {inference ? "key_command" : "management_key_command",
                           inference ? "key_file" : "management_key_file"}) {
    const Setting& setting = settings.*find_setting(name)->member;
    if (better.empty() && setting.is_set()) better = name;
  }
  if (better.empty()) return;
  session.notices().warning(fmt::format("{} is set and {}", better, consequence));
}

/// The emulator has its own keys; none are stored for it.
Result<void> refuse_emulator(const Session& session) {
  if (!session.settings().wants_emulator()) return {};
  return usage_error("the profile emulator has its own keys",
                     "Choose another profile with -p, such as -p work.");
}

constexpr sv k_way_out = "--no-check skips this check.";

/// A key can be checked only with a URL. On a terminal the user is asked for it; scripts pass a
/// flag.
Result<void> settle_url(Session& session, KeyKind kind, bool check) {
  const SettingRow& row = url_setting_of(kind);
  if ((session.settings().*row.member).is_set()) return {};
  if (is_interactive(session)) return ask_url(session, kind, check);
  if (!check) {
    session.notices().note(
        fmt::format("{0} is not set; `svc config set {0} https://…` sets it", row.name));
    return {};
  }
  Error error = usage_error(
      fmt::format("{} is not set, so the {} cannot be checked", row.name, key_title(kind)),
      fmt::format("Pass --{} https://…; it is saved with the key.", row.flag));
  add_hint(error, k_way_out);
  return error;
}

/// Stores a URL that was typed or given by flag with the key, for later commands.
Result<void> store_url(const Session& session, KeyKind kind) {
  const SettingRow& row = url_setting_of(kind);
  const Setting& url = session.settings().*row.member;
  if (url.origin != Origin::Typed && url.origin != Origin::Flag) return {};
  return write_config_value(session.config().path(), session.settings().profile.value, row.name,
                            url.value, session.cancel_token());
}

void suggest_next(Session& session, KeyKind kind) {
  const std::string& profile = session.settings().profile.value;
  const bool chosen = session.settings().profile.origin == Origin::Flag;
  const std::string with = chosen ? fmt::format(" -p {}", profile) : std::string();
  session.notices().note(kind == KeyKind::Inference
                             ? fmt::format("next, try `svc chat 'Name three rivers'{0}`; `svc "
                                           "doctor{0}` checks the whole setup",
                                           with)
                             : fmt::format("next, try `svc models{}`", with));
}

Result<KeyFacts> check_new_key(Session& session, KeyKind kind, const std::string& key) {
  auto facts = try_key(session, kind, key);
  if (!facts) {
    Error& error = facts.error();
    error.message = fmt::format("the {} was not stored: {}", key_title(kind), error.message);
    const bool refused = error.fault == Fault::Auth && error.http_status != 0;
    if (refused) error.hint = "Check that it is complete.";
    add_hint(error, k_way_out);
  }
  return facts;
}

/// Creates the profile, if it is not in the configuration file yet; otherwise the key would never
/// be found.
Result<void> make_profile(const Session& session) {
  const std::string& name = session.settings().profile.value;
  if (name == "default" || session.config().has_profile(name)) return {};
  return add_profile(session.config().path(), name, session.cancel_token());
}

using Found = Result<std::optional<Credential>>;

OrderedJson describe_key(KeyKind kind, const Found& found) {
  OrderedJson out = {{"kind", kind_name(kind)}, {"usable", found && *found}};
  for (const char* name : {"key", "source", "file", "permissions", "error"}) out[name] = nullptr;
  if (!found) out["error"] = found.error().message;
  if (!found || !*found) return out;
  const Credential& credential = **found;
  out["key"] = mask_key(credential.key);
  out["source"] = credential.source;
  if (credential.file.empty()) return out;
  out["file"] = credential.file;
  struct stat status {};
  if (::stat(credential.file.c_str(), &status) == 0) {
    out["permissions"] = fmt::format("{:04o}", status.st_mode & 07777U);
  }
  return out;
}

/// Formats the result of describe_key() as text.
std::string key_words(const OrderedJson& key) {
  if (!key["error"].is_null()) return "not usable: " + key["error"].get<std::string>();
  if (!key["usable"].get<bool>()) return "none";
  std::string where = key["source"].get<std::string>();
  const std::string file = key["file"].is_null() ? "" : key["file"].get<std::string>();
  if (!file.empty() && where.find(file) == std::string::npos) where += " in " + file;
  return fmt::format("{} ({})", key["key"].get<std::string>(), where);
}

Result<void> write_status(Session& session, const OrderedJson& status) {
  if (session.format() != Format::Text) return write_object(session, status);
  OrderedJson lines = {{"profile", fmt::format("{} ({})", session.settings().profile.value,
                                               session.settings().profile.source())}};
  for (const OrderedJson& key : status["keys"])
    lines[key["kind"].get<std::string>()] = key_words(key);
  return write_object(session, lines);
}

}  // namespace

template <>
Result<void> run<Handler::AuthLogin>(Session& session) {
  const KeyKind kind = kind_of(session);
  SVC_CHECK(refuse_emulator(session));
  const bool check = AuthFlags(session.inputs()).get<"check">() != false;
  SVC_CHECK(settle_url(session, kind, check));
  SVC_TRY(key, ask_key(session, kind));
  KeyFacts facts;
  if (check) {
    SVC_TRY(found, check_new_key(session, kind, key));
    facts = std::move(found);
  }
  SVC_CHECK(store_key(kind, session.settings().profile.value, key, session.config()));
  SVC_CHECK(store_url(session, kind));
  SVC_CHECK(make_profile(session));
  warn_of_better_sources(session, kind, fmt::format("overrides the stored {}", key_title(kind)));
  if (!facts.team_id.empty() && !session.settings().team_id.is_set()) {
    session.notices().note(
        fmt::format("the key belongs to team {0}; `svc config set team_id {0}` saves it",
                    visible(facts.team_id, Lines::Escape)));
  }
  const std::string path =
      stored_key_path(kind, session.settings().profile.value, session.config()).string();
  const SettingRow& url = url_setting_of(kind);
  SVC_CHECK(write_object(session, {{"profile", session.settings().profile.value},
                                   {url.name, text_or_null((session.settings().*url.member).value)},
                                   {"kind", kind_name(kind)},
                                   {"key", mask_key(key)},
                                   {"checked", check},
                                   {"name", text_or_null(facts.name)},
                                   {"team_id", text_or_null(facts.team_id)},
                                   {"file", path}}));
  SVC_CHECK(session.out().flush());
  suggest_next(session, kind);
  return {};
}

template <>
Result<void> run<Handler::AuthLogout>(Session& session) {
  const KeyKind kind = kind_of(session);
  SVC_CHECK(refuse_emulator(session));
  SVC_TRY(removed, forget_key(kind, session.settings().profile.value, session.config()));
  if (!removed) {
    session.notices().note(fmt::format("no {} is stored for profile {}", key_title(kind),
                                       session.settings().profile.value));
  }
  warn_of_better_sources(session, kind, "is still used");
  return write_object(session, {{"profile", session.settings().profile.value},
                                {"kind", kind_name(kind)},
                                {"removed", removed}});
}

template <>
Result<void> run<Handler::AuthStatus>(Session& session) {
  SVC_CHECK(session.ensure_emulator());
  const Settings& settings = session.settings();
  OrderedJson keys = OrderedJson::array();
  std::optional<Error> wrong;
  bool any = false;
  for (const KeyKind kind : {KeyKind::Inference, KeyKind::Management}) {
    const auto found = find_optional_credential(kind, settings, session.environment(),
                                                session.config(), session.cancel_token());
    if (!found && is_cancellation(found.error().fault)) return found.error();
    keys.push_back(describe_key(kind, found));
    if (!found && !wrong) wrong = found.error();
    any = any || (found && *found);
  }
  OrderedJson out = {{"profile", settings.profile.value},
                     {"profile_source", settings.profile.source()},
                     {"keys", std::move(keys)}};
  SVC_CHECK(write_status(session, out));
  SVC_CHECK(session.config_verdict());
  if (wrong) return *std::move(wrong);
  if (!any) return missing_key(KeyKind::Inference, settings);
  return {};
}

}  // namespace svc::cli

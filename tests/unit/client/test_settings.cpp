#include <map>
#include <set>

#include <doctest/doctest.h>

#include "catalogue/global_flags.h"
#include "client/settings.h"
#include "support/mentions.h"
#include "temp_directory.h"
#include "variables.h"

using namespace svc;
using test::environment;
using test::mentions;
using test::TempDirectory;
using test::Variables;

namespace {

ConfigFile config(const TempDirectory& directory, const std::string& text) {
  auto file = ConfigFile::load(directory.write("config.toml", text));
  REQUIRE(file.has_value());
  return *std::move(file);
}

Settings resolve(const Overrides& flags, const Variables& variables, const ConfigFile& file) {
  auto settings = resolve_settings(flags, environment(variables), file);
  REQUIRE_MESSAGE(settings.has_value(), (settings ? std::string() : settings.error().message));
  return *std::move(settings);
}

Error resolve_error(const Overrides& flags, const Variables& variables, const ConfigFile& file) {
  auto settings = resolve_settings(flags, environment(variables), file);
  REQUIRE(!settings.has_value());
  return settings.error();
}

}  // namespace

TEST_CASE("a path in the configuration means the same from every directory") {
  const TempDirectory directory;
  const ConfigFile file =
      config(directory,
             "[profile.default]\nkey_file = '~/keys/svc'\nmcp_config = 'mcp.json'\n"
             "[profile.work]\nkey_file = '/run/key'\nmcp_config = 'none'\n");
  const Variables home = {{"HOME", "/home/ann"}};
  CHECK(resolve({}, home, file).key_file.value == "/home/ann/keys/svc");
  CHECK(resolve({}, home, file).mcp_config.value == (directory.path() / "mcp.json").string());
  CHECK(resolve({{"profile", "work"}}, home, file).key_file.value == "/run/key");
  CHECK(resolve({{"profile", "work"}}, home, file).mcp_config.value == "none");
  CHECK(resolve({}, {{"SVC_MCP_CONFIG", "here.json"}}, file).mcp_config.value == "here.json");
}

TEST_CASE("the table of settings is valid") {
  std::set<std::string_view> names;
  for (const SettingRow& row : setting_rows()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.help.ends_with('.'));
    CHECK(find_setting(row.name) == &row);
    if (!row.flag.empty()) {
      const GlobalFlag* flag = find_global_flag(row.flag);
      REQUIRE(flag != nullptr);
      // A switch sets one of the words (--cost, --no-cost).
      if (!flag->value.empty()) CHECK(flag->choices == row.choices);
    }
    for (const std::string_view variable : row.variables) {
      CHECK((variable.empty() || names.insert(variable).second));
      CHECK((variable.empty() || variable.starts_with("SVC_")));
    }
    if (!row.default_value.empty()) CHECK(check_setting(row, "x", row.default_value).has_value());
  }
  CHECK(find_setting("base-url") == find_setting("base_url"));
  CHECK(find_setting("base-url") != nullptr);
  CHECK(find_setting("") == nullptr);
  CHECK(find_setting("api_key") == nullptr);
}

TEST_CASE("the help of global flags shows the built-in defaults") {
  for (const SettingRow& row : setting_rows()) {
    if (row.default_value.empty() || row.flag.empty() || row.kind == SettingKind::Choice) continue;
    CAPTURE(row.name);
    CHECK(mentions(std::string(find_global_flag(row.flag)->help),
                   "default: " + std::string(row.default_value)));
  }
}

TEST_CASE("flag, then environment, then profile, then default") {
  const TempDirectory directory;
  const ConfigFile file =
      config(directory, "[profile.work]\nretries = 5\nmodel = 'p'\nvoice = 'v'\n");
  const Overrides work{{"profile", "work"}};

  Settings settings = resolve({}, {}, file);
  CHECK(settings.profile.value == "default");
  CHECK(settings.retries.value == "2");
  CHECK(settings.retries.source() == "built in");
  CHECK(settings.format.value == "text");
  CHECK_FALSE(settings.model.is_set());
  CHECK_FALSE(settings.base_url.is_set());

  settings = resolve(work, {}, file);
  CHECK(settings.profile.source() == "flag --profile");
  CHECK(settings.retries.value == "5");
  CHECK(settings.retries.source() == "profile work");

  settings = resolve(work, {{"SVC_RETRIES", "7"}, {"SVC_MODEL", ""}}, file);
  CHECK(settings.retries.value == "7");
  CHECK(settings.retries.source() == "environment SVC_RETRIES");
  CHECK(settings.model.value == "p");

  settings = resolve({{"profile", "work"}, {"retries", "9"}}, {{"SVC_RETRIES", "7"}}, file);
  CHECK(settings.retries.value == "9");
  CHECK(settings.retries.source() == "flag --retries");
  CHECK(settings.voice.value == "v");
}

TEST_CASE("both names of the URL variables work, the shorter one first") {
  const ConfigFile none;
  Settings settings = resolve(
      {},
      {{"SVC_API_BASE_URL", "https://a.example"}, {"SVC_MANAGEMENT_BASE_URL", "https://m.example"}},
      none);
  CHECK(settings.base_url.value == "https://a.example");
  CHECK(settings.base_url.source() == "environment SVC_API_BASE_URL");
  CHECK(settings.management_url.value == "https://m.example");
  settings = resolve(
      {}, {{"SVC_API_BASE_URL", "https://a.example"}, {"SVC_BASE_URL", "https://b.example"}}, none);
  CHECK(settings.base_url.value == "https://b.example");
}

TEST_CASE("the profile is chosen by flag, variable or file") {
  const TempDirectory directory;
  const ConfigFile file =
      config(directory, "default_profile = 'home'\n[profile.home]\n[profile.work]\n");
  CHECK(resolve({}, {}, file).profile.value == "home");
  CHECK(resolve({}, {{"SVC_PROFILE", ""}}, file).profile.value == "home");
  CHECK(resolve({}, {{"SVC_PROFILE", "work"}}, file).profile.value == "work");
  CHECK(resolve({{"profile", "home"}}, {{"SVC_PROFILE", "work"}}, file).profile.value == "home");
  CHECK(resolve({{"profile", "emulator"}}, {}, file).wants_emulator());
}

TEST_CASE("an unknown profile is rejected with the known ones, unless it is about to be created") {
  const TempDirectory directory;
  const ConfigFile file = config(directory, "[profile.work]\n");
  const Error near = resolve_error({{"profile", "wrok"}}, {}, file);
  CHECK(near.fault == Fault::Usage);
  CHECK(mentions(near.message, "--profile: unknown profile 'wrok'"));
  CHECK(mentions(near.message, "known profiles: emulator, default, work"));
  CHECK(mentions(near.hint, "Did you mean 'work'?"));
  // Each of them once.
  CHECK(resolve_error({{"profile", "zzz"}}, {},
                      config(directory, "[profile.default]\n[profile.emulator]\n[profile.a]\n"))
            .message.ends_with("known profiles: emulator, default, a"));
  CHECK(resolve_error({{"profile", "zzz"}}, {}, config(directory, "[profile.\"a\\nb\"]\n"))
            .message.ends_with("known profiles: emulator, default, a^Jb"));
  CHECK(resolve_error({{"profile", "zzz"}}, {}, file).hint ==
        "`svc config set base_url URL -p zzz` creates it.");
  CHECK(mentions(resolve_error({}, {{"SVC_PROFILE", "other"}}, file).message, "SVC_PROFILE"));
  CHECK(resolve_settings({{"profile", "new"}}, environment({}), file, NewProfile::Allow));
  // The default profile always exists.
  CHECK(resolve({{"profile", "default"}}, {}, file).profile.value == "default");
  CHECK(resolve({}, {{"SVC_PROFILE", "default"}}, file).profile.value == "default");
  CHECK(resolve({}, {}, config(directory, "default_profile = 'default'\n")).profile.value ==
        "default");
  CHECK(resolve_error({{"profile", "a b"}}, {}, file).fault == Fault::Usage);
  CHECK(resolve_error({{"profile", ""}}, {}, file).fault == Fault::Usage);
}

TEST_CASE("errors do not prevent reading valid values") {
  const TempDirectory directory;
  const ConfigFile file = config(directory,
                                 "default_profile = 'a b'\n[profile.default]\nretries = 'many'\n"
                                 "model = 'm'\ntimeout = 'soon'\n");
  const auto resolve_all = [&](const Overrides& flags, const Variables& variables,
                               std::vector<Error>& faults) {
    return resolve_settings(flags, environment(variables), file, NewProfile::Refuse, &faults);
  };
  std::vector<Error> faults;
  auto settings = resolve_all({}, {{"SVC_MAX_WAIT", "x"}}, faults);
  REQUIRE(settings);
  CHECK(settings->profile.value == "default");
  CHECK(settings->model.value == "m");
  CHECK_FALSE(settings->retries.is_set());
  CHECK_FALSE(settings->max_wait.is_set());
  CHECK(settings->connect_timeout.value == "30s");
  REQUIRE(faults.size() == 4);
  CHECK(mentions(faults[0].message, "default_profile in"));
  CHECK(mentions(faults[1].message, "timeout in line 5"));
  CHECK(mentions(faults[2].message, "retries in line 3"));
  CHECK(mentions(faults[3].message, "SVC_MAX_WAIT"));

  faults.clear();
  settings = resolve_all({}, {{"SVC_PROFILE", "gone"}}, faults);
  REQUIRE(settings);
  CHECK(settings->profile.value == "gone");
  REQUIRE(faults.size() == 1);
  CHECK(mentions(faults[0].message, "unknown profile"));

  // Flags of the call must be repeated, and ambiguous input is not guessed.
  CHECK_FALSE(resolve_all({{"retries", "x"}}, {}, faults));
  CHECK_FALSE(resolve_all({{"profile", "gone"}}, {}, faults));
  CHECK_FALSE(resolve_all({{"profile", "a b"}}, {}, faults));
  CHECK_FALSE(resolve_all({}, {{"SVC_PROFILE", "a b"}}, faults));
}

TEST_CASE("the realtime URL follows from the base URL") {
  const ConfigFile none;
  Settings settings = resolve({{"base-url", "https://api.example/v1/"}}, {}, none);
  CHECK(settings.base_url.value == "https://api.example");
  CHECK(settings.realtime_url.value == "wss://api.example");
  CHECK(settings.realtime_url.source() == "derived from base_url");
  settings = resolve({{"base-url", "http://127.0.0.1:8080"}}, {}, none);
  CHECK(settings.realtime_url.value == "ws://127.0.0.1:8080");
  settings = resolve({{"base-url", "https://api.example"}},
                     {{"SVC_REALTIME_URL", "https://rt.example"}}, none);
  CHECK(settings.realtime_url.value == "wss://rt.example");
  settings = resolve({}, {{"SVC_DOCS_URL", "https://docs.example/api/mcp/"}}, none);
  CHECK(settings.docs_url.value == "https://docs.example");
}

TEST_CASE("URLs that would leak a key or cannot work are rejected") {
  const ConfigFile none;
  for (const std::string url :
       {"api.example", "http://api.example", "https://user:pw@api.example", "ftp://api.example",
        "https://", "https://api%2Fexample", "https://api.example:0", "https://api.example:65536",
        "https://api.example:x", "https://[::1", "https://api.example?x=1", "https://api .example",
        "https://a\r\nX: y", "http://127.0.0.1.evil.example", "http://localhost.evil.example",
        "wss://api.example"}) {
    CAPTURE(url);
    const Error error = resolve_error({{"base-url", url}}, {}, none);
    CHECK(error.fault == Fault::Usage);
    CHECK(error.message.starts_with("--base-url"));
    CHECK_FALSE(error.hint.empty());
    CHECK_FALSE(mentions(error.message + error.hint, "pw"));
    CHECK(error.message.find('\n') == std::string::npos);
  }
  for (const auto& [given, normal] :
       Variables{{"https://api.example//", "https://api.example"},
                 {"HTTPS://API.Example/x/v1/", "https://api.example/x"},
                 {"http://[::1]:8080/", "http://[::1]:8080"},
                 {"https://[2001:db8::1]", "https://[2001:db8::1]"},
                 {"http://localhost:1", "http://localhost:1"},
                 {"https://a.example:443", "https://a.example"}}) {
    CHECK(resolve({{"base-url", given}}, {}, none).base_url.value == normal);
  }
}

TEST_CASE("an invalid value is reported with its source") {
  const TempDirectory directory;
  const ConfigFile file = config(directory, "[profile.default]\nmodel = 'm'\nretries = 'many'\n");
  CHECK(mentions(resolve_error({}, {}, file).message, "retries in line 3 of"));
  CHECK(resolve_error({}, {{"SVC_RETRIES", "x"}}, file).message ==
        "SVC_RETRIES must be an integer, not 'x'");
  CHECK(resolve_error({{"retries", "x"}}, {}, file).message ==
        "--retries must be an integer, not 'x'");
  CHECK(
      mentions(resolve_error({{"timeout", ""}}, {}, file).message, "--timeout must not be empty"));
  const Error typo = resolve_error({{"format", "jsno"}}, {}, ConfigFile());
  CHECK(mentions(typo.message, "text, json, jsonl, raw"));
  CHECK(typo.hint == "Did you mean 'json'?");
}

TEST_CASE("numbers and durations must be in range") {
  const ConfigFile none;
  for (const std::string good : {"0", "1", "100"}) {
    CHECK(resolve({{"retries", good}}, {}, none).retries.value == good);
  }
  for (const std::string bad : {"-1", "101", "1.5", "NaN", "inf", "1e309", " 1", "0x10", "1_000",
                                "-", "+1", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK(resolve_error({{"retries", bad}}, {}, none).fault == Fault::Usage);
  }
  for (const std::string good : {"1ms", "90", "90s", "1.5h", "30d"}) {
    CHECK(resolve({{"timeout", good}}, {}, none).timeout.value == good);
  }
  for (const std::string bad : {"0", "0s", "31d", "-1s", "NaN", "inf", "1e309", " 1", "0x10",
                                "1_000", "-", "5 m", "5parsec"}) {
    CAPTURE(bad);
    const Error error = resolve_error({{"timeout", bad}}, {}, none);
    CHECK(error.fault == Fault::Usage);
    CHECK(error.message.starts_with("--timeout"));
  }
  const auto told = [&](const char* name, const char* value) {
    const Error error = resolve_error({{name, value}}, {}, none);
    return error.message + " / " + error.hint;
  };
  CHECK(told("timeout", "soon") ==
        "--timeout must be a duration such as 90s, 250ms, 5m or 2h, not 'soon' / ");
  CHECK(told("retries", "101") == "--retries is out of range: 101 (allowed: 0 to 100) / ");
  for (const char* text : {"a\n", "a\x1f", "a\x7f"}) {
    const Error error = resolve_error({}, {{"SVC_MODEL", text}}, none);
    CHECK(error.message == "SVC_MODEL must not contain control characters");
    CHECK(error.hint == "Remove line breaks and other invisible characters.");
  }
  CHECK(resolve_error({}, {{"SVC_MODEL", "\xff"}}, none).message == "SVC_MODEL is not valid UTF-8");
  CHECK(resolve({}, {{"SVC_MODEL", "a b~"}}, none).model.value == "a b~");
  CHECK(resolve({{"max-wait", "0"}}, {}, none).max_wait.value == "0");
  CHECK(resolve_error({}, {{"SVC_TEAM_ID", "a\x1b[2J"}}, none).message.find('\x1b') ==
        std::string::npos);
  CHECK(resolve_error({}, {{"SVC_MODEL", "\xff"}}, none).fault == Fault::Usage);
}

TEST_CASE("the values as numbers") {
  using namespace std::chrono_literals;
  const ConfigFile none;
  Settings settings = resolve({}, {}, none);
  CHECK(timeouts_of(settings).total == 1h);
  CHECK(timeouts_of(settings).connect == 30s);
  CHECK(timeouts_of(settings).idle == 5min);
  CHECK(retries_of(settings) == 2);
  CHECK(max_wait_of(settings) == 60s);
  settings = resolve({{"timeout", "2m"}, {"retries", "0"}, {"max-wait", "1h"}},
                     {{"SVC_IDLE_TIMEOUT", "250ms"}, {"SVC_CONNECT_TIMEOUT", "1.5"}}, none);
  CHECK(timeouts_of(settings).total == 2min);
  CHECK(timeouts_of(settings).idle == 250ms);
  CHECK(timeouts_of(settings).connect == 1500ms);
  CHECK(retries_of(settings) == 0);
  CHECK(max_wait_of(settings) == 1h);
  const Settings unset;
  CHECK(timeouts_of(unset).total == http::Timeouts{}.total);
  CHECK(retries_of(unset) == 2);
  CHECK(max_wait_of(unset) == 60s);
  CHECK_FALSE(ticks_of(unset.max_cost));
  CHECK(ticks_of(resolve({{"max-cost", "1.5"}}, {}, none).max_cost) == 15'000'000'000);
  CHECK(resolve_error({{"max-cost", "0"}}, {}, none).fault == Fault::Usage);
}

TEST_CASE("the emulator's URLs override everything except flags") {
  const EmulatorAddress address{"http://127.0.0.1:4000",
                                "http://127.0.0.1:4000/m",
                                "ws://127.0.0.1:4000",
                                "http://127.0.0.1:4000/d",
                                "svc-demo",
                                "svc-demo-management",
                                "team-demo"};
  const Variables real{{"SVC_BASE_URL", "https://api.example"},
                       {"SVC_MANAGEMENT_URL", "no address at all"},
                       {"SVC_TEAM_ID", "team-real"},
                       {"SVC_MODEL", "svc-4.3"}};
  Settings settings = resolve({{"profile", "emulator"}}, real, {});
  CHECK_FALSE(settings.base_url.is_set());
  CHECK_FALSE(settings.realtime_url.is_set());
  fill_from_emulator(settings, address);
  CHECK(settings.base_url.value == address.base_url);
  CHECK(settings.base_url.source() == "emulator");
  CHECK(settings.realtime_url.value == address.realtime_url);
  CHECK(settings.team_id.value == "team-demo");
  CHECK(settings.model.value == "svc-4.3");
  CHECK(settings.emulator_key == "svc-demo");
  CHECK(settings.emulator_management_key == "svc-demo-management");
  CHECK(settings.management_url.value == address.management_url);
  CHECK(settings.docs_url.value == address.docs_url);

  settings = resolve({{"profile", "emulator"}, {"base-url", "http://localhost:9"}}, real, {});
  fill_from_emulator(settings, address);
  CHECK(settings.base_url.value == "http://localhost:9");
  CHECK(settings.realtime_url.value == "ws://localhost:9");
  CHECK(settings.docs_url.value == address.docs_url);
}

TEST_CASE("the error for a missing URL says how to set it and what works without it") {
  const Error error = missing_setting(*find_setting("base_url"));
  CHECK(error.fault == Fault::Usage);
  CHECK(error.message == "base_url is not set");
  const std::string emulator = ". Without an account, try the same command with `-p emulator`.";
  CHECK(error.hint ==
        "`svc auth login` asks for it; or use --base-url, SVC_BASE_URL or `svc config set base_url "
        "https://…`" +
            emulator);
  const Error management = missing_setting(*find_setting("management_url"));
  CHECK(management.message == "management_url is not set");
  CHECK(management.hint ==
        "Set it with --management-url, SVC_MANAGEMENT_URL or `svc config set management_url "
        "https://…`" +
            emulator);
  const Error team = missing_setting(*find_setting("team_id"));
  CHECK(team.message == "the team ID is not set");
  CHECK(team.hint ==
        "Set it with --team-id, SVC_TEAM_ID or `svc config set team_id ID`" + emulator);
}

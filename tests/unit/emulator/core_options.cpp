#include <cstdlib>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/groups.h"
#include "emulator/server/serve.h"
#include "support/environment_variable.h"
#include "support/mentions.h"

using namespace svc;
using namespace svc::emulator;
using svc::test::mentions;

namespace {

Result<Options> parse(const std::vector<std::string_view>& arguments) {
  return parse_options(arguments);
}

std::string refusal(const std::vector<std::string_view>& arguments) {
  const auto options = parse(arguments);
  REQUIRE_FALSE(options.has_value());
  CHECK(options.error().fault == Fault::Usage);
  return options.error().message + " " + options.error().hint;
}

}  // namespace

TEST_CASE("flags take their value after a space or an equals sign") {
  const auto options = parse({"--host", "::1", "--port=8080", "--state", ":memory:", "--quiet",
                              "--fault", "* *: reset", "--fault=GET /x: stall", "--die-with-parent",
                              "--announce-fd", "1", "--parent-fd=0", "--tls"});
  REQUIRE(options.has_value());
  CHECK(options->host == "::1");
  CHECK(options->port == 8080);
  CHECK(options->state == ":memory:");
  CHECK(options->quiet);
  CHECK(options->tls);
  CHECK(options->die_with_parent);
  CHECK(options->announce_fd == 1);
  CHECK(options->parent_fd == 0);
  REQUIRE(options->faults.size() == 2);
  CHECK(options->faults[1].path == "/x");
}

TEST_CASE("values are read byte for byte, and the last one counts") {
  for (const std::string_view value :
       {"--quiet", "-", "--", "++", "[a,b]", "{}", "a=b", "=", "%%"}) {
    CAPTURE(value);
    const std::string attached = "--state=" + std::string(value);
    const auto options = parse({"--state", "x", attached, "--quiet"});
    REQUIRE(options.has_value());
    CHECK(options->state == value);
    CHECK(options->quiet);
    CHECK(parse({"--state=x", "--state", value, "--quiet"})->state == value);
  }
  CHECK(mentions(refusal({"--state=", "--quiet"}), "--state must be a file name"));
  CHECK(mentions(refusal({"--quiet", "++", "--tls"}), "Unknown flag"));
  CHECK(mentions(refusal({"--", "--quiet"}), "Unknown flag --"));
}

TEST_CASE("by default it listens on a free loopback port, without TLS") {
  const auto options = parse({});
  REQUIRE(options.has_value());
  CHECK(options->host == "127.0.0.1");
  CHECK(options->port == 0);
  CHECK_FALSE(options->tls);
  CHECK_FALSE(options->state.has_value());
  CHECK(options->announce_fd == -1);
  CHECK(options->parent_fd == -1);
}

TEST_CASE("the duration of video generation comes from the flag, or else the environment") {
  const test::EnvironmentVariable time("SVC_EMULATOR_VIDEO_TIME", "1s");
  const auto from_environment = parse({});
  const auto from_flag = parse({"--video-time", "250ms"});
  time.set("soon");
  const std::string bad = refusal({});
  time.set(std::nullopt);
  REQUIRE(from_environment.has_value());
  CHECK(from_environment->video_time == std::chrono::seconds(1));
  REQUIRE(from_flag.has_value());
  CHECK(from_flag->video_time == std::chrono::milliseconds(250));
  CHECK(mentions(bad, "SVC_EMULATOR_VIDEO_TIME"));
  CHECK_FALSE(parse({})->video_time.has_value());
  CHECK(mentions(refusal({"--video-time", "x"}), "--video-time"));
}

TEST_CASE("a certificate means TLS") {
  const auto options = parse({"--cert", "c.pem", "--key", "k.pem"});
  REQUIRE(options.has_value());
  CHECK(options->tls);
}

TEST_CASE("an invalid flag is rejected with a message that contains it") {
  CHECK(mentions(refusal({"--prot", "1"}), "Did you mean --port?"));
  CHECK(mentions(refusal({"extra"}), "Unknown flag extra"));
  CHECK(mentions(refusal({"--port"}), "--port needs a value"));
  for (const char* port : {"-1", "65536", "http", "", " 1", "0x10"}) {
    CAPTURE(port);
    CHECK(mentions(refusal({"--port", port}), "from 0 to 65535"));
  }
  CHECK(mentions(refusal({"--quiet=yes"}), "--quiet takes no value"));
  CHECK(mentions(refusal({"--announce-fd", "999"}), "--announce-fd must be the number of an open"));
  CHECK(mentions(refusal({"--parent-fd", "x"}), "--parent-fd"));
  CHECK(mentions(refusal({"--cert", "c.pem"}), "--key"));
  CHECK(mentions(refusal({"--state", ""}), "--state"));
  CHECK(mentions(refusal({"--fault", "nonsense"}), "fault rule"));
  CHECK_FALSE(mentions(refusal({"--\x1b[2J"}), "\x1b"));
}

TEST_CASE("values at their limits are accepted; of several wrong ones the first is told") {
  const auto options =
      parse({"--port", "65535", "--seed", "0", "--limit", "credit_cents=0",
             "--limit=realtime_sessions=3", "--control-token", "1234567890123456", "--clock",
             "1970-01-01T00:00:01Z", "--strict", "--record", "http://h", "--record-to", "f"});
  REQUIRE(options.has_value());
  CHECK(options->port == 65'535);
  CHECK(options->seed == 0U);
  CHECK(options->limits == std::vector<std::pair<std::string, std::int64_t>>{
                               {"credit_cents", 0}, {"realtime_sessions", 3}});
  CHECK(options->control_token == "1234567890123456");
  CHECK(options->clock_s == 1);
  CHECK(options->strict);
  CHECK(options->record_url == "http://h");
  CHECK(options->record_file == "f");
  CHECK_FALSE(options->replay);
  CHECK_FALSE(options->help);
  CHECK_FALSE(options->version);
  CHECK(parse({"--help", "--version"})->help);
  CHECK(parse({"--help", "--version"})->version);
  CHECK(mentions(refusal({"--seed", "-1", "--port", "x"}), "--seed must be"));
  CHECK(mentions(refusal({"--port", "x", "--seed", "-1"}), "--port must be"));
  CHECK(mentions(refusal({"--announce-fd", "2147483648"}), "--announce-fd must be"));
}

TEST_CASE("the help lists every flag and every fault action") {
  const std::string help = options_help();
  for (const char* word :
       {"--host",      "--port",    "--state",       "--tls",       "--cert",
        "--key",       "--fault",   "--announce-fd", "--parent-fd", "--die-with-parent",
        "--quiet",     "--help",    "--version",     "latency",     "status",
        "reset-after", "cut-after", "stall-after",   "slow",        "garbage",
        "empty",       "EMULATOR"}) {
    CAPTURE(word);
    CHECK(mentions(help, word));
  }
}

// svc passes its flags on by name; these three are its global ones.
TEST_CASE("svc emulator accepts the flags of svc-emulator") {
  std::set<std::string> own;
  std::istringstream help(options_help());
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("  --")) own.insert(line.substr(4, line.find(' ', 4) - 4));
  }
  std::set<std::string> tools = {"quiet", "help", "version"};
  for (const Field& field : catalogue::k_emulator_operations.front().fields) {
    tools.insert(std::string(field.flag));
  }
  CHECK(own == tools);
}

TEST_CASE("addresses become URLs") {
  CHECK(endpoint_url({"127.0.0.1", 80}, "http") == "http://127.0.0.1:80");
  CHECK(endpoint_url({"127.0.0.1", 80, true}, "ws") == "wss://127.0.0.1:80");
  CHECK(endpoint_url({"::1", 443, true}, "http") == "https://[::1]:443");
  CHECK(endpoint_url({"0.0.0.0", 80}, "http") == "http://127.0.0.1:80");
  CHECK(endpoint_url({"::", 80}, "ws") == "ws://[::1]:80");
}

TEST_CASE("the announcement is one line of JSON, or lines for a shell to evaluate") {
  const Endpoint endpoint{"127.0.0.1", 8080, true, "/tmp/ca.pem"};
  const std::string line = announce_json(endpoint);
  CHECK(line.find('\n') == line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  CHECK(json["base_url"] == "https://127.0.0.1:8080");
  CHECK(json["realtime_url"] == "wss://127.0.0.1:8080");
  CHECK(json["ca_file"] == "/tmp/ca.pem");
  CHECK(json["api_key"] == "svc-demo-key");
  CHECK_FALSE(nlohmann::json::parse(announce_json({"::1", 1})).contains("ca_file"));

  const std::string text = announce_text(endpoint, "1.0", ":memory:");
  CHECK(mentions(text, "EMULATOR, not the service"));
  CHECK(mentions(text, "\nexport SSL_CERT_FILE=/tmp/ca.pem\n"));
  CHECK(mentions(text, "\nexport CURL_CA_BUNDLE=/tmp/ca.pem\n"));
  for (const char* name : {"SVC_BASE_URL", "SVC_MANAGEMENT_URL", "SVC_REALTIME_URL", "SVC_DOCS_URL",
                           "SVC_API_KEY", "SVC_MANAGEMENT_API_KEY", "SVC_TEAM_ID"}) {
    CHECK(mentions(text, std::string("\nexport ") + name + "="));
  }
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const bool harmless =
        text.substr(at).starts_with("# ") || text.substr(at).starts_with("export ");
    CHECK(harmless);
  }
}

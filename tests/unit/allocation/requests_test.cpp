// Runs the path of a request with an allocator that fails at each allocation in turn: settings,
// building the request, sending it and writing files.
#include <filesystem>
#include <variant>

#include <doctest/doctest.h>

#include "base/atomic_file.h"
#include "batch/csv.h"
#include "batch/record.h"
#include "batch/request_line.h"
#include "catalogue/catalogue.h"
#include "client/api_client.h"
#include "client/config_file.h"
#include "client/config_write.h"
#include "client/settings.h"
#include "request/build.h"
#include "request/media.h"
#include "support/fault_server.h"
#include "unit/allocation/failing_allocator.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using test::fail_at_every_allocation;
using test::TemporaryDirectory;

namespace {

struct Flag {
  const char* name;
  std::string value;
};

request::Inputs inputs_of(const Operation& operation, const std::vector<Flag>& flags) {
  request::Inputs inputs;
  for (const Flag& flag : flags) {
    const Field* field = find_field(operation, flag.name);
    REQUIRE_MESSAGE(field != nullptr, flag.name);
    inputs.given.push_back({field, flag.value});
  }
  return inputs;
}

/// The request as text: its URL, and its body or form parts.
Result<std::string> told(const request::Request& request) {
  std::string text = request.method + ' ' + request.url + ' ';
  if (const auto* parts = std::get_if<std::vector<Part>>(&request.body)) {
    for (const Part& part : *parts) {
      const auto* words = std::get_if<std::string>(&part.content);
      text += part.name + '=' + (words != nullptr ? *words : part.file_name) + ' ';
    }
    return text;
  }
  SVC_TRY(body, request::complete_body(request.body));
  return text + body;
}

std::string flat(const std::vector<batch::LineError>& errors) {
  std::string text;
  for (const auto& fault : errors) text += describe(fault) + ';';
  return text;
}

}  // namespace

#ifdef NDEBUG
// If functions are inlined, those that end the program cannot be recognised: see
// failing_allocator.cpp.
constexpr bool k_tells_functions = false;
#else
constexpr bool k_tells_functions = true;
#endif

TEST_CASE("a configuration file is read completely, and every setting resolved" *
          doctest::skip(!k_tells_functions)) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("config.toml");
  test::put(path,
            "default_profile = \"work-with-a-long-name\"\n[profile.work-with-a-long-name]\n"
            "base_url = \"https://api.example.test/v1/\"\nretries = 3\ntimeout = \"90s\"\n"
            "model = \"a-model-with-a-long-name\"\nunknown_setting = 1\n");
  fail_at_every_allocation("settings", [&]() -> Result<std::string> {
    SVC_TRY(file, ConfigFile::load(path));
    const Environment environment{[](const std::string& name) -> std::optional<std::string> {
      if (name == "SVC_TEAM_ID") return "team-0123456789-0123456789";
      return std::nullopt;
    }};
    const Overrides flags{{"max-wait", "5m"}};
    SVC_TRY(settings, resolve_settings(flags, environment, file));
    std::string text = settings.profile.value;
    for (const SettingRow& row : setting_rows()) text += '|' + (settings.*row.member).value;
    for (const std::string& warning : file.warnings()) text += warning;
    return text;
  });
}

TEST_CASE("a configuration file is changed completely or not at all" *
          doctest::skip(!k_tells_functions)) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("config.toml");
  const std::string before =
      "# mine\n[profile.work]\nmodel = \"the-model-that-was-there-before\"\n";
  const std::string after = "# mine\n[profile.work]\nmodel = \"another-model-with-a-long-name\"\n";
  test::put(path, before);
  fail_at_every_allocation(
      "config set",
      [&]() -> Result<std::string> {
        SVC_CHECK(write_config_value(path, "work", "model", "another-model-with-a-long-name"));
        return std::string("written");
      },
      [&] {
        const std::string now = test::get(path);
        CHECK((now == before || now == after));
        for (const std::string& name : directory.names())
          CHECK_MESSAGE((name == "config.toml" || name == "config.lock"), name);
        test::put(path, before);
      });
}

TEST_CASE("a file is complete or absent") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a-result-with-a-long-name.bin");
  const std::string bytes(5000, 'x');
  fail_at_every_allocation(
      "write",
      [&]() -> Result<std::string> {
        SVC_TRY(file, AtomicFile::create(path, Replace::No));
        SVC_CHECK(file.write(bytes));
        SVC_CHECK(file.commit());
        return std::string("written");
      },
      [&] {
        for (const std::string& name : directory.names())
          CHECK(name == "a-result-with-a-long-name.bin");
        if (std::filesystem::exists(path)) CHECK(test::get(path) == bytes);
        std::filesystem::remove(path);
      });
}

TEST_CASE("lines of a batch file") {
  const std::string entry =
      R"({"custom_id":"an-id-of-some-length-0123","method":"POST","url":"/v1/chat/completions",)"
      R"("body":{"model":"m","messages":[{"role":"user","content":"a long enough content"}]}})";
  for (const std::string& line :
       {entry, entry.substr(0, 60), std::string(R"({"custom_id":7,"x":1})")}) {
    fail_at_every_allocation(line, [&]() -> Result<std::string> {
      const batch::ParsedRequestLine read =
          batch::read_request_line(line, 1, batch::RequestFormat::File);
      if (!read.errors.empty()) return flat(read.errors);
      std::string written;
      batch::append_request_line(written, *read.entry.endpoint, read.entry.id, read.entry.body, "m",
                                 batch::RequestFormat::File);
      return written;
    });
  }
  fail_at_every_allocation("a record", [&]() -> Result<std::string> {
    SVC_TRY(reader,
            batch::RecordReader::make(
                {.text = "Say {a} and then {}, please",
                 .frame = {R"({"model":"m","messages":[{"role":"user","content":)", "}]}"}}));
    const auto read =
        reader.read(R"({"id":"seven","prompt":"a prompt of some length","a":"b"})", 1);
    return read.id + read.body + flat(read.errors);
  });
  fail_at_every_allocation("CSV", [&]() -> Result<std::string> {
    std::string text;
    const auto record =
        batch::parse_csv("a cell that is long enough,\"one \"\"quoted\"\" cell\",3", ',');
    for (const std::string& cell : record.cells) text += cell + '|';
    return text + record.fault;
  });
}

TEST_CASE("a request is built completely" * doctest::skip(!k_tells_functions)) {
  const TemporaryDirectory directory;
  const std::string image = directory.file("a-picture-with-a-long-name.png");
  test::put(image, std::string("\x89PNG\r\n\x1a\n", 8) + std::string(100, 'x'));
  const std::string sound = directory.file("a-recording-with-a-long-name.wav");
  test::put(sound, std::string(300, 'x'));
  const request::BuildContext context{.base_url = "https://api.example.test",
                                      .team_id = "team-0123456789",
                                      .model = "a-model-with-a-long-name",
                                      .stream_by_default = true};
  const auto build = [&](const char* group, const char* name, const std::vector<Flag>& flags,
                         const std::string& body = {}) {
    const Operation* operation = find_operation(group, name);
    REQUIRE(operation != nullptr);
    request::Inputs inputs = inputs_of(*operation, flags);
    if (!body.empty()) inputs.body = body;
    inputs.sets = {};
    fail_at_every_allocation(std::string(group) + ' ' + name, [&]() -> Result<std::string> {
      SVC_TRY(request, request::build_request(*operation, inputs, context));
      return told(request);
    });
  };
  build("chat", "create",
        {{"prompt", "Describe this picture, please, in a few words"},
         {"image", image},
         {"system", "You are an assistant of few words"},
         {"temperature", "0.5"},
         {"max-completion-tokens", "100"}},
        R"({"metadata":{"a key of some length":"and its value, longer still"}})");
  build("stt", "transcribe", {{"file", sound}, {"language", "en"}});
  build("files", "get", {{"file-id", "file_0123456789abcdef"}});
}

TEST_CASE("a call ends with its response, an error or std::bad_alloc" *
          doctest::skip(!k_tells_functions)) {
  auto server = test::FaultServer::start(
      test::script(
          "reply 200 application/json {\"id\":\"an-answer-that-is-longer-than-a-short-string"
          "\"}\nloop\n"),
      {});
  REQUIRE(server.has_value());
  const TemporaryDirectory directory;
  test::put(directory.file("upload.bin"), std::string(2000, 'x'));
  static constexpr Operation k_create{.group = "t",
                                      .name = "create",
                                      .method = "POST",
                                      .path = "/c",
                                      .summary = "Create.",
                                      .repeat = svc::Repeat::Never};
  const auto transport = http::make_curl_transport({.user_agent = "svc/a-test-of-allocations"});
  http::RetryQuota quota;
  const NeverCanceled cancel;
  CallPolicy policy;
  policy.key = "svc-0123456789-secret-wxyz";
  policy.secrets = {policy.key};
  policy.retries = 0;
  policy.timeouts = {.connect = std::chrono::seconds(5),
                     .total = std::chrono::seconds(10),
                     .idle = std::chrono::seconds(5)};
  request::Request request;
  request.operation = &k_create;
  request.method = "POST";
  request.url = (*server)->url("/c");
  const auto call = [&](http::Transport& over) -> Result<std::string> {
    ApiClient client(over, quota, cancel, policy, [](const std::string&) {});
    SVC_TRY(reply, client.call(request));
    return reply.body;
  };
  SUBCASE("a JSON body") {
    request.body = std::string(R"({"model":"m","messages":[]})");
  }
  SUBCASE("a form with a file") {
    request.body = std::vector<Part>{{"language", "en"},
                                     {"file", FileSource{directory.file("upload.bin"), 2000},
                                      "upload.bin", "application/octet-stream"}};
  }
  const auto runs =
      fail_at_every_allocation("a transport of its own", [&]() -> Result<std::string> {
        return call(*http::make_curl_transport({.user_agent = "svc/a-test-of-allocations"}));
      });
  CHECK(runs > 100);  // including libcurl's
  // A transport remains usable after a failed call.
  const auto expected = call(*transport);
  REQUIRE(expected.has_value());
  for (std::uint64_t at = 0; at < 400; at += 3) {
    {
      const test::FailingAllocator allocator(at);
      try {
        (void)call(*transport);
      } catch (const std::bad_alloc&) {
      }
    }
    const auto again = call(*transport);
    CHECK_MESSAGE(again.has_value(), at, ": ", (again ? "" : again.error().message));
  }
}

// Requests as --dry-run and --curl show them.
#include "request/show.h"

#include "try.h"

using namespace svc;
using namespace svc::request;
using nlohmann::json;

namespace {

using Try = test::Attempt;
using test::k_png;
using test::TempFile;

}  // namespace

TEST_CASE("a shown request contains the key's variable, never a key") {
  const auto request = Try("chat", "create", {{"prompt", "it's"}}).build();
  CHECK(show_request(*request).find("Authorization: Bearer $SVC_API_KEY\n") != std::string::npos);
  CHECK(show_curl(*request) ==
        "curl https://api.test/v1/chat/completions \\\n"
        "  -H \"Authorization: Bearer $SVC_API_KEY\" \\\n"
        "  -H 'Accept: application/json' \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        "  --data-raw "
        "'{\"messages\":[{\"role\":\"user\",\"content\":\"it'\\''s\"}],\"model\":\"svc-4.5\"}'\n");
  const json shown = json::parse(show_request_json(*request));
  CHECK(shown["method"] == "POST");
  CHECK(shown["headers"]["Authorization"] == "Bearer $SVC_API_KEY");
  CHECK(shown["body"]["model"] == "svc-4.5");
}

TEST_CASE("long data is shortened when shown, but not when sent") {
  const TempFile picture(k_png + std::string(3000, '\x01'), ".png");
  const auto request = Try("chat", "create", {{"prompt", "x"}, {"image", picture.path}}).build();
  CHECK(show_request(*request).size() < 1500);
  const auto sent = complete_body(request->body);
  REQUIRE(sent.has_value());
  CHECK(sent->size() > 4000);
}

TEST_CASE("what is longer than 200 characters and looks like data is shortened to 60") {
  auto request = *Try("chat", "create", {{"prompt", "x"}}).build();
  const auto shown = [&request](const std::string& text) {
    request.body = json{{"a", {text}}}.dump();
    const std::string all = show_request(request);
    return json::parse(all.substr(all.find("\n\n") + 2))["a"][0].get<std::string>();
  };
  const std::string data(201, '+');
  CHECK(shown(data) == data.substr(0, 60) + "… (201 characters)");
  CHECK(shown(data.substr(1)) == data.substr(1));
  CHECK(shown(data.substr(1) + " ") == data.substr(1) + " ");
  const std::string url = "data:text/plain," + std::string(200, ' ');
  CHECK(shown(url) == url.substr(0, 60) + "… (216 characters)");
  CHECK(shown("x" + url) == "x" + url);
}

TEST_CASE("of a file in a body, 45 bytes are shown") {
  const auto shown = [](std::size_t size) {
    const TempFile picture(k_png + std::string(size - k_png.size(), '\x01'), ".png");
    const auto request = Try("chat", "create", {{"prompt", "x"}, {"image", picture.path}}).build();
    const std::string all = show_request(*request);
    const std::string start = "base64,";
    const std::size_t at = all.find(start) + start.size();
    return all.substr(at, all.find('"', at) - at);
  };
  const std::string whole = shown(45);
  CHECK(whole.size() == 60);
  CHECK(shown(46) == whole + "… (64 characters)");
  CHECK(shown(48) == whole + "… (64 characters)");
  CHECK(shown(49) == whole + "… (68 characters)");
}

TEST_CASE("a curl command is valid in a shell: long bodies, brackets, unset URLs") {
  Try large("chat", "create", {{"prompt", std::string(150'000, 'x') + " it's long"}});
  const std::string command = show_curl(*large.build());
  CHECK(command.starts_with("printf %s '{\"messages\":"));
  CHECK(command.find(" it'\\''s long\"}],\"model\":\"svc-4.5\"}' |\ncurl ") != std::string::npos);
  CHECK(command.ends_with(" \\\n  --data-binary @-\n"));

  Try unset("keys", "self");
  unset.context.base_url = "$SVC_BASE_URL";
  CHECK(show_curl(*unset.build()).starts_with("curl \"$SVC_BASE_URL\"/v1/api-key"));

  auto request = *Try("keys", "self").build();
  request.method = "HEAD";
  request.url += "?a[0]=`id`";
  request.headers = {{"X-Empty", ""}};
  const std::string head = show_curl(request);
  CHECK(head.starts_with("curl -g -I 'https://api.test/v1/api-key?a[0]=`id`'"));
  CHECK(head.find("-H 'X-Empty;'") != std::string::npos);
}

TEST_CASE("control characters in a curl command are escaped on a terminal, and only there") {
  const auto request = Try("chat", "create",
                           {{"prompt",
                             "\xc2\x9b"
                             "31m\xe2\x80\xae"}})
                           .build();
  const std::string command = show_curl(*request, ShownTo::Terminal);
  CHECK(command.find("\\u009b31m\\u202e") != std::string::npos);
  CHECK(show_curl(*request).find("\xc2\x9b"
                                 "31m\xe2\x80\xae") != std::string::npos);
}

TEST_CASE("a JSON body is shown as it is sent: numbers and repeated members too") {
  auto request = *Try("chat", "create", {{"prompt", "x"}}).build();
  request.body = std::string(R"({"a":1.0,"b":12345678901234567890123,"a":1e2})");
  CHECK(show_request_json(request).find(
            R"("body":{"a":1.0,"b":12345678901234567890123,"a":1e2}})") != std::string::npos);
}

TEST_CASE("headers are shown as they are sent: each value, and what svc adds") {
  auto request = *Try("keys", "self").build();
  request.headers = {{"X-A", "1"}, {"X-A", "2"}};
  const json headers = json::parse(show_request_json(request))["headers"];
  CHECK(headers["X-A"] == json::array({"1", "2"}));
  CHECK(headers["Accept"] == "application/json");
  request.stream = true;
  CHECK(show_request(request).find("Accept: text/event-stream\n") != std::string::npos);
}

TEST_CASE("a curl command sends what svc sends: an empty body, dots in the path") {
  auto request = *Try("keys", "self").build();
  request.method = "POST";
  request.url = "https://api.test/v1/./x/..";
  const std::string command = show_curl(request);
  CHECK(command.starts_with("curl --path-as-is https://api.test/v1/./x/.. "));
  CHECK(command.find("--data-raw '' -H Content-Type:") != std::string::npos);
}

TEST_CASE("a step shows where a value comes from, and where it goes") {
  Step upload{.request = *Try("keys", "self").build(), .purpose = "Upload a\nb."};
  upload.result = StepResult{"FILE_1", ".id // .file_id"};
  CHECK(show_step_curl(upload, 1).starts_with(
      "# 1. Upload a^Jb. .id // .file_id of its answer is $FILE_1.\n"
      "FILE_1=$(curl -sS https://api.test/v1/api-key "));
  CHECK(show_step_curl(upload, 1).ends_with(
      " |\n  jq -r '.id // .file_id // empty')\n: \"${FILE_1:?not in the answer of step 1}\"\n"));
  const json shown = json::parse(show_step_json(upload, 1));
  CHECK(shown["step"] == 1);
  CHECK(shown["sets"] == json{{"$FILE_1", ".id // .file_id"}});
  CHECK(shown["idempotent"] == true);

  auto request = *Try("files", "get", {{"file-id", "file_x-y"}}).build();
  request.method = "POST";
  request.body = std::string(R"({"id":"file_x-y","text":"$FILE_1 file_x-y"})");
  put_variable(request, "file_x-y", "FILE_1");
  put_variable(request, "absent", "OTHER");
  CHECK(show_request(request).starts_with("POST https://api.test/v1/files/$FILE_1\n"));
  const std::string command = show_curl(request);
  CHECK(command.find("https://api.test/v1/files/\"$FILE_1\"") != std::string::npos);
  CHECK(command.find(R"('{"id":"'"$FILE_1"'","text":"$FILE_1 '"$FILE_1"'"}')") !=
        std::string::npos);
  CHECK(command.find("OTHER") == std::string::npos);
}

TEST_CASE("text like a variable stays text, and the variable gets another name") {
  Plan plan;
  plan.steps.push_back({.request = *Try("keys", "self").build()});
  plan.steps.back().result = StepResult{"FILE_1", ".id"};
  auto request = *Try("chat", "create", {{"prompt", "$FILE_1_NEW"}}).build();
  request.headers.push_back({"X-File", "file_x-y"});
  put_variable(request, "file_x-y", "FILE_1");
  plan.steps.push_back({.request = request});
  rename_variables(plan);
  CHECK(plan.steps[0].result->variable == "FILE_1_NEW_NEW");
  CHECK(show_request(plan.steps[1].request).find("X-File: $FILE_1_NEW_NEW\n") != std::string::npos);
  const std::string command = show_curl(plan.steps[1].request);
  CHECK(command.find(R"(-H 'X-File: '"$FILE_1_NEW_NEW")") != std::string::npos);
  CHECK(command.find(R"("content":"$FILE_1_NEW"})") != std::string::npos);
}

TEST_CASE("a secret is a variable in a curl command, and text that names it is not") {
  const auto request = Try("phone", "create",
                           {{"name", "$SIP_PASSWORD"},
                            {"origin", "byo_trunk"},
                            {"phone-number", "+14155550100"},
                            {"sip-auth-username", "\"$SIP_PASSWORD\""},
                            {"sip-auth-password", "env:SIP_PASSWORD"}})
                           .build();
  REQUIRE(request);
  const std::string command = show_curl(*request);
  CHECK(command.find(R"("name":"$SIP_PASSWORD",)") != std::string::npos);
  CHECK(command.find(R"("auth_password":"'"$SIP_PASSWORD"'")") != std::string::npos);
  CHECK(show_request(*request).find(R"("auth_password": "$SIP_PASSWORD")") != std::string::npos);
}

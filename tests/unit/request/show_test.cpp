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

TEST_CASE("a curl command is valid in a shell: long bodies, brackets, unset URLs") {
  Try large("chat", "create", {{"prompt", std::string(150'000, 'x') + " it's SVC_BODY"}});
  const std::string command = show_curl(*large.build());
  CHECK(command.find("--data-binary @- <<'SVC_BODY_'\n") != std::string::npos);
  CHECK(command.ends_with("\nSVC_BODY_\n"));

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

TEST_CASE("terminal control characters are escaped in a shown curl command") {
  const auto request = Try("chat", "create",
                           {{"prompt",
                             "\xc2\x9b"
                             "31m\xe2\x80\xae"}})
                           .build();
  const std::string command = show_curl(*request);
  CHECK(command.find("\\u009b31m\\u202e") != std::string::npos);
}

// One line of a bulk file: what is read from it, and each error with its place.
#include "batch/request_line.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "catalogue/catalogue.h"

using namespace svc;
using namespace svc::batch;

namespace {

const std::string k_forms =
    R"(a request is {"batch_request_id":…,"batch_request":{…}} or {"custom_id":…,"method":"POST","url":…,"body":{…}})";
const std::string k_requests =
    "chat_get_completion, responses, image_generation, image_edit, video_generation, "
    "video_extension";
const std::string k_urls =
    "/v1/chat/completions, /v1/responses, /v1/images/generations, /v1/images/edits, "
    "/v1/videos/generations, /v1/videos/edits, /v1/videos/extensions";

std::vector<std::string> faults(const std::string& line,
                                RequestFormat format = RequestFormat::Added) {
  std::vector<std::string> all;
  for (const LineError& one : read_request_line(line, 3, format).errors)
    all.push_back(describe(one));
  return all;
}

/// The only error of a line.
struct Wrong {
  std::string line;
  std::string at;  ///< where it is: the first place with this text; "": nowhere in particular
  std::string message;
};

void check_wrong(const std::vector<Wrong>& rows) {
  for (const auto& [line, at, message] : rows) {
    CAPTURE(line);
    const std::string place = at.empty() ? "" : fmt::format(", column {}", line.find(at) + 1);
    CHECK(faults(line) == std::vector{fmt::format("line 3{}: {}", place, message)});
  }
}

std::string filed(const std::string& url, const std::string& body) {
  return fmt::format(R"({{"custom_id":"q","url":"/v1/{}","body":{}}})", url, body);
}

}  // namespace

TEST_CASE("a line that is no request says what one is") {
  check_wrong({
      {"[1,{\"a\":[]}]", "[1", "not a JSON object: " + k_forms},
      {R"("x")", "\"x", "not a JSON object: " + k_forms},
      {"{}", "", "not a request: " + k_forms},
      {R"({"custom_id":"x"})", "", "not a request: " + k_forms},
      {R"({"batch_requests":1})", "batch_r",
       "unknown field 'batch_requests'; did you mean 'batch_request'?"},
      {R"({"something_else":1})", "some", "unknown field 'something_else'"},
      {R"({"batch_request_id":"a","custom_id":"b","batch_request":{"responses":{"input":"x"}}})",
       R"("b")", "'batch_request_id' and 'custom_id' cannot be combined"},
      {R"({"custom_id":"a","custom_id":"b","url":"/v1/responses","body":{"input":"x"}})",
       R"(custom_id":"b)", "'custom_id' is given twice"},
      {R"({"batch_request":{"responses":{"input":"x"}},"batch_request":{"responses":{"input":"y"}}})",
       R"(batch_request":{"responses":{"input":"y)", "'batch_request' is given twice"},
  });
  for (const auto& [name, near] : {std::pair("batch_requst_id", "batch_request_id"),
                                   {"batch_reqest", "batch_request"},
                                   {"custom_ids", "custom_id"},
                                   {"methid", "method"},
                                   {"urk", "url"},
                                   {"bodi", "body"}}) {
    CHECK(faults(fmt::format(R"({{"{}":1}})", name)) ==
          std::vector{
              fmt::format("line 3, column 3: unknown field '{}'; did you mean '{}'?", name, near)});
  }
  // Broken JSON is the only error, whatever was found before.
  for (const char* line : {R"({"other":1)", R"({"other":1}})", R"({"other":[1})", R"({"url":"x)",
                           R"({"body":{"a":1})", R"({"batch_request":{"responses":{})",
                           R"({"batch_request":{"responses":{"a")", R"({"body":{"a":)"}) {
    CAPTURE(line);
    const auto found = faults(line);
    REQUIRE(found.size() == 1);
    CHECK(found.front().find("unknown field") == std::string::npos);
  }
}

TEST_CASE("what an ID must be") {
  const auto with_id = [](const std::string& id) {
    return R"({"custom_id":)" + id + R"(,"url":"/v1/responses","body":{"input":"x"}})";
  };
  check_wrong({
      {with_id("7"), "7", "the ID must be a string in double quotes"},
      {with_id(R"("")"), R"("",)", "the ID is empty"},
      {with_id(R"("  ")"), R"("  ")", "the ID is empty"},
  });
  const auto id_in = [&](const std::string& id) {
    const std::string line = with_id(id);
    const ParsedRequestLine read = read_request_line(line, 1, RequestFormat::Added);
    CHECK(read.errors.empty());
    return read.entry.id;
  };
  CHECK(id_in("null").empty());
  CHECK(id_in(R"("a\u0041")") == "aA");
  CHECK(id_in(R"(" a")") == " a");
}

TEST_CASE("what a batch_request must be") {
  const std::string alone = "'batch_request' cannot be combined with 'url', 'method' or 'body'";
  const std::string one = "'batch_request' must contain exactly one of " + k_requests;
  const std::string good = R"({"batch_request":{"responses":{"input":"x"}})";
  CHECK(faults(good + "}").empty());
  check_wrong({
      {good + R"(,"url":"/v1/responses"})", "", alone},
      {good + R"(,"method":"POST"})", "", alone},
      {good + R"(,"body":{}})", "", alone},
      {R"({"batch_request":[]})", "[", one},
      {R"({"batch_request":{}})", "{}", one},
      {R"({"batch_request":{"responses":{"input":"x"},"responses":{"input":"x"}}})",
       R"({"responses)", one},
      {R"({"batch_request":{"response":{}}})", "response\"",
       "unknown request 'response'; allowed: " + k_requests},
      {R"({"batch_request":{"":{}}})", "\":{}", "unknown request ''; allowed: " + k_requests},
  });
}

TEST_CASE("what a request with a URL must have") {
  check_wrong({
      {R"({"url":"/v1/responses"})", "", "'body' is missing"},
      {R"({"body":{"input":"x"}})", "", "'url' is missing"},
      {R"({"method":"GET","url":"/v1/responses","body":{"input":"x"}})", R"("GET")",
       R"(the method must be "POST")"},
      {filed("other", "{}"), R"("/v1)", "unknown URL '/v1/other'; allowed: " + k_urls},
      {R"({"url":7,"body":{}})", "7", "unknown URL '7'; allowed: " + k_urls},
      {filed("videos/edits", "{}"), "", "/v1/videos/edits requires --via-file"},
  });
  CHECK(faults(R"({"method":"POST"})") ==
        std::vector<std::string>{"line 3: 'url' is missing", "line 3: 'body' is missing"});
  CHECK(faults(filed("videos/edits", "{}"), RequestFormat::File).empty());
  CHECK(faults(R"({"method":"POST","url":"/v1/videos/extensions","body":{}})").empty());
}

TEST_CASE("what is checked in the body of a request") {
  const std::string object = "the body of the request must be a JSON object";
  check_wrong({
      {filed("responses", "[]"), "[]", object},
      {R"({"batch_request":{"responses":"x"}})", R"("x")", object},
      {filed("responses", "{}"), "{}", "'input' is missing or empty in the body"},
      {filed("responses", R"({"input":null})"), R"({"input)",
       "'input' is missing or empty in the body"},
      {filed("responses", R"({"input":[]})"), R"({"input)",
       "'input' is missing or empty in the body"},
      {filed("chat/completions", R"({"model":"m"})"), R"({"model)",
       "'messages' is missing or empty in the body"},
      {filed("chat/completions", R"({"messages":"x"})"), R"("x")", "'messages' must be an array"},
      {filed("images/edits", R"({"image":{"url":"u"}})"), R"({"image)",
       "'prompt' is missing or empty in the body"},
      {filed("responses", R"({"input":"x","model":7})"), "7", "'model' must be a string"},
  });
  for (const std::string& good :
       {filed("responses", R"({"input":"x","model":null})"),
        filed("responses", R"({"input":[1],"model":"m"})"),
        filed("chat/completions", R"({"messages":[{}]})"), filed("images/generations", "{}"),
        filed("videos/generations", "{}"), filed("images/edits", R"({"prompt":"x"})")}) {
    CAPTURE(good);
    CHECK(faults(good).empty());
  }
}

TEST_CASE("images and videos of a batch are URLs") {
  const auto files = [](const std::string& name) {
    return "'" + name + "' has a file_id, but a batch accepts only a url";
  };
  check_wrong({
      {filed("images/edits", R"({"prompt":"x","image":{"file_id":"f"}})"), R"({"file)",
       files("image")},
      {filed("images/generations", R"({"images":[{"url":"u"},{"file_id":"f"}]})"), R"({"file)",
       files("images")},
      {filed("videos/generations", R"({"reference_images":["u",{"file_id":"f"}]})"), R"({"file)",
       files("reference_images")},
      {filed("videos/extensions", R"({"video":{"url":"u","file_id":"f"}})"), R"({"url":"u)",
       files("video")},
  });
  CHECK(faults(filed("images/generations",
                     R"({"image":{"file_id":"f"},"images":[{"file_id":"g"},{"file_id":"h"}]})"))
            .size() == 3);
  for (const std::string& good :
       {filed("images/generations", R"({"image":{"file_id":null},"images":"u","video":7})"),
        filed("responses", R"({"input":"x","image":{"file_id":"f"}})")}) {
    CAPTURE(good);
    CHECK(faults(good).empty());
  }
}

TEST_CASE("a request is read from either form") {
  const std::string added =
      R"( {"batch_request": {"responses": {"input":"x", "n":[{}]} } ,"batch_request_id":"a"})";
  const ParsedRequestLine one = read_request_line(added, 1, RequestFormat::Added);
  CHECK(one.errors.empty());
  CHECK(one.entry.id == "a");
  REQUIRE(one.entry.endpoint != nullptr);
  CHECK(one.entry.endpoint->url == "/v1/responses");
  CHECK(one.entry.body == R"({"input":"x", "n":[{}]})");
  const std::string from_file = filed("images/edits", R"({"prompt":"x"})");
  const ParsedRequestLine two = read_request_line(from_file, 1, RequestFormat::File);
  REQUIRE(two.entry.endpoint != nullptr);
  CHECK(two.entry.id == "q");
  CHECK(two.entry.endpoint->member == "image_edit");
  CHECK(two.entry.body == R"({"prompt":"x"})");
}

TEST_CASE("what is written in either form is read again") {
  const auto written = [](std::string_view id, std::string_view body, std::string_view model,
                          RequestFormat format) {
    std::string line;
    append_request_line(line, chat_endpoint(), id, body, model, format);
    return line;
  };
  CHECK(written("a\"b", "{}", "", RequestFormat::Added) ==
        R"({"batch_request_id":"a\"b","batch_request":{"chat_get_completion":{}}})");
  CHECK(written("", R"({"n":1})", "m", RequestFormat::Added) ==
        R"({"batch_request":{"chat_get_completion":{"model":"m","n":1}}})");
  CHECK(
      written("a", R"({"n":1})", "m", RequestFormat::File) ==
      R"({"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m","n":1}})");
  for (const RequestFormat format : {RequestFormat::Added, RequestFormat::File}) {
    const std::string line = written("a", R"({"n":1})", "", format);
    const auto sent = sent_request(line);
    REQUIRE(sent);
    CHECK(sent->operation == find_operation("chat", "create"));
    CHECK(sent->body == R"({"n":1})");
  }
  const std::string video = filed("videos/edits", R"({"prompt":"x"})");
  REQUIRE(sent_request(video));
  CHECK(sent_request(video)->operation == find_operation("videos", "edit"));
  for (const char* other : {"{}", R"({"batch_request":{}})", R"({"batch_request":{"":{}}})",
                            R"({"url":"/v1/responses"})", R"({"url":"/v1/x","body":{}})"}) {
    CAPTURE(other);
    CHECK_FALSE(sent_request(other));
  }
}

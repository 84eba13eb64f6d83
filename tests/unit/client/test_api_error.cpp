#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "client/api_error.h"
#include "support/mentions.h"

using namespace svc;
using nlohmann::json;
using test::mentions;

namespace {

const std::vector<std::string> k_secrets{"svc-0123456789abcdefwxyz"};

Error error_of(int status, std::string_view body, std::vector<Header> headers = {}) {
  return api_error(http::HttpHead{status, "1.1", std::move(headers)}, body, k_secrets);
}

std::optional<Error> in_body(const std::string& text) {
  return error_in_body(json::parse(text), k_secrets);
}

}  // namespace

TEST_CASE("each format of an error body gives its message and code") {
  struct Shape {
    int status;
    std::string body;
    std::string message;
    std::string code;
  };
  const std::vector<Shape> shapes = {
      {400, R"({"code":"Client specified an invalid argument","error":"Model not found: svc-9"})",
       "Model not found: svc-9", "Client specified an invalid argument"},
      {400, R"({"code":"invalid-argument","error":"The output.upload_url field is invalid."})",
       "The output.upload_url field is invalid.", "invalid-argument"},
      {400, R"({"code":"400","error":"Bad data: Messages cannot be empty"})",
       "Bad data: Messages cannot be empty", "400"},
      {400, R"({"code":400,"error":"numeric"})", "numeric", "400"},
      {422,
       "Failed to deserialize the JSON body into the target type: messages: missing field "
       "`content` at line 1 column 22",
       "Failed to deserialize the JSON body into the target type: messages: missing field "
       "`content` at line 1 column 22",
       ""},
      {400, R"("A request may either be streaming or deferred, but not both.")",
       "A request may either be streaming or deferred, but not both.", ""},
      {400,
       R"({"error":{"message":"bad","type":"invalid_request_error","param":null,"code":"c1"}})",
       "bad", "c1"},
      {400, R"({"error":{"message":"bad","type":"invalid_request_error","param":"n","code":null}})",
       "bad (parameter n)", "invalid_request_error"},
      {500, R"({"error":"synthesis broke"})", "synthesis broke", ""},
      {400,
       "{\"code\": 3, \"message\": \"collection_name: Field is empty but must not be empty. "
       "[WKE=form-invalid:not-empty:collection_name]\\n\", \"details\": []}",
       "collection_name: Field is empty but must not be empty.",
       "3 [WKE=form-invalid:not-empty:collection_name]"},
      {400, R"({"detail":"no such thing"})", "no such thing", ""},
      {400, R"({"detail":[{"loc":["body"],"msg":"x"}]})", R"([{"loc":["body"],"msg":"x"}])", ""},
      {400, R"({"error":"{\"error\":{\"message\":\"inner\",\"code\":\"deep\"}}"})", "inner",
       "deep"},
      {400, R"({"code":"outer","error":"{\"code\":\"deep\",\"error\":\"inner\"}"})", "inner",
       "outer"},
      {400, R"({"error":"{\"error\":{\"message\":\"no\",\"param\":\"p\"}}"})", "no (parameter p)",
       ""},
      {400, R"({"param":"outer","error":"{\"error\":{\"message\":\"no\",\"param\":\"p\"}}"})",
       "no (parameter outer)", ""},
      {400, R"({"error":"{\"code\":\"deep\"}"})", R"({"code":"deep"})", ""},
      {503, "upstream connect error", "upstream connect error", ""},
      {400, R"({"something":"else"})", R"({"something":"else"})", ""},
      {400, R"({"error":{}})", R"({"error":{}})", ""},
      {400, "[WKE=a:b] twice [WKE=c:d]", "twice", "[WKE=a:b] [WKE=c:d]"},
      {400, "[WKE=a:b]no[WKE=c:d]body", "nobody", "[WKE=a:b] [WKE=c:d]"},
      {400, "[WKE=a:b]x[WKE=never", "x[WKE=never", "[WKE=a:b]"},
      {400, "[WKE=never closed", "[WKE=never closed", ""},
      {400, "\xEF\xBB\xBF{\"error\":\"after a mark\"}", "after a mark", ""},
  };
  for (const Shape& shape : shapes) {
    CAPTURE(shape.body);
    const Error error = error_of(shape.status, shape.body);
    CHECK_MESSAGE(
        error.message.ends_with("(HTTP " + std::to_string(shape.status) + "): " + shape.message),
        error.message);
    CHECK(error.code == shape.code);
    CHECK(error.http_status == shape.status);
  }
}

TEST_CASE("the class depends on status and text") {
  struct Class {
    int status;
    std::string body;
    Fault fault;
  };
  for (const Class& expected : std::vector<Class>{
           {401, R"({"error":"no"})", Fault::Auth},
           {403, R"({"error":"no"})", Fault::Auth},
           {400, R"({"code":"Client specified an invalid argument",
                     "error":"Incorrect API key provided: sv***yz."})",
            Fault::Auth},
           {400, R"({"error":"bad"})", Fault::Service},
           {402, "", Fault::Limited},
           {404, R"({"error":"Response with id=r1 not found"})", Fault::NotFound},
           {405, "", Fault::Service},
           {408, "", Fault::Service},
           {409, "", Fault::Service},
           {413, "", Fault::Service},
           {415, "", Fault::Service},
           {418, "", Fault::Service},
           {422, "x", Fault::Service},
           {429, "", Fault::Limited},
           {500, "", Fault::Service},
           {503, "", Fault::Service},
           {529, "", Fault::Service},
           {599, "", Fault::Service},
           {302, "", Fault::Network},
       }) {
    CAPTURE(expected.status);
    const Error error = error_of(expected.status, expected.body);
    CHECK(error.fault == expected.fault);
    CHECK(mentions(error.message, std::to_string(expected.status)));
  }
}

TEST_CASE("a rejected key and a missing permission give different hints") {
  CHECK(mentions(error_of(401, "").hint, "svc auth login"));
  CHECK(
      mentions(error_of(400, R"({"error":"Incorrect API key provided"})").hint, "svc auth login"));
  const Error forbidden = error_of(403, R"({"error":"blocked"})");
  CHECK_FALSE(mentions(forbidden.hint, "login"));
  CHECK(mentions(forbidden.hint, "svc keys self"));
}

TEST_CASE("the two kinds of 429 are distinguished") {
  const Error rate = error_of(429, R"({"code":8,"message":"Too many requests"})");
  CHECK(rate.cause == Cause::Passing);
  CHECK(mentions(rate.hint, "later"));
  for (
      const char* body :
      {R"({"code":"Some resource has been exhausted","error":"Your team t has used all available credits"})",
       R"({"error":"Monthly Spending Limit reached"})",
       R"({"error":{"message":"no","code":"insufficient_quota"}})"}) {
    const Error credits = error_of(429, body, {{"Retry-After", "5"}});
    CHECK(credits.cause == Cause::CreditsUsedUp);
    CHECK_FALSE(mentions(credits.hint, "after"));
  }
  CHECK(error_of(402, "").cause == Cause::CreditsUsedUp);
  CHECK(error_of(500, R"({"error":"credits"})").cause == Cause::Passing);
}

TEST_CASE("a file that the service lacks is named") {
  for (const char* body : {R"({"error":"File file_a-1_b not found."})",
                           R"({"error":{"message":"no file_a-1_b: gone"}})",
                           R"({"code":"not_found","error":"'file_a-1_b' does not exist"})"}) {
    CAPTURE(body);
    const Error gone = error_of(404, body);
    CHECK(gone.cause == Cause::MissingFile);
    CHECK(gone.subject == "file_a-1_b");
    CHECK(error_of(400, body).cause == Cause::None);
  }
  const Error response = error_of(404, R"({"error":"Response with id=r1 not found"})");
  CHECK(response.cause == Cause::None);
  CHECK(response.subject.empty());
}

TEST_CASE("a requested retry delay is reported") {
  CHECK(error_of(429, "", {{"Retry-After", "86400"}}).hint == "Try again after 24 h.");
  CHECK(error_of(429, "", {{"retry-after-ms", "1500"}}).hint == "Try again after 1.5 s.");
  CHECK(error_of(429, "", {{"Retry-After", "-5"}}).hint == "Try again later.");
  CHECK(error_of(429, "", {{"Retry-After", "1e999"}}).hint == "Try again later.");
  CHECK(error_of(501, "").hint.empty());
}

TEST_CASE("a web page becomes a message with an excerpt") {
  const std::string page = "<!DOCTYPE html>\n<html><title>\x1b]0;own\x07 Bad</title>" +
                           std::string(5000, 'x') + "</html>";
  const Error error = error_of(502, page);
  CHECK(mentions(error.message, "an HTML page instead of JSON: <!DOCTYPE html> <html>"));
  CHECK(error.message.size() < 400);
  CHECK(error.message.find('\x1b') == std::string::npos);
  CHECK(error_of(404, "<html>not here</html>").fault == Fault::NotFound);
}

TEST_CASE("an empty body gives a default message, or the one in www-authenticate") {
  CHECK(error_of(500, "").message == "the service failed (HTTP 500)");
  CHECK(error_of(400, " \n").message == "the service refused the request (HTTP 400)");
  CHECK(error_of(400, "null").message == "the service refused the request (HTTP 400)");
  CHECK(error_of(400, "{}").message == "the service refused the request (HTTP 400)");
  CHECK(mentions(error_of(401, "", {{"WWW-Authenticate", "Invalid bearer token."}}).message,
                 "(HTTP 401): Invalid bearer token."));
}

TEST_CASE("a redirect is reported with its target") {
  const Error error = error_of(307, "", {{"Location", "https://evil.example/\x1b[2J"}});
  CHECK(mentions(error.message, "HTTP 307"));
  CHECK(mentions(error.message, "https://evil.example/"));
  CHECK(error.message.find('\x1b') == std::string::npos);
}

TEST_CASE("no secret, control character or line break is passed on") {
  const Error echoed =
      error_of(401,
               R"({"code":"svc-0123456789abcdefwxyz","error":"Incorrect API key provided: )"
               R"(svc-0123456789abcdefwxyz.\r\nSecond \u001b]52;c;AA\u0007 \u202e line"})",
               {{"x-request-id", "r1\x1b[31m\r\nX: y"}});
  CHECK(mentions(echoed.message, "svc-…wxyz. Second"));
  CHECK(echoed.code == "svc-…wxyz");
  const std::string all = echoed.message + echoed.code + echoed.hint + echoed.request_id;
  CHECK_FALSE(mentions(all, "0123456789"));
  CHECK(all.find_first_of("\x1b\r\n\x07") == std::string::npos);
  CHECK_FALSE(mentions(all, "\xE2\x80\xAE"));

  // Truncation never leaves part of a secret.
  for (std::size_t pad = 1960; pad < 2010; ++pad) {
    const Error cut = error_of(400, std::string(pad, 'x') + k_secrets[0]);
    CHECK_FALSE(mentions(cut.message, "svc-0"));
    CHECK(cut.message.size() < 2100);
  }
  CHECK_FALSE(mentions(body_excerpt(std::string(190, 'x') + k_secrets[0], k_secrets), "svc-0"));
  CHECK(body_excerpt("a\n\n  b\tc", {}) == "a b c");
}

TEST_CASE("hostile bodies give a message") {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK(error_of(500, deep).message.size() < 2200);
  CHECK(error_of(400, "{\"error\":" + deep + "}").fault == Fault::Service);
  CHECK(error_of(400, "{\"error\":\"\xff\xfe bad\"}").message ==
        "the service refused the request (HTTP 400): \xEF\xBF\xBD\xEF\xBF\xBD bad");
  CHECK(error_of(400, R"({"error":"\ud800"})").fault == Fault::Service);
  CHECK(error_of(400, R"({"error":"cut)").message ==
        "the service refused the request (HTTP 400): {\"error\":\"cut");
  CHECK(error_of(400, "{\"error\":\"" + std::string(3'000'000, 'y') + "\"}").message.size() < 2200);
  CHECK(error_of(400, R"({"error":"{\"error\":\"{\\\"error\\\":\\\"x\\\"}\"}"})").message ==
        "the service refused the request (HTTP 400): {\"error\":\"x\"}");
}

TEST_CASE("what is longer than a message, a code or a document may be is cut or quoted") {
  const auto x = [](std::size_t count) { return std::string(count, 'x'); };
  const std::string start = "the service refused the request (HTTP 400): ";
  CHECK(error_of(400, x(2000)).message == start + x(2000));
  CHECK(error_of(400, x(2001)).message == start + x(2000) + "…");
  const auto coded = [&](std::size_t count) {
    return error_of(
        400,
        R"({"code":")" + x(count) + R"(","error":"no","param":")" + std::string(count, 'p') + "\"}",
        {{"x-request-id", std::string(count, 'r')}});
  };
  CHECK(coded(200).code == x(200));
  CHECK(coded(200).request_id == std::string(200, 'r'));
  CHECK(coded(200).message == start + "no (parameter " + std::string(200, 'p') + ")");
  CHECK(coded(201).code == x(200) + "…");
  CHECK(coded(201).request_id == std::string(200, 'r') + "…");
  CHECK(coded(201).message == start + "no (parameter " + std::string(200, 'p') + "…)");
  CHECK(body_excerpt(x(200), {}) == x(200));
  CHECK(body_excerpt(x(201), {}) == x(200) + "…");
  CHECK(in_body(R"({"type":"response.failed","code":")" + x(201) + R"(","message":"no"})")->code ==
        x(200) + "…");
  const std::string to = "the service responded with a redirect (HTTP 399) to ";
  CHECK(error_of(399, "", {{"Location", x(300)}}).message ==
        to + x(300) + ", which is not followed");
  CHECK(error_of(399, "", {{"Location", x(301)}}).message ==
        to + x(300) + "…, which is not followed");
  // A document of more than a MiB is quoted.
  const auto document = [](std::size_t bytes) {
    const std::string head = R"({"error":"no","x":")";
    return head + std::string(bytes - head.size() - 2, ' ') + "\"}";
  };
  CHECK(error_of(400, document(1U << 20U)).message == start + "no");
  CHECK(error_of(400, document((1U << 20U) + 1)).message.starts_with(start + R"({"error":"no")"));
}

TEST_CASE("only a rejected request says that its key is wrong, and only a payment that it is due") {
  const char* key = R"({"error":"Incorrect API key provided"})";
  CHECK(error_of(404, key).fault == Fault::NotFound);
  CHECK(error_of(403, key).hint.starts_with("The key is valid"));
  CHECK(error_of(400, R"({"error":"no credits"})").fault == Fault::Service);
  CHECK(error_of(429, R"({"code":"no credits","error":"x"})").cause == Cause::CreditsUsedUp);
  // A file is named up to what ends its ID, or the text.
  for (const char* text : {"file_a", "file_a b", "file_a,b", "file_a;b", "file_a:b", "file_a.b",
                           "file_a'b", "no \"file_a\""}) {
    CAPTURE(text);
    CHECK(error_of(404, text).subject == "file_a");
  }
}

TEST_CASE("the request ID comes from either header") {
  const std::string echoed =
      error_of(500, "", {{"x-request-id", "at " + k_secrets.front()}}).request_id;
  CHECK(echoed.starts_with("at "));
  CHECK(echoed.find(k_secrets.front()) == std::string::npos);
  CHECK(error_of(500, "", {{"X-Request-Id", "r1"}, {"x-trace-id", "t1"}}).request_id == "r1");
  CHECK(error_of(500, "", {{"x-trace-id", "t1"}}).request_id == "t1");
  CHECK(error_of(500, "").request_id.empty());
}

TEST_CASE("an error in a body with a success status is found") {
  const auto chat = in_body(R"({"code":"The service is currently unavailable","error":"Busy"})");
  REQUIRE(chat);
  CHECK(chat->fault == Fault::Service);
  CHECK(chat->message == "the service is unavailable: Busy");
  CHECK(chat->http_status == 200);
  CHECK(in_body(R"({"error":{"message":"slow down","code":429}})")->fault == Fault::Limited);
  CHECK(in_body(R"({"error":{"message":"who","type":"authentication_error"}})")->fault ==
        Fault::Auth);
  CHECK(in_body(R"({"code":"Some requested entity was not found","error":"x"})")->fault ==
        Fault::NotFound);
  CHECK(in_body(R"({"code":"permission-denied","error":"x"})")->fault == Fault::Auth);
  CHECK(in_body(R"({"code":8,"error":"used all credits"})")->fault == Fault::Limited);
  CHECK(in_body(R"({"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"bad"}})")->message ==
        "the service reported an error: bad");
  CHECK(in_body(R"({"error":"svc-0123456789abcdefwxyz"})")->message ==
        "the service reported an error: svc-…wxyz");
}

TEST_CASE("error events are found in both formats") {
  CHECK(in_body(R"({"type":"error","message":"boom","code":"server_error"})")->message ==
        "the service failed: boom");
  CHECK(in_body(R"({"type":"error","error":{"type":"overloaded_error","message":"full"}})")
            ->message == "the service is overloaded: full");
  CHECK(in_body(R"({"type":"error"})").has_value());
}

TEST_CASE("failed jobs are RemoteJob") {
  const auto failed = in_body(
      R"({"type":"response.failed","response":{"id":"r1","status":"failed",
          "error":{"code":"server_error","message":"GPU on fire"}}})");
  REQUIRE(failed);
  CHECK(failed->fault == Fault::RemoteJob);
  CHECK(failed->message == "the response failed: GPU on fire");
  CHECK(failed->code == "server_error");
  CHECK(in_body(R"({"type":"response.failed"})")->fault == Fault::RemoteJob);
  const auto video =
      in_body(R"({"status":"failed","error":{"code":"internal_error","message":"x"}})");
  CHECK(video->fault == Fault::RemoteJob);
  CHECK(video->message == "the job failed: x");
}

TEST_CASE("valid documents contain no error") {
  for (const char* text :
       {R"({"id":"r1","object":"response","status":"completed","error":null})",
        R"({"id":"c1","choices":[],"error":null})", R"({"error":""})", R"({"error":{}})",
        R"({"type":"response.incomplete","response":{"status":"incomplete"}})",
        R"({"type":"response.completed","response":{"error":null}})", R"(null)", R"([])", R"("x")",
        R"({"message":"hello","code":1})", R"({"data":[{"error":"inner"}]})",
        R"({"type":"response.output_text.delta","delta":"error"})", R"({"type":1})"}) {
    CAPTURE(text);
    CHECK_FALSE(in_body(text).has_value());
  }
}

TEST_CASE("each status has its words") {
  const std::pair<int, const char*> rows[] = {
      {401, "the service refused the key"},
      {402, "credits or a spending limit are used up"},
      {403, "the service does not permit this"},
      {404, "not found on the service"},
      {405, "the service does not allow this method here"},
      {408, "the service timed out reading the request"},
      {409, "the request conflicts with existing data"},
      {413, "the request is too large for the service"},
      {418, "the service refused the request"},
      {422, "the service could not process the request"},
      {429, "too many requests"},
      {499, "the service refused the request"},
      {500, "the service failed"},
      {501, "not supported by the service"},
      {502, "a gateway of the service failed"},
      {503, "the service is unavailable"},
      {504, "a gateway of the service failed"},
      {505, "not supported by the service"},
      {529, "the service is overloaded"},
      {599, "the service failed"},
  };
  for (const auto& [status, words] : rows) {
    const Error error = error_of(status, R"({"error":"x"})");
    CHECK(error.message == words + (" (HTTP " + std::to_string(status)) + "): x");
    CHECK(error.states_status);
    const bool passes = status >= 500 && status != 501 && status != 505;
    CHECK((error.cause == Cause::Passing) == (passes || status == 429));
    if (passes) CHECK(error.hint == "Try again later.");
  }
  const std::pair<int, const char*> hints[] = {
      {401, "`svc auth status` shows which key was used; `svc auth login` stores another one."},
      {402, "Trying again does not help: add credits or raise the spending limit."},
      {403,
       "The key is valid but lacks this permission; `svc keys self` shows its permissions and "
       "whether it or its team is blocked."},
      {404, "Check the ID or model name, and the URL with `svc doctor`."},
      {405, ""},
      {408, ""},
      {409, ""},
      {413, ""},
      {418, ""},
      {422, ""},
      {429, "Try again later."},
      {501, ""},
      {302, "Check the service's URL with `svc doctor`."},
  };
  for (const auto& [status, hint] : hints) {
    CAPTURE(status);
    CHECK(error_of(status, R"({"error":"x"})").hint == hint);
  }
  CHECK(error_of(429, "", {{"Retry-After", "90"}}).hint == "Try again after 1 min 30 s.");
  CHECK(error_of(400, R"({"error":"Model not found: x"})").hint ==
        "`svc models` lists the team's models.");
  CHECK(error_of(302, "").message ==
        "the service responded with a redirect (HTTP 302), which is not followed");
  CHECK(error_of(300, "", {{"Location", "https://h"}}).message ==
        "the service responded with a redirect (HTTP 300) to https://h, which is not followed");
}

TEST_CASE("a code in a body has the meaning of its status") {
  const auto words = [](const std::string& code) {
    const std::string all = in_body(R"({"error":{"message":"x","code":)" + code + "}}")->message;
    REQUIRE(all.ends_with(": x"));
    return all.substr(0, all.size() - 3);
  };
  const std::string reported = "the service reported an error";
  const std::string refused = "the service refused the request";
  const std::string conflicts = "the request conflicts with existing data";
  // The codes of gRPC, from OK to UNAUTHENTICATED.
  const std::string numbers[] = {reported,
                                 refused,
                                 "the service failed",
                                 refused,
                                 "a gateway of the service failed",
                                 "not found on the service",
                                 conflicts,
                                 "the service does not permit this",
                                 "too many requests",
                                 refused,
                                 conflicts,
                                 refused,
                                 "not supported by the service",
                                 "the service failed",
                                 "the service is unavailable",
                                 "the service failed",
                                 "the service refused the key",
                                 reported};
  for (std::size_t i = 0; i < std::size(numbers); ++i)
    CHECK(words(std::to_string(i)) == numbers[i]);
  const std::pair<const char*, std::string> rows[] = {
      {"-1", reported},
      {"399", reported},
      {"400", refused},
      {"599", "the service failed"},
      {"600", reported},
      {R"("RESOURCE EXHAUSTED")", "too many requests"},
      {R"("rate-limit-exceeded")", "too many requests"},
      {R"("over quota")", "too many requests"},
      {R"("Not Found")", "not found on the service"},
      {R"("permission denied")", "the service does not permit this"},
      {R"("invalid_api_key")", "the service refused the key"},
      {R"("authentication_error")", "the service refused the key"},
      {R"("Unauthenticated")", "the service refused the key"},
      {R"("unavailable")", "the service is unavailable"},
      {R"("overloaded_error")", "the service is overloaded"},
      {R"("internal")", "the service failed"},
      {R"("server_error")", "the service failed"},
      {R"("another")", reported},
  };
  for (const auto& [code, expected] : rows) {
    CAPTURE(code);
    CHECK(words(code) == expected);
  }
}

TEST_CASE("what the message says already is not said again") {
  CHECK(error_of(400, R"({"error":{"message":"bad n","param":"n"}})").message ==
        "the service refused the request (HTTP 400): bad n");
  CHECK(error_of(400, R"({"error":{"message":"bad","param":"n"}})").message ==
        "the service refused the request (HTTP 400): bad (parameter n)");
  const std::vector<Header> id = {{"x-request-id", "r-1"}};
  const Error said = error_of(400, R"({"error":"c1: no, see r-1","code":"c1"})", id);
  CHECK(said.states_code);
  CHECK(said.states_request_id);
  const Error unsaid = error_of(400, R"({"error":"c12: no, see r-12","code":"c1"})", id);
  CHECK_FALSE(unsaid.states_code);
  CHECK_FALSE(unsaid.states_request_id);
  CHECK_FALSE(in_body(R"({"error":"x"})")->states_status);
}

TEST_CASE("jobs and responses that failed say which they are") {
  const auto message = [](const char* body) {
    const auto error = in_body(body);
    REQUIRE(error);
    CHECK(error->fault == Fault::RemoteJob);
    return error->message;
  };
  CHECK(message(R"({"object":"response","status":"failed","error":{"message":"x"}})") ==
        "the response failed: x");
  CHECK(message(R"({"status":"expired","error":"x"})") == "the job failed: x");
  CHECK(message(R"({"type":"response.failed","message":"x"})") == "the response failed: x");
  CHECK(in_body(R"({"status":"done","error":"x"})")->fault == Fault::Service);
}

TEST_CASE("a management host says where its key comes from, unless it is another host") {
  const auto hint = [](int status, const char* body) {
    Error error = error_of(status, body);
    hint_for_management(error, body);
    return error.hint;
  };
  CHECK(hint(401, "") ==
        "This host requires a management key, not an API key: `svc auth status` shows which one "
        "was used, `svc auth login --management` stores another.");
  CHECK(hint(403, "") ==
        "The management key is valid but lacks this permission; the web console grants it, under "
        "Management Keys.");
  CHECK(hint(404, "<html>") ==
        "This may be the wrong host: check management_url, which must have no path, with `svc "
        "doctor`.");
  CHECK(hint(404, "{}") == error_of(404, "{}").hint);
  CHECK(hint(500, "<html>") == "Try again later.");
}

TEST_CASE("only errors are searched for secrets") {
  const std::string key = k_secrets.front();
  const auto shown = [&](const std::string& text) {
    return without_secrets_in_error(text, k_secrets);
  };
  CHECK(shown(R"({"error":"no )" + key + "\"}").find(key) == std::string::npos);
  CHECK(shown(R"({"type":"response.failed","message":"no )" + key + "\"}").find(key) ==
        std::string::npos);
  for (const std::string& other :
       {R"({"text":")" + key + "\"}", R"({"error":null,"text":")" + key + "\"}", "error " + key}) {
    CHECK(shown(other) == other);
  }
}

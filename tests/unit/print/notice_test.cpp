#include "print/notice.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "print_support.h"

namespace svc::print {
namespace {

using test::Captured;

Error sample() {
  Error error{Fault::Limited, "the service is busy", "Try again later."};
  error.http_status = 429;
  error.code = "rate_limited";
  error.request_id = "req-1";
  return error;
}

}  // namespace

TEST_CASE("an error is one line, its hint another") {
  Captured err;
  Notices notices(err.out(), {});
  notices.error(usage_error("--n takes a number, not 'x'", "See svc chat --help."));
  CHECK(err.take() == "svc: error: --n takes a number, not 'x'\nsvc: hint: See svc chat --help.\n");
  notices.error(usage_error("nothing more"));
  CHECK(err.take() == "svc: error: nothing more\n");
}

TEST_CASE("details wait while another line is open") {
  Captured err;
  Notices notices(err.out(), {.verbose = true});
  notices.detail("one");
  CHECK(err.take() == "one\n");
  notices.hold_details();
  notices.detail("two");
  notices.detail("three\x1b");
  CHECK(err.take().empty());
  notices.release_details();
  CHECK(err.take() == "two\nthree^[\n");
  notices.release_details();
  notices.detail("four");
  CHECK(err.take() == "four\n");
  Notices quiet(err.out(), {});
  quiet.hold_details();
  quiet.detail("five");
  quiet.release_details();
  CHECK(err.take().empty());
}

TEST_CASE("the service's message is added if ours lacks it") {
  Captured err;
  Notices notices(err.out(), {});
  notices.error(sample());
  CHECK(err.take() ==
        "svc: error: the service is busy (HTTP 429, request req-1, code rate_limited)\n"
        "svc: hint: Try again later.\n");
  Error stated = sample();
  stated.message = "the service is busy (HTTP 429, rate_limited)";
  stated.states_status = stated.states_code = true;
  stated.hint.clear();
  notices.error(stated);
  CHECK(err.take() == "svc: error: the service is busy (HTTP 429, rate_limited) (request req-1)\n");
  Error number = sample();
  number.message = "line 429 is rate_limited_twice";
  number.hint.clear();
  notices.error(number);
  CHECK(
      err.take() ==
      "svc: error: line 429 is rate_limited_twice (HTTP 429, request req-1, code rate_limited)\n");
}

TEST_CASE("a service's sentence about a code is shown as the code's name") {
  const auto shown = [](const char* code, int status = 400) {
    Captured err;
    Error error{Fault::Service, "m"};
    error.code = code;
    error.http_status = status;
    Notices(err.out(), {}).error(error);
    const std::string text = err.take();
    const std::string start = "svc: error: m (HTTP " + std::to_string(status);
    REQUIRE(text.starts_with(start));
    return text.substr(start.size(), text.size() - start.size() - 2);
  };
  for (const auto& [sentence, name] :
       {std::pair("The operation was cancelled", "cancelled"),
        {"Unknown error", "unknown error"},
        {"client specified an INVALID argument", "invalid argument"},
        {"Deadline expired before operation could complete", "deadline exceeded"},
        {"Some requested entity was not found", "not found"},
        {"Some entity that we attempted to create already exists", "already exists"},
        {"The caller does not have permission to execute the specified operation",
         "permission denied"},
        {"Some resource has been exhausted", "resource exhausted"},
        {"The system is not in a state required for the operation's execution",
         "failed precondition"},
        {"The operation was aborted", "aborted"},
        {"Operation was attempted past the valid range", "out of range"},
        {"Operation is not implemented or not supported", "unimplemented"},
        {"Internal error", "internal error"},
        {"The service is currently unavailable", "unavailable"},
        {"Unrecoverable data loss or corruption", "data loss"},
        {"The request does not have valid authentication credentials", "unauthenticated"}}) {
    CHECK(shown(sentence) == ", " + std::string(name));
  }
  // Where the status says the same, once is enough.
  CHECK(shown("Some requested entity was not found", 404).empty());
  CHECK(shown("The service is currently unavailable", 503).empty());
  CHECK(shown("The service is currently unavailable", 404) == ", unavailable");
  CHECK(shown("3 [WKE=x]") == ", invalid argument");
  CHECK(shown("4 [WKE=x]") == ", code 4 [WKE=x]");
  CHECK(shown("a sentence of its own") == ", a sentence of its own");
  CHECK(shown("word") == ", code word");
  CHECK(shown("").empty());
  Error below{Fault::Service, "m"};
  below.http_status = 399;
  below.request_id = "r";
  below.states_request_id = true;
  Captured err;
  Notices(err.out(), {}).error(below);
  CHECK(err.take() == "svc: error: m\n");
}

TEST_CASE("warnings and notes; --quiet shows only errors") {
  Captured err;
  Notices notices(err.out(), {});
  notices.warning("old flag");
  notices.note("cost $0.01");
  CHECK(err.take() == "svc: warning: old flag\nsvc: note: cost $0.01\n");

  Notices quiet(err.out(), {.quiet = true});
  quiet.warning("old flag");
  quiet.note("cost");
  quiet.aside("thinking");
  CHECK(err.take().empty());
  quiet.error(usage_error("bad"));
  CHECK(err.take() == "svc: error: bad\n");
}

TEST_CASE("details are shown with --verbose, progress notes without it") {
  Captured err;
  Notices(err.out(), {}).detail("> POST /v1/x");
  CHECK(err.take().empty());
  Notices(err.out(), {.verbose = true}).detail("> POST /v1/x\r\nforged");
  CHECK(err.take() == "> POST /v1/x^M^Jforged\n");
  Notices notices(err.out(), {});
  notices.aside("first\nsecond\x1b[2J");
  notices.aside("third\n");
  notices.aside("");
  CHECK(err.take() == "first\nsecond^[[2J\nthird\n");
}

TEST_CASE("lines are wrapped between words on a terminal") {
  Captured err(test::color_tty(30));
  Notices notices(err.out(), {});
  notices.warning("a sentence that is longer than the line");
  CHECK(err.take() == "svc: \x1b[1;33mwarning:\x1b[0m a sentence that\nis longer than the line\n");
  notices.aside("five words that are nothing but text\n  and more");
  CHECK(err.take() == "five words that are nothing\nbut text\n  and more\n");
}

TEST_CASE("each line is flushed at once") {
  std::string text;
  Out out(string_sink(text));
  Notices(out, {}).warning("now");
  CHECK(text == "svc: warning: now\n");
}

TEST_CASE("with json an error is one object with all six fields") {
  Captured err;
  Notices notices(err.out(), {.json = true});
  notices.error(sample());
  CHECK(err.take() ==
        R"({"error":{"fault":"limited","message":"the service is busy","hint":"Try again later.",)"
        R"("http_status":429,"code":"rate_limited","request_id":"req-1"}})"
        "\n");
  notices.error(usage_error("bad"));
  CHECK(err.take() == R"({"error":{"fault":"usage","message":"bad","hint":null,)"
                      R"("http_status":null,"code":null,"request_id":null}})"
                      "\n");
  notices.warning("old \"flag\"");
  notices.note("n");
  notices.aside("not JSON");
  CHECK(err.take() ==
        "{\"warning\":{\"message\":\"old \\\"flag\\\"\"}}\n{\"note\":{\"message\":\"n\"}}\n");
}

TEST_CASE("faults 86 to 88: external text cannot control a terminal or forge a line") {
  const std::string hostile = "a\x1b]52;c;x\x07\xc2\x9b\r\nsvc: error: forged\xe2\x80\xae\xff";
  Error error{Fault::Service, hostile, hostile};
  error.code = "c\x1b";
  error.request_id = "r\n";
  for (const bool json : {false, true}) {
    for (const Terminal& terminal : {Terminal{}, test::tty()}) {
      Captured err(terminal);
      Notices notices(err.out(), {.json = json, .verbose = true});
      notices.error(error);
      notices.warning(hostile);
      notices.detail(hostile);
      const std::string text = err.take();
      CHECK(text.find('\x1b') == std::string::npos);
      CHECK(text.find('\r') == std::string::npos);
      CHECK(text.find("\xc2\x9b") == std::string::npos);
      CHECK(text.find("\xe2\x80\xae") == std::string::npos);
      CHECK(text.find("\xff") == std::string::npos);
      CHECK(text.find("\nsvc: error: forged") == std::string::npos);
    }
  }
  Captured err;
  Notices(err.out(), {.json = true}).error(error);
  const auto object = nlohmann::json::parse(err.take());
  CHECK(object["error"]["message"] ==
        "a\x1b]52;c;x\x07\xc2\x9b\r\nsvc: error: forged\xe2\x80\xae\uFFFD");
}

TEST_CASE("color on a terminal") {
  Captured err(test::color_tty());
  Notices notices(err.out(), {});
  notices.error(usage_error("bad", "Mend it."));
  notices.warning("w");
  CHECK(err.take() ==
        "svc: \x1b[1;31merror:\x1b[0m bad\nsvc: \x1b[36mhint:\x1b[0m Mend it.\n"
        "svc: \x1b[1;33mwarning:\x1b[0m w\n");
}

TEST_CASE("a progress line is replaced") {
  using namespace std::chrono_literals;
  Captured err(test::tty());
  std::chrono::steady_clock::time_point now{};
  Progress progress(err.out(), true, [&] { return now; });
  Notices notices(err.out(), {}, &progress);
  progress.start("Work");
  now += 1s;
  progress.tick();
  err.take();
  notices.note("hello");
  CHECK(err.take() == "\r\x1b[Ksvc: note: hello\n");
}

TEST_CASE("an unwritable standard error is ignored") {
  Out out([](sv) -> Result<void> { return Error{Fault::Local, "full"}; });
  Notices notices(out, {});
  notices.error(usage_error("bad"));
  notices.warning("still here");
  CHECK_FALSE(out.flush());
}

TEST_CASE("what is beside an answer has two forms, and --quiet neither") {
  const auto said = [](NoticeOptions options) {
    Captured err;
    Notices notices(err.out(), options);
    notices.aside("12 tokens", R"({"usage" : {"tokens" : 12, "x" : ""}})");
    return err.take();
  };
  CHECK(said({}) == "12 tokens\n");
  CHECK(said({.json = true}) == "{\"usage\":{\"tokens\":12,\"x\":\"\"}}\n");
  CHECK(said({.quiet = true}).empty());
  CHECK(said({.quiet = true, .json = true}).empty());
  Captured color(test::color_tty(20));
  Notices(color.out(), {.json = true}).insist("a note that is longer than a line\x1b");
  CHECK(color.take() ==
        "{\x1b[34;1m\"note\"\x1b[0m:{\x1b[34;1m\"message\"\x1b[0m:"
        "\x1b[32m\"a note that is longer than a line\\u001b\"\x1b[0m}}\n");
}

TEST_CASE("a secret is masked in everything that is said") {
  Captured err;
  Notices notices(err.out(), {.verbose = true});
  notices.keep_secret("key-12345678");
  notices.error(usage_error("no key-12345678 here", "Not key-12345678."));
  notices.detail("> key-12345678");
  notices.aside("key-12345678");
  CHECK(err.take().find("12345678") == std::string::npos);
  notices.note("key-1234567");
  CHECK(err.take() == "svc: note: key-1234567\n");
}

}  // namespace svc::print

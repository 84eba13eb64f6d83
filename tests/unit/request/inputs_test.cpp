// Headers, secrets and standard input among the inputs, and the names of variables in a plan.
#include "request/inputs.h"

#include <functional>
#include <string>

#include "catalogue/builders.h"
#include "request/plan.h"
#include "try.h"

using namespace svc;
using namespace svc::request;

namespace {

namespace rows = catalogue;

std::string header_of(const char* text) {
  const auto header = read_header(text);
  if (!header) {
    CHECK(header.error().fault == Fault::Usage);
    return header.error().message;
  }
  return "<" + header->name + "|" + header->value + ">";
}

}  // namespace

TEST_CASE("a header is a name and a value, without blanks around them") {
  CHECK(header_of("A:b") == "<A|b>");
  CHECK(header_of(" A :  b c \t") == "<A|b c>");
  CHECK(header_of("A:b:c") == "<A|b:c>");
  CHECK(header_of("A:") == "<A|>");
  CHECK(header_of("A") == "--header must be 'NAME: VALUE', not 'A'");
  CHECK(header_of(":b") == "--header must be 'NAME: VALUE', not ':b'");
  CHECK(header_of("Authorization: x") ==
        "--header cannot carry the key: other local users could read it");
  CHECK(header_of("authORIZATION :x").starts_with("--header cannot carry the key"));
  for (const char* odd : {"A: b\tc", "A: b\nc", "A: \x1b", "A: \xe2\x80\xae", "A: \xff"}) {
    CHECK(header_of(odd) == "--header A: the value contains control characters");
  }
}

TEST_CASE("where a secret comes from, and the variable that stands for it") {
  const Field field = rows::secret("sip-auth-password", "P.");
  const auto source = [&](const char* text) {
    const auto found = parse_secret_source(field, text);
    if (!found) return found.error().message + "|" + found.error().hint;
    const char* from = found->from == SecretSource::From::Input  ? "input "
                       : found->from == SecretSource::From::File ? "file "
                                                                 : "variable ";
    return from + found->name + " " + secret_variable(field, *found);
  };
  CHECK(source("-") == "input  $SVC_SIP_AUTH_PASSWORD");
  CHECK(source("@a b") == "file a b $SVC_SIP_AUTH_PASSWORD");
  CHECK(source("@a") == "file a $SVC_SIP_AUTH_PASSWORD");
  CHECK(source("env:a_Z9") == "variable a_Z9 $a_Z9");
  CHECK(source("env:_") == "variable _ $_");
  for (const char* wrong : {"", "@", "env:", "env:9a", "env:0", "env:a-b", "env:a b", "hunter2"}) {
    CAPTURE(wrong);
    CHECK(source(wrong) ==
          "--sip-auth-password must not be a literal secret: other local users could read it|Pass "
          "a secret as @FILE, as env:NAME, or as - for a line of standard input.");
  }
}

TEST_CASE("who gets standard input: a prompt, unless something else takes it") {
  const auto wanted = [](test::Attempt attempt) {
    const auto wants = wants_stdin(*attempt.operation, attempt.inputs);
    return wants ? (*wants ? "yes" : "no") : wants.error().message;
  };
  using Try = test::Attempt;
  CHECK(wanted(Try("chat", "create")) == "yes");
  CHECK(wanted(Try("chat", "create", {{"image", "-"}})) == "yes");
  CHECK(wanted(Try("chat", "create").with_body("-")) == "yes");
  CHECK(wanted(Try("tokenize", "")) == "no");
  CHECK(wanted(Try("tokenize", "", {{"text", "-"}})) == "yes");
  CHECK(wanted(Try("tokenize", "").with_body("-")) == "yes");
  CHECK(wanted(Try("tokenize", "").with_body("{}")) == "no");
  CHECK(wanted(Try("collections", "create", {{"collection-name", "c"}})) == "no");
  // A file is buffered, and a secret is one line.
  CHECK(wanted(Try("stt", "transcribe", {{"file", "-"}})) == "no");
  CHECK(wanted(Try("phone", "create", {{"sip-auth-password", "-"}})) == "no");
  // The journal is a file that happens to have this name.
  CHECK(wanted(Try("chat", "create", {{"journal", "-"}})) == "yes");
  const std::string once = "standard input (-) can only be used once";
  CHECK(wanted(Try("stt", "transcribe", {{"file", "-"}}).with_body("-")) == once);
  CHECK(wanted(Try("chat", "create", {{"image", "-"}, {"image", "-"}})) == once);
  CHECK(wanted(Try("chat", "create", {{"image", "-"}}).with_body("-")) == once);
  CHECK(wanted(Try("phone", "create", {{"sip-auth-password", "-"}, {"webhook-auth-token", "-"}})) ==
        once);
  Try typed("chat", "create", {{"image", "-"}, {"image", "-"}});
  for (Given& given : typed.inputs.given) given.literal = true;
  CHECK(wanted(typed) == "yes");
}

TEST_CASE("the last of several flags counts, or all of them") {
  const test::Attempt ask("chat", "create", {{"stop", "a"}, {"user", "u"}, {"stop", "b"}});
  CHECK(last_given(ask.inputs, "stop")->text == "b");
  CHECK_FALSE(last_given(ask.inputs, "n"));
  CHECK(text_given(ask.inputs, "user") == "u");
  CHECK_FALSE(text_given(ask.inputs, "n"));
  CHECK(texts_given(ask.inputs, "stop") == std::vector<std::string>{"a", "b"});
  CHECK(all_given(ask.inputs, "user").size() == 1);
}

TEST_CASE("a variable of a plan gets another name if any text of a request has it") {
  const auto renamed = [](const std::function<void(Request&)>& change) {
    Plan plan;
    plan.steps.push_back({.request = *test::Attempt("keys", "self").build()});
    plan.steps.back().result = StepResult{"FILE_1", ".id"};
    plan.steps.push_back({.request = *test::Attempt("keys", "self").build()});
    change(plan.steps.back().request);
    rename_variables(plan);
    return plan.steps.front().result->variable;
  };
  const FileSource file{"/$FILE_1", 1};
  CHECK(renamed([](Request&) {}) == "FILE_1");
  CHECK(renamed([](Request& one) { one.url += "?a=$FILE_1"; }) == "FILE_1_NEW");
  CHECK(renamed([](Request& one) { one.body = std::string("a $FILE_1"); }) == "FILE_1_NEW");
  CHECK(renamed([](Request& one) { one.body = std::string("a $FILE_"); }) == "FILE_1");
  CHECK(renamed([&](Request& one) {
          one.body = std::vector<BodySection>{Base64Source{file}, std::string("$FILE_1")};
        }) == "FILE_1_NEW");
  CHECK(renamed([&](Request& one) {
          one.body = std::vector<BodySection>{std::string("a"), Base64Source{file}};
        }) == "FILE_1");
  CHECK(renamed([&](Request& one) {
          one.body = std::vector<Part>{{"a", file}, {"b", std::string("$FILE_1")}};
        }) == "FILE_1_NEW");
  CHECK(renamed([&](Request& one) { one.body = std::vector<Part>{{"a", file}}; }) == "FILE_1");
}

// Bodies that are built from several flags, and how forms and other requests are shown.
#include "request/compose.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "request/show.h"
#include "try.h"

using namespace svc;
using namespace svc::request;

namespace {

using Ask = test::Attempt;
using test::k_png;
using test::TempFile;

/// The request, which must be good.
Request built(const Ask& ask) {
  auto request = ask.build();
  REQUIRE_MESSAGE(request.has_value(), (request ? "" : request.error().message));
  return *std::move(request);
}

/// The body as it is sent.
std::string sent(const Ask& ask) {
  return complete_body(built(ask).body).value();
}

std::string header_of(const Request& request, sv name) {
  return std::string(find_header(request.headers, name).value_or("none"));
}

}  // namespace

TEST_CASE("messages in another API's format: text, images of every kind, and a choice of tools") {
  const Ask plain("legacy", "messages", {{"prompt", "Hi"}, {"max-tokens", "5"}});
  CHECK(plain.body()["messages"].dump() == R"([{"content":"Hi","role":"user"}])");
  const TempFile picture(k_png, ".png");
  const std::string base64 = base64_encode(k_png);
  const Ask seen("legacy", "messages",
                 {{"prompt", "look"},
                  {"max-tokens", "5"},
                  {"image", "https://h/a.png"},
                  {"image", picture.path},
                  {"image", "data:image/gif;base64,AAAA"}});
  const std::string all = sent(seen);
  CHECK(all.find(R"("messages":[{"role":"user","content":[)"
                 R"({"type":"image","source":{"type":"url","url":"https://h/a.png"}},)"
                 R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
                 base64 +
                 R"("}},{"type":"image","source":{"type":"base64","media_type":"image/gif",)"
                 R"("data":"AAAA"}},{"type":"text","text":"look"}]}])") != std::string::npos);
  const Ask silent("legacy", "messages", {{"max-tokens", "5"}, {"image", "https://h/a.png"}});
  CHECK(silent.body()["messages"][0]["content"].size() == 1);
  const auto refused = [](std::initializer_list<test::GivenFlag> flags) {
    const Error error = Ask("legacy", "messages", flags).error();
    if (error.message.find("cannot take a file ID") != std::string::npos) {
      CHECK(error.hint == "Use a path or a URL, or use `svc responses` or `svc chat`.");
    }
    return error.message;
  };
  CHECK(refused({{"max-tokens", "5"}}) == "no prompt to send");
  const std::string not_data =
      "--image must be a base64 data: URL, such as data:image/png;base64,…";
  CHECK(refused({{"max-tokens", "5"}, {"image", "data:,x"}}) == not_data);
  CHECK(refused({{"max-tokens", "5"}, {"image", "data:;base64,AAAA"}}) == not_data);
  CHECK(refused({{"max-tokens", "5"}, {"image", "file_1"}}) ==
        "--image cannot take a file ID: this operation does not support stored files");
  CHECK(refused({{"max-tokens", "5"}, {"message", "system:x"}}) ==
        "--message must be ROLE:TEXT with ROLE one of user, assistant, not 'system:x'");
  Ask choice("legacy", "messages", {{"prompt", "x"}, {"max-tokens", "5"}});
  choice.inputs.sets = {"tool_choice=auto"};
  CHECK(choice.body()["tool_choice"].dump() == R"({"type":"auto"})");
  choice.inputs.sets = {R"(tool_choice={"type":"any"})"};
  CHECK(choice.body()["tool_choice"].dump() == R"({"type":"any"})");
}

TEST_CASE("several texts to complete are one request with as many answers") {
  CHECK(Ask("legacy", "completions", {{"prompt", "a"}}).body()["prompt"] == "a");
  Ask several("legacy", "completions", {{"prompt", "a"}, {"prompt", "b"}, {"prompt", "c"}});
  CHECK(several.body()["prompt"].dump() == R"(["a","b","c"])");
  CHECK(built(several).choices == 3);
  several.inputs.sets = {"n=2"};
  CHECK(built(several).choices == 6);
  several.inputs.sets = {"n=x"};
  CHECK(built(several).choices == 3);
  CHECK(built(Ask("legacy", "completions").with_body(R"({"prompt":["a"]})")).choices == 1);
  const Error none = Ask("legacy", "completions").error();
  CHECK(none.message == "no prompt to send");
  CHECK(none.hint ==
        "Pass it as an argument (svc legacy completions 'Hello'), or on standard input.");
  CHECK(Ask("legacy", "completions").with_body(R"({"prompt":[]})").error().message ==
        "no prompt to send");
  CHECK(Ask("legacy", "messages", {{"max-tokens", "5"}}).error().hint ==
        "Pass it as an argument (svc legacy messages 'Hello'), with --message, or on standard "
        "input.");
  CHECK(Ask("chat", "create").error().hint ==
        "Pass it as an argument (svc chat 'Hello'), with --message, or on standard input. On a "
        "terminal, `svc chat` without --json or -o starts a conversation.");
  CHECK(Ask("responses", "create").error().message == "no input to send");
}

TEST_CASE("files in chats and responses, by what they contain") {
  const TempFile note("a note", ".txt");
  const TempFile document("%PDF-1.7", ".pdf");
  const std::string name = std::filesystem::path(note.path).filename().string();
  const std::string pdf = std::filesystem::path(document.path).filename().string();
  const std::string text = "File " + name + ":\\n\\na note";
  CHECK(sent(Ask("chat", "create",
                 {{"prompt", "x"},
                  {"file", note.path},
                  {"file", document.path},
                  {"file", "https://h/a.pdf"},
                  {"image", "file_7"}}))
            .starts_with(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"},)"
                         R"({"type":"file","file":{"file_id":"file_7"}},)"
                         R"({"type":"text","text":")" +
                         text + R"("},{"type":"file","file":{"url":"data:application/pdf;base64,)" +
                         base64_encode("%PDF-1.7") +
                         R"("}},{"type":"file","file":{"url":"https://h/a.pdf"}}]}])"));
  CHECK(sent(Ask("responses", "create",
                 {{"input", "x"},
                  {"file", note.path},
                  {"file", document.path},
                  {"image", "file_7"},
                  {"image", "data:image/gif;base64,AAAA"}}))
            .starts_with(R"({"input":[{"role":"user","content":[{"type":"input_text","text":"x"},)"
                         R"({"type":"input_file","file_id":"file_7"},)"
                         R"({"type":"input_image","image_url":"data:image/gif;base64,AAAA"},)"
                         R"({"type":"input_text","text":")" +
                         text + R"("},{"type":"input_file","file_data":")" +
                         base64_encode("%PDF-1.7") + R"(","filename":")" + pdf +
                         R"(","mime_type":"application/pdf"}]}])"));
  Ask renamed("chat", "create", {{"file", note.path}});
  renamed.inputs.given[0].file_name = "other.txt";
  CHECK(renamed.body()["messages"][0]["content"][0]["text"] == "File other.txt:\n\na note");
  // Behind what its type is told by.
  const TempFile broken(std::string(65'536, 'a') + "b\xff" + "abcdefgh", ".txt");
  const std::string cut = std::filesystem::path(broken.path).filename().string();
  CHECK(Ask("chat", "create", {{"prompt", "x"}, {"file", broken.path}}).error().message ==
        "--file " + cut + " is not valid UTF-8 (at byte 65538)");
  CHECK(Ask("chat", "create", {{"prompt", "x"}, {"image", document.path}}).error().message ==
        "--image " + pdf + " is application/pdf, which is not a supported image format");
}

TEST_CASE("a response's input of any kind is added to") {
  const auto input = [](const char* body, std::initializer_list<test::GivenFlag> flags) {
    Ask ask("responses", "create", flags);
    ask.inputs.body = body;
    auto request = ask.build();
    if (!request) return request.error().message;
    return ask.body()["input"].dump();
  };
  const std::string user = R"({"content":"a","role":"user"})";
  CHECK(input(R"({"input":"old"})", {{"input", "a"}}) == "\"a\"");
  CHECK(input(R"({"input":[1]})", {{"input", "a"}}) == "[1," + user + "]");
  CHECK(input(R"({"input":"a"})", {{"input-items", "[2,3]"}}) == "[" + user + ",2,3]");
  CHECK(input(R"({"input":" "})", {{"input-items", "2"}}) == "[2]");
  CHECK(input("{}", {{"message", "user:a"}}) == "[" + user + "]");
  CHECK(input(R"({"input":7})", {{"message", "user:a"}}) ==
        "'input' of the body is neither a string nor an array");
  CHECK(input(R"({"input":[]})", {}) == "no input to send");
  Ask chat("chat", "create", {{"prompt", "x"}});
  chat.inputs.body = R"({"messages":7})";
  CHECK(chat.error().message == "'messages' of the body is not an array and cannot be appended to");
}

TEST_CASE("messages and standard input that cannot be sent") {
  const auto refused = [](const std::string& message) {
    return Ask("chat", "create", {{"message", message}}).error();
  };
  CHECK(refused("usr:hi").hint == "Did you mean 'user:'?");
  CHECK(refused("zzzzzz:hi").hint.empty());
  const Error unread = refused("user:@/no/such");
  CHECK(unread.message.starts_with("--message: "));
  CHECK(unread.message.find("'/no/such'") != std::string::npos);
  CHECK(refused("user: ").message == "the message of --message user: is empty");
  CHECK(Ask("chat", "create").piped(std::string("a\0b", 3)).error().message ==
        "standard input contains a NUL byte, so it cannot be part of the prompt");
  const Error binary = Ask("chat", "create").piped("a\xff").error();
  CHECK(binary.message == "standard input is not valid UTF-8, so it cannot be part of the prompt");
  CHECK(binary.hint == "Send other data with --image - or --file -, or ignore it with --no-stdin.");
  CHECK(Ask("tokenize", "").piped("ab\xff").error().message ==
        "standard input is not valid UTF-8 (at byte 3)");
  CHECK(Ask("tokenize", "", {{"text", "-"}}).error().message ==
        "--text is -, but standard input is empty");
}

TEST_CASE("a conversation that ends with an answer needs something new") {
  const auto asked = [](const char* last, std::initializer_list<test::GivenFlag> flags) {
    Ask ask("chat", "create", flags);
    ask.context.thread.messages = {R"({"role":"user","content":"a"})", last};
    return ask.build().has_value();
  };
  const char* answer = R"({"role":"assistant","content":"b"})";
  CHECK_FALSE(asked(answer, {}));
  CHECK(asked(answer, {{"prompt", "c"}}));
  CHECK(asked(R"({"role":"user","content":"b"})", {}));
}

TEST_CASE("formats, models and warnings from a body") {
  const auto format = [](const char* value) {
    return Ask("chat", "create", {{"prompt", "x"}, {"response-format", value}})
        .body()["response_format"]
        .dump();
  };
  for (const char* type : {"text", "json_object", "json_schema"}) {
    const std::string given = R"({"type":")" + std::string(type) + R"("})";
    CHECK(format(given.c_str()) == given);
  }
  CHECK(format("text") == R"({"type":"text"})");
  CHECK(format(R"({"type":"string"})") ==
        R"({"json_schema":{"name":"answer","schema":{"type":"string"}},"type":"json_schema"})");
  Ask ask("chat", "create", {{"prompt", "x"}});
  CHECK(built(ask).model == "svc-4.5");
  ask.inputs.body = R"({"model":"own","max_tokens":5,"user":null})";
  const Request request = built(ask);
  CHECK(request.model == "own");
  CHECK(request.warnings == std::vector<std::string>{"max_tokens is deprecated"});
  ask.inputs.body = R"({"model":7})";
  CHECK(built(ask).model.empty());
  const auto warned = [](const char* flag, const char* value) {
    return built(Ask("responses", "create", {{"input", "x"}, {flag, value}})).warnings;
  };
  CHECK(warned("background", "true") ==
        std::vector<std::string>{"--background is not supported by the service"});
  CHECK(warned("reasoning-summary", "auto") ==
        std::vector<std::string>{"--reasoning-summary is ignored by the service"});
}

TEST_CASE("what a request ends is asked about before it is sent") {
  CHECK(built(Ask("batches", "cancel", {{"batch-id", "b"}})).ends ==
        "Pending requests are not answered; finished results remain.");
  CHECK(built(Ask("batches", "get", {{"batch-id", "b"}})).ends.empty());
  const auto updated = [](const char* flag, const char* value) {
    Ask ask("keys", "update", {{"api-key-id", "k"}, {flag, value}});
    ask.context.team_id = "t";
    return std::string(built(ask).ends);
  };
  CHECK(updated("disable", "true") ==
        "Requests with a disabled key fail until it is enabled again.");
  CHECK(updated("enable", "true").empty());
  CHECK(updated("name", "n").empty());
}

TEST_CASE("the first message on a socket, and bodies where there are none") {
  Ask socket("realtime", "connect");
  socket.inputs.body = R"({"type":"no","session":{"a":1}})";
  CHECK(sent(socket) == R"({"type":"session.update","session":{"a":1}})");
  CHECK(header_of(built(socket), "Content-Type") == "none");
  Ask none("files", "get", {{"file-id", "f"}});
  none.inputs.body = R"({"a":1})";
  CHECK(none.error().message == "files get does not accept a body");
  for (const char* verb : {"get", "delete"}) {
    const Request bodiless = built(Ask("files", verb, {{"file-id", "f"}}));
    CHECK(std::holds_alternative<std::monostate>(bodiless.body));
    CHECK(header_of(bodiless, "Content-Type") == "none");
  }
  const Request docs = built(Ask("docs", "search", {{"query", "keys"}}));
  CHECK(header_of(docs, "Accept") == "application/json, text/event-stream");
  CHECK(
      std::get<std::string>(docs.body).find(
          R"("method":"tools/call","params":{"name":"search_docs","arguments":{"query":"keys")") !=
      std::string::npos);
}

TEST_CASE("a team is sent where the service does not know it, if it is configured") {
  const auto with_team = [](Ask ask) {
    ask.context.team_id = "t1";
    return ask;
  };
  CHECK(built(with_team(Ask("collections", "list"))).url.find("team_id=t1") != std::string::npos);
  CHECK(built(Ask("collections", "list")).url.find("team_id") == std::string::npos);
  Ask create("collections", "create", {{"collection-name", "c"}});
  CHECK_FALSE(create.body().contains("team_id"));
  create = with_team(create);
  CHECK(create.body()["team_id"] == "t1");
  CHECK(built(create).url.find("team_id") == std::string::npos);
  create.inputs.body = R"({"team_id":"own"})";
  CHECK(create.body()["team_id"] == "own");
}

TEST_CASE("fields of collections, and how their documents are split") {
  const auto create = [](std::initializer_list<test::GivenFlag> flags) {
    Ask ask("collections", "create", flags);
    ask.inputs.given.insert(ask.inputs.given.begin(),
                            {find_field(*ask.operation, "collection-name"), "c"});
    auto request = ask.build();
    return request ? complete_body(request->body).value() : request.error().message;
  };
  CHECK(create(
            {{"field", "a"}, {"field", "b:required:unique:inject"}, {"field", R"({"key":"c"})"}}) ==
        R"({"collection_name":"c","field_definitions":[{"key":"a"},{"key":"b","required":true,)"
        R"("unique":true,"inject_into_chunk":true},{"key":"c"}]})");
  CHECK(create({{"field", R"({"name":"c"})"}}) == "--field: the field definition has no key");
  CHECK(create({{"field", ":required"}}) ==
        "--field must be KEY[:required][:unique][:inject], not ':required'");
  CHECK(create({{"field", "a:other"}}) ==
        "--field: unknown option 'other'; allowed: required, unique, inject");
  CHECK(create({{"chunk-strategy", "tokens"}, {"chunk-overlap", "2"}, {"chunk-encoding", "x"}})
            .find(R"("tokens_configuration":{"chunk_overlap_tokens":2,"encoding_name":"x"})") !=
        std::string::npos);
  CHECK(create({{"chunk-strategy", "tokens"}})
            .find(R"("chunk_configuration":{"tokens_configuration":{}})") != std::string::npos);
  CHECK(create({{"chunk-strategy", "table"}, {"chunk-overlap", "2"}}) ==
        "--chunk-strategy table has no overlap");
  CHECK(create({{"chunk-strategy", "ast"}, {"chunk-overlap", "2"}}) ==
        "--chunk-strategy ast has no overlap");
  CHECK(create({{"chunk-strategy", "chars"}, {"chunk-encoding", "x"}}) ==
        "--chunk-strategy chars counts chars and has no encoding");
  Ask two("collections", "create", {{"collection-name", "c"}});
  two.inputs.body = R"({"chunk_configuration":{"chars_configuration":{},"ast_configuration":{},
      "bytes_configuration":null,"other":1}})";
  CHECK(two.error().message ==
        "chunk_configuration contains 2 strategies: chars_configuration, ast_configuration");
  CHECK(two.error().hint == "A collection has exactly one.");
  two.inputs.body = R"({"chunk_configuration":{"chars_configuration":{"a":1}}})";
  CHECK(two.build().has_value());
  Ask more = two;
  more.inputs.given.push_back({find_field(*two.operation, "chunk-strategy"), "chars"});
  more.inputs.given.push_back({find_field(*two.operation, "chunk-size"), "9"});
  CHECK(more.body()["chunk_configuration"].dump() ==
        R"({"chars_configuration":{"a":1,"max_chunk_size_chars":9}})");
  two.inputs.given.push_back({find_field(*two.operation, "chunk-strategy"), "bytes"});
  CHECK(two.error().message == "--chunk-strategy bytes and chars_configuration cannot be combined");
  CHECK(two.error().hint == "A collection has exactly one strategy.");
}

TEST_CASE("changes of a collection's fields") {
  Ask change("collections", "update",
             {{"collection-id", "c"}, {"add-field", "a:unique"}, {"delete-field", "b"}});
  CHECK(
      sent(change) ==
      R"({"field_definition_updates":[{"field_definition":{"key":"a","unique":true},"operation":"FIELD_DEFINITION_ADD"},{"field_definition":{"key":"b"},"operation":"FIELD_DEFINITION_DELETE"}]})");
  CHECK(built(change).ends == "Removing a field removes its values from all documents.");
  change.inputs.given.pop_back();
  CHECK(built(change).ends.empty());
  CHECK(Ask("collections", "update", {{"collection-id", "c"}, {"add-field", "a:required"}})
            .error()
            .message == "field 'a' cannot be added as required");
  Ask body("collections", "update", {{"collection-id", "c"}});
  body.inputs.body =
      R"({"field_definition_updates":[{"operation":"FIELD_DEFINITION_ADD","field_definition":{"key":7,"required":true}}]})";
  CHECK(body.error().message == "field '?' cannot be added as required");
  CHECK(body.error().hint == "Existing documents lack it; only a new collection can require it.");
  body.inputs.body =
      R"({"field_definition_updates":[{"operation":"FIELD_DEFINITION_ADD","field_definition":{"key":"a","required":false}}]})";
  CHECK(body.build().has_value());
}

TEST_CASE("an image at a time of a video") {
  const auto frame = [](const char* text) {
    Ask ask("videos", "generate", {{"prompt", "x"}, {"keyframe", text}});
    auto request = ask.build();
    if (request) return ask.body()["keyframes"].dump();
    CHECK(request.error().hint == "For example: --keyframe 2.5=door.png");
    return request.error().message;
  };
  CHECK(frame("2=file_1") == R"([{"image":{"file_id":"file_1"},"timestamp_s":2}])");
  CHECK(frame("0=file_1") == R"([{"image":{"file_id":"file_1"},"timestamp_s":0}])");
  CHECK(frame("2.5=file_1") == R"([{"image":{"file_id":"file_1"},"timestamp_s":2.5}])");
  CHECK(frame("2=https://h?a=b") == R"([{"image":{"url":"https://h?a=b"},"timestamp_s":2}])");
  for (const char* wrong : {"file_1", "x=file_1", "-1=file_1", "=file_1"}) {
    CHECK(frame(wrong) == "--keyframe must be SECONDS=IMAGE, not '" + std::string(wrong) + "'");
  }
}

TEST_CASE("a form is shown with its files, and as curl sends it") {
  auto request = built(Ask("keys", "self"));
  request.method = "POST";
  request.body = std::vector<Part>{
      {.name = "a", .content = std::string("it's")},
      {.name = "f",
       .content = FileSource{"/x/b.txt", 1500},
       .file_name = "b.txt",
       .content_type = "text/plain"},
      {.name = "g", .content = FileSource{"/x/q\"\\.bin", 7}, .file_name = "other"},
      {.name = "h", .content = std::string("inside"), .file_name = "h.txt"}};
  const std::string shown = show_request(request);
  CHECK(shown.substr(shown.find("\n\n") + 2) ==
        "a: it's\nf: @/x/b.txt (text/plain, 1.5 kB)\ng: @/x/q\"\\.bin (as other, , 7 B)\nh: "
        "inside\n");
  const std::string command = show_curl(request);
  CHECK(command.starts_with("printf %s inside |\n"));
  CHECK(command.find(R"(  --form-string 'a=it'\''s' \)") != std::string::npos);
  CHECK(command.find(R"(  -F 'f=@"/x/b.txt";filename="b.txt";type=text/plain' \)") !=
        std::string::npos);
  CHECK(command.find(R"(  -F 'g=@"/x/q\"\\.bin";filename="other"' \)") != std::string::npos);
  CHECK(command.ends_with("  -F 'h=@-;filename=\"h.txt\"'\n"));
  CHECK(
      nlohmann::json::parse(show_request_json(request))["body"].dump() ==
      R"x([{"name":"a","value":"it's"},{"filename":"b.txt","name":"f","value":"@/x/b.txt (text/plain, 1.5 kB)"},)x"
      R"x({"filename":"other","name":"g","value":"@/x/q\"\\.bin (as other, , 7 B)"},)x"
      R"x({"filename":"h.txt","name":"h","value":"inside"}])x");
  request.body = FileSource{"/x/y", 1000};
  CHECK(show_request(request).ends_with("\n\n@/x/y (1 kB)\n"));
  CHECK(show_curl(request).ends_with(" --data-binary @/x/y\n"));
  CHECK(show_request_json(request).find(R"x("body":"@/x/y (1 kB)")x") != std::string::npos);
  request.body = std::string("no JSON");
  CHECK(show_request_json(request).find(R"("body":"no JSON")") != std::string::npos);
}

TEST_CASE("which method curl is told, and whose key") {
  const auto curl = [](const char* method, Payload body) {
    auto request = built(Ask("keys", "self"));
    request.method = method;
    request.body = std::move(body);
    const std::string command = show_curl(request);
    return command.substr(0, command.find("https://"));
  };
  CHECK(curl("GET", {}) == "curl ");
  CHECK(curl("GET", std::string("{}")) == "curl -X GET ");
  CHECK(curl("POST", {}) == "curl ");
  CHECK(curl("PUT", {}) == "curl -X PUT ");
  CHECK(curl("PATCH", std::string("{}")) == "curl -X PATCH ");
  CHECK(curl("DELETE", {}) == "curl -X DELETE ");
  const auto bodiless = [](const char* method) {
    auto request = built(Ask("keys", "self"));
    request.method = method;
    return show_curl(request).find("--data-raw ''") != std::string::npos;
  };
  CHECK(bodiless("POST"));
  CHECK(bodiless("PUT"));
  CHECK(bodiless("PATCH"));
  CHECK_FALSE(bodiless("DELETE"));
  for (const auto& [path, dots] : {std::pair("/v1/./a", true),
                                   {"/v1/../a", true},
                                   {"/v1/.", true},
                                   {"/v1/..", true},
                                   {"/v1/a?x=/../", false},
                                   {"/v1/a.b", false}}) {
    auto request = built(Ask("keys", "self"));
    request.url = "https://h" + std::string(path);
    CHECK(show_curl(request).starts_with("curl --path-as-is") == dots);
  }
  auto keyless = built(Ask("keys", "self"));
  keyless.keyless = true;
  CHECK(show_curl(keyless).find("Authorization") == std::string::npos);
  CHECK(show_request(built(Ask("docs", "list"))).find("Authorization") == std::string::npos);
  CHECK(show_request(built(Ask("collections", "list")))
            .find("Authorization: Bearer $SVC_MANAGEMENT_API_KEY\n") != std::string::npos);
}

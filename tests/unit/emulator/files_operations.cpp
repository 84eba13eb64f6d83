#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/files/store.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"
#include "unit/emulator/area_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Area;
using svc::test::expect_error;
using svc::test::FormField;

namespace {

Area area() {
  std::vector<Route> routes = file_routes();
  for (auto& route : text_routes()) routes.push_back(std::move(route));
  return Area(std::move(routes));
}

Response upload(Area& area, const std::vector<FormField>& fields) {
  return area.call("POST", "/v1/files", test::form_body(fields), test::form_headers());
}

json stored(Area& area, const std::string& name, const std::string& data) {
  return test::ok(upload(area, {{"file", data, name}}));
}

std::vector<std::string> names(const json& page) {
  std::vector<std::string> list;
  for (const auto& file : page["data"]) list.push_back(file["filename"]);
  return list;
}

}  // namespace

TEST_CASE("the type of a file is guessed by its name") {
  const std::vector<std::pair<std::string, std::string>> types = {
      {"txt", "text/plain"},
      {"md", "text/markdown"},
      {"csv", "text/csv"},
      {"tsv", "text/tab-separated-values"},
      {"html", "text/html"},
      {"htm", "text/html"},
      {"css", "text/css"},
      {"py", "text/x-python"},
      {"c", "text/x-c"},
      {"h", "text/x-c"},
      {"cpp", "text/x-c++"},
      {"js", "text/javascript"},
      {"json", "application/json"},
      {"jsonl", "application/jsonl"},
      {"xml", "application/xml"},
      {"yaml", "application/yaml"},
      {"yml", "application/yaml"},
      {"toml", "application/toml"},
      {"pdf", "application/pdf"},
      {"zip", "application/zip"},
      {"gz", "application/gzip"},
      {"png", "image/png"},
      {"jpg", "image/jpeg"},
      {"jpeg", "image/jpeg"},
      {"webp", "image/webp"},
      {"gif", "image/gif"},
      {"svg", "image/svg+xml"},
      {"mp4", "video/mp4"},
      {"webm", "video/webm"},
      {"mp3", "audio/mpeg"},
      {"wav", "audio/wav"},
      {"ogg", "audio/ogg"},
      {"flac", "audio/flac"},
  };
  for (const auto& [ending, type] : types) {
    CHECK(guess_content_type("a.b." + ending) == type);
    CHECK(guess_content_type("A." + to_upper(ending)) == type);
    CHECK(guess_content_type(ending) == "application/octet-stream");
  }
  CHECK(guess_content_type("a.txt.exe") == "application/octet-stream");
  CHECK(guess_content_type("a.") == "application/octet-stream");
  CHECK(guess_content_type("") == "application/octet-stream");
}

TEST_CASE("an upload returns the file object, and the file is returned byte for byte") {
  Area api = area();
  const std::string data("one\0two\r\n--X", 12);
  const json file = test::ok(upload(api, {{"expires_after", "3600"},
                                          {"purpose", "assistants"},
                                          {"file", data, "a b.bin", "application/x-test"}}));
  const std::string id = file["id"];
  CHECK(id.starts_with("file_"));
  CHECK(file == json{{"id", id},
                     {"object", "file"},
                     {"bytes", 12},
                     {"created_at", 1'800'000'000},
                     {"expires_at", 1'800'003'600},
                     {"filename", "a b.bin"},
                     {"purpose", "assistants"}});
  CHECK(api.json("GET", "/v1/files/" + id) == file);
  const Response content = api.call("GET", "/v1/files/" + id + "/content");
  CHECK(content.status == 200);
  CHECK(content.content_type == "application/octet-stream");
  CHECK(content.body == data);
  const Response part =
      api.call("GET", "/v1/files/" + id + "/content", "", {{"Range", "bytes=2-"}});
  CHECK(part.status == 206);
  CHECK(part.body == data.substr(2));
}

TEST_CASE("fields after the file in a form are ignored") {
  Area api = area();
  CHECK(expect_error(upload(api, {{"file", "x", "a"}, {"expires_after", "3600"}}), 400)
            .find("before the file") != std::string::npos);
  const json file = test::ok(upload(api, {{"expires_after[anchor]", "created_at"},
                                          {"expires_after[seconds]", "2592000"},
                                          {"file", "x", "a"}}));
  CHECK(file["expires_at"] == 1'802'592'000);
  expect_error(upload(api, {{"expires_after[anchor]", "now"}, {"file", "x", "a"}}), 400);
  expect_error(upload(api, {{"expires_after[anchor]", "created_at"}, {"file", "x", "a"}}), 400);
  for (const char* bad : {"3599", "2592001", "soon", "-1", ""}) {
    expect_error(upload(api, {{"expires_after", bad}, {"file", "x", "a"}}), 400);
  }
  expect_error(upload(api, {{"purpose", "x"}}), 400);
  expect_error(upload(api, {{"file", "x"}}), 400);  // unnamed
  expect_error(upload(api, {{"file", "x", std::string(256, 'n')}}), 400);
  expect_error(upload(api, {{"team_id", "other"}, {"file", "x", "a"}}), 403);
  expect_error(api.call("POST", "/v1/files", "{}", {{"Content-Type", "application/json"}}), 415);
}

TEST_CASE("uploads are limited to 50 MB") {
  Area api = area();
  const std::string most(k_max_file, 'x');
  CHECK(upload(api, {{"file", most, "big"}}).status == 200);
  CHECK(expect_error(upload(api, {{"file", most + "x", "big"}}), 413).find("50 MB") !=
        std::string::npos);
}

TEST_CASE("files of other teams, deleted and expired ones are not found") {
  Area api = area();
  const std::string id = stored(api, "a.txt", "hello")["id"];
  const std::string path = "/v1/files/" + id;
  api.key.team_id = "another team";
  expect_error(api.call("GET", path), 404);
  expect_error(api.call("DELETE", path), 404);
  CHECK(api.json("GET", "/v1/files")["data"].empty());
  api.key.team_id = k_demo_team_id;
  CHECK(api.json("DELETE", path) == json{{"id", id}, {"deleted", true}, {"object", "file"}});
  for (const char* rest : {"", "/content"}) expect_error(api.call("GET", path + rest), 404);
  expect_error(api.call("DELETE", path), 404);
  expect_error(api.call("PUT", path, R"({"name":"b"})"), 404);

  const json brief = test::ok(upload(api, {{"expires_after", "3600"}, {"file", "x", "b"}}));
  const std::string brief_path = fmt::format("/v1/files/{}", brief["id"].get<std::string>());
  api.now_ms += 3'599'000;
  CHECK(api.call("GET", brief_path).status == 200);
  api.now_ms += 1'000;
  expect_error(api.call("GET", brief_path), 404);
  CHECK(api.json("GET", "/v1/files")["data"].empty());
  // What is gone leaves no bytes, at the latest with the next file.
  stored(api, "c", "x");
  for (const char* count : {"SELECT count(*) FROM file_chunks", "SELECT count(*) FROM files"}) {
    const auto left = api.state().with(
        [&](Database& database) { return first_value<std::int64_t>(database, count); });
    CHECK(*left == 1);
  }
}

TEST_CASE("a list is sorted and paged, and its token is valid only for its order") {
  Area api = area();
  for (const char* name : {"b", "c", "a", "d"}) {
    stored(api, name, std::string(10, name[0]));
    api.now_ms += 1'000;
  }
  using Names = std::vector<std::string>;
  CHECK(names(api.json("GET", "/v1/files")) == Names{"d", "a", "c", "b"});
  CHECK(names(api.json("GET", "/v1/files?order=asc")) == Names{"b", "c", "a", "d"});
  CHECK(names(api.json("GET", "/v1/files?sort_by=filename&order=asc")) ==
        Names{"a", "b", "c", "d"});
  CHECK(names(api.json("GET", "/v1/files?sort_by=size&order=asc")) == Names{"b", "c", "a", "d"});

  const json first = api.json("GET", "/v1/files?sort_by=filename&order=asc&limit=3");
  CHECK(names(first) == Names{"a", "b", "c"});
  const std::string token = first["pagination_token"];
  stored(api, "aa", "new");  // later files shift nothing
  const std::string next = "/v1/files?sort_by=filename&order=asc&limit=3&pagination_token=" + token;
  const json second = api.json("GET", next);
  CHECK(names(second) == Names{"d"});
  const std::string last = second["pagination_token"];
  CHECK(!last.empty());
  CHECK(names(api.json("GET", "/v1/files?sort_by=filename&order=asc&pagination_token=" + last))
            .empty());
  expect_error(api.call("GET", "/v1/files?order=asc&pagination_token=" + token), 400);
  expect_error(api.call("GET", "/v1/files?pagination_token=x"), 400);
  for (const char* bad : {"limit=0", "limit=-1", "limit=x", "order=up", "sort_by=age"}) {
    expect_error(api.call("GET", std::string("/v1/files?") + bad), 400);
  }
}

TEST_CASE("after continues behind a file") {
  Area api = area();
  for (const char* name : {"a", "b", "c"}) {
    stored(api, name, "x");
    api.now_ms += 1'000;
  }
  using Names = std::vector<std::string>;
  const json first = api.json("GET", "/v1/files?order=asc&limit=1");
  const std::string id = first["data"][0]["id"];
  const json second = api.json("GET", "/v1/files?order=asc&limit=1&after=" + id);
  CHECK(names(second) == Names{"b"});
  const std::string next = second["data"][0]["id"];
  CHECK(names(api.json("GET", "/v1/files?order=asc&after=" + next)) == Names{"c"});
  CHECK(names(api.json("GET", "/v1/files?order=desc&after=" + next)) == Names{"a"});
  expect_error(api.call("GET", "/v1/files?after=file_none"), 400);
}

TEST_CASE("a token that follows nothing continues with what is stored later") {
  Area api = area();
  const std::string start = api.json("GET", "/v1/files?order=asc")["pagination_token"];
  const std::string path = "/v1/files?order=asc&pagination_token=" + start;
  CHECK(api.json("GET", path)["pagination_token"] == start);
  stored(api, "a", "x");
  using Names = std::vector<std::string>;
  const json first = api.json("GET", path + "&after=file_none");  // the token is what counts
  CHECK(names(first) == Names{"a"});
  const std::string next =
      "/v1/files?order=asc&pagination_token=" + first["pagination_token"].get<std::string>();
  CHECK(names(api.json("GET", next)).empty());
  stored(api, "b", "x");
  CHECK(names(api.json("GET", next)) == Names{"b"});
}

TEST_CASE("a team has at most a thousand public URLs, a chunked file a size") {
  Area api = area();
  for (int i = 0; i < 1'000; ++i) {
    REQUIRE(store_file(api.state(), api.key.team_id, {.filename = "a", .public_url = true}));
  }
  const std::string id = stored(api, "b", "x")["id"];
  const std::string path = "/v1/files/" + id + "/public-url";
  CHECK(expect_error(api.call("POST", path, "{}"), 429) ==
        "Too many active public URLs: at most 1000.");
  const json one = api.json("GET", "/v1/files?order=asc&limit=1")["data"][0];
  (void)api.json("POST", "/v1/files/" + one["id"].get<std::string>() + "/public-url/revoke");
  CHECK(api.call("POST", path, "{}").status == 200);

  const auto append = [&](std::int64_t limit) {
    return append_chunk(api.state(), api.key.team_id, id, "yz", limit);
  };
  CHECK((*append(1))->bytes == 3);
  const auto more = append(2);
  REQUIRE(!more.has_value());
  CHECK(more.error().fault == Fault::Usage);
  CHECK((*append(3))->bytes == 5);
}

TEST_CASE("a page has at most 100 files") {
  Area api = area();
  for (int i = 0; i < 105; ++i) stored(api, "f" + std::to_string(i), "x");
  const json page = api.json("GET", "/v1/files?limit=1000&order=asc");
  CHECK(page["data"].size() == 100);
  const std::string token = page["pagination_token"];
  CHECK(api.json("GET", "/v1/files?order=asc&pagination_token=" + token)["data"].size() == 5);
}

TEST_CASE("a filter selects files of a list") {
  Area api = area();
  stored(api, "report-1.pdf", std::string(100, 'x'));
  stored(api, "notes.txt", "hello");
  stored(api, "report-2.txt", std::string(200, 'y'));
  const auto found = [&](const char* filter) {
    return names(api.json("GET", std::string("/v1/files?order=asc&filter=") + filter));
  };
  using Names = std::vector<std::string>;
  CHECK(found("name%20%3D%20report") == Names{"report-1.pdf", "report-2.txt"});
  CHECK(found("content_type=pdf") == Names{"report-1.pdf"});
  CHECK(found("size_bytes%3E100+OR+name=notes") == Names{"notes.txt", "report-2.txt"});
  CHECK(found("NOT+name=report+AND+upload_status=Complete") == Names{"notes.txt"});
  CHECK(found("created_at%3E2030-01-01").empty());
  CHECK(found("expires_at%3E2030-01-01").empty());
  CHECK(found("user_defined_id=x").empty());
  CHECK(found("file_name=notes") == Names{"notes.txt"});
  CHECK(found("created_at=2027-01-15T08:00:00Z").size() == 3);
  const json brief = test::ok(upload(api, {{"expires_after", "3600"}, {"file", "x", "brief"}}));
  CHECK(found("expires_at=2027-01-15T09:00:00Z") == Names{"brief"});
  CHECK(found(("file_id=" + brief["id"].get<std::string>()).c_str()) == Names{"brief"});
  CHECK(expect_error(api.call("GET", "/v1/files?filter=color=red"), 400).find("color") !=
        std::string::npos);
}

TEST_CASE("an update changes the name, the type and the content") {
  Area api = area();
  const std::string path = "/v1/files/" + stored(api, "a.txt", "hello")["id"].get<std::string>();
  CHECK(api.json("PUT", path, R"({"name":"b.html","content_type":"text/html"})")["filename"] ==
        "b.html");
  const json changed = api.json("PUT", path, R"({"data":")" + base64_encode("<p>hi</p>") + "\"}");
  CHECK(changed["bytes"] == 9);
  CHECK(api.call("GET", path + "/content?format=text").body == "hi\n");
  CHECK(api.call("GET", path + "/content?format=original").body == "<p>hi</p>");
  expect_error(api.call("GET", path + "/content?format=pdf"), 400);
  expect_error(api.call("PUT", path, "{}"), 400);
  expect_error(api.call("PUT", path, R"({"data":"&"})"), 400);
  expect_error(api.call("PUT", path, R"({"name":""})"), 400);
  CHECK(api.call("PUT", path, R"({"name":1})").status == 422);
}

TEST_CASE("a file without text is reported") {
  Area api = area();
  const std::string id = stored(api, "a.png", "\x89PNG")["id"];
  CHECK(expect_error(api.call("GET", "/v1/files/" + id + "/content?format=text"), 400)
            .find("No text can be extracted") != std::string::npos);
}

TEST_CASE("a public URL works without a key until it is revoked or expires") {
  Area api = area();
  const json file = stored(api, "a b.txt", "public");
  const std::string path = "/v1/files/" + file["id"].get<std::string>();
  const json created = api.json("POST", path + "/public-url", R"({"expires_after":3600})");
  const std::string url = created["public_url"];
  REQUIRE(url.starts_with("http://127.0.0.1:8080/public/files/"));
  CHECK(url.ends_with("/a%20b.txt"));
  CHECK(created["expires_at"] == 1'800'003'600);
  CHECK(api.json("GET", path)["public_url"] == url);
  CHECK(api.json("GET", path)["public_url_expires_at"] == 1'800'003'600);
  const std::string local = url.substr(std::string("http://127.0.0.1:8080").size());
  const Response open = api.call("GET", local);
  CHECK(open.body == "public");
  CHECK(open.content_type == "text/plain");
  (void)api.json("PUT", path, R"({"content_type":""})");
  CHECK(api.call("GET", local).content_type == "application/octet-stream");

  CHECK(api.json("POST", path + "/public-url", "{}")["public_url"] == url);
  CHECK(api.json("POST", path + "/public-url/revoke")["revoked"] == true);
  expect_error(api.call("GET", local), 404);
  CHECK(!api.json("GET", path).contains("public_url"));

  const std::string second =
      api.json("POST", path + "/public-url", R"({"expires_after":3600})")["public_url"];
  CHECK(second != url);
  api.now_ms += 3'600'000;
  expect_error(api.call("GET", second.substr(std::string("http://127.0.0.1:8080").size())), 404);
  expect_error(api.call("POST", path + "/public-url", R"({"expires_after":60})"), 400);
  expect_error(api.call("POST", "/v1/files/file_x/public-url", "{}"), 404);
  expect_error(api.call("POST", "/v1/files/file_x/public-url/revoke"), 404);
}

TEST_CASE("a chunked upload is complete once it is requested, and may continue after that") {
  Area api = area();
  const json started =
      api.json("POST", "/v1/files:initialize", R"({"name":"big.csv","content_type":"text/csv"})");
  const std::string id = started["file_id"];
  CHECK(started["metadata"]["upload_status"] == "Initializing");
  CHECK(started["metadata"]["size_bytes"] == "0");
  expect_error(api.call("GET", "/v1/files/" + id + "/content"), 404);
  const std::string chat =
      json{{"model", "svc-4.5"},
           {"messages",
            {{{"role", "user"}, {"content", {{{"type", "file"}, {"file", {{"file_id", id}}}}}}}}}}
          .dump();
  CHECK(expect_error(api.call("POST", "/v1/chat/completions", chat), 400) ==
        "The file " + id + " is not fully uploaded.");
  const auto chunk = [&](std::string_view bytes) {
    return api.json("POST", "/v1/files:uploadChunks",
                    json{{"file_id", id}, {"chunk", base64_encode(bytes)}}.dump());
  };
  CHECK(chunk("a,b\n")["upload_status"] == "Uploading");
  CHECK(chunk("1,2\n")["size_bytes"] == "8");
  CHECK(api.json("GET", "/v1/files/" + id)["bytes"] == 8);
  CHECK(chunk("3,4\n")["size_bytes"] == "12");
  CHECK(api.call("GET", "/v1/files/" + id + "/content").body == "a,b\n1,2\n3,4\n");
  const auto found = find_file(api.state(), api.key.team_id, id);
  REQUIRE(found.has_value());
  const json metadata = json::parse(text::dump(file_metadata(**found)));
  CHECK(metadata["upload_status"] == "Complete");
  CHECK(metadata["hash"] == "b9485148546419a0f6a85e8d708c923557c15d7f3c7d078ef1fa7f7c0f57d5a5");
  expect_error(api.call("POST", "/v1/files:uploadChunks", R"({"file_id":"file_x","chunk":"QUJD"})"),
               404);
  expect_error(api.call("POST", "/v1/files:uploadChunks",
                        json{{"file_id", id}, {"chunk", "not base64"}}.dump()),
               400);
  CHECK(api.call("POST", "/v1/files:initialize", R"({"name":"x"})").status == 422);
  // A file has at most 512 MB.
  REQUIRE(api.state().with([&](Database& database) {
    return run_sql(database, "UPDATE files SET bytes = 511999996 WHERE id = ?", id);
  }));
  CHECK(chunk("5,6\n")["size_bytes"] == "512000000");
  CHECK(expect_error(api.call("POST", "/v1/files:uploadChunks",
                              json{{"file_id", id}, {"chunk", base64_encode("\n")}}.dump()),
                     413) == "The file is larger than 512 MB.");
}

TEST_CASE("a chat and a response read the files they refer to") {
  Area api = area();
  const std::string id = stored(api, "plan.md",
                                "# Gr\xC3\xB6\xC3\x9F"
                                "e\nmore")["id"];
  const json part = {{"type", "file"}, {"file", {{"file_id", id}}}};
  const auto chat = [&](const json& content) {
    return api.call("POST", "/v1/chat/completions",
                    json{{"model", "svc-4.5"},
                         {"messages", json::array({{{"role", "user"}, {"content", content}}})}}
                        .dump());
  };
  const std::string said =
      test::ok(chat(json::array({part})))["choices"][0]["message"]["content"].get<std::string>();
  CHECK(said.find("plan.md has 12 characters and begins “# Größe”") != std::string::npos);
  CHECK(
      expect_error(chat(json::array({{{"type", "file"}, {"file", {{"file_id", "file_x"}}}}})), 404)
          .find("file_x") != std::string::npos);
  const auto response = [&](const json& input) {
    return api.call(
        "POST", "/v1/responses",
        json{{"model", "svc-4.5"},
             {"input", json::array({{{"role", "user"}, {"content", json::array({input})}}})}}
            .dump());
  };
  const json answer = test::ok(response({{"type", "input_file"}, {"file_id", id}}));
  CHECK(answer["output"][0]["content"][0]["text"].get<std::string>().find("12 characters") !=
        std::string::npos);
  const json inlined = test::ok(response(
      {{"type", "input_file"}, {"file_data", base64_encode("\x01\xFF")}, {"filename", "x.bin"}}));
  CHECK(inlined["output"][0]["content"][0]["text"].get<std::string>().find(
            "x.bin has 2 bytes. No text can be extracted") != std::string::npos);
  expect_error(response({{"type", "input_file"}, {"file_id", "file_x"}}), 404);
  api.json("DELETE", "/v1/files/" + id);
  expect_error(chat(json::array({part})), 404);
}

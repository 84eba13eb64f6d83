#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "area_support.h"
#include "emulator/api/files/store.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

class CollectionsApi : public ManagementApi {
 public:
  nlohmann::json make(const std::string& more = "") {
    return ok(post("/v1/collections", R"({"collection_name":"manuals")" + more + "}"));
  }
  std::string store(std::string name, std::string_view data, std::string type = "text/plain") {
    const auto file =
        store_file(state(), k_demo_team_id,
                   {.filename = std::move(name), .content_type = std::move(type), .data = data});
    REQUIRE(file.has_value());
    return file->id;
  }
  static std::string path_of(const nlohmann::json& collection) {
    return "/v1/collections/" + collection["collection_id"].get<std::string>();
  }
  Response add(const nlohmann::json& collection, const std::string& file,
               const std::string& body = "{}") {
    return post(path_of(collection) + "/documents/" + file, body);
  }
  nlohmann::json document(const nlohmann::json& collection, const std::string& file) {
    return ok(get(path_of(collection) + "/documents/" + file));
  }
  /// The message of a refusal with 400.
  static std::string refusal(const Response& response) {
    CAPTURE(response.body);
    CHECK(response.status == 400);
    return nlohmann::json::parse(response.body)["message"];
  }
  static nlohmann::json ok(const Response& response) {
    CAPTURE(response.body);
    REQUIRE(response.status == 200);
    return nlohmann::json::parse(response.body);
  }
};

// The message that says what is wrong with a field.
std::string field_error(const std::string& field, const std::string& reason,
                        const std::string& rule) {
  return field + ": " + reason + " [WKE=form-invalid:" + rule + ":" + field + "]\n";
}

std::vector<std::string> names_of(const nlohmann::json& documents) {
  std::vector<std::string> names;
  for (const nlohmann::json& document : documents)
    names.push_back(document["file_metadata"]["name"]);
  return names;
}

}  // namespace

TEST_CASE("a new collection has the service's defaults") {
  CollectionsApi api;
  const nlohmann::json created = api.make();
  CHECK(created["collection_id"].get<std::string>().starts_with("collection_"));
  CHECK(created["index_configuration"] == nlohmann::json{{"model_name", "svc-embedding-small"}});
  CHECK(created["chunk_configuration"] ==
        nlohmann::json::parse(R"({"bytes_configuration":{"max_chunk_size_bytes":4000,
          "chunk_overlap_bytes":800},"strip_whitespace":true,"inject_name_into_chunks":false})"));
  CHECK(created["created_at"] == "2027-01-15T08:00:00.000000Z");
  CHECK(created["documents_count"] == 0);
  CHECK(created["total_file_size"] == "0");
  CHECK(created["field_definitions"] == nlohmann::json::array());
  CHECK(CollectionsApi::ok(api.get(CollectionsApi::path_of(created))) == created);
}

TEST_CASE("invalid collections") {
  CollectionsApi api;
  const auto expect_error = [&](const char* body, std::string_view part) {
    const Response response = api.post("/v1/collections", body);
    CAPTURE(body);
    CAPTURE(response.body);
    CHECK(response.status == 400);
    CHECK(nlohmann::json::parse(response.body)["code"] == 3);
    CHECK(body_contains(response, part));
  };
  expect_error(R"({"name":"x"})",
               "collection_name: Field is empty but must not be empty. "
               "[WKE=form-invalid:not-empty:collection_name]");
  expect_error(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":
    {"max_chunk_size_chars":9},"bytes_configuration":{"max_chunk_size_bytes":9}}})",
               "Only one strategy");
  expect_error(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":{}}})",
               "max_chunk_size_chars");
  expect_error(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":
    {"max_chunk_size_chars":9,"chunk_overlap_chars":9}}})",
               "chunk_overlap_chars");
  expect_error(R"({"collection_name":"x","index_configuration":{"model_name":"svc-4.5"}})",
               "svc-embedding-small");
  expect_error(R"({"collection_name":"x","metric_space":"HNSW"})", "metric_space");
  expect_error(R"({"collection_name":"x","field_definitions":[{"key":"a"},{"key":"a"}]})", "twice");
  expect_error(R"({"collection_name":"x","field_definitions":[{"required":true}]})", "key");
}

TEST_CASE("collections are listed by name or age, with filters and in pages") {
  CollectionsApi api;
  for (const char* name : {"beta", "alpha", "Gamma"}) {
    (void)api.post("/v1/collections", nlohmann::json{{"collection_name", name}}.dump());
    api.advance(1000);
  }
  const auto names = [&](const std::string& query) {
    std::vector<std::string> list;
    const nlohmann::json page = CollectionsApi::ok(api.get("/v1/collections?" + query));
    for (const nlohmann::json& item : page["collections"]) list.push_back(item["collection_name"]);
    return list;
  };
  using Names = std::vector<std::string>;
  CHECK(names("") == Names{"Gamma", "beta", "alpha"});
  CHECK(names("order=ORDERING_ASCENDING") == Names{"alpha", "beta", "Gamma"});
  CHECK(names("sort_by=COLLECTIONS_SORT_BY_AGE&order=ORDERING_ASCENDING") ==
        Names{"beta", "alpha", "Gamma"});
  CHECK(names("filter=collection_name:a%20AND%20documents_count%3D0&limit=2") ==
        Names{"Gamma", "beta"});
  CHECK(names("filter=collection_name:ALPH") == Names{"alpha"});
  CHECK(names("filter=created_at%3E2027-01-15T08:00:00Z") == Names{"Gamma", "alpha"});
  const nlohmann::json first = CollectionsApi::ok(api.get("/v1/collections?limit=2"));
  const std::string token = first["pagination_token"];
  CHECK(names("limit=2&pagination_token=" + token) == Names{"alpha"});
  CHECK_FALSE(CollectionsApi::ok(api.get("/v1/collections?limit=3")).contains("pagination_token"));
  for (const char* query : {"limit=0", "order=up", "sort_by=SIZE", "filter=size%3E1",
                            "pagination_token=x", "limit=x"}) {
    CAPTURE(query);
    CHECK(api.get(std::string("/v1/collections?") + query).status == 400);
  }
  CHECK(api.get("/v1/collections?order=ORDERING_ASCENDING&pagination_token=" + token).status ==
        400);
}

TEST_CASE("a document is processed step by step") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const std::string file = api.store("a.txt", "twenty-one characters");
  CHECK(api.add(collection, file).body == "{}");
  const nlohmann::json started = api.document(collection, file);
  CHECK(started["status"] == "DOCUMENT_STATUS_PROCESSING");
  CHECK(started["file_metadata"]["size_bytes"] == "21");
  CHECK(started["file_metadata"]["hash"].get<std::string>().size() == 64);
  CHECK(started["last_indexed_at"].is_null());
  CHECK(started["chunk_count"] == 0);
  for (const std::string status : {"CHUNKED", "EMBEDDING", "WRITING", "PROCESSED"}) {
    CAPTURE(status);
    api.advance(150);
    const nlohmann::json document = api.document(collection, file);
    CHECK(document["status"] == "DOCUMENT_STATUS_" + status);
    CHECK(document["chunk_count"] == 1);
    const bool written = status == "WRITING" || status == "PROCESSED";
    CHECK(document["chunks_processed_count"] == (written ? "1" : "0"));
    CHECK(document["last_indexed_at"].is_null() == (status != "PROCESSED"));
    CHECK_FALSE(document.contains("error_message"));
  }
  const nlohmann::json done = api.document(collection, file);
  CHECK(done["chunk_count"] == 1);
  CHECK(done["chunks_processed_count"] == "1");
  CHECK(done["last_indexed_at"] == "2027-01-15T08:00:00.600000Z");
  const nlohmann::json now = CollectionsApi::ok(api.get(CollectionsApi::path_of(collection)));
  CHECK(now["documents_count"] == 1);
  CHECK(now["total_file_size"] == "21");
}

TEST_CASE("an unreadable document fails, with the reason") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const std::string file =
      api.store("a.bin", std::string("\x00\x01\xFF", 3), "application/octet-stream");
  CHECK(api.add(collection, file).status == 200);
  api.advance(149);
  CHECK(api.document(collection, file)["status"] == "DOCUMENT_STATUS_PROCESSING");
  api.advance(1);
  const nlohmann::json document = api.document(collection, file);
  CHECK(document["status"] == "DOCUMENT_STATUS_FAILED");
  CHECK_FALSE(document["error_message"].get<std::string>().empty());
}

TEST_CASE("documents that cannot be added") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const std::string file = api.store("a.txt", "text");
  CHECK(api.add(collection, "file_none").status == 404);
  CHECK(api.post("/v1/collections/collection_none/documents/" + file, "{}").status == 404);
  CHECK(api.add(collection, file).status == 200);
  CHECK(api.add(collection, file).status == 409);
  CHECK(api.add(collection, api.store("b", "x"), R"({"team_id":"other"})").status == 403);
}

TEST_CASE("required and unique fields are enforced, values are injected") {
  CollectionsApi api;
  const nlohmann::json collection = api.make(
      R"(,"chunk_configuration":{"chars_configuration":{"max_chunk_size_chars":10},
          "inject_name_into_chunks":true},
          "field_definitions":[{"key":"author","required":true,"inject_into_chunk":true},
                               {"key":"isbn","unique":true}])");
  const std::string one = api.store("one.txt", "0123456789abcdefghij");
  const std::string two = api.store("two.txt", "text");
  CHECK(body_contains(api.add(collection, one), "requires the field author"));
  CHECK(api.add(collection, one, R"({"fields":{"author":"Ann","isbn":7}})").status == 200);
  CHECK(
      body_contains(api.add(collection, two, R"({"fields":{"author":"Bob","isbn":7}})"), "unique"));
  CHECK(api.add(collection, two, R"({"fields":{"author":"Bob"}})").status == 200);
  api.advance(1000);
  CHECK(api.document(collection, one)["fields"] == nlohmann::json{{"author", "Ann"}, {"isbn", 7}});
  const nlohmann::json found = CollectionsApi::ok(
      api.post("/v1/documents/search",
               nlohmann::json{{"query", "0123456789"},
                              {"source", {{"collection_ids", {collection["collection_id"]}}}},
                              {"retrieval_mode", {{"type", "keyword"}}}}
                   .dump()));
  REQUIRE(found["matches"].size() == 1);
  CHECK(found["matches"][0]["chunk_content"] == "one.txt\nauthor: Ann\n0123456789");
}

TEST_CASE("definitions change: a new field cannot be required, a deleted one loses its values") {
  CollectionsApi api;
  const nlohmann::json collection = api.make(R"(,"field_definitions":[{"key":"author"}])");
  const std::string file = api.store("a.txt", "text");
  CHECK(api.add(collection, file, R"({"fields":{"author":"Ann","year":1999}})").status == 200);
  const auto update = [&](const std::string& members) {
    return api.ask("PUT", CollectionsApi::path_of(collection), "{" + members + "}");
  };
  const auto change = [&](const char* definition, const char* operation) {
    return update(std::string(R"("field_definition_updates":[{"field_definition":)") + definition +
                  R"(,"operation":")" + operation + "\"}]");
  };
  CHECK(change(R"({"key":"new","required":true})", "FIELD_DEFINITION_ADD").status == 400);
  CHECK(change(R"({"key":"new"})", "FIELD_DEFINITION_ADD").status == 200);
  CHECK(change(R"({"key":"new"})", "RENAME").status == 400);
  // A field that is not required cannot become so; one that is known is replaced.
  CHECK(change(R"({"key":"new","required":true})", "FIELD_DEFINITION_ADD").status == 400);
  const nlohmann::json replaced =
      CollectionsApi::ok(change(R"({"key":"author","description":"who"})", "FIELD_DEFINITION_ADD"));
  REQUIRE(replaced["field_definitions"].size() == 2);
  CHECK(replaced["field_definitions"][0]["description"] == "who");
  CHECK(api.add(collection, api.store("b.txt", "more"), R"({"fields":{"author":"Ann"}})").status ==
        200);
  const Response unique = change(R"({"key":"author","unique":true})", "FIELD_DEFINITION_ADD");
  CHECK(unique.status == 400);
  CHECK(unique.body.find("form-invalid:unique-field:field_definition_updates") !=
        std::string::npos);
  CHECK(change(R"({"key":"none"})", "FIELD_DEFINITION_DELETE").status == 400);
  const nlohmann::json after =
      CollectionsApi::ok(change(R"({"key":"author"})", "FIELD_DEFINITION_DELETE"));
  CHECK(after["field_definitions"][0]["key"] == "new");
  CHECK(api.document(collection, file)["fields"] == nlohmann::json{{"year", 1999}});
  // A field of which each value is there once can become unique.
  CHECK(CollectionsApi::ok(
            change(R"({"key":"year","unique":true})", "FIELD_DEFINITION_ADD"))["field_definitions"]
            .back()["unique"] == true);
  const nlohmann::json renamed = CollectionsApi::ok(
      update(R"("collection_name":"new name","collection_description":"d","chunk_configuration":
        {"tokens_configuration":{"max_chunk_size_tokens":"50"},"strip_whitespace":true})"));
  CHECK(renamed["collection_name"] == "new name");
  CHECK(renamed["collection_description"] == "d");
  CHECK(renamed["chunk_configuration"].contains("tokens_configuration"));
  CHECK(update(R"("collection_name":"")").status == 400);
}

TEST_CASE("a required field stays required; what lacks a deleted one is skipped") {
  CollectionsApi api;
  const nlohmann::json collection =
      api.make(R"(,"field_definitions":[{"key":"by","required":true},{"key":"year"}])");
  const std::string path = CollectionsApi::path_of(collection);
  CHECK(api.ask("PUT", path,
                R"({"field_definition_updates":[{"field_definition":{"key":"by","required":true,
                    "description":"who"},"operation":"FIELD_DEFINITION_ADD"}]})")
            .status == 200);
  const std::string one = api.store("a.txt", "text");
  const std::string two = api.store("b.txt", "text");
  CHECK(api.add(collection, one, R"({"fields":{"by":"Ann"}})").status == 200);
  CHECK(api.add(collection, two, R"({"fields":{"by":"Bob","year":1}})").status == 200);
  CHECK(api.ask("PUT", path,
                R"({"field_definition_updates":[{"field_definition":{"key":"year"},
                    "operation":"FIELD_DEFINITION_DELETE"}]})")
            .status == 200);
  CHECK(api.document(collection, one)["fields"] == nlohmann::json{{"by", "Ann"}});
  CHECK(api.document(collection, two)["fields"] == nlohmann::json{{"by", "Bob"}});
}

TEST_CASE("chunks have the size and overlap of the collection's strategy") {
  CollectionsApi api;
  const auto chunks = [&](const char* text, const std::string& chunking) {
    const nlohmann::json collection = api.make(",\"chunk_configuration\":{" + chunking + "}");
    const std::string file = api.store("a.txt", text);
    CHECK(api.add(collection, file).status == 200);
    api.advance(600);
    return api.document(collection, file)["chunk_count"].get<int>();
  };
  const auto chars = [&](const char* sizes) {
    return chunks("0123456789",
                  R"("chars_configuration":{"max_chunk_size_chars":)" + std::string(sizes) + "}");
  };
  CHECK(chars("1") == 10);
  CHECK(chars("4") == 3);
  CHECK(chars(R"(4,"chunk_overlap_chars":1)") == 5);
  CHECK(chars(R"(5,"chunk_overlap_chars":4)") == 10);  // as much as leaves one for the middle
  // A strategy without overlaps takes no notice of one.
  CHECK(chunks("a b c d", R"("table_configuration":{"max_chunk_size_tokens":3,)"
                          R"("chunk_overlap_tokens":9})") == 2);
}

TEST_CASE("a page has up to a hundred collections") {
  CollectionsApi api;
  for (int i = 0; i < 101; ++i) api.make();
  for (const char* limit : {"", "limit=101", "limit=1000000000"}) {
    const nlohmann::json page =
        CollectionsApi::ok(api.get(std::string("/v1/collections?") + limit));
    CHECK(page["collections"].size() == 100);
    CHECK(page.contains("pagination_token"));
  }
  CHECK(api.get("/v1/collections?limit=1000000001").status == 400);
}

TEST_CASE("re-indexing uses the new chunking and the current file") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const std::string file = api.store("a.txt", "0123456789");
  (void)api.add(collection, file);
  api.advance(1000);
  (void)api.ask("PUT", CollectionsApi::path_of(collection),
                R"({"chunk_configuration":{"chars_configuration":{"max_chunk_size_chars":2}}})");
  CHECK(api.document(collection, file)["chunk_count"] == 1);
  CHECK(api.ask("PATCH", CollectionsApi::path_of(collection) + "/documents/" + file).status == 200);
  CHECK(api.document(collection, file)["status"] == "DOCUMENT_STATUS_PROCESSING");
  api.advance(1000);
  CHECK(api.document(collection, file)["chunk_count"] == 5);
}

TEST_CASE("documents are listed by name, size or age, with filters, and several at once") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const auto add = [&](const char* name, const char* data, const char* fields) {
    const std::string file = api.store(name, data);
    CHECK(api.add(collection, file, std::string(R"({"fields":)") + fields + "}").status == 200);
    return file;
  };
  const std::string beta = add("beta.txt", "1234", R"({"year":2001})");
  const std::string alpha = add("alpha.txt", "12", R"({"year":2010,"author":"Ann"})");
  api.advance(1000);
  (void)add("gamma.txt", "123", "{}");
  const std::string path = CollectionsApi::path_of(collection) + "/documents";
  const auto names = [&](const std::string& query) {
    return names_of(CollectionsApi::ok(api.get(path + "?" + query))["documents"]);
  };
  using Names = std::vector<std::string>;
  CHECK(names("") == Names{"gamma.txt", "beta.txt", "alpha.txt"});
  CHECK(names("sort_by=DOCUMENTS_SORT_BY_SIZE&order=ORDERING_ASCENDING") ==
        Names{"alpha.txt", "gamma.txt", "beta.txt"});
  CHECK(names("sort_by=DOCUMENTS_SORT_BY_AGE") == Names{"gamma.txt", "alpha.txt", "beta.txt"});
  CHECK(names("sort_by=DOCUMENTS_SORT_BY_NAME&order=ORDERING_ASCENDING") ==
        Names{"alpha.txt", "beta.txt", "gamma.txt"});
  CHECK(names("name=ALPHA") == Names{"alpha.txt"});
  CHECK(names("filter=content_type:plain%20AND%20created_at%3E2027-01-15T08:00:00Z") ==
        Names{"gamma.txt"});
  CHECK(names("filter=content_type:pdf").empty());
  CHECK(names("filter=file_id%3D" + beta) == Names{"beta.txt"});
  CHECK(names("filter=status%3DDOCUMENT_STATUS_PROCESSED") == Names{"beta.txt", "alpha.txt"});
  CHECK(names("filter=fields.year%3E2005") == Names{"alpha.txt"});
  CHECK(names("filter=size_bytes%3E2%20AND%20NOT%20name:beta") == Names{"gamma.txt"});
  CHECK(names("limit=1") == Names{"gamma.txt"});
  CHECK(api.get(path + "?filter=(").status == 400);
  CHECK(names_of(CollectionsApi::ok(api.get(path + ":batchGet?file_ids=" + beta + "&file_ids=" +
                                            alpha + "&file_ids=file_none"))["documents"]) ==
        Names{"beta.txt", "alpha.txt"});
  CHECK(api.ask("DELETE", path + "/" + beta).body == "{}");
  CHECK(api.get(path + "/" + beta).status == 404);
  CHECK(find_file(api.state(), k_demo_team_id, beta)->has_value());  // the file itself remains
  CHECK(api.ask("DELETE", CollectionsApi::path_of(collection)).body == "{}");
  CHECK(api.get(path).status == 404);
}

TEST_CASE("another team's collections are not found, and the inference key opens none") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  CHECK(api.get("/v1/collections?team_id=other").status == 403);
  CHECK(api.ask("GET", CollectionsApi::path_of(collection), "", k_demo_key).status == 401);
}

TEST_CASE("the sizes of each chunking strategy have limits") {
  struct Row {
    std::string name, unit;
    bool overlaps = true;
  };
  const std::vector<Row> rows = {
      {"chars", "chars"},         {"tokens", "tokens"},          {"ast", "tokens", false},
      {"table", "tokens", false}, {"markdown_tokens", "tokens"}, {"markdown_chars", "chars"},
      {"code_tokens", "tokens"},  {"code_chars", "chars"},       {"bytes", "bytes"}};
  CollectionsApi api;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string size = "max_chunk_size_" + row.unit;
    const std::string overlap = "chunk_overlap_" + row.unit;
    const auto create = [&](const std::string& sizes) {
      return api.post("/v1/collections", R"({"collection_name":"x","chunk_configuration":{")" +
                                             row.name + "_configuration\":{" + sizes + "}}}");
    };
    const std::string bad_size = field_error(
        "chunk_configuration", size + " must be a whole number from 1 to 1000000.", "invalid");
    CHECK(CollectionsApi::refusal(create("")) == bad_size);
    CHECK(CollectionsApi::refusal(create("\"" + size + "\":0")) == bad_size);
    CHECK(CollectionsApi::refusal(create("\"" + size + "\":1000001")) == bad_size);
    const nlohmann::json made = CollectionsApi::ok(create("\"" + size + "\":1"));
    CHECK(made["chunk_configuration"] == nlohmann::json{{row.name + "_configuration", {{size, 1}}},
                                                        {"strip_whitespace", false},
                                                        {"inject_name_into_chunks", false}});
    CHECK(create("\"" + size + "\":1000000").status == 200);
    if (!row.overlaps) continue;
    const auto with_overlap = [&](const std::string& number) {
      return create("\"" + size + "\":9,\"" + overlap + "\":" + number);
    };
    const std::string bad_overlap = field_error(
        "chunk_configuration",
        overlap + " must be a whole number from 0 to less than " + size + ".", "invalid");
    CHECK(CollectionsApi::refusal(with_overlap("-1")) == bad_overlap);
    CHECK(CollectionsApi::refusal(with_overlap("9")) == bad_overlap);
    CHECK(with_overlap("0").status == 200);
    CHECK(with_overlap("8").status == 200);
  }
}

TEST_CASE("a refused collection is explained") {
  CollectionsApi api;
  const auto refusal = [&](const std::string& more) {
    return CollectionsApi::refusal(
        api.post("/v1/collections", R"({"collection_name":"x",)" + more + "}"));
  };
  CHECK(refusal(R"("chunk_configuration":{"chars_configuration":{"max_chunk_size_chars":9},
      "bytes_configuration":{"max_chunk_size_bytes":9}})") ==
        field_error("chunk_configuration",
                    "Only one strategy may be set, not both chars_configuration and "
                    "bytes_configuration.",
                    "invalid"));
  CHECK(refusal(R"("index_configuration":{"model_name":"svc-4.5"})") ==
        field_error("index_configuration",
                    "svc-4.5 is not an embedding model of this team; svc-embedding-small is.",
                    "unknown-model"));
  CHECK(refusal(R"("field_definitions":[{"key":"a"},{"key":"b"},{"key":"a"}])") ==
        field_error("field_definitions", "The key a comes twice.", "duplicate-key"));
  CHECK(refusal(R"("field_definitions":[{"key":"a"},{"key":""}])") ==
        field_error("field_definitions.key", "Field is empty but must not be empty.", "not-empty"));
  const std::string no_name =
      field_error("collection_name", "Field is empty but must not be empty.", "not-empty");
  CHECK(CollectionsApi::refusal(api.post("/v1/collections", R"({"collection_name":" "})")) ==
        no_name);
  const nlohmann::json made = api.make();
  CHECK(CollectionsApi::refusal(api.ask("PUT", CollectionsApi::path_of(made),
                                        R"({"collection_name":" "})")) == no_name);
}

TEST_CASE("a collection shows all that it was made with") {
  CollectionsApi api;
  api.advance(7);
  nlohmann::json made = api.make(
      R"(,"collection_description":"d","metric_space":"HNSW_METRIC_COSINE",
          "chunk_configuration":{"inject_name_into_chunks":true},
          "field_definitions":[{"key":"a","required":true,"description":"who"},
            {"key":"b","inject_into_chunk":true},{"key":"c","unique":true}])");
  made.erase("collection_id");
  CHECK(made == nlohmann::json::parse(R"({
      "collection_name":"manuals","collection_description":"d",
      "metric_space":"HNSW_METRIC_COSINE","created_at":"2027-01-15T08:00:00.007000Z",
      "index_configuration":{"model_name":"svc-embedding-small"},
      "chunk_configuration":{"bytes_configuration":{"max_chunk_size_bytes":4000,
        "chunk_overlap_bytes":800},"strip_whitespace":true,"inject_name_into_chunks":true},
      "documents_count":0,"total_file_size":"0","disable_rag_lookup":false,
      "field_definitions":[
        {"key":"a","required":true,"inject_into_chunk":false,"unique":false,"description":"who"},
        {"key":"b","required":false,"inject_into_chunk":true,"unique":false},
        {"key":"c","required":false,"inject_into_chunk":false,"unique":true}]})"));
}

TEST_CASE("a refused query of a listing is explained") {
  CollectionsApi api;
  const auto refusal = [&](const std::string& query) {
    return CollectionsApi::refusal(api.get("/v1/collections?" + query));
  };
  CHECK(refusal("order=up") ==
        field_error("order", "The order is ORDERING_ASCENDING or _DESCENDING.", "enum"));
  CHECK(refusal("sort_by=SIZE") ==
        field_error("sort_by", "Known are COLLECTIONS_SORT_BY_NAME, COLLECTIONS_SORT_BY_AGE.",
                    "enum"));
  CHECK(refusal("pagination_token=x") ==
        field_error("pagination_token",
                    "The token comes from no page of this listing in this order.",
                    "invalid-token"));
  CHECK(refusal("limit=0") ==
        field_error("limit", "0 is not a whole number from 1 to 1000000000.", "range"));
  for (const char* order : {"", "ORDERING_UNKNOWN", "ORDERING_DESCENDING"}) {
    CHECK(api.get(std::string("/v1/collections?order=") + order).status == 200);
  }
}

TEST_CASE("the pages of a listing hold each collection once") {
  CollectionsApi api;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    (void)api.post("/v1/collections", nlohmann::json{{"collection_name", name}}.dump());
  }
  std::string names, token;
  int pages = 0;
  do {
    const nlohmann::json page = CollectionsApi::ok(
        api.get("/v1/collections?limit=2&order=ORDERING_ASCENDING&pagination_token=" + token));
    for (const nlohmann::json& item : page["collections"]) names += item["collection_name"];
    token = page.value("pagination_token", "");
    ++pages;
  } while (!token.empty() && pages < 9);
  CHECK(names == "abcde");
  CHECK(pages == 3);
}

TEST_CASE("a team that is not the caller's is refused in the query and in the body") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  const std::string path = CollectionsApi::path_of(collection);
  const std::string other = R"({"collection_name":"x","team_id":"other"})";
  for (const Response& response :
       {api.post("/v1/collections", other), api.ask("PUT", path, other),
        api.get(path + "?team_id=other"), api.ask("DELETE", path + "?team_id=other")}) {
    CHECK(response.status == 403);
    CHECK(body_contains(response, "The management key has no access to team other."));
  }
  const std::string own(k_demo_team_id);
  CHECK(api.get(path + "?team_id=" + own).status == 200);
  CHECK(api.ask("PUT", path, R"({"team_id":")" + own + "\"}").status == 200);
}

TEST_CASE("a document that breaks a rule of the fields names the rule and the other document") {
  CollectionsApi api;
  const nlohmann::json collection = api.make(
      R"(,"field_definitions":[{"key":"author","required":true},{"key":"isbn","unique":true}])");
  const std::string none = api.store("none.txt", "text");
  const std::string one = api.store("one.txt", "text");
  const std::string two = api.store("two.txt", "text");
  CHECK(CollectionsApi::refusal(api.add(collection, two, R"({"fields":{"isbn":1}})")) ==
        field_error("fields", "The collection requires the field author.", "required-field"));
  CHECK(api.add(collection, none, R"({"fields":{"author":"A"}})").status == 200);
  CHECK(api.add(collection, one, R"({"fields":{"author":"A","isbn":7}})").status == 200);
  CHECK(
      CollectionsApi::refusal(api.add(collection, two, R"({"fields":{"author":"A","isbn":7}})")) ==
      field_error("fields",
                  "The field isbn must be unique, and " + one + " has that value already.",
                  "unique-field"));
  CHECK(api.add(collection, two, R"({"fields":{"author":"A","isbn":8}})").status == 200);
  const std::string id = collection["collection_id"];
  CHECK(nlohmann::json::parse(api.add(collection, two, R"({"fields":{"author":"A"}})").body) ==
        nlohmann::json{{"code", 6},
                       {"message", "File " + two + " is in collection " + id +
                                       " already. [WKE=already-exists:document]\n"},
                       {"details", nlohmann::json::array()}});
  CHECK(body_contains(api.get(CollectionsApi::path_of(collection) + "/documents/file_x"),
                      "Document file_x not found in this collection."));
  CHECK(
      body_contains(api.get("/v1/collections/collection_x"), "Collection collection_x not found."));
}

TEST_CASE("a refused change of the definitions is explained") {
  CollectionsApi api;
  const nlohmann::json collection = api.make(R"(,"field_definitions":[{"key":"a"}])");
  for (const char* name : {"one.txt", "two.txt"}) {
    CHECK(api.add(collection, api.store(name, "text"), R"({"fields":{"a":1}})").status == 200);
  }
  const auto refusal = [&](const std::string& definition, const std::string& operation) {
    return CollectionsApi::refusal(api.ask("PUT", CollectionsApi::path_of(collection),
                                           R"({"field_definition_updates":[{"field_definition":{)" +
                                               definition + R"(},"operation":")" + operation +
                                               "\"}]}"));
  };
  const std::string updates = "field_definition_updates";
  CHECK(refusal(R"("key":"b","required":true)", "FIELD_DEFINITION_ADD") ==
        field_error(updates,
                    "The field b cannot be required: documents that are there would lack it.",
                    "required-field"));
  CHECK(refusal(R"("key":"a","unique":true)", "FIELD_DEFINITION_ADD") ==
        field_error(updates, "The field a cannot be unique: documents share a value.",
                    "unique-field"));
  CHECK(refusal(R"("key":"b")", "FIELD_DEFINITION_DELETE") ==
        field_error(updates, "The collection has no field b.", "unknown-field"));
  CHECK(refusal(R"("key":"")", "FIELD_DEFINITION_ADD") ==
        field_error(updates + ".field_definition.key", "Field is empty but must not be empty.",
                    "not-empty"));
}

TEST_CASE("an uploaded document is a form with a name and data") {
  CollectionsApi api;
  const nlohmann::json collection = api.make();
  Dispatcher dispatcher(api.state(), all_routes());
  const auto upload = [&](const std::vector<FormField>& fields) {
    HttpRequest request{
        "POST", CollectionsApi::path_of(collection) + "/documents", {}, form_body(fields)};
    request.headers = form_headers();
    request.headers.push_back({"Host", "localhost:1"});
    request.headers.push_back({"Authorization", "Bearer " + std::string(k_demo_management_key)});
    return dispatcher.response(request, dispatcher.admit(request));
  };
  CHECK(CollectionsApi::refusal(upload({{"data", "text"}})) ==
        field_error("name", "Field is empty but must not be empty.", "not-empty"));
  CHECK(CollectionsApi::refusal(upload({{"name", "a.txt"}})) ==
        field_error("data", "Field is empty but must not be empty.", "not-empty"));
  CHECK(CollectionsApi::refusal(upload({{"name", "a.txt"}, {"fields", "[1]"}, {"data", "x"}})) ==
        field_error("fields", "This is not a JSON object.", "json"));
  const nlohmann::json named =
      CollectionsApi::ok(upload({{"name", "a.txt"},
                                 {"content_type", "text/plain"},
                                 {"fields", R"({"year":1999})"},
                                 {"data", "text", "b.md", "text/markdown"}}));
  CHECK(named["file_metadata"]["name"] == "a.txt");
  CHECK(named["file_metadata"]["content_type"] == "text/plain");
  CHECK(named["fields"] == nlohmann::json{{"year", 1999}});
  CHECK(named["status"] == "DOCUMENT_STATUS_PROCESSING");
  // What the form leaves out is taken from the part.
  const nlohmann::json file =
      CollectionsApi::ok(upload({{"data", "text", "b.md", "text/markdown"}}));
  CHECK(file["file_metadata"]["name"] == "b.md");
  CHECK(file["file_metadata"]["content_type"] == "text/markdown");
  CHECK(file["fields"] == nlohmann::json::object());
}

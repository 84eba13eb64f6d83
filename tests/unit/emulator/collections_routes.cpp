#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/api/files/store.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

class Library : public Office {
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
  Answer add(const nlohmann::json& collection, const std::string& file,
             const std::string& body = "{}") {
    return post(path_of(collection) + "/documents/" + file, body);
  }
  nlohmann::json document(const nlohmann::json& collection, const std::string& file) {
    return ok(get(path_of(collection) + "/documents/" + file));
  }
  static nlohmann::json ok(const Answer& answer) {
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    return nlohmann::json::parse(answer.body);
  }
};

std::vector<std::string> names_of(const nlohmann::json& documents) {
  std::vector<std::string> names;
  for (const nlohmann::json& document : documents)
    names.push_back(document["file_metadata"]["name"]);
  return names;
}

}  // namespace

TEST_CASE("a new collection has the service's defaults") {
  Library library;
  const nlohmann::json made = library.make();
  CHECK(made["collection_id"].get<std::string>().starts_with("collection_"));
  CHECK(made["index_configuration"] == nlohmann::json{{"model_name", "svc-embedding-small"}});
  CHECK(made["chunk_configuration"] ==
        nlohmann::json::parse(R"({"bytes_configuration":{"max_chunk_size_bytes":4000,
          "chunk_overlap_bytes":800},"strip_whitespace":true,"inject_name_into_chunks":false})"));
  CHECK(made["created_at"] == "2027-01-15T08:00:00.000000Z");
  CHECK(made["documents_count"] == 0);
  CHECK(made["total_file_size"] == "0");
  CHECK(made["field_definitions"] == nlohmann::json::array());
  CHECK(Library::ok(library.get(Library::path_of(made))) == made);
}

TEST_CASE("invalid collections") {
  Library library;
  const auto refused = [&](const char* body, std::string_view part) {
    const Answer answer = library.post("/v1/collections", body);
    CAPTURE(body);
    CAPTURE(answer.body);
    CHECK(answer.status == 400);
    CHECK(nlohmann::json::parse(answer.body)["code"] == 3);
    CHECK(says(answer, part));
  };
  refused(R"({"name":"x"})",
          "collection_name: Field is empty but must not be empty. "
          "[WKE=form-invalid:not-empty:collection_name]");
  refused(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":
    {"max_chunk_size_chars":9},"bytes_configuration":{"max_chunk_size_bytes":9}}})",
          "Only one strategy");
  refused(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":{}}})",
          "max_chunk_size_chars");
  refused(R"({"collection_name":"x","chunk_configuration":{"chars_configuration":
    {"max_chunk_size_chars":9,"chunk_overlap_chars":9}}})",
          "chunk_overlap_chars");
  refused(R"({"collection_name":"x","index_configuration":{"model_name":"svc-4.5"}})",
          "svc-embedding-small");
  refused(R"({"collection_name":"x","metric_space":"HNSW"})", "metric_space");
  refused(R"({"collection_name":"x","field_definitions":[{"key":"a"},{"key":"a"}]})", "twice");
  refused(R"({"collection_name":"x","field_definitions":[{"required":true}]})", "key");
}

TEST_CASE("collections are listed by name or age, with filters and in pages") {
  Library library;
  for (const char* name : {"beta", "alpha", "Gamma"}) {
    (void)library.post("/v1/collections", nlohmann::json{{"collection_name", name}}.dump());
    library.pass(1000);
  }
  const auto names = [&](const std::string& query) {
    std::vector<std::string> list;
    const nlohmann::json page = Library::ok(library.get("/v1/collections?" + query));
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
  const nlohmann::json first = Library::ok(library.get("/v1/collections?limit=2"));
  const std::string token = first["pagination_token"];
  CHECK(names("limit=2&pagination_token=" + token) == Names{"alpha"});
  CHECK_FALSE(Library::ok(library.get("/v1/collections?limit=3")).contains("pagination_token"));
  for (const char* query : {"limit=0", "order=up", "sort_by=SIZE", "filter=size%3E1",
                            "pagination_token=x", "limit=x"}) {
    CAPTURE(query);
    CHECK(library.get(std::string("/v1/collections?") + query).status == 400);
  }
  CHECK(library.get("/v1/collections?order=ORDERING_ASCENDING&pagination_token=" + token).status ==
        400);
}

TEST_CASE("a document is processed step by step") {
  Library library;
  const nlohmann::json collection = library.make();
  const std::string file = library.store("a.txt", "twenty-one characters");
  CHECK(library.add(collection, file).body == "{}");
  const nlohmann::json begun = library.document(collection, file);
  CHECK(begun["status"] == "DOCUMENT_STATUS_PROCESSING");
  CHECK(begun["file_metadata"]["size_bytes"] == "21");
  CHECK(begun["file_metadata"]["hash"].get<std::string>().size() == 64);
  CHECK(begun["last_indexed_at"].is_null());
  CHECK(begun["chunk_count"] == 0);
  for (const char* status : {"CHUNKED", "EMBEDDING", "WRITING", "PROCESSED"}) {
    library.pass(150);
    CHECK(library.document(collection, file)["status"] == std::string("DOCUMENT_STATUS_") + status);
  }
  const nlohmann::json done = library.document(collection, file);
  CHECK(done["chunk_count"] == 1);
  CHECK(done["chunks_processed_count"] == "1");
  CHECK(done["last_indexed_at"].is_string());
  const nlohmann::json now = Library::ok(library.get(Library::path_of(collection)));
  CHECK(now["documents_count"] == 1);
  CHECK(now["total_file_size"] == "21");
}

TEST_CASE("an unreadable document fails, with the reason") {
  Library library;
  const nlohmann::json collection = library.make();
  const std::string file =
      library.store("a.bin", std::string("\x00\x01\xFF", 3), "application/octet-stream");
  CHECK(library.add(collection, file).status == 200);
  library.pass(1000);
  const nlohmann::json document = library.document(collection, file);
  CHECK(document["status"] == "DOCUMENT_STATUS_FAILED");
  CHECK_FALSE(document["error_message"].get<std::string>().empty());
}

TEST_CASE("documents that cannot be added") {
  Library library;
  const nlohmann::json collection = library.make();
  const std::string file = library.store("a.txt", "text");
  CHECK(library.add(collection, "file_none").status == 404);
  CHECK(library.post("/v1/collections/collection_none/documents/" + file, "{}").status == 404);
  CHECK(library.add(collection, file).status == 200);
  CHECK(library.add(collection, file).status == 409);
  CHECK(library.add(collection, library.store("b", "x"), R"({"team_id":"other"})").status == 403);
}

TEST_CASE("required and unique fields are enforced, values are injected") {
  Library library;
  const nlohmann::json collection = library.make(
      R"(,"chunk_configuration":{"chars_configuration":{"max_chunk_size_chars":10},
          "inject_name_into_chunks":true},
          "field_definitions":[{"key":"author","required":true,"inject_into_chunk":true},
                               {"key":"isbn","unique":true}])");
  const std::string one = library.store("one.txt", "0123456789abcdefghij");
  const std::string two = library.store("two.txt", "text");
  CHECK(says(library.add(collection, one), "requires the field author"));
  CHECK(library.add(collection, one, R"({"fields":{"author":"Ann","isbn":7}})").status == 200);
  CHECK(says(library.add(collection, two, R"({"fields":{"author":"Bob","isbn":7}})"), "unique"));
  CHECK(library.add(collection, two, R"({"fields":{"author":"Bob"}})").status == 200);
  library.pass(1000);
  CHECK(library.document(collection, one)["fields"] ==
        nlohmann::json{{"author", "Ann"}, {"isbn", 7}});
  const nlohmann::json found = Library::ok(
      library.post("/v1/documents/search",
                   nlohmann::json{{"query", "0123456789"},
                                  {"source", {{"collection_ids", {collection["collection_id"]}}}},
                                  {"retrieval_mode", {{"type", "keyword"}}}}
                       .dump()));
  REQUIRE(found["matches"].size() == 1);
  CHECK(found["matches"][0]["chunk_content"] == "one.txt\nauthor: Ann\n0123456789");
}

TEST_CASE("definitions change: a new field cannot be required, a deleted one loses its values") {
  Library library;
  const nlohmann::json collection = library.make(R"(,"field_definitions":[{"key":"author"}])");
  const std::string file = library.store("a.txt", "text");
  CHECK(library.add(collection, file, R"({"fields":{"author":"Ann","year":1999}})").status == 200);
  const auto update = [&](const std::string& members) {
    return library.ask("PUT", Library::path_of(collection), "{" + members + "}");
  };
  const auto change = [&](const char* definition, const char* operation) {
    return update(std::string(R"("field_definition_updates":[{"field_definition":)") + definition +
                  R"(,"operation":")" + operation + "\"}]");
  };
  CHECK(change(R"({"key":"new","required":true})", "FIELD_DEFINITION_ADD").status == 400);
  CHECK(change(R"({"key":"new"})", "FIELD_DEFINITION_ADD").status == 200);
  CHECK(change(R"({"key":"new"})", "RENAME").status == 400);
  CHECK(change(R"({"key":"none"})", "FIELD_DEFINITION_DELETE").status == 400);
  const nlohmann::json after =
      Library::ok(change(R"({"key":"author"})", "FIELD_DEFINITION_DELETE"));
  CHECK(after["field_definitions"][0]["key"] == "new");
  CHECK(library.document(collection, file)["fields"] == nlohmann::json{{"year", 1999}});
  const nlohmann::json renamed = Library::ok(
      update(R"("collection_name":"new name","collection_description":"d","chunk_configuration":
        {"tokens_configuration":{"max_chunk_size_tokens":"50"},"strip_whitespace":true})"));
  CHECK(renamed["collection_name"] == "new name");
  CHECK(renamed["collection_description"] == "d");
  CHECK(renamed["chunk_configuration"].contains("tokens_configuration"));
  CHECK(update(R"("collection_name":"")").status == 400);
}

TEST_CASE("re-indexing uses the new chunking and the current file") {
  Library library;
  const nlohmann::json collection = library.make();
  const std::string file = library.store("a.txt", "0123456789");
  (void)library.add(collection, file);
  library.pass(1000);
  (void)library.ask(
      "PUT", Library::path_of(collection),
      R"({"chunk_configuration":{"chars_configuration":{"max_chunk_size_chars":2}}})");
  CHECK(library.document(collection, file)["chunk_count"] == 1);
  CHECK(library.ask("PATCH", Library::path_of(collection) + "/documents/" + file).status == 200);
  CHECK(library.document(collection, file)["status"] == "DOCUMENT_STATUS_PROCESSING");
  library.pass(1000);
  CHECK(library.document(collection, file)["chunk_count"] == 5);
}

TEST_CASE("documents are listed by name, size or age, with filters, and several at once") {
  Library library;
  const nlohmann::json collection = library.make();
  const auto add = [&](const char* name, const char* data, const char* fields) {
    const std::string file = library.store(name, data);
    CHECK(library.add(collection, file, std::string(R"({"fields":)") + fields + "}").status == 200);
    return file;
  };
  const std::string beta = add("beta.txt", "1234", R"({"year":2001})");
  const std::string alpha = add("alpha.txt", "12", R"({"year":2010,"author":"Ann"})");
  library.pass(1000);
  (void)add("gamma.txt", "123", "{}");
  const std::string path = Library::path_of(collection) + "/documents";
  const auto names = [&](const std::string& query) {
    return names_of(Library::ok(library.get(path + "?" + query))["documents"]);
  };
  using Names = std::vector<std::string>;
  CHECK(names("") == Names{"gamma.txt", "beta.txt", "alpha.txt"});
  CHECK(names("sort_by=DOCUMENTS_SORT_BY_SIZE&order=ORDERING_ASCENDING") ==
        Names{"alpha.txt", "gamma.txt", "beta.txt"});
  CHECK(names("sort_by=DOCUMENTS_SORT_BY_AGE") == Names{"gamma.txt", "alpha.txt", "beta.txt"});
  CHECK(names("name=ALPHA") == Names{"alpha.txt"});
  CHECK(names("filter=status%3DDOCUMENT_STATUS_PROCESSED") == Names{"beta.txt", "alpha.txt"});
  CHECK(names("filter=fields.year%3E2005") == Names{"alpha.txt"});
  CHECK(names("filter=size_bytes%3E2%20AND%20NOT%20name:beta") == Names{"gamma.txt"});
  CHECK(names("limit=1") == Names{"gamma.txt"});
  CHECK(library.get(path + "?filter=(").status == 400);
  CHECK(names_of(Library::ok(library.get(path + ":batchGet?file_ids=" + beta + "&file_ids=" +
                                         alpha + "&file_ids=file_none"))["documents"]) ==
        Names{"beta.txt", "alpha.txt"});
  CHECK(library.ask("DELETE", path + "/" + beta).body == "{}");
  CHECK(library.get(path + "/" + beta).status == 404);
  CHECK(find_file(library.state(), k_demo_team_id, beta)->has_value());  // the file itself remains
  CHECK(library.ask("DELETE", Library::path_of(collection)).body == "{}");
  CHECK(library.get(path).status == 404);
}

TEST_CASE("another team's collections are not found, and the inference key opens none") {
  Library library;
  const nlohmann::json collection = library.make();
  CHECK(library.get("/v1/collections?team_id=other").status == 403);
  CHECK(library.ask("GET", Library::path_of(collection), "", k_demo_key).status == 401);
}

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/collections/store.h"
#include "emulator/api/files/store.h"
#include "emulator/model/answer.h"
#include "management_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

// A collection with four processed documents.
class SearchApi : public ManagementApi {
 public:
  SearchApi() {
    id = nlohmann::json::parse(
        post("/v1/collections", R"({"collection_name":"shelf"})").body)["collection_id"];
    add("bread.txt", "Baking bread takes flour, water, salt and yeast.",
        R"({"author":"Ann","year":1999})");
    add("cake.txt", "A cake takes flour, sugar and eggs. Bake it for an hour.",
        R"({"author":"Ann","year":2005})");
    add("boats.txt", "Sailing boats need wind; rowing boats need people.",
        R"({"author":"Bob","year":2012})");
    add("stars.txt", "Telescopes show the rings of Saturn.", "{}");
    advance(1000);
  }
  void add(const char* name, const char* data, const std::string& fields) {
    const auto file = store_file(state(), k_demo_team_id, {.filename = name, .data = data});
    REQUIRE(file.has_value());
    CHECK(post("/v1/collections/" + id + "/documents/" + file->id, R"({"fields":)" + fields + "}")
              .status == 200);
    names[file->id] = name;
  }
  Response ask_for(const std::string& query, const std::string& more = "") {
    return post(
        "/v1/documents/search",
        R"({"query":")" + query + R"(","source":{"collection_ids":[")" + id + "\"]}" + more + "}");
  }
  // The names of the files found, best first.
  std::vector<std::string> find(const std::string& query, const std::string& more = "") {
    const Response response = ask_for(query, more);
    CAPTURE(response.body);
    REQUIRE(response.status == 200);
    std::vector<std::string> found;
    double last = 1e9;
    const nlohmann::json body = nlohmann::json::parse(response.body);
    for (const nlohmann::json& match : body["matches"]) {
      found.push_back(names[match["file_id"].get<std::string>()]);
      CHECK(match["score"].get<double>() <= last);
      last = match["score"].get<double>();
    }
    return found;
  }

  std::string id{};
  std::map<std::string, std::string> names{};
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a search in a state without its chunks is a fault of the emulator") {
  SearchApi api;
  REQUIRE(
      api.state().with([](Database& database) { return database.run("DROP TABLE chunk_words"); }));
  const Response failed = api.ask_for("flour");
  CHECK(failed.status == 500);
  CHECK(
      failed.body ==
      R"({"code":"Internal error","error":"cannot read or write the emulator's state: no such table: chunk_words"})");
}

TEST_CASE("every mode finds the right document first") {
  SearchApi api;
  for (const char* mode :
       {R"({"type":"hybrid"})", R"({"type":"semantic"})", R"({"type":"keyword"})",
        R"({"type":"hybrid","reranker":{"type":"reranker_model"}})",
        R"({"type":"hybrid","reranker":{"type":"rrf","k":10,"text_weight":2}})",
        R"({"type":"keyword","reranker":{"instructions":"be exact"}})"}) {
    CAPTURE(mode);
    const std::string more = std::string(",\"retrieval_mode\":") + mode;
    CHECK(api.find("who takes sugar and eggs?", more).front() == "cake.txt");
    CHECK(api.find("rings of Saturn", more).front() == "stars.txt");
  }
}

TEST_CASE(
    "keyword search finds any of the words; semantic search ranks all, including other word "
    "forms") {
  SearchApi api;
  const std::string words = R"(,"retrieval_mode":{"type":"keyword"})";
  CHECK(api.find("flour", words).size() == 2);
  CHECK(api.find("boat", words) == Names{"boats.txt"});  // stems
  CHECK(api.find("zebra", words).empty());
  CHECK(api.find("\\\"AND OR (*", words).size() <= 4);  // query text is never syntax
  const std::string meaning = R"(,"retrieval_mode":{"type":"semantic"})";
  CHECK(api.find("telescopic", meaning).front() == "stars.txt");
  CHECK(api.find("telescopic", meaning).size() == 4);
}

TEST_CASE("ranks are fused with the weights asked for, or a text is ranked again") {
  SearchApi api;
  const auto best = [&](const char* mode) {
    return nlohmann::json::parse(
               api.ask_for("rings Saturn", std::string(",\"retrieval_mode\":") + mode)
                   .body)["matches"][0]["score"]
        .get<double>();
  };
  // First by meaning and by words: the sum of weight / (k + 1).
  CHECK(best(R"({"type":"hybrid"})") == doctest::Approx(1.0 / 61));
  CHECK(best(R"({"type":"hybrid","reranker":{"type":"rrf","k":9}})") == doctest::Approx(0.1));
  CHECK(best(R"({"type":"hybrid","reranker":{"type":"rrf","k":9,"embedding_weight":2}})") ==
        doctest::Approx(0.25));
  CHECK(best(R"({"type":"hybrid","reranker":{"type":"rrf","k":9,"text_weight":3}})") ==
        doctest::Approx(0.35));
  // All words of the question are in the text.
  const double meaning = best(R"({"type":"semantic"})");
  for (const char* mode : {R"({"type":"semantic","reranker":{}})",
                           R"({"type":"keyword","reranker":{"instructions":"x"}})",
                           R"({"type":"hybrid","reranker":{"type":"reranker_model"}})"}) {
    CAPTURE(mode);
    CHECK(best(mode) == doctest::Approx(meaning / 2 + 0.5));
  }
}

TEST_CASE("a match has all its fields") {
  SearchApi api;
  const nlohmann::json match = nlohmann::json::parse(api.ask_for("flour sugar").body)["matches"][0];
  CHECK(match["chunk_id"].get<std::string>().starts_with("chunk_"));
  CHECK(match["chunk_content"] == "A cake takes flour, sugar and eggs. Bake it for an hour.");
  CHECK(match["collection_ids"] == nlohmann::json::array({api.id}));
  CHECK(match["fields"] == nlohmann::json{{"author", "Ann"}, {"year", 2005}});
  CHECK(match["page_number"] == 0);
  CHECK(match["score"].is_number());
}

TEST_CASE("the limit: at least the best match") {
  SearchApi api;
  CHECK(api.find("flour", R"(,"limit":2)").size() == 2);
  CHECK(api.find("sugar", R"(,"limit":0)") == Names{"cake.txt"});
  CHECK(api.ask_for("flour", R"(,"limit":-1)").status == 400);
}

TEST_CASE("ten candidates of each kind per requested chunk are ranked again, or as many as asked") {
  SearchApi api;
  const auto first = [&](const std::string& mode) {
    return api
        .find("what is the weight of a whale",
              R"(,"limit":1,"retrieval_mode":{"reranker":{)" + mode + "}")
        .at(0);
  };
  // The ranking by meaning ignores common words, the second one does not.
  for (int i = 0; i < 9; ++i) api.add(fmt::format("{}.txt", i).c_str(), "Whale weight.", "{}");
  api.add("exact.txt", "What is the weight of a whale? We asked a fisherman.", "{}");
  api.add("common.txt", "What what is is the the of of a a.", "{}");
  api.advance(1'000);
  CHECK(first(R"(},"type":"semantic")") == "exact.txt");
  CHECK(first(R"("type":"reranker_model"},"type":"hybrid")") == "exact.txt");
  CHECK(first(R"("type":"reranker_model"},"type":"hybrid","search_multiplier":1)") == "0.txt");
  api.add("9.txt", "Whale weight.", "{}");
  api.advance(1'000);
  CHECK(first(R"(},"type":"semantic")") == "0.txt");
  CHECK(api.find("whale").size() == 10);  // of 16 documents, without a limit
}

TEST_CASE("filters on the documents' metadata, with ranges") {
  SearchApi api;
  const auto find = [&](const char* filter) {
    auto names = api.find("takes", std::string(R"(,"filter":")") + filter + "\"");
    std::ranges::sort(names);
    return names;
  };
  CHECK(find("author = Ann") == Names{"bread.txt", "cake.txt"});
  CHECK(find("year:2005..2012") == Names{"boats.txt", "cake.txt"});
  CHECK(find("fields.year > 1999 AND author != Bob") == Names{"cake.txt"});
  CHECK(find("author = Bob OR name:stars") == Names{"boats.txt", "stars.txt"});
  CHECK(find("year > 3000").empty());
  for (const auto& [file, name] : api.names) {
    CHECK(find(fmt::format("file_id = {}", file).c_str()) == Names{name});
  }
  CHECK(find("content_type:plain").size() == 4);
  CHECK(find("content_type:pdf").empty());
  CHECK(find("size_bytes < 40") == Names{"stars.txt"});
  CHECK(find("created_at >= 2027-01-15T08:00:00Z").size() == 4);
  CHECK(find("created_at > 2027-01-15T08:00:00Z").empty());
  const Response unknown = api.ask_for("x", R"(,"filter":"color = red")");
  CHECK(unknown.status == 400);
  CHECK(body_contains(unknown, "color"));
}

TEST_CASE("groups keep the best match, or an aggregate") {
  SearchApi api;
  const auto find = [&](const char* group) {
    auto names = api.find("flour takes", std::string(",\"group_by\":") + group);
    std::ranges::sort(names);
    return names;
  };
  CHECK(find(R"({"keys":["author"]})").size() == 3);  // Ann, Bob, and no author
  CHECK(find(R"({"keys":["author"],"aggregate":{"max_k":{"keys":["year"],"k":1}}})") ==
        Names{"boats.txt", "cake.txt", "stars.txt"});
  CHECK(find(R"({"keys":["author"],"aggregate":{"min_k":{"keys":["year"],"k":1}}})") ==
        Names{"boats.txt", "bread.txt", "stars.txt"});
  CHECK(find(R"({"keys":["author"],"aggregate":{"min_k":{"keys":["#score"],"k":2}}})").size() == 4);
  // By the second key where the first is the same; a missing value is least.
  CHECK(find(R"({"keys":["none"],"aggregate":{"min_k":{"keys":["author","year"],"k":2}}})") ==
        Names{"bread.txt", "stars.txt"});
  CHECK(find(R"({"keys":["none"],"aggregate":{"max_k":{"keys":["author","year"],"k":2}}})") ==
        Names{"boats.txt", "cake.txt"});
  CHECK(find(R"({"keys":["author","year"]})").size() == 4);
  // Groups are of all documents, not of the candidates for the limit.
  const std::string few =
      R"(,"limit":3,"retrieval_mode":{"type":"semantic","search_multiplier":1})";
  CHECK(api.find("flour takes", few + R"(,"group_by":{"keys":["author"]})").size() == 3);
  api.add("one.txt", "Same here.", R"({"year":2})");
  api.add("two.txt", "Same here.", R"({"year":1})");
  api.advance(600);
  CHECK(api.find("same",
                 R"(,"retrieval_mode":{"type":"semantic"},"group_by":{"keys":["none"],)"
                 R"("aggregate":{"min_k":{"keys":["#score","year"]}}})") == Names{"two.txt"});
  CHECK(api.ask_for("x", R"(,"group_by":{"keys":[]})").status == 400);
  CHECK(api.ask_for("x", R"(,"group_by":{"keys":["a"],"aggregate":{}})").status == 400);
}

TEST_CASE("invalid searches") {
  SearchApi api;
  const auto post = [&](const char* body) { return api.post("/v1/documents/search", body); };
  const Response missing = post(R"({"query":"x"})");
  CHECK(missing.status == 422);
  CHECK(missing.content_type.starts_with("text/plain"));
  CHECK(body_contains(missing, "missing field `source`"));
  CHECK(post(R"({"query":"x","source":{}})").status == 422);
  CHECK(post(R"({"query":"x","source":{"collection_ids":["c"]},"retrieval_mode":{"type":"deep"}})")
            .status == 422);
  CHECK(post(R"({"query":"x","source":{"collection_ids":[]}})").status == 400);
  CHECK(post(R"({"query":"","source":{"collection_ids":["c"]}})").status == 400);
  const Response unknown = post(R"({"query":"x","source":{"collection_ids":["collection_none"]}})");
  CHECK(unknown.status == 404);
  CHECK(body_contains(unknown, "\"error\""));
  CHECK(api.ask("POST", "/v1/documents/search", "{}", k_demo_management_key).status == 400);
  CHECK(api.ask_for("x", R"(,"retrieval_mode":{"type":"hybrid","search_multiplier":101})").status ==
        400);
}

TEST_CASE("only processed documents are found, and removed ones are not") {
  SearchApi api;
  api.add("late.txt", "Unicorns.", "{}");
  const std::string words = R"(,"retrieval_mode":{"type":"keyword"})";
  CHECK(api.find("unicorns", words).empty());
  api.advance(600);
  CHECK(api.find("unicorns", words) == Names{"late.txt"});
  for (const auto& [file, name] : api.names) {
    if (name == "late.txt") {
      CHECK(api.ask("DELETE", "/v1/collections/" + api.id + "/documents/" + file).status == 200);
    }
  }
  CHECK(api.find("unicorns", words).empty());
}

TEST_CASE("the file_search tool reads the team's collections") {
  SearchApi api;
  const auto ask = [&](int most) {
    const std::string tool =
        fmt::format(R"({{"type":"file_search","max_num_results":{},"vector_store_ids":)"
                    R"(["collection_none","{}"]}})",
                    most, api.id);
    return nlohmann::json::parse(
        api.post("/v1/responses", R"({"model":"svc-4.5","input":"rings of Saturn?","include":)"
                                  R"(["file_search_call.results"],"tools":[)" +
                                      tool + "]}")
            .body);
  };
  const nlohmann::json one = ask(1);
  const nlohmann::json& item = one["output"][0];
  CHECK(item["type"] == "file_search_call");
  REQUIRE(item["results"].size() == 1);
  CHECK(item["results"][0]["filename"] == "stars.txt");
  CHECK(item["results"][0]["text"] == "Telescopes show the rings of Saturn.");
  // At most fifty, and ten if nothing is asked for.
  for (int i = 0; i < 50; ++i) api.add(fmt::format("{}.txt", i).c_str(), "Rings.", "{}");
  api.advance(600);
  CHECK(ask(51)["output"][0]["results"].size() == 50);
  const std::string usual = R"({"model":"svc-4.5","input":"rings?","include":)"
                            R"(["file_search_call.results"],"tools":[{"type":"file_search",)"
                            R"("vector_store_ids":[")" +
                            api.id + R"("]}]})";
  CHECK(
      nlohmann::json::parse(api.post("/v1/responses", usual).body)["output"][0]["results"].size() ==
      10);
  // The model reads what it finds.
  const nlohmann::json two = ask(2);
  REQUIRE(two["output"][0]["results"].size() == 2);
  const std::string second = two["output"][0]["results"][1]["text"];
  const auto read = [](const nlohmann::json& answer) {
    return answer["usage"]["context_details"]["input_tokens"].get<std::size_t>();
  };
  CHECK(read(two) == read(one) + tokenize(second).size());
}

TEST_CASE("embeddings: equal for equal text, close for similar text, unchanged by a BLOB") {
  using namespace svc::emulator::collections;
  const Vector one = embed("The rings of Saturn");
  CHECK(one == embed("the RINGS of saturn!"));
  CHECK(cosine(one, one) == doctest::Approx(1.0));
  CHECK(cosine(one, embed("ring around saturn")) > cosine(one, embed("flour and sugar")));
  CHECK(unpack(pack(one)) == one);
  CHECK(embed("…").size() == k_dimensions);
  CHECK(cosine(embed(""), one) == 0.0);
}

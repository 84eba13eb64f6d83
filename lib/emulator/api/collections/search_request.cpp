// POST /v1/documents/search on the inference host: its request and its answer.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/handlers.h"
#include "emulator/api/collections/search.h"
#include "emulator/json/check_tables.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/state.h"

namespace svc::emulator::collections {
namespace {

using text::Json;
using text::Member;
using text::Shape;
using text::Type;
using text::Variant;

constexpr std::int64_t k_search_ticks = 25'000'000;  // 2.50 dollars for 1,000 searches

// --- the request's type ---
constexpr std::array<sv, 2> k_pipeline_words = {"chroma_db", "es"};
constexpr Type k_pipeline{.shape = Shape::Word, .words = k_pipeline_words};
constexpr std::array<sv, 3> k_ranking_metric_words = {
    "RANKING_METRIC_UNKNOWN", "RANKING_METRIC_L2_DISTANCE", "RANKING_METRIC_COSINE_SIMILARITY"};
constexpr Type k_ranking_metric{.shape = Shape::Word, .words = k_ranking_metric_words};
constexpr std::array k_source_members = {Member{"collection_ids", &text::k_texts, true},
                                         Member{"rag_pipeline", &k_pipeline}};
constexpr Type k_source{.shape = Shape::Object, .members = k_source_members};
constexpr std::array k_best_members = {Member{"keys", &text::k_texts, true},
                                       Member{"k", &text::k_count}};
constexpr Type k_best{.shape = Shape::Object, .members = k_best_members};
constexpr std::array k_aggregate_members = {Member{"min_k", &k_best}, Member{"max_k", &k_best}};
constexpr Type k_aggregate{.shape = Shape::Object, .members = k_aggregate_members};
constexpr std::array k_group_members = {Member{"keys", &text::k_texts, true},
                                        Member{"aggregate", &k_aggregate}};
constexpr Type k_group{.shape = Shape::Object, .members = k_group_members};

constexpr std::array k_reranker_members = {Member{"model", &text::k_text},
                                           Member{"instructions", &text::k_text}};
constexpr Type k_reranker_model{.shape = Shape::Object, .members = k_reranker_members};
constexpr std::array k_rrf_members = {Member{"k", &text::k_number},
                                      Member{"embedding_weight", &text::k_number},
                                      Member{"text_weight", &text::k_number}};
constexpr Type k_rrf{.shape = Shape::Object, .members = k_rrf_members};
constexpr std::array k_reranker_variants = {Variant{"reranker_model", &k_reranker_model},
                                            Variant{"rrf", &k_rrf}};
constexpr Type k_reranker{.shape = Shape::Tagged, .tag = "type", .variants = k_reranker_variants};
constexpr std::array k_hybrid_members = {Member{"search_multiplier", &text::k_count},
                                         Member{"reranker", &k_reranker}};
constexpr Type k_hybrid{.shape = Shape::Object, .members = k_hybrid_members};
constexpr std::array k_single_members = {Member{"reranker", &k_reranker_model}};
constexpr Type k_single{.shape = Shape::Object, .members = k_single_members};
constexpr std::array k_mode_variants = {
    Variant{"hybrid", &k_hybrid}, Variant{"semantic", &k_single}, Variant{"keyword", &k_single}};
constexpr Type k_mode{.shape = Shape::Tagged, .tag = "type", .variants = k_mode_variants};

constexpr std::array k_search_members = {Member{"query", &text::k_text, true},
                                         Member{"source", &k_source, true},
                                         Member{"filter", &text::k_text},
                                         Member{"group_by", &k_group},
                                         Member{"instructions", &text::k_text},
                                         Member{"limit", &text::k_integer},
                                         Member{"ranking_metric", &k_ranking_metric},
                                         Member{"retrieval_mode", &k_mode},
                                         Member{"rag_pipeline", &k_pipeline}};
constexpr Type k_search{.shape = Shape::Object, .members = k_search_members};

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list) out.push_back(item.get<std::string>());
  return out;
}

// The sentence that says what is wrong, if anything is.
std::optional<std::string> read_group(const Json& group, GroupWish& wish) {
  wish.keys = texts_of(group["keys"]);
  if (wish.keys.empty()) return "group_by.keys must have at least one key.";
  const Json* aggregate = text::member(group, "aggregate");
  if (aggregate == nullptr) return std::nullopt;
  const Json* least = text::member(*aggregate, "min_k");
  const Json* greatest = text::member(*aggregate, "max_k");
  if ((least == nullptr) == (greatest == nullptr)) {
    return "group_by.aggregate must have either min_k or max_k.";
  }
  const Json& best = least != nullptr ? *least : *greatest;
  wish.greatest = greatest != nullptr;
  wish.by = texts_of(best["keys"]);
  wish.k = static_cast<std::size_t>(text::integer_of(best, "k").value_or(1));
  if (wish.by.empty() || wish.k == 0) {
    return "group_by.aggregate needs at least one key, and a k of at least 1.";
  }
  return std::nullopt;
}

std::optional<std::string> read_mode(const Json& mode, SearchWish& wish) {
  const std::string type = text::text_of(mode, "type");
  wish.mode = type == "semantic"  ? Mode::Semantic
              : type == "keyword" ? Mode::Keyword
                                  : Mode::Hybrid;
  if (const auto multiplier = text::integer_of(mode, "search_multiplier")) {
    if (*multiplier < 1 || *multiplier > 100) {
      return fmt::format("search_multiplier is {}, but must be from 1 to 100.", *multiplier);
    }
    wish.multiplier = static_cast<std::size_t>(*multiplier);
  }
  const Json* reranker = text::member(mode, "reranker");
  if (wish.mode != Mode::Hybrid) {
    wish.reranker = reranker == nullptr ? Reranker::None : Reranker::Model;
    return std::nullopt;
  }
  if (reranker == nullptr) return std::nullopt;
  if (text::text_of(*reranker, "type") == "reranker_model") wish.reranker = Reranker::Model;
  wish.fusion_k = text::number_of(*reranker, "k").value_or(wish.fusion_k);
  wish.embedding_weight =
      text::number_of(*reranker, "embedding_weight").value_or(wish.embedding_weight);
  wish.text_weight = text::number_of(*reranker, "text_weight").value_or(wish.text_weight);
  if (wish.fusion_k < 0 || wish.embedding_weight < 0 || wish.text_weight < 0) {
    return "The members of a reranker of type rrf cannot be negative.";
  }
  return std::nullopt;
}

std::optional<std::string> read_wish(const Json& body, SearchWish& wish) {
  wish.query = text::text_of(body, "query");
  if (trim(wish.query).empty()) return "query cannot be empty.";
  wish.collection_ids = texts_of(body["source"]["collection_ids"]);
  if (wish.collection_ids.empty()) return "source.collection_ids cannot be empty.";
  wish.filter = text::text_of(body, "filter");
  wish.instructions = text::text_of(body, "instructions");
  if (const auto limit = text::integer_of(body, "limit")) {
    if (*limit < 0) return "limit cannot be negative.";
    wish.limit = static_cast<std::size_t>(std::min<std::int64_t>(*limit, 100'000));
  }
  if (const Json* group = text::member(body, "group_by")) {
    if (auto fault = read_group(*group, wish.group)) return fault;
  }
  if (const Json* mode = text::member(body, "retrieval_mode")) return read_mode(*mode, wish);
  return std::nullopt;
}

Json match_json(const FoundChunk& match) {
  return {{"file_id", match.file_id},
          {"chunk_id", match.chunk_id},
          {"chunk_content", match.text},
          {"score", match.score},
          {"collection_ids", Json::array({match.collection_id})},
          {"fields", text::parse_json(match.fields)},
          {"page_number", match.page}};
}

}  // namespace

Answer search_documents(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_search, refusal);
  if (refusal) return *refusal;
  SearchWish wish;
  if (const auto fault = read_wish(body, wish)) return text::refuse_argument(*fault);
  const auto matches = call.state->with([&](Database& database) {
    return search(database, call.key.team_id, wish, call.state->now_ms());
  });
  if (!matches) {
    const Error& error = matches.error();
    if (error.fault == Fault::NotFound) return text::refuse_missing(error.message);
    if (error.fault == Fault::Usage) return text::refuse_argument("filter: " + error.message);
    return refuse_internal(error);
  }
  Json list = Json::array();
  for (const FoundChunk& match : *matches) list.push_back(match_json(match));
  Answer answer = json_answer(Json{{"matches", std::move(list)}});
  answer.charges = {{"Collection searches", "request", 1, k_search_ticks}};
  return answer;
}

}  // namespace svc::emulator::collections

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "emulator/api/collections/store.h"

namespace svc::emulator::collections {
namespace {

enum class Mode : std::uint8_t { Hybrid, Semantic, Keyword };

/// Keeps the `k` chunks of each group with the least (or greatest) values of `keys`. `#score` is
/// treated as a distance: the best match has the least.
struct GroupOptions {
  std::vector<std::string> keys{};  ///< metadata fields that define a group; empty: no groups
  bool maximum = false;
  std::vector<std::string> by{"#score"};
  std::size_t k = 1;
};

struct SearchOptions {
  std::string query{}, instructions{};
  std::vector<std::string> collection_ids{};
  std::string filter{};
  GroupOptions group{};
  std::size_t limit = 10;
  Mode mode = Mode::Hybrid;
  bool rerank = false;          ///< with a model, after the ranking
  std::size_t multiplier = 10;  ///< candidates of each kind per requested chunk
  double fusion_k = 60, embedding_weight = 0.5, text_weight = 0.5;
};

struct Source {
  Document document{};
  std::string collection_id{};
  Json values{};
};

struct Candidate {
  std::size_t source = 0;
  Chunk chunk{};
};

// The searched chunks: those of documents that pass the filter.
struct Corpus {
  std::vector<Source> sources{};
  std::vector<Candidate> candidates{};
  std::unordered_map<std::int64_t, std::size_t> by_seq{};
};

using Ranking =
    std::vector<std::pair<std::size_t, double>>;  ///< candidates with scores, best first

// Metadata fields by name, the user's by `fields.<key>` or only the key.
Result<void> apply_filter(const SearchOptions& options, const std::set<std::string>& keys,
                          std::int64_t now_ms, Corpus& corpus) {
  using filter::Field;
  std::vector<Field> fields = {
      {"name", filter::Match::Part},          {"content_type", filter::Match::Part},
      {"size_bytes", filter::Match::Integer}, {"created_at", filter::Match::Time},
      {"file_id", filter::Match::Exact},      {"fields.*", filter::Match::Any}};
  for (const std::string& key : keys) {
    const bool own = has_element(fields, sv(key), &Field::name);
    if (!own) fields.push_back({key, filter::Match::Any});
  }
  SVC_TRY(filter, filter::Filter::parse(options.filter, fields));
  std::erase_if(corpus.sources, [&](const Source& source) {
    return !filter.matches(
        [&](sv field) { return value_of(source.document, source.values, field, now_ms); });
  });
  return {};
}

Result<Corpus> open_corpus(Database& database, sv team_id, const SearchOptions& options,
                           std::int64_t now_ms) {
  Corpus corpus;
  std::set<std::string> keys;
  for (const std::string& id :
       std::set<std::string>(options.collection_ids.begin(), options.collection_ids.end())) {
    SVC_TRY(collection, find_collection(database, team_id, id));
    if (!collection) {
      return Error{Fault::NotFound, fmt::format("Collection {} not found.", excerpt(id))};
    }
    for (const FieldDefinition& field : collection->fields) keys.insert(field.key);
    SVC_TRY(documents, all_documents(database, *collection));
    for (Document& document : documents) {
      if (document.progress(now_ms) != Progress::Processed) continue;
      Json values = text::parse_json(document.fields);
      for (const auto& [key, value] : values.items()) keys.insert(key);
      corpus.sources.push_back({std::move(document), id, std::move(values)});
    }
  }
  SVC_CHECK(apply_filter(options, keys, now_ms, corpus));
  for (std::size_t i = 0; i < corpus.sources.size(); ++i) {
    SVC_TRY(chunks, chunks_of(database, corpus.sources[i].document));
    for (Chunk& chunk : chunks) {
      corpus.by_seq[chunk.seq] = corpus.candidates.size();
      corpus.candidates.push_back({i, std::move(chunk)});
    }
  }
  return corpus;
}

void cut(Ranking& ranking, std::size_t most) {
  std::ranges::stable_sort(ranking, std::ranges::greater{},
                           [](const auto& row) { return row.second; });
  if (ranking.size() > most) ranking.resize(most);
}

Ranking rank_by_meaning(const Corpus& corpus, const SearchOptions& options, std::size_t most) {
  Vector wanted = embed(options.query);
  if (!options.instructions.empty()) wanted = blend(wanted, embed(options.instructions), 0.25F);
  Ranking ranking;
  for (std::size_t i = 0; i < corpus.candidates.size(); ++i) {
    ranking.emplace_back(i, cosine(wanted, corpus.candidates[i].chunk.vector));
  }
  cut(ranking, most);
  return ranking;
}

Result<Ranking> rank_by_words(Database& database, const Corpus& corpus,
                              const SearchOptions& options, std::size_t most) {
  Ranking ranking;
  SVC_TRY(hits, search_words(database, options.query));
  for (const auto& [seq, score] : hits) {
    if (ranking.size() == most) break;
    const auto found = corpus.by_seq.find(seq);
    if (found != corpus.by_seq.end()) ranking.emplace_back(found->second, score);
  }
  return ranking;
}

// Reciprocal rank fusion.
Ranking fuse(const Ranking& meaning, const Ranking& words, const SearchOptions& options) {
  std::map<std::size_t, double> scores;
  const auto add = [&](const Ranking& ranking, double weight) {
    for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
      scores[ranking[rank].first] += weight / (options.fusion_k + static_cast<double>(rank + 1));
    }
  };
  add(meaning, options.embedding_weight);
  add(words, options.text_weight);
  Ranking ranking(scores.begin(), scores.end());
  cut(ranking, ranking.size());
  return ranking;
}

// Returns the share of the question's words that occur in the text.
double coverage(const std::string& question, const std::string& text) {
  const std::string padded = " " + plain_words(text) + " ";
  std::size_t found = 0, all = 0;
  for (const sv word : split(question, ' ')) {
    ++all;
    if (padded.find(fmt::format(" {} ", word)) != std::string::npos) ++found;
  }
  return all == 0 ? 0 : static_cast<double>(found) / static_cast<double>(all);
}

// Replaces a reranking model: scores each text again, together with the question.
Result<void> rerank(Database& database, const Corpus& corpus, const SearchOptions& options,
                    Ranking& ranking) {
  const Vector wanted = embed(options.query);
  const std::string question = plain_words(options.query);
  for (auto& [index, score] : ranking) {
    const Chunk& chunk = corpus.candidates[index].chunk;
    SVC_TRY(text, text_of_chunk(database, chunk.seq));
    score = 0.5 * cosine(wanted, chunk.vector) + 0.5 * coverage(question, text);
  }
  cut(ranking, ranking.size());
  return {};
}

Result<Ranking> rank(Database& database, const Corpus& corpus, const SearchOptions& options) {
  // Grouping may drop most results.
  const std::size_t most = options.group.keys.empty()
                               ? std::max<std::size_t>(1, options.limit) * options.multiplier
                               : corpus.candidates.size();
  Ranking ranking;
  if (options.mode != Mode::Keyword) ranking = rank_by_meaning(corpus, options, most);
  if (options.mode != Mode::Semantic) {
    SVC_TRY(words, rank_by_words(database, corpus, options, most));
    ranking = options.mode == Mode::Keyword ? words : fuse(ranking, words, options);
  }
  if (options.rerank) SVC_CHECK(rerank(database, corpus, options, ranking));
  return ranking;
}

// Keeps k of each group, without changing the order.
Ranking select_best(const Corpus& corpus, const GroupOptions& options, std::int64_t now_ms,
                    const Ranking& ranking) {
  const auto value = [&](std::size_t place, sv field) {
    const Source& source = corpus.sources[corpus.candidates[ranking[place].first].source];
    return value_of(source.document, source.values, field, now_ms);
  };
  const auto before = [&](std::size_t one, std::size_t other) {
    for (const std::string& key : options.by) {
      if (key == "#score") {
        if (ranking[one].second == ranking[other].second) continue;
        return ranking[one].second > ranking[other].second;
      }
      const auto a = value(one, key);
      const auto b = value(other, key);
      // Numbers are less than strings, and missing values are least.
      if (a < b) return true;
      if (b < a) return false;
    }
    return false;
  };
  std::map<std::string, std::vector<std::size_t>> groups;  // places in the ranking
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    std::string name;
    for (const std::string& key : options.keys) name += text::dump(value(place, key)) + '\n';
    groups[name].push_back(place);
  }
  std::set<std::size_t> selected;
  for (auto& [name, places] : groups) {
    std::ranges::stable_sort(places, [&](std::size_t one, std::size_t other) {
      return options.maximum ? before(other, one) : before(one, other);
    });
    for (std::size_t i = 0; i < std::min(options.k, places.size()); ++i) selected.insert(places[i]);
  }
  Ranking out;
  for (const std::size_t place : selected) out.push_back(ranking[place]);
  return out;
}

using text::Json;

constexpr std::int64_t k_search_ticks = 25'000'000;  // 2.50 dollars per 1,000 searches

// Returns an error message if the value is invalid.
std::optional<std::string> read_group(const Json& group, GroupOptions& options) {
  options.keys = group["keys"].get<std::vector<std::string>>();
  const Json* aggregate = text::member(group, "aggregate");
  if (aggregate == nullptr) return std::nullopt;
  const Json* minimum = text::member(*aggregate, "min_k");
  const Json* maximum = text::member(*aggregate, "max_k");
  if ((minimum == nullptr) == (maximum == nullptr)) {
    return "group_by.aggregate must have either min_k or max_k.";
  }
  const Json& best = minimum != nullptr ? *minimum : *maximum;
  options.maximum = maximum != nullptr;
  options.by = best["keys"].get<std::vector<std::string>>();
  options.k = static_cast<std::size_t>(text::get_integer(best, "k").value_or(1));
  return std::nullopt;
}

void read_mode(const Json& mode, SearchOptions& options) {
  const std::string type = text::get_string(mode, "type");
  options.mode = type == "semantic"  ? Mode::Semantic
                 : type == "keyword" ? Mode::Keyword
                                     : Mode::Hybrid;
  if (const auto given = text::get_integer(mode, "search_multiplier")) {
    options.multiplier = static_cast<std::size_t>(*given);
  }
  const Json* reranker = text::member(mode, "reranker");
  if (reranker == nullptr) return;
  options.rerank =
      options.mode != Mode::Hybrid || text::get_string(*reranker, "type") == "reranker_model";
  options.fusion_k = text::get_number(*reranker, "k").value_or(options.fusion_k);
  options.embedding_weight =
      text::get_number(*reranker, "embedding_weight").value_or(options.embedding_weight);
  options.text_weight = text::get_number(*reranker, "text_weight").value_or(options.text_weight);
}

std::optional<std::string> read_search_options(const Json& body, SearchOptions& options) {
  options.query = text::get_string(body, "query");
  options.collection_ids = body["source"]["collection_ids"].get<std::vector<std::string>>();
  options.filter = text::get_string(body, "filter");
  options.instructions = text::get_string(body, "instructions");
  const std::int64_t limit = text::get_integer(body, "limit").value_or(10);
  options.limit = static_cast<std::size_t>(std::min<std::int64_t>(limit, 100'000));
  if (const Json* mode = text::member(body, "retrieval_mode")) read_mode(*mode, options);
  const Json* group = text::member(body, "group_by");
  return group == nullptr ? std::nullopt : read_group(*group, options.group);
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

// Returns the best chunks, best first. NotFound without a collection, Usage for an invalid filter.
Result<std::vector<FoundChunk>> search(Database& database, sv team_id, const SearchOptions& options,
                                       std::int64_t now_ms) {
  SVC_TRY(corpus, open_corpus(database, team_id, options, now_ms));
  SVC_TRY(ranking, rank(database, corpus, options));
  if (!options.group.keys.empty()) ranking = select_best(corpus, options.group, now_ms, ranking);
  // The best match is always returned.
  const std::size_t count = std::min(ranking.size(), std::max<std::size_t>(1, options.limit));
  std::vector<FoundChunk> matches;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& candidate = corpus.candidates[ranking[i].first];
    const Source& source = corpus.sources[candidate.source];
    SVC_TRY(text, text_of_chunk(database, candidate.chunk.seq));
    matches.push_back({source.document.file_id, source.document.name, source.collection_id,
                       candidate.chunk.id, std::move(text), source.document.fields,
                       candidate.chunk.page, ranking[i].second});
  }
  return matches;
}

}  // namespace

std::vector<FoundChunk> search_for_tool(const Request& request,
                                        std::vector<std::string> collection_ids, sv question,
                                        std::size_t most) {
  auto found = request.state->with([&](Database& database) -> Result<std::vector<FoundChunk>> {
    SearchOptions options{.query = std::string(question), .limit = most};
    for (std::string& id : collection_ids) {
      SVC_TRY(collection, find_collection(database, request.key.team_id, id));
      if (collection) options.collection_ids.push_back(std::move(id));
    }
    return search(database, request.key.team_id, options, request.state->now_ms());
  });
  return found ? std::move(*found) : std::vector<FoundChunk>{};
}

Response search_documents(const Request& request) {
  SVC_TRY(body, text::read_body(request, "document_search"));
  SearchOptions options;
  if (const auto fault = read_search_options(body, options)) return invalid_argument_error(*fault);
  const auto matches = request.state->with([&](Database& database) {
    return search(database, request.key.team_id, options, request.state->now_ms());
  });
  if (!matches) {
    const Error& error = matches.error();
    if (error.fault == Fault::NotFound) return not_found_error(error.message);
    if (error.fault == Fault::Usage) return invalid_argument_error("filter: " + error.message);
    return internal_error(error);
  }
  Response response = json_response(Json{{"matches", text::json_list(*matches, match_json)}});
  response.charges = {{"Collection searches", "request", 1, k_search_ticks}};
  return response;
}

}  // namespace svc::emulator::collections

#include "emulator/model/prompt_cache.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "database/rows.h"
#include "emulator/model/answer.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

constexpr std::int64_t k_cache_life_s = 3600;

// FNV-1a: the same in every run.
std::uint64_t fingerprint(std::uint64_t hash, sv text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
  return hash;
}

// Returns one hash per turn, each of which depends on the previous ones.
std::vector<std::string> turn_words(const ModelRequest& model_request) {
  std::uint64_t hash = fingerprint(14'695'981'039'346'656'037ULL, model_request.model->name);
  std::vector<std::string> words;
  for (const Turn& turn : model_request.turns) {
    hash = fingerprint(hash, fmt::format("{}\n{}\n{}\n{}\n{}", turn.role, turn.name, turn.images,
                                         fmt::join(turn.file_ids, ","), turn.text));
    words.push_back(fmt::format("{:016x}", hash));
  }
  return words;
}

Result<std::string> swap_turns(State& state, sv team, sv key, const std::string& turns) {
  const std::int64_t now_s = state.now_ms() / 1000;
  return state.change([&](Database& database) -> Result<std::string> {
    SVC_CHECK(database.change("DELETE FROM prompt_cache WHERE expires_at <= ?", now_s));
    SVC_TRY(before,
            first_value<std::string>(
                database, "SELECT turns FROM prompt_cache WHERE team_id = ? AND cache_key = ?",
                team, key));
    SVC_CHECK(
        database.change("INSERT OR REPLACE INTO prompt_cache (team_id, cache_key, turns,"
                        " expires_at) VALUES (?,?,?,?)",
                        team, key, turns, now_s + k_cache_life_s));
    return before;
  });
}

}  // namespace

Result<std::int64_t> count_cached_tokens(const Request& request, const Json& body,
                                         const ModelRequest& model_request) {
  std::string key = get_string(body, "prompt_cache_key");
  if (key.empty()) key = request.header("x-svc-conv-id").value_or("");
  if (key.empty()) return std::int64_t{0};
  const std::vector<std::string> now = turn_words(model_request);
  SVC_TRY(stored, swap_turns(*request.state, request.key.team_id, key,
                             fmt::format("{}", fmt::join(now, " "))));
  const std::vector<sv> before = split(stored, ' ');
  std::size_t same = 0;
  while (same < now.size() && same < before.size() && now[same] == before[same]) ++same;
  if (same == 0) return std::int64_t{0};
  ModelRequest beginning = model_request;
  beginning.turns.resize(same);
  beginning.extra_prompt_tokens = 0;
  // At least one token is always new: the answer is never cached.
  return std::max<std::int64_t>(
      0, std::min(count_prompt(beginning).text, count_prompt(model_request).text - 1));
}

}  // namespace svc::emulator::text

#include "session/model_lists.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/money.h"
#include "base/text.h"
#include "base/url.h"
#include "catalogue/catalogue.h"
#include "client/quote.h"
#include "json/slices.h"
#include "json/text.h"
#include "session/session.h"

namespace svc::cli {
namespace {

constexpr std::int64_t k_day_s = 86'400;
constexpr std::uint64_t k_max_list = 8U << 20U;

struct ListRow {
  ModelList list;
  Host host;
  sv path;
  sv name;  ///< of the file
};
constexpr std::array<ListRow, k_model_lists> k_lists = {{
    {ModelList::Language, Host::Inference, "/v1/language-models", "language"},
    {ModelList::Image, Host::Inference, "/v1/image-generation-models", "image"},
    {ModelList::Video, Host::Inference, "/v1/video-generation-models", "video"},
    {ModelList::Team, Host::Management, "/auth/teams/{team}/models", "team"},
}};

/// What a list is fetched for.
sv purpose_of(ModelList list) {
  return list == ModelList::Team ? "rate limits" : "prices";
}

const ListRow& row_of(ModelList list) {
  return k_lists[static_cast<std::size_t>(list)];
}

}  // namespace

ModelList model_list_of(const Operation& operation) {
  const sv name = price_list_of(operation);
  return name == "image"   ? ModelList::Image
         : name == "video" ? ModelList::Video
                           : ModelList::Language;
}

/// The kept list of this service; "" if there is no directory for it.
std::string ModelLists::path_of(ModelList list) const {
  const auto& environment = m_session.environment();
  const auto cache = environment("XDG_CACHE_HOME");
  const auto home = environment("HOME");
  if (!cache && !home) return {};
  const auto directory = std::filesystem::path(cache ? *cache : *home + "/.cache") / "svc";
  const ListRow& row = row_of(list);
  std::string whose = "emulator";
  if (!m_session.settings().wants_emulator()) {
    const auto base = m_session.base_url(row.host);
    if (!base) return {};
    const Setting& team = m_session.settings().team_id;
    whose = sha256(*base + (list == ModelList::Team ? team.value : std::string())).substr(0, 16);
  }
  return (directory / fmt::format("models-{}-{}.json", row.name, whose)).string();
}

void ModelLists::store(ModelList list, std::string_view document) {
  std::vector<ModelFacts>& models = at(list).models;
  models = read_model_facts(document);
  for (const PriceRow& row : price_rows()) {
    const auto own = own_price(row.price);
    if (!own) continue;
    for (ModelFacts& model : models) {
      auto& price = model.prices[static_cast<std::size_t>(row.price)];
      if (!price) price = own;
    }
  }
}

/// Whether there is a list of the last day.
bool ModelLists::read_kept(ModelList list, const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return false;
  const std::int64_t age = unix_now() - status.st_mtime;
  if (age < 0 || age >= k_day_s) return false;
  const auto text = read_file(path, k_max_list);
  if (!text || check_json(*text)) return false;  // a damaged one is fetched anew
  store(list, *text);
  m_session.notices().detail(fmt::format("{}: the service's list of {} models, fetched {} ago",
                                         purpose_of(list), row_of(list).name,
                                         format_duration(std::chrono::seconds(age))));
  return true;
}

/// The list; "{}" if the service refuses it, nothing if it cannot be asked. Rate limits are "{}"
/// then too: bulk work goes on without them, and an unreachable host delays it once a day.
std::optional<std::string> ModelLists::fetch(ModelList list) {
  const ListRow& row = row_of(list);
  const auto failed = [&](const Error& error) -> std::optional<std::string> {
    m_session.notices().detail(fmt::format("{} are unknown: {}", purpose_of(list), error.message));
    // Another key, or another moment, may be answered differently.
    const int status = error.http_status;
    if (status == 401 || status == 408 || status == 429 || status >= 500) return std::nullopt;
    const bool keeps = list == ModelList::Team && !is_cancellation(error.fault);
    return error.http_status != 0 || keeps ? std::optional<std::string>("{}") : std::nullopt;
  };
  auto client = m_session.client(row.host, 0, m_cancel);
  auto base = client ? m_session.base_url(row.host) : Result<std::string>(client.error());
  if (!base) {
    (void)failed(base.error());
    return std::nullopt;
  }
  // The team may have to be asked for, which is of no use without a key for the list.
  const auto team = list == ModelList::Team ? find_team(m_session) : base;
  if (!team) return failed(team.error());
  request::Request request;
  request.operation =
      list == ModelList::Team ? find_operation("models", "list") : &k_language_models;
  request.method = "GET";
  request.url = *base + replace_all(std::string(row.path), "{team}", percent_encode(*team));
  auto reply = (*client)->call(request);
  return reply ? std::optional(std::move(reply->body)) : failed(reply.error());
}

const ModelFacts* ModelLists::find_kept(ModelList list, std::string_view model) {
  Loaded& loaded = at(list);
  if (!std::exchange(loaded.tried_kept, true)) (void)read_kept(list, path_of(list));
  return find_facts(loaded.models, model);
}

void ModelLists::load(ModelList list) {
  (void)find_kept(list, {});
  if (!at(list).models.empty() || std::exchange(at(list).tried_service, true)) return;
  const std::string path = path_of(list);
  // One of several processes fetches it; the others then find it.
  std::optional<FileLock> lock;
  if (!path.empty() && make_private_directory(std::filesystem::path(path).parent_path())) {
    auto taken = FileLock::acquire(path + ".lock", std::chrono::seconds(30),
                                   m_cancel != nullptr ? *m_cancel : m_session.cancel_token());
    if (taken) lock.emplace(std::move(*taken));
    if (read_kept(list, path)) return;
  }
  const auto document = fetch(list);
  if (!document) return;
  store(list, *document);
  // Without it, the next run asks again.
  if (lock) (void)write_file(path, *document, Replace::Yes, 0600);
}

const ModelFacts* ModelLists::find(ModelList list, std::string_view model) {
  load(list);
  return find_kept(list, model);
}

const ModelFacts* ModelLists::find_for(std::int64_t tokens, std::string_view model) {
  constexpr std::int64_t k_worth_asking = 16'000;
  return tokens < k_worth_asking ? find_kept(ModelList::Language, model)
                                 : find(ModelList::Language, model);
}

void ModelLists::note_long_context(const Operation& operation, const Payload& body) {
  // Texts below this are not long for any model; media are counted by the service only.
  constexpr std::size_t k_least = 2'000;
  constexpr std::size_t k_most = 32U << 20U;
  const auto* text = std::get_if<std::string>(&body);
  if (text == nullptr || text->size() < k_least || text->size() > k_most) return;
  if (price_list_of(operation) != "language") return;
  const std::string model = json_string(json_member(*text, "model"));
  // A token has about four bytes.
  const ModelFacts* facts = find_for(std::ssize(*text) / 4, model);
  if (facts == nullptr || facts->long_from == 0 || std::ssize(*text) < facts->long_from) return;
  const std::int64_t tokens = m_session.quote(operation, body).input.about;
  const auto usual = facts->price(Price::Input);
  const auto dearer = facts->price(Price::LongInput);
  if (!facts->is_long(tokens) || (usual && dearer && *dearer <= *usual)) return;
  if (!m_noted.insert(model).second) return;
  const auto per_million = [](std::int64_t ticks) {
    constexpr std::int64_t k_million = 1'000'000;
    return format_cost(std::min(ticks, INT64_MAX / k_million) * k_million);
  };
  m_session.notices().note(fmt::format(
      "the input has about {} tokens: above {}, {} charges more for all tokens of a request{}",
      tokens, facts->long_from, model,
      usual && dearer ? fmt::format(" (input {} instead of {} per million tokens)",
                                    per_million(*dearer), per_million(*usual))
                      : ""));
}

std::optional<std::int64_t> ModelLists::own_price(Price price) {
  for (const PriceRow& row : price_rows()) {
    if (row.price != price) continue;
    const ConfigValue* given = m_session.config().value(
        m_session.settings().profile.value, fmt::format("{}{}", k_price_settings, row.setting));
    if (given == nullptr) return std::nullopt;
    const auto ticks = read_price(row, given->text);
    return ticks ? std::optional(*ticks) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace svc::cli

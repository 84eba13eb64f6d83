#include "session/model_lists.h"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/url.h"
#include "catalogue/catalogue.h"
#include "client/quote.h"
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

void ModelLists::take(ModelList list, std::string_view document) {
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
  if (!text) return false;
  take(list, *text);
  m_session.notices().detail(fmt::format("prices: the service's list of {} models, fetched {} ago",
                                         row_of(list).name,
                                         format_duration(std::chrono::seconds(age))));
  return true;
}

/// The list; "{}" if the service refuses it, nothing if it cannot be asked.
std::optional<std::string> ModelLists::fetch(ModelList list) {
  const ListRow& row = row_of(list);
  Result<std::string> team = std::string();
  if (list == ModelList::Team) team = find_team(m_session);
  auto client =
      team ? m_session.client(row.host) : Result<std::unique_ptr<ApiClient>>(team.error());
  auto base = client ? m_session.base_url(row.host) : Result<std::string>(client.error());
  if (!base) {
    m_session.notices().detail(fmt::format("prices are unknown: {}", base.error().message));
    return std::nullopt;
  }
  request::Request request;
  request.operation =
      list == ModelList::Team ? find_operation("models", "list") : &k_language_models;
  request.method = "GET";
  request.url = *base + replace_all(std::string(row.path), "{team}", percent_encode(*team));
  auto reply = (*client)->call(request);
  if (reply) return std::move(reply->body);
  m_session.notices().detail(fmt::format("prices are unknown: {}", reply.error().message));
  if (reply.error().http_status == 0) return std::nullopt;
  return "{}";
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
    auto taken = FileLock::take(path + ".lock", std::chrono::seconds(30), m_session.cancel_token());
    if (taken) lock.emplace(std::move(*taken));
    if (read_kept(list, path)) return;
  }
  const auto document = fetch(list);
  if (!document) return;
  take(list, *document);
  // Without it, the next run asks again.
  if (lock) (void)write_file(path, *document, Replace::Yes, 0600);
}

const ModelFacts* ModelLists::find(ModelList list, std::string_view model) {
  load(list);
  return find_kept(list, model);
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

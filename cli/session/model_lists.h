// The service's lists of models, fetched when a price or a limit is needed and kept for a day.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "catalogue/model.h"
#include "client/model_facts.h"

namespace svc::cli {

class Session;

/// The lists; Team is that of the management service, which alone has rate limits.
enum class ModelList : std::uint8_t { Language, Image, Video, Team };
inline constexpr std::size_t k_model_lists = 4;

/// The list with the prices of an operation's models.
[[nodiscard]] ModelList model_list_of(const Operation& operation);

class ModelLists {
 public:
  /// `session` must outlive it.
  explicit ModelLists(Session& session) : m_session(session) {}

  /// What the service publishes about a model; null if it is not in the list or there is none. The
  /// list is fetched if this machine has none of today; a failure is only reported with -v. The
  /// profile's prices are filled in where the service has none. Not to be called by a callback of a
  /// request in flight.
  [[nodiscard]] const ModelFacts* find(ModelList list, std::string_view model);

  /// Requests for lists end with this token, too; null: only with the session's.
  void cancel_with(const CancelToken* cancel) noexcept { m_cancel = cancel; }

  /// Before a request is sent: notes once for each model that the price of long contexts applies,
  /// by the tokens counted on this machine.
  void note_long_context(const Operation& operation, const Payload& body);

  /// find() without a request: only what is on this machine.
  [[nodiscard]] const ModelFacts* find_kept(ModelList list, std::string_view model);

  /// A price that the profile has and no list: of speech, of voice.
  [[nodiscard]] std::optional<std::int64_t> own_price(Price price);

  /// Fetches a list if necessary, so that find_kept() finds its models.
  void load(ModelList list);

 private:
  struct Loaded {
    bool tried_kept = false;
    bool tried_service = false;
    std::vector<ModelFacts> models{};
  };

  [[nodiscard]] Loaded& at(ModelList list) { return m_lists[static_cast<std::size_t>(list)]; }
  [[nodiscard]] std::string path_of(ModelList list) const;
  [[nodiscard]] bool read_kept(ModelList list, const std::string& path);
  [[nodiscard]] std::optional<std::string> fetch(ModelList list);
  void store(ModelList list, std::string_view document);
  /// What is published about the model of a text operation, for a request of that many tokens. A
  /// short one does not reach any limit of a model, so the list is not fetched for it.
  [[nodiscard]] const ModelFacts* find_for(std::int64_t tokens, std::string_view model);

  Session& m_session;
  std::array<Loaded, k_model_lists> m_lists{};
  const CancelToken* m_cancel = nullptr;
  std::set<std::string> m_noted{};  ///< models whose price of long contexts was noted
};

}  // namespace svc::cli

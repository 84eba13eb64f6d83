// Saves the images and videos of a bulk run's results, whose URLs expire.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "batch/journal.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

class ResultMedia {
 public:
  /// `directory`: where to save; "": nowhere.
  ResultMedia(Session& session, std::string directory);

  /// Creates the directory. Local if that fails.
  [[nodiscard]] Result<void> open();

  /// Saves the media of a result that was not saved before, and sets `finished.saved` to the paths.
  /// What cannot be saved is reported; the run continues. Errors are those of the journal.
  [[nodiscard]] Result<void> save(batch::Journal& journal, batch::Finished& finished);

  /// The first failure to save something.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return m_failure; }

 private:
  struct Item;
  [[nodiscard]] Result<void> fetch(const Item& item, const std::string& path, Replace replace);
  [[nodiscard]] std::string path_of(const std::string& id, const Item& item, std::size_t number,
                                    std::size_t count) const;

  Session& m_session;
  std::string m_directory;  ///< with a trailing slash; "": nowhere
  std::unique_ptr<ApiClient> m_client{};
  std::optional<Error> m_failure{};
};

}  // namespace svc::cli

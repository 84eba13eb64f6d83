// Saves the images and videos of a batch's results, whose URLs expire.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "batch/journal.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

class ResultMedia {
 public:
  /// Saves in the directory that --output-dir names; without it, nowhere.
  explicit ResultMedia(Session& session);

  /// Creates the directory. Local if that fails.
  [[nodiscard]] Result<void> open();

  /// Saves the media of a result that was not saved before, and sets `finished.saved` to the paths.
  /// What cannot be saved is reported; the run continues. Errors are those of the journal.
  [[nodiscard]] Result<void> save(batch::Journal& journal, batch::Finished& finished);

  /// The same without a journal: returns the paths, separated by spaces; "" if there are none.
  [[nodiscard]] std::string save(const std::string& id, std::string_view result);

  /// The first failure to save something.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return m_failure; }

 private:
  struct Item;
  struct Saved {
    std::string paths{};
    std::size_t begun = 0;
    bool complete = true;
  };
  [[nodiscard]] static std::vector<Item> items_of(std::string_view result);
  [[nodiscard]] Saved write(const std::string& id, const std::vector<Item>& items, Replace replace,
                            bool goes_on);
  [[nodiscard]] Result<void> fetch(const Item& item, const std::string& path, Replace replace);
  [[nodiscard]] std::string path_of(const std::string& id, const Item& item, std::size_t number,
                                    std::size_t count) const;

  Session& m_session;
  std::string m_directory;  ///< with a trailing slash; "": nowhere
  std::unique_ptr<ApiClient> m_client{};
  std::optional<Error> m_failure{};
};

}  // namespace svc::cli

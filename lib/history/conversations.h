// Conversations saved on this machine, in one file shared by any number of processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"

namespace svc::history {

/// A conversation, as known to the process that continues it.
struct Conversation {
  std::int64_t id = 0;      ///< 0: not saved yet; the first append() assigns an ID never used
                            ///< before
  std::string name{};       ///< of --session; may be empty
  std::string operation{};  ///< "chat" or "responses"
  std::string profile{};
  std::string model{};
  std::string directory{};    ///< where it was started
  std::string terminal{};     ///< where the last turn was made (tty_id.h); may be empty
  std::int64_t created = 0;   ///< Unix seconds
  std::int64_t updated = 0;   ///< of the last turn
  std::string response_id{};  ///< of the last turn, if the service stores the conversation
  std::string system{};       ///< the system prompt, part of every turn
  std::string title{};        ///< the start of the first prompt
  std::int64_t turns = 0;     ///< the number of turns; append() expects to find as many
  std::int64_t cost_ticks = 0;
};

/// The content of a turn.
struct Turn {
  std::vector<std::string> messages{};  ///< JSON of the API's messages or items, in order
  std::string model{};                  ///< the requested model; empty: the conversation's
  std::string response_id{};
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<std::int64_t> cost_ticks{};
};

struct SavedMessage {
  std::int64_t turn = 1;  ///< from 1
  std::int64_t time = 0;  ///< of the turn, Unix seconds
  std::string model{};    ///< of the turn
  std::string response_id{};
  std::string json{};
};

/// A message that contains all the words of the query.
struct Hit {
  Conversation in{};
  std::int64_t turn = 1;
  std::int64_t time = 0;
  std::string role{};
  std::string snippet{};  ///< each matching word is enclosed in k_found and k_end
};
inline constexpr char k_found = '\x01';
inline constexpr char k_end = '\x02';

/// Whether a turn was saved in the conversation itself.
enum class SaveOutcome : std::uint8_t {
  InPlace,
  Branch,  ///< another process has continued the conversation: this is a new one with the same
           ///< start
};

/// The current time in Unix seconds; replaceable for tests.
using Clock = std::function<std::int64_t()>;

class Conversations {
 public:
  /// Opens or creates the file (0600, its directory 0700); ":memory:" for an in-memory one. Local
  /// if that fails, or if a newer version created the file.
  [[nodiscard]] static Result<Conversations> open(const std::string& path, Clock clock = {});

  /// Adds a turn and all its consequences in one transaction, and updates `conversation`. Creates
  /// the conversation if it is new or was deleted in the meantime. If another process has added a
  /// turn, a new conversation with the same start gets the turn instead.
  [[nodiscard]] Result<SaveOutcome> append(Conversation& conversation, const Turn& turn);

  /// Removes the last turn. Creates a branch, as append() does, if another process has continued
  /// the conversation.
  [[nodiscard]] Result<SaveOutcome> remove_last_turn(Conversation& conversation);

  /// The messages of its turns in order, up to the number of turns in `conversation`.
  [[nodiscard]] Result<std::vector<SavedMessage>> messages(const Conversation& conversation);

  [[nodiscard]] Result<std::optional<Conversation>> find(std::int64_t id);
  [[nodiscard]] Result<std::optional<Conversation>> by_name(std::string_view name);

  /// The latest conversation of this operation and profile whose last turn was made on this
  /// terminal, or which was started in this directory.
  [[nodiscard]] Result<std::optional<Conversation>> latest_on_terminal(std::string_view terminal,
                                                                       std::string_view operation,
                                                                       std::string_view profile);
  [[nodiscard]] Result<std::optional<Conversation>> latest_in_directory(std::string_view directory,
                                                                        std::string_view operation,
                                                                        std::string_view profile);

  /// Renames the conversation; an empty name removes it. Usage if another conversation has the
  /// name.
  [[nodiscard]] Result<void> rename(const Conversation& conversation, const std::string& name);

  /// The total tokens and cost of all its turns.
  [[nodiscard]] Result<Turn> sum(const Conversation& conversation);

  /// The latest `limit` conversations (0: all), newest first.
  [[nodiscard]] Result<std::vector<Conversation>> list(std::int64_t limit = 0);

  /// Messages with all words of `text`, best match first. If there are none, or the text is not
  /// ASCII (not every script puts spaces between words), messages that contain the words as parts
  /// of others follow, newest first.
  [[nodiscard]] Result<std::vector<Hit>> search(std::string_view text, std::int64_t limit);

  /// The IDs of the conversations with a message that has a word beginning with `part` or, if it is
  /// not ASCII, contains it anywhere.
  [[nodiscard]] Result<std::vector<std::int64_t>> containing(std::string_view part);

  /// Conversations whose last turn is older than `before`, in Unix seconds.
  [[nodiscard]] Result<std::vector<Conversation>> older_than(std::int64_t before);

  /// Deletes conversations permanently, overwriting their content. Returns how many existed.
  [[nodiscard]] Result<std::int64_t> remove(const std::vector<std::int64_t>& ids);

 private:
  Conversations(Database database, Clock clock)
      : m_database(std::move(database)), m_clock(std::move(clock)) {}

  [[nodiscard]] Result<SaveOutcome> prepare_row(Conversation& conversation);
  [[nodiscard]] Result<void> begin(Conversation& conversation);
  [[nodiscard]] Result<void> copy_turns(std::int64_t from, Conversation& to);
  [[nodiscard]] Result<std::string> unused_name(const std::string& name);
  [[nodiscard]] Result<void> add_turn(const Conversation& conversation, const Turn& turn);
  [[nodiscard]] Result<void> refresh_summary(Conversation& conversation);

  Database m_database;
  Clock m_clock;
};

/// The path of the file; empty if there is no directory for it.
[[nodiscard]] std::string conversations_path();

}  // namespace svc::history

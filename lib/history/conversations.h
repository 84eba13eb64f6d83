// Conversations that are kept on this machine: one file, used by any number of processes at once.
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

/// A conversation, as the one who continues with it knows it.
struct Conversation {
  std::int64_t id = 0;      ///< 0: not begun; the first append() gives it one, never used before
  std::string name{};       ///< of --session; empty: it has none
  std::string operation{};  ///< "chat" or "responses"
  std::string profile{};
  std::string model{};
  std::string folder{};       ///< where it began
  std::string terminal{};     ///< where the last turn was taken (tty_id.h); may be empty
  std::int64_t created = 0;   ///< Unix seconds
  std::int64_t updated = 0;   ///< of the last turn
  std::string response_id{};  ///< of the last turn, where the service keeps the conversation
  std::string system{};       ///< the system prompt, which every turn has
  std::string title{};        ///< the beginning of what was said first
  std::int64_t turns = 0;     ///< how many there are; append() expects to find as many
  std::int64_t cost_ticks = 0;
};

/// What one turn adds.
struct Turn {
  std::vector<std::string> messages{};  ///< JSON texts of the wire's messages or items, in order
  std::string model{};                  ///< that was asked; empty: the conversation's
  std::string response_id{};
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<std::int64_t> cost_ticks{};
};

struct Message {
  std::int64_t turn = 1;  ///< counted from 1
  std::int64_t time = 0;  ///< of the turn, Unix seconds
  std::string model{};    ///< of the turn
  std::string response_id{};
  std::string json{};
};

/// A message in which all the words that were looked for stand.
struct Hit {
  Conversation in{};
  std::int64_t turn = 1;
  std::int64_t time = 0;
  std::string role{};
  std::string snippet{};  ///< each word that was found stands between k_found and k_end
};
inline constexpr char k_found = '\x01';
inline constexpr char k_end = '\x02';

/// Whether what was kept went where it belongs.
enum class SaveOutcome : std::uint8_t {
  There,
  Branch,  ///< another process went on with the conversation: this is a new one from there on
};

/// Unix seconds, now; for tests.
using Clock = std::function<std::int64_t()>;

class Conversations {
 public:
  /// Opens or creates the file (0600, its folder 0700); ":memory:" for one in memory. Local when
  /// that cannot be done, or when a newer version made it.
  [[nodiscard]] static Result<Conversations> open(const std::string& path, Clock clock = {});

  /// Adds a turn, in one transaction with everything that follows from it, and brings
  /// `conversation` up to date. One that is not begun, or was deleted meanwhile, begins with it. If
  /// another process has added a turn since, a new conversation with the same beginning gets it.
  [[nodiscard]] Result<SaveOutcome> append(Conversation& conversation, const Turn& turn);

  /// Takes the last turn back. A branch, as above, when another process went on.
  [[nodiscard]] Result<SaveOutcome> take_back(Conversation& conversation);

  /// The messages of its turns, in order, as many as the conversation knows of.
  [[nodiscard]] Result<std::vector<Message>> messages(const Conversation& conversation);

  [[nodiscard]] Result<std::optional<Conversation>> find(std::int64_t id);
  [[nodiscard]] Result<std::optional<Conversation>> by_name(std::string_view name);

  /// The last one of this operation and profile whose last turn was taken on that terminal, or
  /// which began in that folder.
  [[nodiscard]] Result<std::optional<Conversation>> last_of_terminal(std::string_view terminal,
                                                                     std::string_view operation,
                                                                     std::string_view profile);
  [[nodiscard]] Result<std::optional<Conversation>> last_of_folder(std::string_view folder,
                                                                   std::string_view operation,
                                                                   std::string_view profile);

  /// Gives it another name; an empty one takes it away. Usage when another conversation has it.
  [[nodiscard]] Result<void> rename(const Conversation& conversation, const std::string& name);

  /// What all its turns took: tokens and cost.
  [[nodiscard]] Result<Turn> sum(const Conversation& conversation);

  /// The last `limit` (0: all of them), newest first.
  [[nodiscard]] Result<std::vector<Conversation>> list(std::int64_t limit = 0);

  /// Messages with all words of `text`, the best first.
  [[nodiscard]] Result<std::vector<Hit>> search(std::string_view text, std::int64_t limit);

  /// Those whose last turn is older than `before`, in Unix seconds.
  [[nodiscard]] Result<std::vector<Conversation>> older_than(std::int64_t before);

  /// Deletes them for good: what they held is overwritten. How many there were.
  [[nodiscard]] Result<std::int64_t> remove(const std::vector<std::int64_t>& ids);

 private:
  Conversations(Database database, Clock clock)
      : m_database(std::move(database)), m_clock(std::move(clock)) {}

  [[nodiscard]] Result<std::vector<Conversation>> read(Statement statement);
  [[nodiscard]] Result<std::optional<Conversation>> first(Statement statement);
  [[nodiscard]] Result<SaveOutcome> find_place(Conversation& conversation);
  [[nodiscard]] Result<void> begin(Conversation& conversation);
  [[nodiscard]] Result<void> copy_turns(std::int64_t from, Conversation& to);
  [[nodiscard]] Result<std::string> free_name(const std::string& name);
  [[nodiscard]] Result<void> add_turn(const Conversation& conversation, const Turn& turn);
  [[nodiscard]] Result<void> renew(Conversation& conversation);

  Database m_database;
  Clock m_clock;
};

/// The file on this machine; empty where there is no place for it.
[[nodiscard]] std::string conversations_path();

}  // namespace svc::history

#include "history/conversations.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "database/rows.h"
#include "history/message_text.h"

namespace svc::history {
namespace {

// The text of each message is indexed in place; AUTOINCREMENT never reuses an ID.
constexpr const char* k_conversation_schema = R"sql(
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, operation TEXT NOT NULL,
  profile TEXT NOT NULL, model TEXT NOT NULL, folder TEXT NOT NULL, terminal TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, response_id TEXT NOT NULL,
  title TEXT NOT NULL, turns INTEGER NOT NULL, cost INTEGER NOT NULL, system TEXT NOT NULL) STRICT;
CREATE INDEX conversations_updated ON conversations (updated);
CREATE TABLE turns (
  conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
  number INTEGER NOT NULL, time INTEGER NOT NULL, model TEXT NOT NULL, response_id TEXT NOT NULL,
  input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost INTEGER,
  PRIMARY KEY (conversation, number)) STRICT, WITHOUT ROWID;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, turn INTEGER NOT NULL,
  role TEXT NOT NULL, text TEXT NOT NULL, json TEXT NOT NULL,
  FOREIGN KEY (conversation, turn) REFERENCES turns ON DELETE CASCADE) STRICT;
CREATE INDEX messages_of ON messages (conversation, turn);
CREATE VIRTUAL TABLE words USING fts5(
  text, content='messages', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO words(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
END;
)sql";

constexpr std::int64_t k_application_id =
    0x73766363;                        // "svcc", to distinguish it from other databases
constexpr std::int64_t k_version = 1;  // of the schema
constexpr const char* k_subject = "the saved conversations";
constexpr std::uintmax_t k_max_log = 64UL * 4096;

constexpr const char* k_conversation_columns =
    "c.id, coalesce(c.name, ''), c.operation, c.profile, c.model, c.folder, c.terminal, c.created, "
    "c.updated, c.response_id, c.title, c.turns, c.cost, c.system";
constexpr int k_column_count = 14;
constexpr std::size_t k_title_bytes = 80;

Conversation conversation_in(const Statement& row) {
  return Conversation{.id = row.integer(0),
                      .name = row.text(1),
                      .operation = row.text(2),
                      .profile = row.text(3),
                      .model = row.text(4),
                      .directory = row.text(5),
                      .terminal = row.text(6),
                      .created = row.integer(7),
                      .updated = row.integer(8),
                      .response_id = row.text(9),
                      .system = row.text(13),
                      .title = row.text(10),
                      .turns = row.integer(11),
                      .cost_ticks = row.integer(12)};
}

std::string select_conversations(std::string_view rest) {
  return fmt::format("SELECT {} FROM conversations c {}", k_conversation_columns, rest);
}

/// The first line of the first user message.
std::string title_of(const Turn& turn) {
  for (const std::string& message : turn.messages) {
    const MessageText message_text = read_message_text(message);
    if (message_text.role != "user") continue;
    const sv text = trim(message_text.text);
    return excerpt(text.substr(0, text.find('\n')), k_title_bytes);
  }
  return {};
}

std::vector<std::string> words_of(sv text) {
  const std::string line = replace_all(std::string(text), "\n", " ");
  std::vector<std::string> words;
  for (const sv word : split(line, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

/// Quotes each word for FTS5, so that none is parsed as an operator.
std::string quoted_words(sv text) {
  std::string query;
  for (const std::string& word : words_of(text)) {
    query += fmt::format("{}\"{}\"", query.empty() ? "" : " ", replace_all(word, "\"", "\"\""));
  }
  return query;
}

/// As a JSON array.
std::string json_words(sv text) {
  return nlohmann::json(words_of(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_ascii(sv text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Error foreign_database(const std::string& path, std::string_view why) {
  return Error{Fault::Local,
               fmt::format("{} does not contain {}: {}", quote_path(path), k_subject, why),
               "Move the file away; svc creates a new one when needed."};
}

Error newer(const std::string& path, std::int64_t version) {
  return Error{
      Fault::Local,
      fmt::format(
          "{} in {} were written by a newer svc (format {}; this version supports format {})",
          k_subject, quote_path(path), version, k_version),
      "Use that version, or set XDG_STATE_HOME to another directory."};
}

/// Creates the tables of a new file. Safe if several processes do so at once.
Result<void> prepare(Database& database, const std::string& path) {
  // The first read shows whether the file is a database at all.
  const auto version = database.number("PRAGMA user_version");
  if (!version) return foreign_database(path, "it cannot be read as a database");
  if (*version > k_version) return newer(path, *version);
  SVC_TRY(tables, database.number("SELECT count(*) FROM sqlite_schema"));
  // Read after that, as another process may be creating the tables.
  SVC_TRY(application, database.number("PRAGMA application_id"));
  if (application == k_application_id) return {};
  if (tables != 0) return foreign_database(path, "another program created it");
  SVC_CHECK(database.enable_wal());
  SVC_TRY(transaction, Transaction::begin(database));
  SVC_TRY(made, database.number("PRAGMA application_id"));
  if (made == k_application_id) return {};
  SVC_CHECK(database.run(k_conversation_schema));
  SVC_CHECK(database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                     k_application_id, k_version)
                             .c_str()));
  return transaction.commit();
}

/// Opens or creates the file (0600, its directory 0700), with a write-ahead log.
Result<Database> open_store(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) SVC_CHECK(make_private_directory(directory));  // ":memory:" has none
  SVC_TRY(database, Database::open(path, k_subject));
  // A process that exits need not wait for the disk.
  database.disable_checkpoint_on_close();
  SVC_CHECK(prepare(database, path));
  std::error_code none;
  const auto log = std::filesystem::file_size(path + "-wal", none);
  // Checkpoints as much as possible without waiting for other processes.
  if (!none && log > k_max_log) SVC_CHECK(database.run("PRAGMA wal_checkpoint(PASSIVE)"));
  return std::move(database);
}

}  // namespace

Result<Conversations> Conversations::open(const std::string& path, Clock clock) {
  SVC_TRY(database, open_store(path));
  SVC_CHECK(database.run("PRAGMA foreign_keys = ON"));
  return Conversations(std::move(database), clock ? std::move(clock) : Clock(unix_now));
}

Result<std::optional<Conversation>> Conversations::find(std::int64_t id) {
  return first_row(m_database, conversation_in, select_conversations("WHERE id = ?"), id);
}

Result<std::optional<Conversation>> Conversations::by_name(std::string_view name) {
  return first_row(m_database, conversation_in, select_conversations("WHERE name = ?"), name);
}

Result<void> Conversations::rename(const Conversation& conversation, const std::string& name) {
  if (!name.empty()) {
    SVC_TRY(other, by_name(name));
    if (other && other->id != conversation.id) {
      return usage_error(fmt::format("conversation {} is already named '{}'", other->id,
                                     visible(name, Lines::Escape)),
                         "Choose another name.");
    }
  }
  const std::optional<std::string> value = name.empty() ? std::nullopt : std::optional(name);
  SVC_CHECK(
      m_database.change("UPDATE conversations SET name = ? WHERE id = ?", value, conversation.id));
  return {};
}

Result<Turn> Conversations::sum(const Conversation& conversation) {
  const auto read = [](const Statement& row) {
    Turn all;
    read_row(row, all.input_tokens, all.output_tokens, all.cost_ticks);
    return all;
  };
  SVC_TRY(all, first_row(m_database, read,
                         "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), "
                         "sum(cost) FROM turns WHERE conversation = ?",
                         conversation.id));
  return all.value_or(Turn{});
}

Result<std::optional<Conversation>> Conversations::latest_on_terminal(std::string_view terminal,
                                                                      std::string_view operation,
                                                                      std::string_view profile) {
  if (terminal.empty()) return std::optional<Conversation>();
  return first_row(m_database, conversation_in,
                   select_conversations("WHERE terminal = ? AND operation = ? AND profile = ? "
                                        "ORDER BY updated DESC, id DESC LIMIT 1"),
                   terminal, operation, profile);
}

Result<std::optional<Conversation>> Conversations::latest_in_directory(std::string_view directory,
                                                                       std::string_view operation,
                                                                       std::string_view profile) {
  return first_row(m_database, conversation_in,
                   select_conversations("WHERE folder = ? AND operation = ? AND profile = ? "
                                        "ORDER BY updated DESC, id DESC LIMIT 1"),
                   directory, operation, profile);
}

Result<std::vector<Conversation>> Conversations::list(std::int64_t limit) {
  return all_rows(m_database, conversation_in,
                  select_conversations("ORDER BY updated DESC, id DESC LIMIT ?"),
                  limit > 0 ? limit : std::int64_t{-1});
}

Result<std::vector<Conversation>> Conversations::older_than(std::int64_t before) {
  return all_rows(m_database, conversation_in,
                  select_conversations("WHERE updated < ? ORDER BY updated"), before);
}

Result<std::vector<SavedMessage>> Conversations::messages(const Conversation& conversation) {
  const auto read = [](const Statement& row) {
    return SavedMessage{row.integer(0), row.integer(1), row.text(2), row.text(3), row.text(4)};
  };
  return all_rows(m_database, read,
                  "SELECT m.turn, t.time, t.model, t.response_id, m.json FROM messages m JOIN "
                  "turns t ON t.conversation = m.conversation AND t.number = m.turn "
                  "WHERE m.conversation = ? AND m.turn <= ? ORDER BY m.id",
                  conversation.id, conversation.turns);
}

Result<std::vector<Hit>> Conversations::search(std::string_view text, std::int64_t limit) {
  const std::string query = quoted_words(text);
  if (query.empty()) return std::vector<Hit>();
  const auto read = [](const Statement& row) {
    return Hit{conversation_in(row), row.integer(k_column_count), row.integer(k_column_count + 1),
               row.text(k_column_count + 2), row.text(k_column_count + 3)};
  };
  constexpr const char* k_joins =
      "JOIN conversations c ON c.id = m.conversation "
      "JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn ";
  const std::int64_t most = limit > 0 ? limit : std::numeric_limits<std::int64_t>::max();
  SVC_TRY(hits, all_rows(m_database, read,
                         fmt::format("SELECT {}, m.turn, t.time, m.role, "
                                     "snippet(words, 0, char(1), char(2), '…', 16) FROM words "
                                     "JOIN messages m ON m.id = words.rowid {}"
                                     "WHERE words MATCH ? ORDER BY rank, m.id DESC LIMIT ?",
                                     k_conversation_columns, k_joins),
                         query, most));
  const std::int64_t room = most - static_cast<std::int64_t>(hits.size());
  if (room <= 0 || (!hits.empty() && is_ascii(text))) return std::move(hits);
  // The first word, and what is around it.
  SVC_TRY(
      parts,
      all_rows(m_database, read,
               fmt::format("SELECT {}, m.turn, t.time, m.role, iif(m.begin > 1, '…', '') || "
                           "substr(m.text, m.begin, m.place - m.begin) || char(1) || "
                           "substr(m.text, m.place, length(?1)) || char(2) || "
                           "substr(m.text, m.place + length(?1), 60) || "
                           "iif(length(m.text) >= m.place + length(?1) + 60, '…', '') "
                           "FROM (SELECT *, max(place - 30, 1) AS begin FROM "
                           "(SELECT *, instr(lower(text), lower(?1)) AS place FROM messages)) m {}"
                           "WHERE m.place > 0 AND NOT EXISTS (SELECT 1 FROM json_each(?2) w "
                           "WHERE instr(lower(m.text), lower(w.value)) = 0) "
                           "AND m.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?3) "
                           "ORDER BY m.id DESC LIMIT ?4",
                           k_conversation_columns, k_joins),
               words_of(text).front(), json_words(text), query, room));
  hits.insert(hits.end(), std::make_move_iterator(parts.begin()),
              std::make_move_iterator(parts.end()));
  return std::move(hits);
}

Result<std::vector<std::int64_t>> Conversations::containing(std::string_view part) {
  const auto read = [](const Statement& row) { return row.integer(0); };
  const std::string words = quoted_words(part);
  if (words.empty()) return std::vector<std::int64_t>();
  return all_rows(
      m_database, read,
      "SELECT m.conversation FROM words "
      "JOIN messages m ON m.id = words.rowid WHERE words MATCH ?1 UNION "
      "SELECT conversation FROM messages WHERE ?2 AND instr(lower(text), lower(?3)) > 0",
      words + "*", !is_ascii(part), part);
}

// writing -----------------------------------------------------------------------------------------

Result<void> Conversations::begin(Conversation& conversation) {
  conversation.updated = m_clock();
  if (conversation.id != 0 || conversation.created == 0) {
    conversation.created = conversation.updated;
  }
  const std::optional<std::string> name =
      conversation.name.empty() ? std::nullopt : std::optional(conversation.name);
  SVC_CHECK(m_database.change(
      "INSERT INTO conversations(name, operation, profile, model, folder, terminal, created, "
      "updated, response_id, title, system, turns, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "0, 0)",
      name, conversation.operation, conversation.profile, conversation.model,
      conversation.directory, conversation.terminal, conversation.created, conversation.updated,
      conversation.response_id, conversation.title, conversation.system));
  conversation.id = m_database.last_row_id();
  return {};
}

Result<std::string> Conversations::unused_name(const std::string& name) {
  if (name.empty()) return name;
  std::string tried = name;
  for (int number = 2;; ++number) {
    SVC_TRY(taken, by_name(tried));
    if (!taken) return tried;
    tried = fmt::format("{}-{}", name, number);
  }
}

Result<void> Conversations::copy_turns(std::int64_t from, Conversation& to) {
  SVC_TRY(copied,
          m_database.change(
              "INSERT INTO turns(conversation, number, time, model, response_id, input_tokens, "
              "output_tokens, cost) SELECT ?, number, time, model, response_id, input_tokens, "
              "output_tokens, cost FROM turns WHERE conversation = ? AND number <= ?",
              to.id, from, to.turns));
  SVC_CHECK(m_database.change(
      "INSERT INTO messages(conversation, turn, role, text, json) SELECT ?, turn, role, text, json "
      "FROM messages WHERE conversation = ? AND turn <= ? ORDER BY id",
      to.id, from, to.turns));
  // Fewer than expected if the other process has removed a turn.
  to.turns = copied;
  return {};
}

Result<SaveOutcome> Conversations::prepare_row(Conversation& conversation) {
  std::optional<Conversation> existing;
  if (conversation.id != 0) {
    SVC_TRY(found, find(conversation.id));
    existing = std::move(found);
  }
  if (existing && existing->turns == conversation.turns) return SaveOutcome::InPlace;
  const bool branch = existing.has_value();
  const std::int64_t from = conversation.id;
  // If two processes created it at once under one name, it is not a branch.
  SVC_TRY(name, unused_name(conversation.name));
  const bool renamed = name != conversation.name;
  conversation.name = std::move(name);
  if (!branch) conversation.turns = 0;
  if (!branch && from != 0) conversation.title.clear();  // deleted, and must not reappear
  SVC_CHECK(begin(conversation));
  if (branch) SVC_CHECK(copy_turns(from, conversation));
  return branch || renamed ? SaveOutcome::Branch : SaveOutcome::InPlace;
}

Result<void> Conversations::add_turn(const Conversation& conversation, const Turn& turn) {
  SVC_CHECK(m_database.change(
      "INSERT INTO turns(conversation, number, time, model, response_id, input_tokens, "
      "output_tokens, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      conversation.id, conversation.turns, m_clock(), turn.model, turn.response_id,
      turn.input_tokens, turn.output_tokens, turn.cost_ticks));
  for (const std::string& message : turn.messages) {
    const MessageText message_text = read_message_text(message);
    SVC_CHECK(m_database.change(
        "INSERT INTO messages(conversation, turn, role, text, json) VALUES (?, ?, ?, ?, ?)",
        conversation.id, conversation.turns, message_text.role, message_text.text, message));
  }
  return {};
}

/// Updates the columns that summarise all turns.
Result<void> Conversations::refresh_summary(Conversation& conversation) {
  SVC_CHECK(m_database.change(
      "UPDATE conversations SET turns = ?1, terminal = ?2, title = ?3, model = ?4, updated = ?5, "
      "system = ?7, "
      "response_id = coalesce((SELECT response_id FROM turns WHERE conversation = ?6 AND number = "
      "?1), ''), cost = (SELECT coalesce(sum(cost), 0) FROM turns WHERE conversation = ?6) "
      "WHERE id = ?6",
      conversation.turns, conversation.terminal, conversation.title, conversation.model, m_clock(),
      conversation.id, conversation.system));
  SVC_TRY(row, find(conversation.id));
  if (row) conversation = *std::move(row);
  return {};
}

Result<SaveOutcome> Conversations::append(Conversation& conversation, const Turn& turn) {
  Conversation next = conversation;
  SVC_TRY(transaction, Transaction::begin(m_database));
  SVC_TRY(outcome, prepare_row(next));
  next.turns += 1;
  if (next.title.empty()) next.title = title_of(turn);
  if (!turn.model.empty()) next.model = turn.model;
  SVC_CHECK(add_turn(next, turn));
  SVC_CHECK(refresh_summary(next));
  SVC_CHECK(transaction.commit());
  conversation = std::move(next);
  return outcome;
}

Result<SaveOutcome> Conversations::remove_last_turn(Conversation& conversation) {
  if (conversation.turns == 0) return SaveOutcome::InPlace;
  Conversation next = conversation;
  SVC_TRY(transaction, Transaction::begin(m_database));
  SVC_TRY(outcome, prepare_row(next));
  if (next.turns > 0) {
    SVC_CHECK(m_database.change("DELETE FROM turns WHERE conversation = ? AND number = ?", next.id,
                                next.turns));
    next.turns -= 1;
  }
  SVC_CHECK(refresh_summary(next));
  SVC_CHECK(transaction.commit());
  conversation = std::move(next);
  return outcome;
}

Result<std::int64_t> Conversations::remove(const std::vector<std::int64_t>& ids) {
  std::int64_t removed = 0;
  SVC_CHECK(m_database.enable_secure_delete());
  {
    SVC_TRY(transaction, Transaction::begin(m_database));
    for (const std::int64_t id : ids) {
      SVC_TRY(count, m_database.change("DELETE FROM conversations WHERE id = ?", id));
      removed += count;
    }
    // The index retains deleted words until it is optimised.
    SVC_CHECK(m_database.run("INSERT INTO words(words) VALUES ('optimize')"));
    SVC_CHECK(transaction.commit());
  }
  SVC_CHECK(m_database.checkpoint());
  return removed;
}

std::string conversations_path() {
  const std::filesystem::path directory = state_directory();
  return directory.empty() ? std::string() : (directory / "history.db").string();
}

}  // namespace svc::history

#include "emulator/api/realtime/store.h"

namespace svc::emulator::realtime {

Result<void> save_conversation(State& state, std::string_view team_id, std::string_view id,
                               std::string_view items) {
  const std::int64_t now = state.now_ms();
  return state.change([&](Database& database) -> Result<void> {
    SVC_TRY(dropped,
            database.change("DELETE FROM conversations WHERE last_ms < ?", now - k_history_ms));
    (void)dropped;
    SVC_TRY(changed,
            database.change("INSERT INTO conversations (id, team_id, last_ms, items) VALUES"
                            " (?,?,?,?) ON CONFLICT (id) DO UPDATE SET last_ms = excluded.last_ms,"
                            " items = excluded.items",
                            id, team_id, now, items));
    (void)changed;
    return {};
  });
}

Result<std::optional<std::string>> load_conversation(State& state, std::string_view team_id,
                                                     std::string_view id) {
  return state.with([&](Database& database) -> Result<std::optional<std::string>> {
    SVC_TRY(row, database.query("SELECT items FROM conversations WHERE id = ? AND team_id = ? AND"
                                " last_ms >= ?",
                                id, team_id, state.now_ms() - k_history_ms));
    SVC_TRY(found, row.step());
    if (!found) return std::optional<std::string>{};
    return std::optional(row.text(0));
  });
}

}  // namespace svc::emulator::realtime

// The journal's half about sending and collecting.
#include <fmt/format.h>

#include "batch/journal.h"

namespace svc::batch {
namespace {

/// Runs a bound statement that gives no rows.
Result<void> run(Statement& statement) {
  SVC_TRY(row, statement.step());
  (void)row;
  statement.reset();
  return {};
}

}  // namespace

Result<std::optional<ItemPlace>> Journal::next_unassigned(std::int64_t after) {
  SVC_TRY(row, statement("SELECT ordinal, line, offset, length, hash, id FROM items "
                         "WHERE ordinal > ? AND part IS NULL AND outcome IS NULL "
                         "ORDER BY ordinal LIMIT 1"));
  row->bind(1, after);
  SVC_TRY(any, row->step());
  std::optional<ItemPlace> place;
  if (any) {
    place = ItemPlace{row->integer(0),
                      static_cast<std::uint64_t>(row->integer(1)),
                      static_cast<std::uint64_t>(row->integer(2)),
                      static_cast<std::uint64_t>(row->integer(3)),
                      static_cast<std::uint64_t>(row->integer(4)),
                      row->text(5)};
  }
  row->reset();
  if (place || !m_fill) return place;
  SVC_TRY(more, m_fill());
  return more ? next_unassigned(after) : Result<std::optional<ItemPlace>>(std::move(place));
}

Result<std::int64_t> Journal::count_unassigned() {
  return m_database.number(
      "SELECT (SELECT count(*) FROM items WHERE part IS NULL AND outcome IS NULL) + "
      "coalesce(sum(items), 0) FROM stretches");
}

Result<std::vector<JournalBatch>> Journal::batches() {
  SVC_TRY(row, m_database.prepare("SELECT number, name, remote_id, file_id, stage, assigned, cost, "
                                  "token, made_at FROM batches ORDER BY number"));
  std::vector<JournalBatch> batches;
  while (true) {
    SVC_TRY(any, row.step());
    if (!any) return batches;
    batches.push_back({row.integer(0), row.text(1), row.text(2), row.text(3),
                       static_cast<BatchStage>(row.integer(4)), row.integer(5), row.integer(6),
                       row.text(7), row.integer(8)});
  }
}

Result<JournalBatch> Journal::add_batch(const JournalBatch& batch) {
  JournalBatch added = batch;
  SVC_TRY(changed,
          m_database.change(
              "INSERT INTO batches(name, remote_id, file_id, stage, assigned, cost, token, "
              "made_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
              batch.name, batch.remote_id, batch.file_id, static_cast<std::int64_t>(batch.stage),
              batch.assigned, batch.cost_ticks, batch.token, batch.made_at));
  (void)changed;
  added.number = m_database.last_row_id();
  return added;
}

Result<void> Journal::save_batch(const JournalBatch& batch) {
  SVC_TRY(changed, m_database.change(
                       "UPDATE batches SET remote_id = ?, file_id = ?, stage = ?, assigned = ?, "
                       "cost = ?, token = ?, made_at = ? WHERE number = ?",
                       batch.remote_id, batch.file_id, static_cast<std::int64_t>(batch.stage),
                       batch.assigned, batch.cost_ticks, batch.token, batch.made_at, batch.number));
  (void)changed;
  return {};
}

Result<JournalPart> Journal::begin_part(std::int64_t batch,
                                        const std::vector<std::int64_t>& ordinals) {
  SVC_TRY(transaction, begin());
  SVC_TRY(part, add_part(batch, ordinals));
  SVC_CHECK(transaction.commit());
  return part;
}

Result<JournalPart> Journal::add_part(std::int64_t batch,
                                      const std::vector<std::int64_t>& ordinals) {
  SVC_TRY(changed, m_database.change("INSERT INTO parts(batch, certain) VALUES(?, 0)", batch));
  (void)changed;
  const JournalPart part{m_database.last_row_id(), batch};
  SVC_TRY(update, statement("UPDATE items SET part = ? WHERE ordinal = ?"));
  for (const std::int64_t ordinal : ordinals) {
    update->bind(1, part.number);
    update->bind(2, ordinal);
    SVC_CHECK(run(*update));
  }
  SVC_TRY(counted, m_database.change("UPDATE batches SET assigned = assigned + ? WHERE number = ?",
                                     static_cast<std::int64_t>(ordinals.size()), batch));
  (void)counted;
  return part;
}

Result<void> Journal::part_is_in(std::int64_t part) {
  SVC_TRY(changed, m_database.change("UPDATE parts SET certain = 1 WHERE number = ?", part));
  (void)changed;
  return {};
}

Result<std::vector<JournalPart>> Journal::parts_in_doubt() {
  SVC_TRY(row,
          m_database.prepare("SELECT number, batch FROM parts WHERE certain = 0 ORDER BY number"));
  std::vector<JournalPart> parts;
  while (true) {
    SVC_TRY(any, row.step());
    if (!any) return parts;
    parts.push_back({row.integer(0), row.integer(1)});
  }
}

Result<void> Journal::forget_present() {
  return m_database.run("DELETE FROM temp.present");
}

Result<void> Journal::present(std::string_view id) {
  SVC_TRY(insert, statement("INSERT OR IGNORE INTO temp.present VALUES(?)"));
  insert->bind(1, id);
  return run(*insert);
}

Result<std::int64_t> Journal::settle(std::int64_t batch) {
  SVC_TRY(transaction, begin());
  SVC_TRY(gone, m_database.change(
                    "UPDATE items SET part = NULL WHERE part IN (SELECT number FROM parts WHERE "
                    "certain = 0 AND batch = ?) AND id NOT IN (SELECT id FROM temp.present)",
                    batch));
  (void)gone;
  SVC_TRY(stayed, m_database.query("SELECT count(*) FROM items WHERE part IN (SELECT number FROM "
                                   "parts WHERE certain = 0 AND batch = ?)",
                                   batch));
  SVC_TRY(any, stayed.step());
  (void)any;
  const std::int64_t count = stayed.integer(0);
  stayed.reset();
  SVC_TRY(certain, m_database.change("UPDATE parts SET certain = 1 WHERE batch = ?", batch));
  (void)certain;
  SVC_TRY(recount, m_database.change(
                       "UPDATE batches SET assigned = (SELECT count(*) FROM items i JOIN parts "
                       "p ON p.number = i.part WHERE p.batch = ?1) WHERE number = ?1",
                       batch));
  (void)recount;
  SVC_CHECK(transaction.commit());
  return count;
}

Result<void> Journal::batch_is_in(std::int64_t batch) {
  SVC_TRY(changed, m_database.change("UPDATE parts SET certain = 1 WHERE batch = ?", batch));
  (void)changed;
  return {};
}

Result<void> Journal::drop_batch(std::int64_t batch) {
  SVC_TRY(transaction, begin());
  SVC_TRY(items, m_database.change("UPDATE items SET part = NULL WHERE part IN "
                                   "(SELECT number FROM parts WHERE batch = ?)",
                                   batch));
  (void)items;
  SVC_TRY(parts, m_database.change("DELETE FROM parts WHERE batch = ?", batch));
  (void)parts;
  SVC_TRY(batches, m_database.change("DELETE FROM batches WHERE number = ?", batch));
  (void)batches;
  return transaction.commit();
}

Result<void> Journal::take_back(std::int64_t ordinal) {
  SVC_TRY(changed,
          m_database.change("UPDATE items SET part = NULL WHERE ordinal = ? AND outcome IS NULL",
                            ordinal));
  (void)changed;
  return {};
}

Result<void> Journal::refuse_item(std::int64_t ordinal, std::string_view reason,
                                  std::int64_t batch) {
  SVC_TRY(transaction, begin());
  SVC_TRY(part, m_database.change("INSERT INTO parts(batch, certain) VALUES(?, 1)", batch));
  (void)part;
  SVC_TRY(item, m_database.change("UPDATE items SET part = last_insert_rowid(), outcome = 1, "
                                  "reason = ? WHERE ordinal = ?",
                                  reason, ordinal));
  (void)item;
  SVC_TRY(placed, m_database.change("INSERT OR IGNORE INTO results(ordinal, json) VALUES(?, NULL)",
                                    ordinal));
  (void)placed;
  return transaction.commit();
}

Result<bool> Journal::add_result(std::int64_t batch, const ResultItem& item,
                                 std::string_view json) {
  SVC_TRY(find, statement("SELECT ordinal FROM items i JOIN parts p ON p.number = i.part "
                          "WHERE i.id = ? AND p.batch = ? AND i.outcome IS NULL"));
  find->bind(1, item.id);
  find->bind(2, batch);
  SVC_TRY(any, find->step());
  const std::int64_t ordinal = any ? find->integer(0) : 0;
  find->reset();
  if (!any) return false;
  SVC_TRY(insert, statement("INSERT OR IGNORE INTO results(ordinal, json) VALUES(?, ?)"));
  insert->bind(1, ordinal);
  insert->bind(2, Blob{json});
  SVC_CHECK(run(*insert));
  SVC_TRY(update, statement("UPDATE items SET outcome = ?, reason = ?, "
                            "cost = coalesce(cost, 0) + ? WHERE ordinal = ?"));
  update->bind(1, static_cast<std::int64_t>(item.outcome));
  if (item.reason.empty()) {
    update->bind_null(2);
  } else {
    update->bind(2, reason_class(item.reason));
  }
  update->bind(3, item.cost_ticks.value_or(0));
  update->bind(4, ordinal);
  SVC_CHECK(run(*update));
  return true;
}

Result<void> Journal::add_tokens(std::int64_t batch, const Usage& usage) {
  SVC_TRY(changed,
          m_database.change(
              "INSERT INTO tokens(batch, input, output, cached, reasoning) VALUES(?, ?, ?, ?, ?) "
              "ON CONFLICT(batch) DO UPDATE SET input = input + excluded.input, "
              "output = output + excluded.output, cached = cached + excluded.cached, "
              "reasoning = reasoning + excluded.reasoning",
              batch, usage.input_tokens, usage.output_tokens, usage.cached_tokens,
              usage.reasoning_tokens));
  (void)changed;
  return {};
}

Result<Usage> Journal::tokens(std::int64_t batch) {
  SVC_TRY(row, m_database.query(
                   "SELECT input, output, cached, reasoning FROM tokens WHERE batch = ?", batch));
  SVC_TRY(any, row.step());
  Usage usage;
  if (!any) return usage;
  usage.input_tokens = row.integer(0);
  usage.output_tokens = row.integer(1);
  usage.cached_tokens = row.integer(2);
  usage.reasoning_tokens = row.integer(3);
  return usage;
}

Result<bool> Journal::has_item(std::string_view id) {
  SVC_TRY(find, statement("SELECT 1 FROM items WHERE id = ?"));
  find->bind(1, id);
  SVC_TRY(any, find->step());
  find->reset();
  return any;
}

Result<void> Journal::add_all_up_to(std::int64_t ordinal, std::int64_t batch) {
  while (m_fill) {
    SVC_TRY(stretch, next_stretch());
    if (!stretch || stretch->ordinal > ordinal) break;
    SVC_CHECK(m_fill());
  }
  SVC_TRY(transaction, begin());
  SVC_TRY(part, add_part(batch, {}));
  SVC_TRY(changed, m_database.change("UPDATE items SET part = ? WHERE ordinal <= ? AND part IS "
                                     "NULL AND outcome IS NULL",
                                     part.number, ordinal));
  (void)changed;
  return transaction.commit();
}

Result<std::int64_t> Journal::count_missing(std::int64_t batch) {
  SVC_TRY(row, m_database.query("SELECT count(*) FROM items i JOIN parts p ON p.number = i.part "
                                "WHERE p.batch = ? AND i.outcome IS NULL",
                                batch));
  SVC_TRY(any, row.step());
  (void)any;
  return row.integer(0);
}

Result<void> Journal::take_back_missing(std::int64_t batch) {
  SVC_TRY(changed, m_database.change("UPDATE items SET part = NULL WHERE outcome IS NULL AND part "
                                     "IN (SELECT number FROM parts WHERE batch = ?)",
                                     batch));
  (void)changed;
  return {};
}

Result<void> Journal::give_up(std::int64_t batch, Outcome outcome, std::string_view reason) {
  SVC_TRY(transaction, begin());
  SVC_TRY(placed,
          m_database.change(
              "INSERT OR IGNORE INTO results(ordinal, json) SELECT ordinal, NULL FROM items "
              "WHERE outcome IS NULL AND part IN (SELECT number FROM parts WHERE batch = ?)",
              batch));
  (void)placed;
  SVC_TRY(changed, m_database.change(
                       "UPDATE items SET outcome = ?, reason = ? WHERE outcome IS NULL AND part "
                       "IN (SELECT number FROM parts WHERE batch = ?)",
                       static_cast<std::int64_t>(outcome), reason, batch));
  (void)changed;
  return transaction.commit();
}

}  // namespace svc::batch

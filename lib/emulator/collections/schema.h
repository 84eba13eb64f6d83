// The tables of collections.
#pragma once

namespace svc::emulator::collections {

inline constexpr const char* k_schema = R"sql(
CREATE TABLE IF NOT EXISTS collections (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, team_id TEXT NOT NULL,
  name TEXT NOT NULL, description TEXT NOT NULL, model_name TEXT NOT NULL,
  metric_space TEXT NOT NULL, chunking TEXT NOT NULL, fields TEXT NOT NULL,
  created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS documents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, collection_seq INTEGER NOT NULL, file_id TEXT NOT NULL,
  name TEXT NOT NULL, content_type TEXT NOT NULL, bytes INTEGER NOT NULL,
  file_created_s INTEGER NOT NULL, metadata TEXT NOT NULL, fields TEXT NOT NULL,
  begun_ms INTEGER NOT NULL, chunks INTEGER NOT NULL, error TEXT NOT NULL,
  UNIQUE (collection_seq, file_id)) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, document_seq INTEGER NOT NULL, id TEXT NOT NULL,
  page INTEGER NOT NULL, vector BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document_seq);
CREATE VIRTUAL TABLE IF NOT EXISTS chunk_words USING fts5(text, tokenize = 'porter unicode61');
)sql";

}  // namespace svc::emulator::collections

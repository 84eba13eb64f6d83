#include "emulator/api/collections/indexing.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/configuration.h"
#include "emulator/api/collections/fields.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/json.h"
#include "emulator/handler/ids.h"

namespace svc::emulator::collections {

Indexed index_file(const FileContent& file, const Collection& collection, const text::Json& values,
                   std::int64_t now_ms) {
  Indexed indexed;
  Document& document = indexed.document;
  document.collection_seq = collection.seq;
  document.file_id = file.file.id;
  document.name = file.file.filename;
  document.content_type = file.file.content_type;
  document.bytes = file.file.bytes;
  document.file_created_s = file.file.created_at;
  document.metadata = text::dump(file_metadata(file.file));
  document.fields = text::dump(values);
  document.begun_ms = now_ms;
  const auto content = extract_text(file.file.content_type, file.data);
  if (!content) {
    document.error = content.error().message;
    return indexed;
  }
  const Chunking chunking = chunking_of(collection);
  std::string head = injected_values(values, collection);
  if (chunking.inject_name) head = document.name + "\n" + head;
  for (TextChunk& piece : cut_text(*content, chunking.plan)) {
    Chunk chunk{.id = "chunk_" + new_uuid(), .text = head + piece.text, .page = piece.page};
    chunk.vector = embed(chunk.text);
    indexed.chunks.push_back(std::move(chunk));
  }
  document.chunks = static_cast<std::int64_t>(indexed.chunks.size());
  if (indexed.chunks.empty()) document.error = "The document holds no text.";
  return indexed;
}

}  // namespace svc::emulator::collections

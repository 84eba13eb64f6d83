// From a file to the chunks of a document.
#pragma once

#include <vector>

#include "emulator/api/collections/store.h"
#include "emulator/api/files/store.h"
#include "emulator/json/json.h"

namespace svc::emulator::collections {

struct Indexed {
  Document document{};
  std::vector<Chunk> chunks{};
};

/// Cuts the file's text as the collection says. A file that cannot be read becomes a document with
/// an error and without chunks.
[[nodiscard]] Indexed index_file(const FileContent& file, const Collection& collection,
                                 const text::Json& values, std::int64_t now_ms);

}  // namespace svc::emulator::collections

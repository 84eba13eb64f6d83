// The commonest event of a chat stream, read without building a document: a chunk that adds text to
// one choice and nothing else. A million of them must cost no more than their bytes.
#pragma once

#include <string>
#include <string_view>

namespace svc {

struct PlainChunk {
  int index = 0;
  std::string content{};
};

/// True, with `chunk` filled, when `data` is a well-formed chunk whose single choice has a delta
/// with `content` (and at most a role) and no finish reason, and which carries no usage, error or
/// other news. False for everything else, well-formed or not: that goes to the full reader.
[[nodiscard]] bool read_plain_chunk(std::string_view data, PlainChunk& chunk);

}  // namespace svc

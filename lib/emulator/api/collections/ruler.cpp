#include "emulator/api/collections/ruler.h"

#include <algorithm>

#include "base/text.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::collections {

Ruler::Ruler(std::string_view text, Measure measure)
    : m_text(text), m_bytes(measure == Measure::Bytes) {
  if (m_bytes) return;
  if (measure == Measure::Tokens) {
    std::size_t position = 0;
    for (const Token& token : tokenize(text)) {
      m_edges.push_back(position);
      position += token.text.size();
    }
  } else {
    for (std::size_t position = 0; position < text.size();) {
      m_edges.push_back(position);
      (void)decode_utf8(text, position);
    }
  }
  m_edges.push_back(text.size());
}

std::size_t Ruler::index_of(std::size_t position) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(m_edges, position) - m_edges.begin());
}

bool Ruler::inside_character(std::size_t position) const {
  return position < m_text.size() && (static_cast<unsigned char>(m_text[position]) & 0xC0) == 0x80;
}

std::size_t Ruler::length(std::size_t begin, std::size_t end) const {
  return m_bytes ? end - begin : index_of(end) - index_of(begin);
}

std::size_t Ruler::forward(std::size_t begin, std::size_t amount) const {
  if (m_bytes) {
    std::size_t end = begin + std::min(amount, m_text.size() - begin);
    while (end > begin && inside_character(end)) --end;
    return end;
  }
  if (amount == 0) return begin;
  return m_edges[std::min(index_of(begin) + amount, m_edges.size() - 1)];
}

std::size_t Ruler::next(std::size_t begin) const {
  if (!m_bytes) return m_edges[std::min(index_of(begin) + 1, m_edges.size() - 1)];
  std::size_t end = begin + 1;
  while (inside_character(end)) ++end;
  return end;
}

std::size_t Ruler::backward(std::size_t end, std::size_t amount) const {
  if (m_bytes) {
    std::size_t begin = end - std::min(amount, end);
    while (begin < end && inside_character(begin)) ++begin;
    return begin;
  }
  const std::size_t last = index_of(end);
  return amount == 0 ? end : m_edges[last - std::min(amount, last)];
}

}  // namespace svc::emulator::collections

// Merges a streamed chat completion into the document that the service returns without streaming.
// Unknown fields are preserved.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc {

class ChatDocument {
 public:
  ChatDocument();
  ChatDocument(const ChatDocument&) = delete;
  ChatDocument& operator=(const ChatDocument&) = delete;
  ~ChatDocument();

  /// Merges a chunk: the texts of deltas are concatenated, log probabilities and tool calls are
  /// combined, and any other field that is not null replaces the earlier one. `chunk` must be JSON.
  void add(std::string_view chunk);

  /// Adds text to a choice's content, like a chunk with only that text.
  void add_content(int choice, std::string_view text);

  /// The document; "" if nothing was added.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace svc

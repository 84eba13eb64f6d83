// A streamed chat completion as the one document that a call without a stream would have given.
// Unknown members survive.
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

  /// Merges a chunk: texts of a delta are joined, log probabilities and tool calls
  /// are put together, every other member that is not null replaces the one before. `chunk` is
  /// JSON.
  void add(std::string_view chunk);

  /// Adds text to a choice's content, as a chunk with nothing else would.
  void add_content(int choice, std::string_view text);

  /// The document; "" when nothing was added.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace svc

#include "client/chat_document.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "json/text.h"

namespace svc {

struct ChatDocument::State {
  OrderedJson document = OrderedJson::object();
  OrderedJson choices = OrderedJson::array();
  /// The choices' contents, which may be long, are stored outside of the trees, which have "" in
  /// their place.
  std::vector<std::string> contents{};
};

namespace {

constexpr std::size_t k_max_choices = 1024;

OrderedJson& element(OrderedJson& array, std::size_t index) {
  if (!array.is_array()) array = OrderedJson::array();
  while (array.size() <= index) array.push_back(OrderedJson::object());
  return array[index];
}

std::size_t index_of(const OrderedJson& object, std::size_t otherwise) {
  const auto found = object.find("index");
  if (found == object.end() || !found->is_number_unsigned()) return otherwise;
  return std::min<std::size_t>(found->get<std::size_t>(), k_max_choices - 1);
}

/// The field as an object; any other earlier value is replaced, as a service may change its type.
OrderedJson& object_at(OrderedJson& parent, const std::string& name) {
  if (!parent.is_object()) parent = OrderedJson::object();
  OrderedJson& member = parent[name];
  if (!member.is_object()) member = OrderedJson::object();
  return member;
}

void append_text(OrderedJson& member, const OrderedJson& text) {
  if (member.is_string()) {
    member.get_ref<std::string&>() += text.get_ref<const std::string&>();
  } else {
    member = text;
  }
}

/// Merges fragments of one call: arguments are concatenated, other fields replaced.
void merge_call(OrderedJson& whole, const OrderedJson& fragment) {
  for (const auto& [name, value] : fragment.items()) {
    if (name == "function" && value.is_object()) {
      OrderedJson& function = object_at(whole, name);
      for (const auto& [part, text] : value.items()) {
        if (part == "arguments" && text.is_string()) {
          append_text(function[part], text);
        } else if (!text.is_null()) {
          function[part] = text;
        }
      }
    } else if (!value.is_null()) {
      whole[name] = value;
    }
  }
}

void merge_delta(OrderedJson& message, const OrderedJson& delta) {
  for (const auto& [name, value] : delta.items()) {
    if (name == "tool_calls" && value.is_array()) {
      for (const OrderedJson& call : value) {
        if (!call.is_object()) continue;
        OrderedJson& calls = message[name];
        merge_call(element(calls, index_of(call, calls.size())), call);
      }
    } else if (value.is_string() && name != "role") {
      append_text(message[name], value);
    } else if (!value.is_null() || !message.contains(name)) {
      message[name] = value;
    }
  }
}

void merge_logprobs(OrderedJson& whole, const OrderedJson& fragment) {
  for (const auto& [name, value] : fragment.items()) {
    if (value.is_array() && whole.contains(name) && whole[name].is_array()) {
      for (const OrderedJson& one : value) whole[name].push_back(one);
    } else {
      whole[name] = value;
    }
  }
}

void merge_choice(OrderedJson& choice, const OrderedJson& fragment) {
  for (const auto& [name, value] : fragment.items()) {
    if (name == "delta" && value.is_object()) {
      merge_delta(object_at(choice, "message"), value);
    } else if (name == "logprobs" && value.is_object()) {
      merge_logprobs(object_at(choice, name), value);
    } else if (name == "text" && value.is_string()) {
      append_text(choice[name], value);
    } else if (!value.is_null() || !choice.contains(name)) {
      choice[name] = value;
    }
  }
}

/// The content of a choice's message; null if it has none.
OrderedJson* content_in(OrderedJson& choice) {
  const auto message = choice.find("message");
  if (message == choice.end() || !message->is_object()) return nullptr;
  const auto content = message->find("content");
  return content == message->end() ? nullptr : &*content;
}

/// The placeholder of a content, which does not occur in any response by chance.
std::string placeholder_of(std::size_t choice) {
  return "\x7Fsvc content " + std::to_string(choice);
}

/// In chunks, to avoid a second copy of a long text.
void append_quoted(std::string& out, std::string_view text) {
  constexpr std::size_t k_chunk_size = 64U << 10U;
  const auto is_continuation_byte = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
  };
  out += '"';
  while (!text.empty()) {
    std::size_t end = std::min(k_chunk_size, text.size());
    for (int i = 0; i < 3 && end < text.size() && is_continuation_byte(text[end]); ++i) --end;
    const std::string quoted = json_quote(text.substr(0, end));
    out.append(quoted, 1, quoted.size() - 2);
    text.remove_prefix(end);
  }
  out += '"';
}

/// Moves the contents out of the choices.
void take_contents(OrderedJson& choices, std::vector<std::string>& contents) {
  contents.resize(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    OrderedJson* content = content_in(choices[i]);
    if (content != nullptr && content->is_string()) {
      contents[i] += content->get_ref<const std::string&>();
      *content = "";
    } else {
      contents[i].clear();
    }
  }
}

}  // namespace

ChatDocument::ChatDocument() : m_state(std::make_unique<State>()) {}
ChatDocument::~ChatDocument() = default;

void ChatDocument::add(std::string_view chunk) {
  const OrderedJson fragment = parse_reply_in_order(chunk);
  if (!fragment.is_object()) return;
  for (const auto& [name, value] : fragment.items()) {
    if (name == "choices" && value.is_array()) {
      if (!m_state->document.contains(name)) m_state->document[name] = nullptr;
      for (const OrderedJson& choice : value) {
        if (choice.is_object())
          merge_choice(element(m_state->choices, index_of(choice, 0)), choice);
      }
    } else if (name == "object") {
      m_state->document[name] = value == "text_completion" ? "text_completion" : "chat.completion";
    } else if (!value.is_null() || !m_state->document.contains(name)) {
      m_state->document[name] = value;
    }
  }
  take_contents(m_state->choices, m_state->contents);
}

void ChatDocument::add_content(int choice, std::string_view text) {
  const auto index = static_cast<std::size_t>(choice);
  std::vector<std::string>& contents = m_state->contents;
  if (index >= contents.size() || contents[index].empty()) {
    OrderedJson& whole = element(m_state->choices, index);
    OrderedJson& content = object_at(whole, "message")["content"];
    if (!content.is_string()) content = "";
    contents.resize(m_state->choices.size());
  }
  contents[index] += text;
}

std::string ChatDocument::text() const {
  if (m_state->document.empty()) return {};
  OrderedJson whole = m_state->document;
  OrderedJson& choices = whole["choices"] = m_state->choices;
  std::size_t size = 0;
  for (std::size_t i = 0; i < m_state->contents.size(); ++i) {
    size += m_state->contents[i].size();
    if (!m_state->contents[i].empty()) *content_in(choices[i]) = placeholder_of(i);
  }
  const std::string frame = compact_json(whole);
  std::string text;
  text.reserve(frame.size() + size + size / 16);
  std::size_t from = 0;
  for (std::size_t i = 0; i < m_state->contents.size(); ++i) {
    if (m_state->contents[i].empty()) continue;
    const std::string placeholder = '"' + placeholder_of(i) + '"';
    const std::size_t at = frame.find(placeholder, from);
    text.append(frame, from, at - from);
    append_quoted(text, m_state->contents[i]);
    from = at + placeholder.size();
  }
  text.append(frame, from);
  return text;
}

}  // namespace svc

#include "client/chat_document.h"

#include <nlohmann/json.hpp>

#include "json/document.h"

namespace svc {

using OrderedJson = nlohmann::ordered_json;

struct ChatDocument::State {
  OrderedJson document = OrderedJson::object();
  OrderedJson choices = OrderedJson::array();
};

namespace {

constexpr std::size_t k_most_choices = 1024;

OrderedJson& element(OrderedJson& array, std::size_t index) {
  if (!array.is_array()) array = OrderedJson::array();
  while (array.size() <= index) array.push_back(OrderedJson::object());
  return array[index];
}

std::size_t index_of(const OrderedJson& object, std::size_t otherwise) {
  const auto found = object.find("index");
  if (found == object.end() || !found->is_number_unsigned()) return otherwise;
  return std::min<std::size_t>(found->get<std::size_t>(), k_most_choices - 1);
}

/// The member as an object, whatever it was before: a service may change its mind.
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

/// Fragments of one call: its arguments are joined, everything else comes once.
void merge_call(OrderedJson& whole, const OrderedJson& piece) {
  for (const auto& [name, value] : piece.items()) {
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

void merge_logprobs(OrderedJson& whole, const OrderedJson& piece) {
  for (const auto& [name, value] : piece.items()) {
    if (value.is_array() && whole.contains(name) && whole[name].is_array()) {
      for (const OrderedJson& one : value) whole[name].push_back(one);
    } else {
      whole[name] = value;
    }
  }
}

void merge_choice(OrderedJson& choice, const OrderedJson& piece) {
  for (const auto& [name, value] : piece.items()) {
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

}  // namespace

ChatDocument::ChatDocument() : m_state(std::make_unique<State>()) {}
ChatDocument::~ChatDocument() = default;

void ChatDocument::add(std::string_view chunk) {
  const OrderedJson piece = parse_reply_in_order(chunk);
  if (!piece.is_object()) return;
  for (const auto& [name, value] : piece.items()) {
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
}

void ChatDocument::add_content(int choice, std::string_view text) {
  OrderedJson& whole = element(m_state->choices, static_cast<std::size_t>(choice));
  OrderedJson& content = object_at(whole, "message")["content"];
  if (content.is_string()) {
    content.get_ref<std::string&>() += text;
  } else {
    content = text;
  }
}

std::string ChatDocument::text() const {
  if (m_state->document.empty()) return {};
  OrderedJson whole = m_state->document;
  whole["choices"] = m_state->choices;
  return compact_json(whole);
}

}  // namespace svc

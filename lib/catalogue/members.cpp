#include "catalogue/members.h"

#include <algorithm>
#include <array>
#include <utility>

namespace svc {
namespace opening {

/// Returns the path with `change` applied to each of its alternatives.
std::string each_alternative(sv path, const auto& change) {
  std::string all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('|', begin), path.size());
    if (begin > 0) all += '|';
    all += change(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

class Opener {
 public:
  explicit Opener(sv below) : m_below(below) {}

  void open(std::span<const Member> members, const std::string& at, Show show, sv variant) {
    for (const Member& member : members) {
      const Show least = std::max(show, member.show);
      const std::string path = joined(at, member);
      if (!member.path.empty() || member.view) add(path, {path, &member, least, variant});
      if (member.shape == nullptr) continue;
      open(member.shape->members, path, least, variant);
      for (const Variant& one : member.shape->variants) open(one.members, path, least, one.name);
    }
  }

  std::vector<OpenMember> take() { return std::move(m_all); }

 private:
  /// Each alternative of a view is at its shape's path.
  static std::string joined(const std::string& at, const Member& member) {
    if (at.empty() || member.path.empty()) return at + std::string(member.path);
    return each_alternative(member.path, [&](sv one) { return at + '.' + std::string(one); });
  }

  void add(const std::string& path, OpenMember one) {
    const std::string inside = std::string(m_below) + '.';
    if (one.member->view && path == m_below) {
      one.path.clear();
    } else if (!m_below.empty()) {
      if (!path.starts_with(inside)) return;
      one.path = path_below(path, inside);
    }
    m_all.push_back(std::move(one));
  }

  sv m_below;
  std::vector<OpenMember> m_all{};
};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// "created at" of "created_at", "last used" of "lastUsed".
std::string words_of(sv name) {
  std::string words;
  for (const char c : name) {
    if (is_upper(c)) words += ' ';
    words += c == '_' || c == '-' ? ' ' : is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

/// Writes abbreviations in capitals: "ID", "public URL".
std::string with_abbreviations(std::string words) {
  constexpr std::array<sv, 8> k_known = {"id", "url", "mcp", "api", "acl", "pdf", "csv", "sip"};
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const sv word = sv(words).substr(begin, end - begin);
    if (std::find(k_known.begin(), k_known.end(), word) != k_known.end()) {
      for (std::size_t i = begin; i < end; ++i) words[i] = static_cast<char>(words[i] - 'a' + 'A');
    }
    begin = end + 1;
  }
  return words;
}

}  // namespace opening

std::string plain_path(sv path) {
  std::string plain(path);
  std::erase_if(plain, [](char c) { return c == '(' || c == ')'; });
  return plain;
}

std::string path_below(sv path, sv prefix) {
  return opening::each_alternative(path, [&](sv one) {
    return std::string(one.substr(one.starts_with(prefix) ? prefix.size() : 0));
  });
}

std::vector<OpenMember> open_members(std::span<const Member> members, sv below) {
  opening::Opener opener(below);
  opener.open(members, {}, Show::Always, {});
  return opener.take();
}

std::string label_of(const Member& member) {
  if (!member.label.empty()) return std::string(member.label);
  const std::string path = plain_path(member.path);
  sv name = sv(path).substr(0, path.find('|'));
  if (name.ends_with("[]")) name.remove_suffix(2);
  std::string label =
      opening::with_abbreviations(opening::words_of(name.substr(name.rfind('.') + 1)));
  if (!label.empty() && label[0] >= 'a' && label[0] <= 'z') {
    label[0] = static_cast<char>(label[0] - 'a' + 'A');
  }
  return label;
}

}  // namespace svc

#include "print/code_colors.h"

#include <array>

#include "base/text.h"

namespace svc::print {
namespace {

constexpr unsigned k_keyword_look = k_look_magenta;
constexpr unsigned k_text_look = k_look_green;
constexpr unsigned k_comment_look = k_look_dim;
constexpr unsigned k_number_look = k_look_cyan;

bool is_name(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool begins(sv line, std::size_t at, sv with) {
  return !with.empty() && line.substr(at).starts_with(with);
}

unsigned diff_look(sv line) {
  if (line.starts_with("@@")) return k_look_cyan;
  if (line.starts_with("+")) return k_look_green;
  if (line.starts_with("-")) return k_look_red;
  return 0;
}

constexpr std::array k_languages = {
    Language{
        .names = " c h cpp c++ cc cxx hpp objc ",
        .keywords =
            " alignas auto bool break case catch char class co_await co_return co_yield concept "
            "const consteval constexpr continue default delete do double else enum explicit "
            "extern false final float for friend goto if inline int long mutable namespace new "
            "noexcept nullptr operator override private protected public requires return short "
            "signed sizeof static static_assert struct switch template this throw true try "
            "typedef typename union unsigned using virtual void volatile while ",
        .line_comment = "//",
        .block_begin = "/*",
        .block_end = "*/",
        .quotes = "\"'"},
    Language{.names = " python py python3 ",
             .keywords = " and as assert async await break case class continue def del elif else "
                         "except False finally for from global if import in is lambda match None "
                         "nonlocal not or pass raise return True try while with yield self ",
             .line_comment = "#",
             .quotes = "\"'",
             .long_quote = "\"\"\""},
    Language{.names = " javascript js jsx typescript ts tsx mjs ",
             .keywords =
                 " abstract any as async await boolean break case catch class const continue "
                 "declare default delete do else enum export extends false finally for from "
                 "function if implements import in instanceof interface keyof let new null "
                 "number of private protected public readonly return static string super "
                 "switch this throw true try type typeof undefined var void while yield ",
             .line_comment = "//",
             .block_begin = "/*",
             .block_end = "*/",
             .quotes = "\"'",
             .long_quote = "`"},
    Language{
        .names = " java kotlin kt scala groovy csharp cs c# swift dart ",
        .keywords =
            " abstract as async await base bool boolean break byte case catch char class const "
            "continue data def default do double else enum extends extension false final finally "
            "float for foreach fun func get guard if implements import in init int interface "
            "internal is let long namespace new nil null object open out override package "
            "private protected protocol public readonly record ref return sealed set static "
            "string struct super switch this throw throws trait true try typealias using val "
            "var virtual void when where while with yield ",
        .line_comment = "//",
        .block_begin = "/*",
        .block_end = "*/",
        .quotes = "\"'",
        .long_quote = "\"\"\""},
    Language{.names = " go golang ",
             .keywords = " break case chan const continue default defer else fallthrough false for "
                         "func go goto if import interface map nil package range return select "
                         "struct switch true type var error string int bool byte rune ",
             .line_comment = "//",
             .block_begin = "/*",
             .block_end = "*/",
             .quotes = "\"'",
             .long_quote = "`"},
    Language{.names = " rust rs ",
             .keywords =
                 " as async await break const continue crate dyn else enum extern false fn "
                 "for if impl in let loop match mod move mut pub ref return self Self static "
                 "struct super trait true type unsafe use where while ",
             .line_comment = "//",
             .block_begin = "/*",
             .block_end = "*/",
             .quotes = "\""},
    Language{.names = " sh bash shell zsh console fish ",
             .keywords = " case do done elif else esac export fi for function if in local readonly "
                         "return select set shift then trap until unset while ",
             .line_comment = "#",
             .quotes = "\"'"},
    Language{.names = " ruby rb elixir ex perl pl r ",
             .keywords = " alias and begin break case class def defmodule do else elsif end ensure "
                         "false fn for function if in module my next nil not or our package redo "
                         "require rescue retry return self sub super then true undef unless until "
                         "use when while yield ",
             .line_comment = "#",
             .quotes = "\"'"},
    Language{.names = " php ",
             .keywords =
                 " abstract array as break case catch class const continue default do echo "
                 "else elseif extends false final finally fn for foreach function global if "
                 "implements interface match namespace new null private protected public "
                 "return static switch throw trait true try use var while yield ",
             .line_comment = "//",
             .other_comment = "#",
             .block_begin = "/*",
             .block_end = "*/",
             .quotes = "\"'"},
    Language{.names = " lua ",
             .keywords =
                 " and break do else elseif end false for function goto if in local nil not "
                 "or repeat return then true until while ",
             .line_comment = "--",
             .quotes = "\"'"},
    Language{.names = " haskell hs elm ",
             .keywords = " case class data deriving do else if import in infix instance let module "
                         "newtype of then type where ",
             .line_comment = "--",
             .block_begin = "{-",
             .block_end = "-}",
             .quotes = "\""},
    Language{
        .names = " sql mysql postgresql postgres sqlite ",
        .keywords =
            " add all alter and as asc avg begin between by case check column commit constraint "
            "count create cross database default delete desc distinct drop else end exists "
            "foreign from full group having if in index inner insert integer into is join key "
            "left like limit max min not null offset on or order outer primary references "
            "returning right rollback select set sum table text then transaction union unique "
            "update using values varchar view when where with ",
        .line_comment = "--",
        .block_begin = "/*",
        .block_end = "*/",
        .quotes = "'\"",
        .any_case = true},
    Language{.names = " json jsonc json5 jsonl ",
             .keywords = " true false null ",
             .line_comment = "//",
             .quotes = "\""},
    Language{.names = " yaml yml toml ini dockerfile docker make makefile cmake conf nginx ",
             .keywords = " true false null yes no on off from run cmd copy add env expose workdir "
                         "entrypoint arg if else endif foreach endforeach function set ",
             .line_comment = "#",
             .quotes = "\"'",
             .any_case = true},
    Language{.names = " css scss less ",
             .keywords = " important inherit initial none auto media import keyframes root ",
             .block_begin = "/*",
             .block_end = "*/",
             .quotes = "\"'"},
    Language{.names = " html xml svg vue svelte ",
             .keywords = " ",
             .block_begin = "<!--",
             .block_end = "-->",
             .quotes = "\""},
};

/// Finds the language by the first word of a fence's info string; null if unknown.
const Language* find_language(sv name) {
  const std::string word = " " + std::string(name) + " ";
  for (const Language& language : k_languages) {
    if (language.names.find(word) != sv::npos) return &language;
  }
  return nullptr;
}

}  // namespace

CodeColors::CodeColors(sv info) {
  const std::string name = to_lower(info.substr(0, info.find_first_of(" \t{,")));
  m_diff = name == "diff" || name == "patch";
  if (!name.empty()) m_language = find_language(name);
}

std::string CodeColors::paint(sv line) {
  if (m_diff) return styled(line, diff_look(line));
  if (m_language == nullptr) return std::string(line);
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    unsigned look = 0;
    const std::size_t end = token(line, at, look);
    out += styled(line.substr(at, end - at), look);
    at = end;
  }
  return out;
}

/// Returns the end of the token that starts at `at`, and sets its look.
std::size_t CodeColors::token(sv line, std::size_t at, unsigned& look) {
  if (!m_until.empty()) {
    look = m_until_look;
    const std::size_t end = line.find(m_until, at);
    if (end == sv::npos) return line.size();
    const std::size_t after = end + m_until.size();
    m_until = {};
    return after;
  }
  const Language& language = *m_language;
  if (begins(line, at, language.line_comment) || begins(line, at, language.other_comment)) {
    // In a shell, neither `$#` nor a `#` inside a word starts a comment.
    if (language.line_comment != "#" || at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') {
      look = k_comment_look;
      return line.size();
    }
  }
  if (begins(line, at, language.block_begin)) {
    look = m_until_look = k_comment_look;
    m_until = language.block_end;
    return at + language.block_begin.size();
  }
  if (begins(line, at, language.long_quote)) {
    look = m_until_look = k_text_look;
    m_until = language.long_quote;
    return at + language.long_quote.size();
  }
  if (language.quotes.find(line[at]) != sv::npos) {
    look = k_text_look;
    return text_end(line, at);
  }
  return is_name(line[at]) ? word(line, at, look) : at + 1;
}

std::size_t CodeColors::text_end(sv line, std::size_t at) const {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return line.size();
}

std::size_t CodeColors::word(sv line, std::size_t at, unsigned& look) const {
  std::size_t end = at;
  const bool number = is_digit(line[at]);
  while (end < line.size() && (is_name(line[end]) || (number && line[end] == '.'))) ++end;
  if (number) {
    look = k_number_look;
    return end;
  }
  std::string word = " " + std::string(line.substr(at, end - at)) + " ";
  if (m_language->any_case) word = to_lower(word);
  if (m_language->keywords.find(word) != sv::npos) look = k_keyword_look;
  return end;
}

}  // namespace svc::print

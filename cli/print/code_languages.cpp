// The languages that code blocks are painted in, as data.
#include <array>

#include "print/code_colors.h"

namespace svc::print {
namespace {

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

}  // namespace

const Language* find_language(sv name) {
  const std::string word = " " + std::string(name) + " ";
  for (const Language& language : k_languages) {
    if (language.names.find(word) != sv::npos) return &language;
  }
  return nullptr;
}

}  // namespace svc::print

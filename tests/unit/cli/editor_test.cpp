// Editing a line on a terminal: keys, text, screen, history.
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/text.h"
#include "support/rows.h"
#include "support/screen.h"
#include "terminal/editor/edit_screen.h"
#include "terminal/editor/input_history.h"
#include "terminal/editor/key_reader.h"
#include "terminal/editor/line_buffer.h"
#include "terminal/editor/line_editor.h"
#include "terminal/editor/vi_keys.h"

namespace svc::cli {
namespace {

/// All keys as words, with the bytes fed in pieces.
std::string keys_of(sv bytes, std::size_t piece) {
  KeyReader reader;
  std::string words;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (const auto key = reader.next()) {
      words += std::to_string(static_cast<int>(key->code)) + key->text + " ";
    }
  }
  return words;
}

std::string word(KeyCode code, sv text = {}) {
  return std::to_string(static_cast<int>(code)) + std::string(text) + " ";
}

/// The visible part of the text.
std::string seen(const EditLayout& layout) {
  std::string text;
  for (const EditRow& row : layout.rows) {
    std::string shown = row.shown;
    while (shown.ends_with(' ')) shown.pop_back();
    text += shown + "\n";
  }
  return text;
}

struct Directory {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("svc-" + random_uuid());
  ~Directory() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("keys are read however the bytes are split") {
  const std::string bytes =
      "\x1b[A\x1b[1;5D\x1bOH\x1b[200~a\rb\x1b[31m\x1b[201~\x03\x1b\r\x7f\t\x1b[Z\x1b[99;99x\r";
  const std::string expected = word(KeyCode::Up) + word(KeyCode::WordLeft) + word(KeyCode::Home) +
                               word(KeyCode::Paste, "a\rb\x1b[31m") + word(KeyCode::Control, "c") +
                               word(KeyCode::NewLine) + word(KeyCode::Backspace) +
                               word(KeyCode::Tab) + word(KeyCode::BackTab) + word(KeyCode::Enter);
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 100U}) CHECK(keys_of(bytes, piece) == expected);
  CHECK(keys_of("é中", 1) == word(KeyCode::Text, "é") + word(KeyCode::Text, "中"));
}

TEST_CASE("each key's sequences are known") {
  constexpr std::array<std::pair<sv, KeyCode>, 22> k_keys = {{{"A", KeyCode::Up},
                                                              {"B", KeyCode::Down},
                                                              {"C", KeyCode::Right},
                                                              {"D", KeyCode::Left},
                                                              {"H", KeyCode::Home},
                                                              {"F", KeyCode::End},
                                                              {"1~", KeyCode::Home},
                                                              {"4~", KeyCode::End},
                                                              {"7~", KeyCode::Home},
                                                              {"8~", KeyCode::End},
                                                              {"3~", KeyCode::Delete},
                                                              {"5~", KeyCode::PageUp},
                                                              {"6~", KeyCode::PageDown},
                                                              {"Z", KeyCode::BackTab},
                                                              {"1;5D", KeyCode::WordLeft},
                                                              {"1;5C", KeyCode::WordRight},
                                                              {"1;3D", KeyCode::WordLeft},
                                                              {"1;3C", KeyCode::WordRight},
                                                              {"3;5~", KeyCode::WordForward},
                                                              {"13;2u", KeyCode::NewLine},
                                                              {"27;2;13~", KeyCode::NewLine},
                                                              {"13;5u", KeyCode::NewLine}}};
  for (const auto& [sequence, code] : k_keys) {
    CAPTURE(sequence);
    CHECK(keys_of("\x1b[" + std::string(sequence) + "x", 100) ==
          word(code) + word(KeyCode::Text, "x"));
    CHECK(keys_of("\x1bO" + std::string(sequence) + "x", 100) ==
          word(code) + word(KeyCode::Text, "x"));
  }
  CHECK(keys_of("\n\b\x7f", 1) ==
        word(KeyCode::Enter) + word(KeyCode::Backspace) + word(KeyCode::Backspace));
  CHECK(keys_of("\x1b\n\x1b\b\x1b\x7f", 10) ==
        word(KeyCode::NewLine) + word(KeyCode::WordBack) + word(KeyCode::WordBack));
  CHECK(keys_of("\x1b"
                "b\x1b"
                "f\x1b"
                "d",
                10) ==
        word(KeyCode::WordLeft) + word(KeyCode::WordRight) + word(KeyCode::WordForward));
  CHECK(keys_of("\x1b\x1b"
                "f",
                10) == word(KeyCode::Escape) + word(KeyCode::WordRight));
  CHECK(keys_of("\x1b"
                "qx",
                10) == word(KeyCode::Text, "x"));  // Alt-Q has no meaning
  CHECK(keys_of("\x1b[1 ?zx", 10) == word(KeyCode::Text, "x"));
  CHECK(keys_of("\x1b[@x", 10) == word(KeyCode::Text, "x"));
  CHECK(keys_of("\x1b[?x", 10).empty());
  CHECK(keys_of(" a\x7f~\x80", 10) ==
        word(KeyCode::Text, " a") + word(KeyCode::Backspace) + word(KeyCode::Text, "~\x80"));
  CHECK(keys_of("\x1f", 1) == word(KeyCode::Control, "\x7f"));
  CHECK(keys_of("a\x01", 2) == word(KeyCode::Text, "a") + word(KeyCode::Control, "a"));
}

TEST_CASE("a lone escape character is a key once nothing follows") {
  KeyReader reader;
  reader.feed("\x1b");
  CHECK_FALSE(reader.next());
  CHECK(reader.waits());
  reader.settle();
  REQUIRE(reader.next()->code == KeyCode::Escape);
  CHECK_FALSE(reader.waits());
  reader.feed("\x1b");
  CHECK_FALSE(reader.next());  // settling is for one key
  reader.settle();
  CHECK(reader.next()->code == KeyCode::Escape);
  for (const char* begun : {"\x1b[", "\x1b[1;"}) {
    reader.feed(begun);
    CHECK_FALSE(reader.next());
    CHECK(reader.waits());
    reader.settle();
    CHECK_FALSE(reader.next());
    CHECK_FALSE(reader.waits());
  }
  reader.feed("\xe4\xb8");
  CHECK_FALSE(reader.next());
  reader.settle();
  CHECK(reader.next()->text == "\xe4\xb8");
  reader.feed("\x1b[200~never ends");
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.waits());
}

TEST_CASE("the cursor moves by visible characters") {
  LineBuffer buffer;
  const std::string family = "👨‍👩‍👧";
  buffer.insert("ae\u0301" + family + "中");
  buffer.left();
  buffer.left();
  CHECK(buffer.text().substr(buffer.cursor()) == family + "中");
  buffer.erase_before();
  CHECK(buffer.text() == "a" + family + "中");
  buffer.erase_after();
  CHECK(buffer.text() == "a中");
  CHECK(buffer.undo());
  CHECK(buffer.undo());
  CHECK(buffer.text() == "ae\u0301" + family + "中");
}

TEST_CASE("what was typed before another text was set is not brought back") {
  LineBuffer buffer;
  buffer.insert("one");
  buffer.insert("two");
  buffer.set("three");
  CHECK_FALSE(buffer.undo());
  buffer.insert("four");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "three");
  CHECK_FALSE(buffer.undo());
}

TEST_CASE("words and lines are deleted and put back") {
  LineBuffer buffer;
  buffer.insert("one two\r\nthree\rfour \xff");
  CHECK(buffer.text() == "one two\nthree\nfour \xef\xbf\xbd");
  buffer.set("one two\nthree");
  buffer.kill_word_before();
  CHECK(buffer.text() == "one two\n");
  buffer.yank();
  CHECK(buffer.text() == "one two\nthree");
  buffer.line_begin();
  buffer.left();
  buffer.kill_to_line_begin();
  CHECK(buffer.text() == "\nthree");
  buffer.kill_to_line_end();
  CHECK(buffer.text() == "three");
  buffer.text_end();
  buffer.transpose();
  CHECK(buffer.text() == "three");
  buffer.set("ab");
  buffer.transpose();
  CHECK(buffer.text() == "ba");
}

TEST_CASE("the cursor moves by words, which may have digits and underscores") {
  LineBuffer buffer;
  buffer.insert("x-a_1\u00e9 .");
  std::vector<std::size_t> places;
  for (int i = 0; i < 3; ++i) {
    buffer.word_left();
    places.push_back(buffer.cursor());
  }
  CHECK(places == std::vector<std::size_t>{2, 0, 0});
  for (int i = 0; i < 3; ++i) {
    buffer.word_right();
    places.push_back(buffer.cursor());
  }
  CHECK(places == std::vector<std::size_t>{2, 0, 0, 1, 7, 9});
  buffer.right();
  CHECK(buffer.cursor() == 9);
  buffer.move_to(0);
  buffer.left();
  buffer.erase_before();
  CHECK(buffer.cursor() == 0);
  CHECK(buffer.text() == "x-a_1\u00e9 .");
}

TEST_CASE("the characters around the cursor are exchanged, on one line only") {
  const auto exchanged = [](const std::string& text, std::size_t cursor) {
    LineBuffer buffer;
    buffer.set(text);
    buffer.move_to(cursor);
    buffer.transpose();
    return std::string(buffer.text()).insert(buffer.cursor(), "|");
  };
  CHECK(exchanged("abc", 3) == "acb|");
  CHECK(exchanged("abc", 2) == "acb|");
  CHECK(exchanged("abc", 1) == "ba|c");
  CHECK(exchanged("abc", 0) == "|abc");
  CHECK(exchanged("", 0) == "|");
  CHECK(exchanged("a", 1) == "|a");
  CHECK(exchanged("x\nab", 4) == "x\nba|");
  CHECK(exchanged("x\nab\ny", 3) == "x\nba|\ny");
  CHECK(exchanged("x\ne\u0301b", 6) == "x\nbe\u0301|");
}

TEST_CASE("a hundred changes can be undone, and none that changed nothing") {
  LineBuffer buffer;
  for (int i = 0; i < 150; ++i) buffer.insert("a");
  std::size_t undone = 0;
  while (buffer.undo()) ++undone;
  CHECK(undone == 100);
  CHECK(buffer.text().size() == 50);
  buffer.set("a");
  CHECK_FALSE(buffer.undo());
  buffer.insert("b");
  for (int i = 0; i < 3; ++i) buffer.insert("");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "ab");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "a");
  CHECK(buffer.cursor() == 1);
  CHECK_FALSE(buffer.undo());
  buffer.group(true);
  buffer.insert("b");
  buffer.insert("c");
  buffer.group(false);
  buffer.insert("d");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "abc");
  CHECK(buffer.undo());
  CHECK(buffer.text() == "a");
}

namespace {

/// The text after vi's keys, with the cursor as `|`. Escape is `\\`.
std::string after_vi(const std::string& text, sv keys) {
  LineBuffer buffer;
  ViKeys vi;
  vi.insert(buffer);
  buffer.insert(text);
  for (std::size_t at = 0; at < keys.size();) {
    std::size_t end = at;
    (void)decode_utf8(keys, end);
    const sv key = keys.substr(at, end - at);
    at = end;
    if (key == "\\") {
      vi.escape(buffer);
    } else if (vi.is_normal()) {
      (void)vi.type(key, buffer);
    } else {
      buffer.insert(key);
    }
  }
  return std::string(buffer.text()).insert(buffer.cursor(), "|");
}

/// Text, keys, and what the keys make of it.
void check_edits(std::span<const std::array<sv, 3>> edits) {
  for (const std::array<sv, 3>& edit : edits) {
    CAPTURE(edit[0]);
    CAPTURE(edit[1]);
    CHECK(after_vi(std::string(edit[0]), edit[1]) == edit[2]);
  }
}

}  // namespace

TEST_CASE("vi's keys edit the text") {
  constexpr std::array<std::array<sv, 3>, 78> k_edits = {{
      {"one two", "\\", "one tw|o"},
      {"one two", "\\0", "|one two"},
      {"one two", "\\0w", "one |two"},
      {"one two", "\\0www", "one tw|o"},
      {"one, two", "\\0w", "one|, two"},
      {"one, two", "\\0W", "one, |two"},
      {"one two", "\\b", "one |two"},
      {"one two", "\\2b", "|one two"},
      {"one two", "\\0e", "on|e two"},
      {"one two", "\\0ee", "one tw|o"},
      {"  one", "\\^", "  |one"},
      {"one", "\\0$", "on|e"},
      {"one", "\\hh", "|one"},
      {"one", "\\hhhhh", "|one"},
      {"one", "\\0lllll", "on|e"},
      {"one", "\\x", "o|n"},
      {"one", "\\02x", "|e"},
      {"one", "\\X", "o|e"},
      {"one two three", "\\0wD", "one| "},
      {"one two three", "\\0wdw", "one |three"},
      {"one two three", "\\0d2w", "|three"},
      {"one two three", "\\02dw", "|three"},
      {"one two three", "\\0de", "| two three"},
      {"one two three", "\\0cwtwo", "two| two three"},
      {"one two three", "\\0c2wx", "x| three"},
      {"one two", "\\0wcwx\\", "one |x"},
      {"one two", "\\ccx", "x|"},
      {"one two", "\\0wCx", "one x|"},
      {"one two", "\\Sx", "x|"},
      {"one two", "\\0sx", "x|ne two"},
      {"one", "\\0ix", "x|one"},
      {"one", "\\0ax", "ox|ne"},
      {"one", "\\0Ax", "onex|"},
      {"  one", "\\Ix", "  x|one"},
      {"one", "\\0rx", "|xne"},
      {"one", "\\03rx", "xx|x"},
      {"one", "\\0r世", "|世ne"},
      {"世界 ok", "\\0w", "世界 |ok"},
      {"e\u0301a", "\\0x", "|a"},
      {"one two", "\\0dwu", "|one two"},
      {"", "one two\\0dwxuu", "|one two"},
      {"", "one two\\u", "|"},
      {"one", "\\cctwo three\\u", "on|e"},
      {"one two", "\\0dwP", "one| two"},
      {"one two", "\\0dw$p", "twoone| "},
      {"one two", "\\0yw$p", "one twoone| "},
      {"one two", "\\0yw0yh$p", "one twoone| "},
      {"one two", "\\0dw0dhp", "tone| wo"},
      {"one", "\\yyp", "one\n|one"},
      {"one\ntwo\nthree", "\\ggdd", "|two\nthree"},
      {"one\ntwo\nthree", "\\dd", "one\n|two"},
      {"one\ntwo\nthree", "\\gg2ddp", "three\n|one\ntwo"},
      {"one\ntwo", "\\ggG", "one\n|two"},
      {"one\ntwo", "\\ggdw", "|\ntwo"},
      {"one", "\\otwo", "one\ntwo|"},
      {"one", "\\Otwo", "two|\none"},
      {"one", "\\dzdgq2\\", "on|e"},
      {"one two three", "\\0ft", "one |two three"},
      {"one two three", "\\0tt", "one| two three"},
      {"one two three", "\\0ft;", "one two |three"},
      {"one two three", "\\0ft;,", "one |two three"},
      {"one two three", "\\0tt;", "one two| three"},
      {"one two three", "\\Fo", "one tw|o three"},
      {"one two three", "\\To", "one two| three"},
      {"one two three", "\\02fe", "one two thr|ee"},
      {"one two three", "\\0dft", "|wo three"},
      {"one two three", "\\0dtt", "|two three"},
      {"one two three", "\\dFt", "one two |e"},
      {"one two three", "\\0fz", "|one two three"},
      {"one\ntwo", "\\ggft", "|one\ntwo"},
      {"a世b世c", "\\0f世;", "a世b|世c"},
      {"one two three", "\\0dw.", "|three"},
      {"one two three", "\\0cwx\\w.", "x |x three"},
      {"one", "\\Ax\\.", "onex|x"},
      {"aaaa", "\\0x.u", "|aaa"},
      {"aaaa", "\\0xu.", "|aaa"},
      {"one", "\\.", "on|e"},
      {"aXbXc", "\\0dfX.", "|c"},
  }};
  check_edits(k_edits);
}

TEST_CASE("vi's big words end at blanks only, and small ones where letters end") {
  constexpr std::array<std::array<sv, 3>, 19> k_edits = {{
      {"a-b c-d", "\\0e", "a|-b c-d"},
      {"a-b c-d", "\\0E", "a-|b c-d"},
      {"a-b c-d", "\\0EE", "a-b c-|d"},
      {"a-b c-d", "\\0w", "a|-b c-d"},
      {"a-b c-d", "\\0W", "a-b |c-d"},
      {"a-b c-d", "\\b", "a-b c|-d"},
      {"a-b c-d", "\\B", "a-b |c-d"},
      {"a-b c-d", "\\0de", "|b c-d"},
      {"a-b c-d", "\\0dE", "| c-d"},
      {"a-b c-d", "\\0dw", "|-b c-d"},
      {"a-b c-d", "\\0dW", "|c-d"},
      {"a-b c-d", "\\0cwx", "x|-b c-d"},
      {"a-b c-d", "\\0cWx", "x| c-d"},
      {"a-b c-d", "\\dB", "a-b |d"},
      {"a\tb", "\\0w", "a\t|b"},
      {"\t a", "\\0^", "\t |a"},
      {"\t a", "\\Ix", "\t x|a"},
      {"a_1\u00e9-", "\\0e", "a_1|\u00e9-"},
      {"a_1\u00e9-", "\\b", "|a_1\u00e9-"},
  }};
  check_edits(k_edits);
}

TEST_CASE("some of vi's keys are for the editor, which then does what they wish") {
  using Wish = ViKeys::Wish;
  LineBuffer buffer;
  buffer.insert("one two");
  ViKeys vi;
  vi.escape(buffer);
  constexpr std::array<std::pair<sv, Wish>, 9> k_wishes = {{{"k", Wish::Up},
                                                            {"j", Wish::Down},
                                                            {"/", Wish::Search},
                                                            {"n", Wish::SearchOn},
                                                            {"v", Wish::Edit},
                                                            {"b", Wish::None},
                                                            {"x", Wish::None},
                                                            {".", Wish::None},
                                                            {"2", Wish::None}}};
  for (const auto& [key, wish] : k_wishes) {
    CAPTURE(key);
    CHECK(vi.type(key, buffer) == wish);
  }
  CHECK(vi.type("k", buffer) == Wish::Up);  // with a count
  CHECK(buffer.text() == "one o");
}

TEST_CASE("a count of vi's keys is at most 9999") {
  CHECK(after_vi("ab", "\\x99999p") == "a" + std::string(9998, 'b') + "|b");
  CHECK(after_vi("ab", "\\x9999P") == std::string(9998, 'b') + "|ba");
}

TEST_CASE("vi's keys do what they do in another editor") {
  const auto rows = test::rows_of("unit/cli/vi_edits.txt");
  for (const std::vector<std::string>& row : rows) {
    REQUIRE(row.size() == 3);
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    CHECK(replace_all(after_vi(replace_all(row[0], "~", "\n"), row[1]), "\n", "~") == row[2]);
  }
  CHECK(rows.size() > 300);
}

TEST_CASE("no sequence of vi's keys leaves the text") {
  std::mt19937 random(11);
  constexpr sv k_keys = "hlwbeWBE0^$GgftFT;,dcyxXDCYSsrpPuiaIAoO\\\\\\12 .";
  for (int round = 0; round < 400; ++round) {
    std::string keys = "\\";
    for (int i = 0; i < 60; ++i) keys += k_keys[random() % k_keys.size()];
    CAPTURE(keys);
    const std::string text = after_vi("one, 世界 e\u0301\n\n two_three  ", keys);
    CHECK_FALSE(first_invalid_utf8(text));
  }
}

TEST_CASE("a letter right after Escape is one of its own with vi's keys") {
  KeyReader reader;
  reader.separate_escape(true);
  reader.feed(
      "\x1b"
      "b\x1b[A\x1b\r");
  CHECK(reader.next()->code == KeyCode::Escape);
  CHECK(reader.next()->text == "b");
  CHECK(reader.next()->code == KeyCode::Up);
  CHECK(reader.next()->code == KeyCode::NewLine);
}

TEST_CASE("a message continues after a backslash and within quotes") {
  CHECK(is_whole_message("a"));
  CHECK_FALSE(is_whole_message("a\\"));
  CHECK(is_whole_message("a\\\\"));
  CHECK_FALSE(is_whole_message("\"\"\"\na"));
  CHECK(is_whole_message("\"\"\"\na\n\"\"\""));
  CHECK_FALSE(is_whole_message("\"\"\""));
  CHECK_FALSE(is_whole_message("\"\"\"\"\""));
  CHECK(is_whole_message(" \"\"\"\"\"\"\n"));
  CHECK(is_whole_message(""));
  CHECK_FALSE(is_whole_message("\\"));
  CHECK(is_whole_message("\\\\"));
  CHECK(unquoted_message("\"\"\"\"\"\"").empty());
  CHECK(unquoted_message("\"\"\"\"\"") == "\"\"\"\"\"");
  CHECK(unquoted_message(" \"\"\"\n\na\n\n\"\"\"") == "\na\n");
  CHECK(unquoted_message(" \"\"\"a and b") == " \"\"\"a and b");
  CHECK(unquoted_message("a and b\"\"\"") == "a and b\"\"\"");
  CHECK(unquoted_message("\"\"\"\na\nb\n\"\"\"") == "a\nb");
  CHECK(unquoted_message("\"quoted\"") == "\"quoted\"");
}

TEST_CASE("the edited text is on the screen after every operation") {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {
      "a", "word ", "中文", "e\u0301", "\n", "\t", "\x1b[2J", "👨‍👩‍👧", "\u202e"};
  for (int round = 0; round < 60; ++round) {
    std::size_t columns = 12 + random() % 30;
    test::Screen screen(columns, 60);
    screen.feed("before\n");
    EditScreen edit;
    LineBuffer buffer;
    for (int step = 0; step < 40; ++step) {
      const auto what = random() % 10;
      if (what < 6) buffer.insert(parts[random() % parts.size()]);
      if (what == 6) buffer.erase_before();
      if (what == 7) buffer.left();
      if (what == 8) buffer.line_begin();
      if (what == 9 && step % 8 == 0) {
        columns = 12 + random() % 30;
        screen.resize(columns, 60);
      }
      const EditLayout layout = lay_out(buffer.text(), buffer.cursor(), "> ", columns);
      if (layout.rows.size() > 8) break;
      const std::vector<EditRow> below(random() % 2, EditRow{"hint", 4});
      screen.feed(edit.draw(layout, below, columns, 60));
      CAPTURE(buffer.text());
      std::string expected = "before\n" + seen(layout) + (below.empty() ? "" : "hint\n");
      while (expected.ends_with("\n\n")) expected.pop_back();
      REQUIRE(screen.text() == expected);
      CHECK(screen.column() == layout.column);
      CHECK(screen.faults().empty());
    }
  }
}

TEST_CASE("a text longer than the screen shows the part around the cursor") {
  test::Screen screen(20, 5);
  EditScreen edit;
  LineBuffer buffer;
  for (int i = 0; i < 30; ++i) buffer.insert("line" + std::to_string(i) + "\n");
  screen.feed(edit.draw(lay_out(buffer.text(), buffer.cursor(), "> ", 20), {}, 20, 5));
  CHECK(screen.text() == "  line26\n  line27\n  line28\n  line29\n");
  buffer.move_to(0);
  screen.feed(edit.draw(lay_out(buffer.text(), 0, "> ", 20), {}, 20, 5));
  CHECK(screen.text() == "> line0\n  line1\n  line2\n  line3\n  line4\n");
  screen.feed(edit.leave() + "after");
  CHECK(screen.text() == "> line0\n  line1\n  line2\n  line3\n  line4\nafter\n");
}

TEST_CASE("the screen moves no further than the cursor and the text ask for") {
  EditScreen edit;
  test::Screen screen(20, 3);
  const auto drawn = [&](sv text, std::size_t cursor) {
    screen.feed(edit.draw(lay_out(text, cursor, "> ", 20), {}, 20, 3));
    return screen.text();
  };
  const sv six = "a\nb\nc\nd\ne\nf";
  CHECK(drawn(six, 10) == "  d\n  e\n  f\n");
  CHECK(drawn(six, 6) == "  d\n  e\n  f\n");
  CHECK(drawn(six, 4) == "  c\n  d\n  e\n");
  CHECK(drawn(six, 8) == "  c\n  d\n  e\n");
  CHECK(drawn(six, 10) == "  d\n  e\n  f\n");
  CHECK(drawn(six.substr(0, 9), 8) == "  c\n  d\n  e\n");
  CHECK(drawn("a", 1) == "> a\n");
}

TEST_CASE("few rows go to the text around the cursor and then to what is below it") {
  const std::vector<EditRow> below = {{"hint", 4}, {"more", 4}};
  const auto drawn = [&](std::size_t lines, std::size_t cursor) {
    test::Screen screen(20, lines);
    EditScreen edit;
    screen.feed(edit.draw(lay_out("a\nb\nc", cursor, "> ", 20), below, 20, lines));
    CHECK(screen.faults().empty());
    return screen.text();
  };
  CHECK(drawn(2, 0) == "> a\nhint\n");
  CHECK(drawn(2, 5) == "  c\nhint\n");
  CHECK(drawn(3, 5) == "  c\nhint\nmore\n");
  CHECK(drawn(4, 5) == "  b\n  c\nhint\nmore\n");
  CHECK(drawn(4, 0) == "> a\n  b\nhint\nmore\n");
  CHECK(drawn(5, 5) == "> a\n  b\n  c\nhint\nmore\n");
}

TEST_CASE("only rows that changed are drawn again, and left or erased as a whole") {
  EditScreen edit;
  const std::vector<EditRow> hint = {{"hint", 4}};
  CHECK(edit.leave().empty());
  CHECK(edit.erase().empty());
  CHECK(edit.draw(lay_out("a\nb", 3, "> ", 20), {}, 20, 9) ==
        "\r\x1b[J\r> a\x1b[K\r\n\r  b\x1b[K\r\x1b[3C");
  CHECK(edit.draw(lay_out("a\nb", 3, "> ", 20), {}, 20, 9).empty());
  CHECK(edit.draw(lay_out("a\nb", 1, "> ", 20), {}, 20, 9) == "\r\x1b[1A\r\x1b[3C");
  CHECK(edit.draw(lay_out("a\nc", 1, "> ", 20), hint, 20, 9) ==
        "\r\r\n\r  c\x1b[K\r\n\rhint\x1b[K\x1b[2A\r\x1b[3C");
  CHECK(edit.draw(lay_out("a\nc", 3, "> ", 20), {}, 20, 9) == "\r\r\n\r\n\r\x1b[K\x1b[1A\r\x1b[3C");
  CHECK(edit.draw(lay_out("a\nc", 0, "> ", 20), {}, 20, 9) == "\r\x1b[1A\r\x1b[2C");
  CHECK(edit.leave() == "\r\n\r\n\x1b[J");
  CHECK(edit.leave().empty());
  CHECK(edit.draw(lay_out("a\nc", 3, "> ", 20), {}, 20, 9) ==
        "\r\r> a\x1b[K\r\n\r  c\x1b[K\r\x1b[3C");
  CHECK(edit.erase() == "\r\x1b[1A\x1b[J");
  CHECK(edit.erase().empty());
}

TEST_CASE("after a change of the width the rows are drawn again from the first one") {
  // How far up that is: the terminal has wrapped what was wider than it now is.
  const auto drawn = [](std::size_t size, std::size_t cursor, std::size_t columns) {
    EditScreen edit;
    const std::string text = std::string(size, 'a') + "\nb";
    (void)edit.draw(lay_out(text, cursor, "> ", 40), {}, 40, 9);
    return edit.draw(lay_out("c", 1, "> ", columns), {}, columns, 9);
  };
  const std::string rest = "\x1b[J\r> c\x1b[K\r\x1b[3C";
  CHECK(drawn(5, 7, 20) == "\r\x1b[1A" + rest);
  CHECK(drawn(18, 20, 20) == "\r\x1b[1A" + rest);
  CHECK(drawn(19, 21, 20) == "\r\x1b[2A" + rest);
  CHECK(drawn(30, 32, 10) == "\r\x1b[4A" + rest);
  CHECK(drawn(0, 2, 20) == "\r\x1b[1A" + rest);
  CHECK(drawn(30, 17, 20) == "\r" + rest);
  CHECK(drawn(30, 18, 20) == "\r\x1b[1A" + rest);
  CHECK(drawn(30, 30, 8) == "\r\x1b[4A" + rest);
  CHECK(drawn(30, 30, 1) == "\r\x1b[4A" + rest);  // as if there were eight columns
  EditScreen edit;
  CHECK(edit.draw(lay_out("a", 1, "> ", 20), {}, 20, 9) == "\r\x1b[J\r> a\x1b[K\r\x1b[3C");
  // What is gone is not cleared row by row when all is.
  const std::vector<EditRow> below = {{"hint", 4}, {"more", 4}};
  CHECK(edit.draw(lay_out("a", 1, "> ", 20), below, 20, 9) ==
        "\r\r\n\rhint\x1b[K\r\n\rmore\x1b[K\x1b[2A\r\x1b[3C");
  CHECK(edit.draw(lay_out("a", 1, "> ", 30), {}, 30, 9) == "\r\x1b[J\r> a\x1b[K\r\x1b[3C");
  CHECK(edit.draw(lay_out("a", 1, "> ", 30), below, 30, 1) == "\r\r\n\rhint\x1b[K\x1b[1A\r\x1b[3C");
}

TEST_CASE("rows are a column shorter than the screen, and tabs end at every fourth column") {
  const auto rows = [](sv text, std::size_t columns) {
    std::vector<std::string> shown;
    for (const EditRow& row : lay_out(text, 0, "> ", columns).rows) shown.push_back(row.shown);
    return shown;
  };
  using Rows = std::vector<std::string>;
  CHECK(rows("1234567", 10) == Rows{"> 1234567"});
  CHECK(rows("12345678", 10) == Rows{"> 1234567", "  8"});
  CHECK(rows("123456\u4e2d", 10) == Rows{"> 123456", "  \u4e2d"});
  CHECK(rows("123456", 3) == Rows{"> 12345", "  6"});  // as if there were eight columns
  CHECK(rows("\tx", 20) == Rows{">     x"});
  CHECK(rows("abc\tx", 20) == Rows{"> abc x"});
  CHECK(rows("abcd\tx", 20) == Rows{"> abcd    x"});
  // The cursor before a character that begins a row is on that row.
  const EditLayout wrapped = lay_out("12345678", 7, "> ", 10);
  CHECK(wrapped.row == 1);
  CHECK(wrapped.column == 2);
  CHECK(lay_out("1234567", 7, "> ", 10).column == 9);
}

TEST_CASE("a character of more than a thousand columns is cut") {
  std::string family = "\U0001f469";
  for (int i = 1; i < 600; ++i) family += "\u200d\U0001f469";  // one character, joined
  const EditLayout layout = lay_out(family, family.size(), "> ", 2000);
  REQUIRE(layout.rows.size() == 1);
  std::string shown = "> ";
  for (int i = 0; i < 499; ++i) shown += "\U0001f469";
  CHECK(layout.rows.front().shown == shown + "\u2026");
  CHECK(layout.column == 1001);
  CHECK(offset_at(family, layout, 0, 1000, 2) == 0);
  CHECK(offset_at(family, layout, 0, 1001, 2) == family.size());
}

TEST_CASE("rows keep the cursor's column") {
  const std::string text = "中文ab\nxyz";
  const EditLayout layout = lay_out(text, text.size(), "> ", 20);
  REQUIRE(layout.rows.size() == 2);
  CHECK(layout.column == 5);
  CHECK(offset_at(text, layout, 0, 5, 2) == 3);
  CHECK(offset_at(text, layout, 0, 6, 2) == 6);
  CHECK(offset_at(text, layout, 0, 40, 2) == 8);
}

TEST_CASE("input is saved in a private file, without secrets") {
  const Directory directory;
  const auto file = directory.path / "input_history";
  {
    InputHistory history(file);
    CHECK(history.add("first", {}));
    CHECK(history.add("two\nlines \"quoted\"", {}));
    CHECK(history.add("two\nlines \"quoted\"", {}));
    CHECK(history.add(" not this", {}));
    CHECK(history.add("the key is s3cret", {"s3cret"}));
  }
  struct stat facts {};
  REQUIRE(::stat(file.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777U) == 0600);
  InputHistory one(file);
  InputHistory other(file);
  CHECK(other.add("from elsewhere", {}));
  CHECK(one.add("from here", {}));
  InputHistory all(file);
  CHECK(all.older("draft") == "from here");
  CHECK(all.older("") == "from elsewhere");
  CHECK(all.older("") == "two\nlines \"quoted\"");
  CHECK(all.older("") == "first");
  CHECK_FALSE(all.older(""));
  CHECK(all.newer() == "two\nlines \"quoted\"");
  CHECK(all.find("FIRST", 0) == 3);
  CHECK_FALSE(all.find("s3cret", 0));
  all.rest();
  CHECK(all.older("draft") == "from here");
  CHECK(all.newer() == "draft");
}

TEST_CASE("an entry may have 64 kB, and a history twice what it keeps") {
  const Directory directory;
  const auto file = directory.path / "input_history";
  const std::string longest(64U << 10U, 'x');
  {
    InputHistory history(file);
    CHECK(history.add("s3cret-", {"", "s3cret"}));
    CHECK(history.add(longest, {""}));
    CHECK(history.add(longest + "x", {}));
    CHECK(history.add(" \n", {}));
  }
  InputHistory saved(file);
  CHECK(saved.older("") == longest);
  CHECK_FALSE(saved.older(""));
  CHECK_FALSE(saved.find("s", 0));
  CHECK_FALSE(saved.find("x", 1));
  const auto entries_left = [&](std::size_t lines) {
    {
      std::ofstream text(file, std::ios::trunc);
      for (std::size_t i = 0; i < lines; ++i) text << '"' << i << "\"\n";
    }
    InputHistory history(file);
    std::size_t known = 0;
    while (history.older("")) ++known;
    CHECK(known == std::min(lines, InputHistory::k_most));
    std::ifstream text(file);
    std::size_t left = 0;
    for (std::string line; std::getline(text, line);) ++left;
    return left;
  };
  CHECK(entries_left(InputHistory::k_most - 1) == InputHistory::k_most - 1);
  CHECK(entries_left(2 * InputHistory::k_most) == 2 * InputHistory::k_most);
  CHECK(entries_left(2 * InputHistory::k_most + 1) == InputHistory::k_most);
}

TEST_CASE("a history is read without writing anything, and has what was said last at the end") {
  const Directory directory;
  std::filesystem::create_directories(directory.path);
  const auto file = directory.path / "input_history";
  InputHistory history(file);
  CHECK(std::filesystem::is_empty(directory.path));
  CHECK_FALSE(history.older(""));
  CHECK_FALSE(history.newer());
  CHECK_FALSE(history.find("", 0));
  REQUIRE(history.add("one", {}));
  REQUIRE(history.add("two\xff", {}));
  REQUIRE(history.add("one", {}));  // only at once it is the same again
  std::ifstream text(file);
  CHECK(std::string(std::istreambuf_iterator<char>(text), {}) ==
        "\"one\"\n\"two\xef\xbf\xbd\"\n\"one\"\n");
  CHECK(history.find("ONE", 0) == 0);
  CHECK(history.find("one", 1) == 2);
  CHECK_FALSE(history.find("one", 3));
  CHECK(history.find("wo", 0) == 1);
  CHECK(history.ago(2) == "one");
  CHECK(history.older("draft") == "one");
  CHECK(history.older("changed") == "two\xff");
  CHECK(history.newer() == "one");
  CHECK(history.newer() == "draft");
  CHECK_FALSE(history.newer());
}

TEST_CASE("the file of a long history becomes short again, and keeps the newest lines") {
  const Directory directory;
  std::filesystem::create_directories(directory.path);
  const auto file = directory.path / "input_history";
  {
    std::ofstream lines(file);
    for (int i = 0; i < 100'000; ++i) lines << "\"line " << i << "\"\n";
  }
  const auto before = std::filesystem::file_size(file);
  InputHistory history(file);
  CHECK(history.older("") == "line 99999");
  CHECK(std::filesystem::file_size(file) < before / 5);
  InputHistory again(file);
  CHECK(again.older("") == "line 99999");
}

TEST_CASE("of a huge history the newest lines are kept, whatever their length") {
  const Directory directory;
  std::filesystem::create_directories(directory.path);
  const auto file = directory.path / "input_history";
  {
    std::ofstream lines(file);
    for (int i = 0; i < 400; ++i) lines << '"' << i << std::string(60'000, 'x') << "\"\n";
  }
  InputHistory history(file);
  CHECK(history.older("").value_or("").starts_with("399xx"));
  CHECK(std::filesystem::file_size(file) < (16U << 20U));
  std::size_t entries = 1;
  while (history.older("")) ++entries;
  CHECK(entries == 279);  // as many whole lines as 16 MB hold
}

TEST_CASE("a damaged or unwritable history is not an error") {
  const Directory directory;
  std::filesystem::create_directories(directory.path);
  const auto file = directory.path / "input_history";
  std::ofstream(file) << "\"good\"\nbroken\n{}\n\"\n\"last\"\n";
  InputHistory history(file);
  CHECK(history.older("") == "last");
  CHECK(history.older("") == "good");
  InputHistory discard("/proc/nowhere/input_history");
  CHECK_FALSE(discard.add("text", {}));
  CHECK(discard.older("") == "text");
}

}  // namespace svc::cli

// Splits a transcript into subtitles.
#include "voice/cues.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace svc::voice {
namespace {

enum class WordEnd : std::uint8_t { None, Clause, Sentence };

/// What this word ends, judging by its punctuation; quotes and brackets may follow.
WordEnd break_after(std::string_view word) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < word.size();) all.push_back(decode_utf8(word, at));
  const std::u32string_view closing = U"\"')]}»”’」』";
  while (!all.empty() && closing.find(all.back()) != std::u32string_view::npos) all.pop_back();
  if (all.empty()) return WordEnd::None;
  if (std::u32string_view(U".!?…。！？").find(all.back()) != std::u32string_view::npos) {
    return WordEnd::Sentence;
  }
  return std::u32string_view(U",;:–—、，；：").find(all.back()) != std::u32string_view::npos
             ? WordEnd::Clause
             : WordEnd::None;
}

/// Fills lines of at most `width` characters; longer words are split.
std::vector<std::string> fill_lines(std::span<const Word> words, std::size_t width,
                                    std::size_t first_indent) {
  std::vector<std::string> lines(1);
  std::size_t used = first_indent;
  const auto put = [&](std::string_view piece, bool space) {
    const std::size_t length = count_code_points(piece);
    if (used > 0 && used + length + (space ? 1 : 0) > width && !lines.back().empty()) {
      lines.emplace_back();
      used = 0;
      space = false;
    }
    if (space && !lines.back().empty()) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += piece;
    used += length;
  };
  std::string_view before;
  for (const Word& word : words) {
    std::string_view rest = trim(word.text);
    const bool space = needs_space(before, rest);
    before = rest;
    while (count_code_points(rest) > width) {
      std::size_t end = 0;
      for (std::size_t i = 0; i < width; ++i) (void)decode_utf8(rest, end);
      put(rest.substr(0, end), space);
      rest.remove_prefix(end);
    }
    put(rest, space);
  }
  return lines;
}

/// As fill_lines(), with lines of similar length: uses the smallest width that adds no line.
std::vector<std::string> wrap(std::span<const Word> words, const CueLimits& limits,
                              std::size_t indent) {
  std::vector<std::string> lines = fill_lines(words, limits.line, indent);
  if (lines.size() < 2) return lines;
  for (std::size_t width = limits.line / 2; width < limits.line; ++width) {
    std::vector<std::string> balanced = fill_lines(words, width, indent);
    const bool cut_words = std::any_of(words.begin(), words.end(), [&](const Word& word) {
      return count_code_points(trim(word.text)) > width;
    });
    if (!cut_words && balanced.size() == lines.size()) return balanced;
  }
  return lines;
}

/// The number of leading words that make up the next cue.
std::size_t next_cue(std::span<const Word> words, const CueLimits& limits, std::size_t indent) {
  std::size_t most = 1;
  while (most < words.size() && words[most].end - words.front().start <= limits.longest &&
         fill_lines(words.first(most + 1), limits.line, indent).size() <= limits.lines) {
    ++most;
  }
  if (most == words.size()) return most;
  // The best break in the second half: later ones are better, but a sentence end takes precedence.
  std::size_t best = most;
  double best_score = 0;
  for (std::size_t count = (most + 1) / 2; count <= most; ++count) {
    const WordEnd end = break_after(words[count - 1].text);
    const double silence = words[count].start - words[count - 1].end;
    const double score = (end == WordEnd::Sentence ? 4.0
                          : end == WordEnd::Clause ? 2.0
                                                   : 0.0) +
                         (silence >= 0.25 ? 1.5 : 0.0) +
                         static_cast<double>(count) / static_cast<double>(most);
    if (score >= best_score) {
      best = count;
      best_score = score;
    }
  }
  return best;
}

/// Spaces words evenly if the transcript has no word times.
std::vector<Word> spread(const Transcript& transcript) {
  std::vector<Word> words;
  std::string flat = transcript.text;
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  for (const sv part : split(flat, ' ')) {
    if (!trim(part).empty()) words.push_back({.text = std::string(trim(part))});
  }
  std::size_t all = 0;
  for (const Word& word : words) all += count_code_points(word.text) + 1;
  std::size_t done = 0;
  const auto at = [&](std::size_t count) {
    return transcript.start +
           transcript.duration * static_cast<double>(count) / static_cast<double>(all);
  };
  for (Word& word : words) {
    word.start = at(done);
    done += count_code_points(word.text) + 1;
    word.end = at(done);
  }
  return words;
}

}  // namespace

std::vector<SpeakerTurn> speaker_turns(std::vector<Word> words, std::size_t channels,
                                       double pause) {
  // Channels overlap in time, so each has its own turns.
  std::map<std::int64_t, std::vector<SpeakerTurn>> by_channel;
  for (Word& word : words) {
    std::vector<SpeakerTurn>& turns = by_channel[channels > 1 ? word.channel.value_or(0) : 0];
    std::string label = label_of(word, channels);
    const bool continues = !turns.empty() && turns.back().label == label &&
                           word.start - turns.back().words.back().end < pause;
    if (!continues) turns.push_back({std::move(label)});
    turns.back().words.push_back(std::move(word));
  }
  std::vector<SpeakerTurn> all;
  for (auto& [channel, turns] : by_channel) {
    std::move(turns.begin(), turns.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(), [](const SpeakerTurn& a, const SpeakerTurn& b) {
    return a.words.front().start < b.words.front().start;
  });
  return all;
}

std::vector<Cue> make_cues(const Transcript& transcript, std::size_t channels,
                           const CueLimits& limits) {
  std::vector<Cue> cues;
  for (const SpeakerTurn& turn :
       speaker_turns(transcript.words.empty() ? spread(transcript) : transcript.words, channels,
                     limits.pause)) {
    const std::size_t indent = turn.label.empty() ? 0 : count_code_points(turn.label) + 3;
    for (std::span<const Word> rest = turn.words; !rest.empty();) {
      const auto part = rest.first(next_cue(rest, limits, indent));
      rest = rest.subspan(part.size());
      double end = part.front().start;
      for (const Word& word : part) end = std::max(end, word.end);
      cues.push_back({part.front().start, end, turn.label, wrap(part, limits, indent)});
    }
  }
  std::stable_sort(cues.begin(), cues.end(),
                   [](const Cue& a, const Cue& b) { return a.start < b.start; });
  for (std::size_t i = 0; i < cues.size(); ++i) {
    double end = std::max(cues[i].end, cues[i].start + limits.shortest);
    if (i + 1 < cues.size() && end > cues[i].end) end = std::min(end, cues[i + 1].start);
    cues[i].end = std::max({cues[i].end, end, cues[i].start + 0.001});
    // A speaker's cues do not overlap.
    if (i + 1 < cues.size() && cues[i + 1].label == cues[i].label) {
      cues[i].end = std::min(cues[i].end, std::max(cues[i + 1].start, cues[i].start + 0.001));
    }
  }
  return cues;
}

}  // namespace svc::voice

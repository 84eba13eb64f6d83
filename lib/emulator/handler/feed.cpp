#include "emulator/handler/feed.h"

#include <memory>
#include <utility>

#include "base/text.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_max_piece = 24;  // code points

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The current position in a lane.
class Lane {
 public:
  explicit Lane(std::vector<Run> runs) : m_runs(std::move(runs)) { skip_empty(); }

  [[nodiscard]] bool done() const { return m_run == m_runs.size(); }

  StreamChunk next(std::chrono::milliseconds delay) {
    const Run& run = m_runs[m_run];
    const std::string head = run.name.empty() ? "" : "event: " + run.name + "\n";
    StreamChunk chunk;
    if (run.whole) {
      chunk.bytes = run.event(run.text, true);
      advance();
    } else {
      const bool cut = m_cut < run.cuts.size();
      const std::size_t end = cut ? run.cuts[m_cut].end : chunk_end(run.text, m_at);
      const bool last = end == run.text.size();
      chunk.bytes = run.event(std::string_view(run.text).substr(m_at, end - m_at), last);
      chunk.delay = cut && run.cuts[m_cut].delay.count() > 0 ? run.cuts[m_cut].delay : delay;
      ++m_cut;
      m_at = end;
      if (last) advance();
    }
    chunk.bytes = head + "data: " + chunk.bytes + "\n\n";
    return chunk;
  }

 private:
  void advance() {
    ++m_run;
    m_at = m_cut = 0;
    skip_empty();
  }

  void skip_empty() {
    while (!done() && !m_runs[m_run].whole && m_runs[m_run].text.empty()) ++m_run;
  }

  std::vector<Run> m_runs;
  std::size_t m_run = 0;
  std::size_t m_at = 0;
  std::size_t m_cut = 0;
};

class FeedSource {
 public:
  explicit FeedSource(Feed feed) : m_done_mark(feed.done_mark), m_delay(feed.delay) {
    for (auto& runs : feed.lanes) m_lanes.emplace_back(std::move(runs));
    m_tail.emplace_back(std::move(feed.tail));
  }

  std::optional<StreamChunk> next() {
    if (auto chunk = next_of(m_lanes)) return chunk;
    if (auto chunk = next_of(m_tail)) return chunk;
    if (!std::exchange(m_done_mark, false)) return std::nullopt;
    return StreamChunk{"data: [DONE]\n\n"};
  }

 private:
  std::optional<StreamChunk> next_of(std::vector<Lane>& lanes) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[(m_turn + i) % lanes.size()];
      if (lane.done()) continue;
      m_turn = (m_turn + i + 1) % lanes.size();
      return lane.next(m_delay);
    }
    m_turn = 0;
    return std::nullopt;
  }

  std::vector<Lane> m_lanes{};
  std::vector<Lane> m_tail{};
  std::size_t m_turn = 0;
  bool m_done_mark;
  std::chrono::milliseconds m_delay;
};

}  // namespace

Run single(std::string data, std::string name) {
  return Run{.event = [data = std::move(data)](std::string_view, bool) { return data; },
             .name = std::move(name)};
}

Response stream(Feed feed) {
  Response response;
  response.content_type = "text/event-stream";
  response.headers.push_back({"cache-control", "no-cache"});
  // A function must be copyable, but its source must not be copied.
  response.next = [source = std::make_shared<FeedSource>(std::move(feed))] {
    return source->next();
  };
  return response;
}

std::size_t chunk_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  std::size_t count = 0;
  while (at < text.size() && is_blank(text[at]) && count < k_max_piece) {
    ++at;
    ++count;
  }
  while (at < text.size() && !is_blank(text[at]) && count < k_max_piece) {
    (void)decode_utf8(text, at);
    ++count;
  }
  return at;
}

}  // namespace svc::emulator::text

// Measures each reader of lib/json in MB/s, on data like the service's. Not run by CTest; compare
// numbers only with those of another build on the same machine.
#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/fast_delta.h"
#include "json/outline.h"
#include "json/repair.h"
#include "json/scanner.h"
#include "json/slices.h"
#include "json/text.h"

namespace {

/// CPU time of this process, so that other programs on the machine do not matter.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::size_t g_seen = 0;  // keeps the compiler from removing the reads as unused

/// Prints the best of several rounds, since other load on the machine only slows rounds down.
void measure(std::string_view what, std::size_t bytes, const std::function<void()>& read) {
  double best = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const double begin = processor_seconds();
    std::size_t done = 0;
    double took = 0;
    do {
      read();
      done += bytes;
      took = processor_seconds() - begin;
    } while (took < 0.05);
    best = std::max(best, static_cast<double>(done) / took / 1e6);
  }
  fmt::print("{:<32} {:>8.0f} MB/s\n", what, best);
}

std::vector<std::string> chunks(bool changing, bool escaped) {
  std::vector<std::string> all;
  for (int i = 0; i < 1000; ++i) {
    all.push_back(fmt::format(
        R"({{"id":"0b9d5b6e-5f3a-41b6-9b0c-6b1c8a1d7c10","object":"chat.completion.chunk",)"
        R"("created":{},"model":"svc-4.5","choices":[{{"index":0,"delta":{{"content":" w{}{}"}}}}],)"
        R"("system_fingerprint":"fp_174298dd8e"}})",
        1760000000 + (changing ? i : 0), i, escaped ? R"(\n)" : ""));
  }
  return all;
}

std::string page() {
  std::string out = R"({"data":[)";
  for (int i = 0; i < 4000; ++i) {
    out += fmt::format(
        R"({}{{"id":"file_{}","bytes":{},"name":"Bericht über {} \"x\".pdf","tags":["a","b",null],)"
        R"("price":{{"amount":0.25,"currency":"usd"}},"ready":true,"created_at":1760000000}})",
        i == 0 ? "" : ",", i, i * 37, i);
  }
  return out + R"(],"pagination_token":"abc"})";
}

void read_document(std::string_view name, const std::string& text) {
  const auto row = [&](const char* reader) { return fmt::format("{}, {}", name, reader); };
  const svc::TextSink sink = [](std::string_view piece) { g_seen += piece.size(); };
  measure(row("checked"), text.size(), [&] { g_seen += svc::check_json(text).has_value(); });
  for (const auto layout : {svc::JsonLayout::Compact, svc::JsonLayout::Pretty}) {
    const bool pretty = layout == svc::JsonLayout::Pretty;
    measure(row(pretty ? "pretty" : "compact"), text.size(), [&] {
      g_seen += svc::reformat_json(text, {layout, pretty, true}, sink).has_value();
    });
  }
  measure(row("outline"), text.size(), [&] {
    svc::JsonOutline outline;
    g_seen += svc::outline_json(text, "data", outline).has_value() + outline.elements.size();
  });
  measure(row("tokens"), text.size(), [&] {
    svc::json_scan::Scanner<svc::json_scan::Input::Checked> scanner(text);
    while (scanner.next() != svc::json_scan::Token::End) g_seen += scanner.text().size();
  });
  measure(row("elements"), text.size(), [&] {
    const auto data = svc::json_member(text, "data");
    if (data) g_seen += svc::json_elements(*data).size();
  });
  measure(row("members"), text.size(), [&] { g_seen += svc::json_members(text).size(); });
  measure(row("repaired"), text.size(), [&] { g_seen += svc::repair_json(text).size(); });
}

void read_chunks(std::string_view name, const std::vector<std::string>& all) {
  std::size_t bytes = 0;
  for (const std::string& one : all) bytes += one.size();
  const auto row = [&](const char* reader) { return fmt::format("{}, {}", name, reader); };
  measure(row("fast delta"), bytes, [&] {
    svc::FastDeltaReader reader;
    svc::FastDelta delta;
    for (const std::string& one : all) g_seen += reader.read(one, delta) ? delta.content.size() : 0;
  });
  measure(row("checked"), bytes, [&] {
    for (const std::string& one : all) g_seen += svc::check_json(one).has_value();
  });
  constexpr std::array<std::string_view, 3> paths = {"id", "choices", "usage.total_tokens"};
  measure(row("picked"), bytes, [&] {
    for (const std::string& one : all) g_seen += svc::json_pick(one, paths).size();
  });
}

}  // namespace

int main() {
  read_chunks("alike chunks", chunks(false, false));
  read_chunks("escaped chunks", chunks(false, true));
  read_chunks("changing chunks", chunks(true, false));
  read_document("list", page());
  read_document("base64", R"({"data":[{"b64_json":")" + std::string(4U << 20U, 'Q') + "\"}]}");
  return g_seen == 0 ? 1 : 0;
}

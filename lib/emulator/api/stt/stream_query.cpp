#include "emulator/api/stt/stream_query.h"

#include <array>
#include <functional>

#include <fmt/format.h>

#include "base/text.h"
#include "emulator/api/stt/members.h"

namespace svc::emulator::stt {
namespace {

using Setter = std::function<Complaint(StreamQuery&, sv)>;

struct QueryMember {
  sv name;
  Setter set;
};

Complaint set_encoding(StreamQuery& query, sv value) {
  if (value == "pcm") {
    query.format.raw = audio::Encoding::Pcm;
  } else if (value == "mulaw") {
    query.format.raw = audio::Encoding::MuLaw;
  } else if (value == "alaw") {
    query.format.raw = audio::Encoding::ALaw;
  } else {
    return fmt::format("encoding must be one of pcm, mulaw, alaw, not '{}'.",
                       visible(excerpt(value, 40), Lines::Escape));
  }
  return std::nullopt;
}

Complaint set_term(StreamQuery& query, sv value) {
  constexpr sv k_fail = "Fail with:";
  if (value.starts_with(k_fail)) {
    query.failure = trim(value.substr(k_fail.size()));
    return std::nullopt;
  }
  return add_keyterm(value, query.wishes);
}

// The setter of a whole number within bounds.
template <typename Keep>
Setter whole(sv name, std::int64_t low, std::int64_t high, Keep keep) {
  return [=](StreamQuery& query, sv value) -> Complaint {
    std::int64_t number = 0;
    if (auto bad = read_whole(name, value, low, high, number)) return bad;
    keep(query, static_cast<int>(number));
    return std::nullopt;
  };
}

std::array<QueryMember, 13> members() {
  return {{
      {"sample_rate", [](StreamQuery& q, sv v) { return read_rate(v, q.format.rate); }},
      {"encoding", set_encoding},
      {"interim_results",
       [](StreamQuery& q, sv v) { return read_flag("interim_results", v, q.listening.interim); }},
      {"endpointing", whole("endpointing", 0, 5000,
                            [](StreamQuery& q, int v) { q.listening.endpointing_ms = v; })},
      {"language",
       [](StreamQuery& q, sv v) -> Complaint {
         q.formatted = true;
         q.wishes.written_numbers = true;
         return check_language(v);
       }},
      {"multichannel",
       [](StreamQuery& q, sv v) { return read_flag("multichannel", v, q.multichannel); }},
      {"channels", whole("channels", 1, 8, [](StreamQuery& q, int v) { q.format.channels = v; })},
      {"diarize",
       [](StreamQuery& q, sv v) { return read_flag("diarize", v, q.listening.speakers); }},
      {"keyterm", set_term},
      {"filler_words",
       [](StreamQuery& q, sv v) { return read_flag("filler_words", v, q.wishes.filler_words); }},
      {"smart_turn",
       [](StreamQuery& q, sv v) {
         return read_share("smart_turn", v, q.listening.smart_turn.emplace());
       }},
      {"smart_turn_timeout",
       whole("smart_turn_timeout", 1, 5000,
             [](StreamQuery& q, int v) { q.listening.smart_turn_timeout_ms = v; })},
      {"vad_threshold",
       [](StreamQuery& q, sv v) {
         return read_share("vad_threshold", v, q.listening.vad_threshold);
       }},
  }};
}

Complaint check_query(const StreamQuery& query) {
  if (query.multichannel && query.format.channels < 2) {
    return "multichannel needs channels from 2 to 8.";
  }
  if (!query.multichannel && query.format.channels > 1) return "channels needs multichannel=true.";
  if (query.listening.smart_turn_timeout_ms && !query.listening.smart_turn) {
    return "smart_turn_timeout needs smart_turn.";
  }
  return std::nullopt;
}

}  // namespace

std::optional<Answer> read_stream_query(const Call& call, StreamQuery& query) {
  const auto known = members();
  for (const Header& given : call.query) {
    if (given.value.empty() && given.name == "language") continue;  // as its default
    for (const QueryMember& member : known) {
      if (member.name != given.name) continue;
      if (const auto bad = member.set(query, given.value)) return refuse_stt(*bad);
    }
  }
  if (const auto bad = check_query(query)) return refuse_stt(*bad);
  if (const auto wait = parse_integer(call.header("x-emulator-stream-timeout-ms").value_or(""))) {
    query.timeout = std::chrono::milliseconds(*wait);
  }
  return std::nullopt;
}

}  // namespace svc::emulator::stt

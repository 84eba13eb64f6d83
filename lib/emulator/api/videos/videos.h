// Videos: their requests, and the jobs that make them.
#pragma once

#include "emulator/api/media/media.h"

namespace svc::emulator::videos {

using text::Json;

enum class Kind : std::uint8_t { Generation, Edit, Extension };

/// The outcome.
enum class Outcome : std::uint8_t { Done, Blocked, Failed, Expired };

struct VideoParams {
  Kind kind = Kind::Generation;
  std::string prompt{}, model{};
  int duration_s = 0;   ///< of the new part; for an edit, the source's duration
  double source_s = 0;  ///< for an extension: the source's duration
  media::Size size{};
  std::int64_t price = 0;  ///< total in ticks
  bool in_batch = false;   ///< charged to its batch, at batch prices
  Outcome outcome = Outcome::Done;
  std::string error_code{};  ///< for Outcome::Failed
  std::string error_message{}, upload_url{};
  std::string address{};          ///< of the emulator, for URLs
  std::string storage_options{};  ///< the request's, as JSON; empty: none
  std::string video_bytes{};      ///< for an edit, stored separately
};

/// Parses `request` into `params`; otherwise returns the refusal.
[[nodiscard]] std::optional<Response> read_params(const Request& request, Kind kind,
                                                  VideoParams& params);

/// Converts the order without its video to JSON, and back.
[[nodiscard]] std::string pack(const VideoParams& params);
[[nodiscard]] VideoParams unpack(const std::string& json);

// --- video sizes in pixels ---

/// "480p" is 480 pixels on the shorter side; "" is 480p. Proportions are limited to 1:3 to 3:1.
[[nodiscard]] media::Size video_size(double ratio, sv resolution);

/// Returns the size of an edit's result: the source's, but even, and at most 1080p.
[[nodiscard]] media::Size edited_size(media::Size source);

// Video jobs, stored for a day.

/// Processes a due job with an upload URL, which nobody polls. Returns false if there is none.
[[nodiscard]] Result<bool> process_upload(State& state);

}  // namespace svc::emulator::videos

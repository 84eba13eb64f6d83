// What `svc stt` is to transcribe: files, addresses, standard input; all looked at before the first
// is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "voice/transcript.h"

namespace svc::cli {

struct SttItem {
  std::string name{};       ///< as given
  std::string target{};     ///< the file that gets the result; empty: standard output, or --output
  std::uint64_t bytes = 0;  ///< to send; 0 for an address
  request::Request request{};
};

/// The items in the order given, their requests built and checked. Usage for what cannot be
/// transcribed: missing, empty, too large, no audio, raw audio that is not described.
[[nodiscard]] Result<std::vector<SttItem>> stt_items(Session& session);

/// How the transcripts are written; nothing where the service's own documents are the result
/// (--json). Usage when both were asked for.
[[nodiscard]] Result<std::optional<voice::TranscriptFormat>> stt_format(const Session& session);

/// Chooses where each result goes, and finds out whether it can be put there: beside its file where
/// there are several, or in the folder of --output. Usage when two go to one file, Local when one
/// exists already or cannot be written.
[[nodiscard]] Result<void> plan_stt_targets(Session& session,
                                            std::optional<voice::TranscriptFormat> format,
                                            std::vector<SttItem>& items);

}  // namespace svc::cli

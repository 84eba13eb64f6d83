// Videos that were asked for, until a day after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/api/videos/request.h"
#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator::videos {

struct Job {
  std::string id{};
  std::string team_id{};
  std::int64_t created_ms = 0;
  std::int64_t ready_at_ms = 0;
  std::string order{};                  ///< JSON, see request.h
  std::optional<std::string> result{};  ///< JSON, once it is worked off
};

/// How long a job and its result can be read; for another day it is told as expired.
inline constexpr std::int64_t k_retention_s = 86'400;

/// `film`: what it edits; "" for none.
[[nodiscard]] Result<void> add_job(State& state, const Job& job, const std::string& film);
[[nodiscard]] Result<std::optional<Job>> find_job(State& state, std::string_view team_id,
                                                  std::string_view id);
/// A job that is due, not worked off, and has an upload_url.
[[nodiscard]] Result<std::optional<Job>> find_due_upload(State& state);

/// The film that a job edits.
[[nodiscard]] Result<std::string> read_source(State& state, std::string_view id);

/// True for one of all that ask within half a minute: he works the job off.
[[nodiscard]] Result<bool> claim_job(State& state, std::string_view id);

/// Notes the result, books what it costs, and drops the film, all at once.
[[nodiscard]] Result<void> finish_job(State& state, const Job& job, std::string_view result,
                                      const std::vector<Charge>& charges);

/// Works a job off, and gives its result as JSON: makes the film, uploads or keeps it.
/// What goes wrong with the order is part of the result; an error is one of the emulator itself.
/// Nothing while somebody else is at it. What it costs is booked, but for a job of a batch, which
/// pays itself.
[[nodiscard]] Result<std::optional<std::string>> work_off(State& state, const Job& job);

/// What a result costs: a finished video is paid for by the second.
[[nodiscard]] std::vector<Charge> charges_of(const VideoOrder& order, const std::string& result);

/// Works off one job that is due and has somewhere to upload its film to: it must not wait until
/// somebody asks. False when there is none.
[[nodiscard]] Result<bool> work_off_upload(State& state);

/// The result of a job whose time is over.
[[nodiscard]] std::string expired_result();

}  // namespace svc::emulator::videos

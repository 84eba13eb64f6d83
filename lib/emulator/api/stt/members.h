// The members that uploads and the socket share, with their limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/api/stt/words.h"
#include "emulator/handler/handler.h"
#include "emulator/sound/sound_source.h"

namespace svc::emulator::stt {

using Complaint = std::optional<std::string>;

/// 400 in the service's shape.
[[nodiscard]] Answer refuse_stt(std::string_view sentence);

/// Each reads one value, or says what is wrong with it.
[[nodiscard]] Complaint read_flag(std::string_view name, std::string_view value, bool& into);
[[nodiscard]] Complaint read_whole(std::string_view name, std::string_view value, std::int64_t low,
                                   std::int64_t high, std::int64_t& into);
[[nodiscard]] Complaint read_share(std::string_view name, std::string_view value, double& into);
[[nodiscard]] Complaint read_rate(std::string_view value, int& into);
[[nodiscard]] Complaint add_keyterm(std::string_view term, Wishes& wishes);

/// A code such as "en" or "pt-BR"; `auto` is not one of them.
[[nodiscard]] Complaint check_language(std::string_view language);

/// Does formatting work for that language?
[[nodiscard]] bool can_format(std::string_view language);

/// What listening to so many seconds costs.
[[nodiscard]] std::vector<Charge> charges_for_sound(double seconds);

}  // namespace svc::emulator::stt

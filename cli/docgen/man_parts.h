// What the manual pages have in common.
#pragma once

#include <string>
#include <string_view>

#include "client/settings.h"
#include "docgen/roff.h"
#include "docgen/topics.h"

namespace svc::docgen {

/// "SVC-CHAT".
[[nodiscard]] std::string capitals(std::string_view text);

/// For the NAME section: a sentence that continues after a dash, without its full stop.
[[nodiscard]] std::string clause(std::string_view sentence);

/// "The address of the inference service.", and its built-in value.
[[nodiscard]] std::string setting_text(const SettingRow& row);

/// What the topic says, as parts of the section at hand.
void add_topic(RoffPage& page, const Topic& topic);

/// The configuration file that svc-config(5) shows.
[[nodiscard]] std::string_view sample_config();

}  // namespace svc::docgen

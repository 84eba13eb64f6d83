// What becomes of a finished picture or film beside its URL: a file of the team (storage_options).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/account/models.h"
#include "emulator/api/media/source.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::media {

/// What is wrong with the request's storage_options: the 400 for it.
[[nodiscard]] std::optional<Answer> storage_fault(const text::Json& body);

/// Stores `data` as the request's storage_options say, when it has them, and tells so in `item`:
/// `file_output`, or `storage_error` when that is not possible. `index` counts the results of one
/// request: the second file of `cat.jpg` is `cat-2.jpg`.
void store_output(const Place& place, const text::Json& body, std::string_view content_type,
                  std::string_view data, std::size_t index, text::Json& item);

/// The model that the body names (the default when it names none), in `model`; else
/// why not: 404, naming model and team, or 403.
[[nodiscard]] std::optional<Answer> pick_media_model(const Call& call, const text::Json& body,
                                                     Product product, const MediaModel*& model);

}  // namespace svc::emulator::media

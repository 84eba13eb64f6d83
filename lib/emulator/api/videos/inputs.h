// The pictures, voices and films of a request for a video.
#pragma once

#include <optional>
#include <string>

#include "emulator/api/videos/request.h"

namespace svc::emulator::videos {

/// Reads image, reference_images, keyframes and last_frame into the order's inputs, and looks at
/// reference_audios. A URL that cannot be read makes the order one that fails.
/// `proportions` becomes those of the first picture.
[[nodiscard]] std::optional<Answer> read_pictures(const Call& call, const Json& body,
                                                  VideoOrder& order,
                                                  std::optional<media::Size>& proportions);

/// The same for the film of an edit or extension, with its size and duration.
[[nodiscard]] std::optional<Answer> read_film(const Call& call, const Json& body,
                                              VideoOrder& order);

}  // namespace svc::emulator::videos

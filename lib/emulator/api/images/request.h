// What a request for images asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/account/media_models.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"
#include "emulator/model/steer.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::images {

using text::Json;

struct ImageOrder {
  const media::MediaModel* model = nullptr;
  std::string prompt{};
  text::Steering steering{};
  std::size_t count = 1;
  media::Size size{};
  bool as_base64 = false;
  bool deferred = false;
  std::int64_t price = 0;  ///< ticks per image
  std::vector<media::Picture> inputs{};
};

/// The body of `call`, in `body`, and what it asks for, in `order`; else the answer that refuses
/// it. `edit`: with images to change.
[[nodiscard]] std::optional<Answer> read_order(const Call& call, bool edit, Json& body,
                                               ImageOrder& order);

}  // namespace svc::emulator::images

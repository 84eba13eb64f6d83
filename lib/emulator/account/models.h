// The emulator's language, image and video models, and their prices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

/// Prices are in ticks per token (10,000,000,000 ticks are one US dollar). The documents list the
/// models without prices and sizes: those are the emulator's own.
struct Model {
  std::string_view name;
  std::string_view version;
  std::string_view alias;    ///< empty: none
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t prompt_price = 0;
  std::int64_t cached_price = 0;
  std::int64_t completion_price = 0;
  std::int64_t context_length = 0;
  bool reasoning = false;         ///< returns reasoning tokens; refuses stop and both penalties
  bool reasoning_effort = false;  ///< accepts reasoning_effort; true for svc-4.3 only
  bool logprobs = false;  ///< false: svc-4.20 and newer, which silently ignore the parameter
  bool batches = true;    ///< false: refused in batches
  bool images = true;     ///< accepts images as input
};

/// The usage of one call.
struct TokenUse {
  std::int64_t prompt = 0;      ///< all prompt tokens, including cached ones
  std::int64_t cached = 0;      ///< prompt tokens that were cached
  std::int64_t completion = 0;  ///< visible tokens
  std::int64_t reasoning = 0;   ///< priced like visible ones
  std::int64_t sources = 0;     ///< search sources used
};

/// Ticks per search source.
inline constexpr std::int64_t k_source_price = 250'000'000;

/// A prompt with more tokens than long_context_of() makes all tokens of its request cost this
/// multiple.
inline constexpr std::int64_t k_long_context_factor = 2;
[[nodiscard]] constexpr std::int64_t long_context_of(const Model& model) {
  constexpr std::int64_t k_long = 200'000;
  return model.context_length < k_long ? model.context_length : k_long;
}

/// The system_fingerprint of every answer.
inline constexpr std::string_view k_system_fingerprint = "fp_emulator";

[[nodiscard]] std::span<const Model> models();

/// Finds a model by name or alias; null if unknown. Responses contain `Model::name`.
[[nodiscard]] const Model* find_model(std::string_view name);

/// Returns the cost in ticks.
[[nodiscard]] std::int64_t price(const Model& model, const TokenUse& use);

/// The same as lines of a bill: prompt, cached prompt and completion tokens, search sources. Lines
/// without units are left out.
[[nodiscard]] std::vector<Charge> charges_of(const Model& model, const TokenUse& use);

/// A line of a bill for voice, and its price in ticks. The service's prices are unpublished: these
/// are the emulator's own.
struct VoicePrice {
  std::string_view what;  ///< follows the model's name, if there is one
  std::string_view unit;
  std::int64_t ticks = 0;
};
/// 15 dollars per million.
inline constexpr VoicePrice k_spoken_character{"speech synthesis", "character", 150'000};
/// A dollar for ten hours.
inline constexpr VoicePrice k_transcribed_second{"speech transcription", "second", 277'778};
/// Of a realtime session: 3 cents a minute to listen, 6 cents to speak.
inline constexpr VoicePrice k_session_input_second{"input audio", "second", 5'000'000};
inline constexpr VoicePrice k_session_output_second{"output audio", "second", 10'000'000};
inline constexpr VoicePrice k_session_input_token{"input tokens", "token", 40'000};
inline constexpr VoicePrice k_session_output_token{"output tokens", "token", 200'000};

[[nodiscard]] Charge charge_for(const VoicePrice& price, std::int64_t units,
                                std::string_view model = {});

}  // namespace svc::emulator

namespace svc::emulator::media {
enum class Product : std::uint8_t { Image, Video };

struct MediaModel {
  std::string_view name;
  Product product = Product::Image;
  std::string_view version;
  std::string_view alias;    ///< empty: none
  std::int64_t created = 0;  ///< Unix seconds
  std::int64_t price = 0;    ///< ticks per image of 1k, or per second of 480p, see below
  bool full_hd = false;      ///< supports 1080p
};

[[nodiscard]] std::span<const MediaModel> media_models();

/// Finds a model for `product` by name or alias; null if unknown.
[[nodiscard]] const MediaModel* find_media_model(Product product, std::string_view name);

/// Returns the price of an image in ticks, which grows with its pixels. `resolution` and `quality`
/// are those of the request.
[[nodiscard]] std::int64_t image_price(const MediaModel& model, std::string_view resolution,
                                       std::string_view quality);

/// Returns the price of a video whose shorter side has `side` pixels.
[[nodiscard]] std::int64_t video_price(const MediaModel& model, int side, int seconds);

}  // namespace svc::emulator::media

// What the service publishes about its models: prices, sizes and rate limits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc {

/// What a price is for; all prices are in ticks per unit.
enum class Price : std::uint8_t {
  Input,         ///< token of text
  InputPicture,  ///< token of an image
  Cached,        ///< cached input token
  Output,        ///< token, including those of reasoning
  LongInput,     ///< token of a request that is longer than ModelFacts::long_from
  LongOutput,
  Source,       ///< used by a search
  Image,        ///< generated
  InputImage,   ///< of an image or video model
  VideoSecond,  ///< generated
  InputSecond,  ///< of a video that is changed
  Character,    ///< spoken
  SoundSecond,  ///< transcribed
  TalkSecond,   ///< of a realtime session
};
inline constexpr std::size_t k_prices = 14;

/// A price's names. `setting` is in US dollars per `scale` units: [profile.NAME.prices].
struct PriceRow {
  Price price{};
  std::string_view setting{};
  std::int64_t scale = 1;
  std::string_view help{};
  std::array<std::string_view, 2> members{};  ///< in the service's lists, in ticks; may be empty
};
[[nodiscard]] std::span<const PriceRow> price_rows() noexcept;

/// What the names of PriceRow::setting begin with in ConfigFile::value().
inline constexpr std::string_view k_price_settings = "prices.";

/// The price that `dollars` per `scale` units are, in ticks per unit, rounded up. Usage if it is
/// not an amount.
[[nodiscard]] Result<std::int64_t> read_price(const PriceRow& row, std::string_view dollars);

using Prices = std::array<std::optional<std::int64_t>, k_prices>;

struct ModelFacts {
  struct Sized {
    std::string resolution{};  ///< "1k", "720p"
    std::int64_t ticks = 0;    ///< of an image, or of a second
  };

  std::string name{};
  std::vector<std::string> aliases{};
  Prices prices{};
  std::vector<Sized> sizes{};     ///< prices by resolution, smallest first
  std::optional<bool> reasons{};  ///< whether it reasons before it answers
  std::int64_t max_prompt = 0;    ///< tokens; 0: unknown, here and below
  std::int64_t long_from = 0;     ///< a prompt with more tokens costs Price::LongInput
  std::int64_t requests_per_second = 0;
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;

  [[nodiscard]] std::optional<std::int64_t> price(Price of) const {
    return prices[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] bool is_named(std::string_view model) const;
  /// The price of an image or a second at `resolution`, or at the next larger one; of the smallest,
  /// which is the service's default, if it is "".
  [[nodiscard]] std::optional<std::int64_t> sized_price(std::string_view resolution) const;
  /// What `cached` of the tokens of a prompt cost less than the others. Empty if a price is
  /// unknown, as that of cached tokens in a long prompt.
  [[nodiscard]] std::optional<std::int64_t> cache_savings(std::int64_t tokens,
                                                          std::int64_t cached) const;
  /// Whether a prompt of that many tokens is charged as a long one.
  [[nodiscard]] bool is_long(std::int64_t tokens) const {
    return long_from > 0 && tokens > long_from;
  }
};

/// The models in a list of the inference service (`models`) or of the management service
/// (`clusterConfigs`); values of another form are left out.
[[nodiscard]] std::vector<ModelFacts> read_model_facts(std::string_view document);

/// The model of that name or alias, or null.
[[nodiscard]] const ModelFacts* find_facts(std::span<const ModelFacts> all, std::string_view model);

}  // namespace svc

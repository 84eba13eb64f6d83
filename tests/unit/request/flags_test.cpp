// Flags read by names that the compiler checks.
#include "request/flags.h"

#include <type_traits>

#include <doctest/doctest.h>

#include "catalogue/builders.h"
#include "catalogue/catalogue.h"
#include "catalogue/phone_fields.h"
#include "catalogue/tts_fields.h"

using namespace svc;

namespace flags_test {

using namespace catalogue;

inline constexpr std::array k_shared = {boolean("wait", "Wait."),
                                        duration("poll-interval", "Poll.")};
inline constexpr std::array k_own = {
    text("text.format.type", "A path."),
    integer("maxTokens", "Another path."),
    number("session.audio.speed", "A path in a session."),
    text("tag", "Tags.", repeated),
    text("note", "A text that may be in a file.", file_text),
    text("notes", "Several of them.", file_text, repeated),
    secret("token", "A secret."),
    boolean("continue", "A switch with a value.", optional_value("NAME")),
};
inline constexpr auto k_all = concat(k_own, k_shared);
inline constexpr std::array k_other_kind = {text("wait", "Not a switch.")};

template <const auto& Rows, FlagName Name>
concept Readable = requires(const Flags<Rows>& flags) {
  flags.template get<Name>();
};
template <const auto& Rows, FlagName Name>
concept Switch = requires(const Flags<Rows>& flags) {
  flags.template is_true<Name>();
};
template <const auto& Rows, FlagName Name>
concept Known = requires {
  Flags<Rows>::template k_name<Name>;
};
template <const auto& Rows, FlagName Name>
using Value = decltype(std::declval<Flags<Rows>>().template get<Name>());

// A wrong name does not compile, nor does that of a global flag.
template <FlagName Name>
concept Global = requires {
  k_global_flag<Name>;
};
static_assert(Global<"profile"> && !Global<"profil"> && !Global<"wait">);
static_assert(Readable<k_all, "wait">);
static_assert(!Readable<k_all, "wiat">);
static_assert(!Readable<k_all, "wai">);
static_assert(!Readable<k_all, "waits">);
static_assert(!Readable<k_all, "">);
static_assert(!Readable<k_own, "wait">);
static_assert(Known<k_all, "tag"> && !Known<k_all, "tags">);
static_assert(Switch<k_all, "wait"> && !Switch<k_all, "tag"> && !Switch<k_all, "wiat">);

// The flag is derived from a path.
static_assert(Readable<k_all, "text-format-type"> && !Readable<k_all, "text.format.type">);
static_assert(Readable<k_all, "max-tokens"> && !Readable<k_all, "maxTokens">);
static_assert(Readable<k_all, "audio-speed"> && !Readable<k_all, "session-audio-speed">);

// The type is that of the field.
template <typename T>
using Maybe = std::optional<T>;
static_assert(std::is_same_v<Value<k_all, "text-format-type">, Maybe<std::string>>);
static_assert(std::is_same_v<Value<k_all, "max-tokens">, Maybe<std::int64_t>>);
static_assert(std::is_same_v<Value<k_all, "audio-speed">, Maybe<double>>);
static_assert(std::is_same_v<Value<k_all, "tag">, std::vector<std::string>>);
static_assert(std::is_same_v<Value<k_all, "token">, Maybe<request::Given>>);
static_assert(std::is_same_v<Value<k_all, "note">, Maybe<request::Given>>);
static_assert(std::is_same_v<Value<k_all, "notes">, std::vector<request::Given>>);
static_assert(std::is_same_v<Value<k_all, "continue">, Maybe<std::string>>);
static_assert(std::is_same_v<Value<k_all, "wait">, Maybe<bool>>);
static_assert(std::is_same_v<Value<k_all, "poll-interval">, Maybe<std::chrono::milliseconds>>);

// Flags convert only into some of them, of the same type.
static_assert(std::is_convertible_v<Flags<k_all>, Flags<k_shared>>);
static_assert(std::is_convertible_v<Flags<k_all>, Flags<k_own>>);
static_assert(!std::is_convertible_v<Flags<k_shared>, Flags<k_all>>);
static_assert(!std::is_convertible_v<Flags<k_own>, Flags<k_shared>>);
static_assert(!std::is_convertible_v<Flags<k_all>, Flags<k_other_kind>>);

}  // namespace flags_test

TEST_CASE("a flag is read as the type of its field") {
  const std::span<const Field> fields = catalogue::resolved<flags_test::k_all>;
  request::Inputs inputs;
  const auto give = [&](sv flag, std::string text) {
    for (const Field& field : fields) {
      if (field.flag == flag) inputs.given.push_back({&field, std::move(text)});
    }
  };
  const Flags<flags_test::k_all> flags(inputs);
  CHECK_FALSE(flags.get<"max-tokens">());
  CHECK_FALSE(flags.get<"wait">());
  CHECK_FALSE(flags.is_true<"wait">());
  CHECK_FALSE(flags.has<"tag">());
  CHECK(flags.get<"tag">().empty());
  CHECK(flags.text<"text-format-type">().empty());
  give("max-tokens", "1");
  give("max-tokens", "20");
  give("audio-speed", "1.5");
  give("wait", "false");
  give("poll-interval", "1.5s");
  give("tag", "a");
  give("tag", "b");
  give("token", "env:TOKEN");
  give("continue", "work");
  give("text-format-type", "json");
  REQUIRE(inputs.given.size() == 10);
  CHECK(flags.get<"max-tokens">() == 20);
  CHECK(flags.get<"audio-speed">() == 1.5);
  CHECK(flags.get<"wait">() == false);
  CHECK(flags.has<"wait">());
  CHECK(flags.get<"poll-interval">() == std::chrono::milliseconds(1'500));
  CHECK(flags.get<"tag">() == std::vector<std::string>{"a", "b"});
  CHECK(flags.get<"token">()->text == "env:TOKEN");
  CHECK(flags.get<"continue">() == "work");
  CHECK(flags.text<"text-format-type">() == "json");
  const Flags<flags_test::k_shared> shared = flags;
  CHECK(shared.get<"wait">() == false);
}

TEST_CASE("the rows name the flags as the catalogue does") {
  const auto check = [](const auto& rows, std::span<const Field> fields) {
    REQUIRE(rows.size() == fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      for (const Field& other : fields) {
        CHECK(catalogue::is_flag(rows[i], other.flag) == (other.flag == fields[i].flag));
      }
    }
  };
  check(catalogue::phone::k_listen_fields, find_operation("phone", "listen")->fields);
  check(catalogue::tts::k_speak_fields, find_operation("tts", "speak")->fields);
}

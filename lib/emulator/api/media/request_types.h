// The pieces that requests for images and videos share.
#pragma once

#include <array>

#include "emulator/json/check.h"
#include "emulator/json/check_tables.h"

namespace svc::emulator::media {

// `image_url` is an alias of `url`; one client's habit is an object there.
inline constexpr std::array k_source_members = {
    text::Member{"file_id", &text::k_text}, text::Member{"url", &text::k_text},
    text::Member{"image_url", &text::k_any}, text::Member{"type", &text::k_text}};
inline constexpr text::Type k_source{.shape = text::Shape::Object, .members = k_source_members};
inline constexpr text::Type k_sources{.shape = text::Shape::List, .element = &k_source};

inline constexpr std::array<const text::Type*, 2> k_public_options = {&text::k_boolean,
                                                                      &text::k_map};
inline constexpr text::Type k_public{.shape = text::Shape::Either, .options = k_public_options};
inline constexpr std::array k_storage_members = {text::Member{"filename", &text::k_text, true},
                                                 text::Member{"expires_after", &text::k_integer},
                                                 text::Member{"public_url", &k_public}};
inline constexpr text::Type k_storage{.shape = text::Shape::Object, .members = k_storage_members};

}  // namespace svc::emulator::media

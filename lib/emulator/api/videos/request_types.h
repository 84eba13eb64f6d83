// The types of the requests for videos.
#pragma once

#include <array>

#include "emulator/api/media/request_types.h"
#include "emulator/api/videos/size.h"

namespace svc::emulator::videos {

using text::Member;
using text::Shape;
using text::Type;

inline constexpr std::array<sv, 3> k_resolution_words = {"480p", "720p", "1080p"};
inline constexpr Type k_ratio{.shape = Shape::Word, .words = k_ratios};
inline constexpr Type k_resolution{.shape = Shape::Word, .words = k_resolution_words};

inline constexpr std::array k_voice_members = {Member{"voice_id", &text::k_text, true}};
inline constexpr Type k_voice{.shape = Shape::Object, .members = k_voice_members};
inline constexpr Type k_voices{.shape = Shape::List, .element = &k_voice};

inline constexpr std::array k_output_members = {Member{"upload_url", &text::k_text, true}};
inline constexpr Type k_output{.shape = Shape::Object, .members = k_output_members};

inline constexpr std::array k_keyframe_members = {Member{"image", &media::k_source, true},
                                                  Member{"timestamp_s", &text::k_number, true}};
inline constexpr Type k_keyframe{.shape = Shape::Object, .members = k_keyframe_members};
inline constexpr Type k_keyframes{.shape = Shape::List, .element = &k_keyframe};

// A duration is a number or a numeric text.
inline constexpr std::array<const Type*, 2> k_duration_options = {&text::k_number, &text::k_text};
inline constexpr Type k_duration{.shape = Shape::Either, .options = k_duration_options};

inline constexpr std::array k_generation_members = {Member{"prompt", &text::k_text},
                                                    Member{"model", &text::k_text},
                                                    Member{"duration", &k_duration},
                                                    Member{"seconds", &k_duration},
                                                    Member{"aspect_ratio", &k_ratio},
                                                    Member{"resolution", &k_resolution},
                                                    Member{"image", &media::k_source},
                                                    Member{"reference_images", &media::k_sources},
                                                    Member{"reference_audios", &k_voices},
                                                    Member{"keyframes", &k_keyframes},
                                                    Member{"last_frame", &media::k_source},
                                                    Member{"output", &k_output},
                                                    Member{"storage_options", &media::k_storage},
                                                    Member{"user", &text::k_text}};
inline constexpr Type k_generation{.shape = Shape::Object, .members = k_generation_members};

// An edit has no duration: one that is sent is ignored.
inline constexpr std::array k_edit_members = {Member{"prompt", &text::k_text},
                                              Member{"model", &text::k_text},
                                              Member{"video", &media::k_source, true},
                                              Member{"output", &k_output},
                                              Member{"storage_options", &media::k_storage},
                                              Member{"user", &text::k_text}};
inline constexpr Type k_edit{.shape = Shape::Object, .members = k_edit_members};

inline constexpr std::array k_extension_members = {Member{"prompt", &text::k_text},
                                                   Member{"model", &text::k_text},
                                                   Member{"video", &media::k_source, true},
                                                   Member{"duration", &k_duration},
                                                   Member{"seconds", &k_duration},
                                                   Member{"output", &k_output},
                                                   Member{"storage_options", &media::k_storage},
                                                   Member{"user", &text::k_text}};
inline constexpr Type k_extension{.shape = Shape::Object, .members = k_extension_members};

}  // namespace svc::emulator::videos

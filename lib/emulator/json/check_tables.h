// The types of the text operations' requests, and
// the pieces that they share.
#pragma once

#include <array>

#include "emulator/json/check.h"

namespace svc::emulator::text {

/// POST /v1/chat/completions.
[[nodiscard]] const Type& chat_request_type();

/// POST /v1/responses.
[[nodiscard]] const Type& responses_request_type();

/// POST /v1/responses/compact.
[[nodiscard]] const Type& compact_request_type();

inline constexpr Type k_any{.shape = Shape::Any};
inline constexpr Type k_text{.shape = Shape::Text};
inline constexpr Type k_boolean{.shape = Shape::Boolean};
inline constexpr Type k_integer{.shape = Shape::Integer};
inline constexpr Type k_count{.shape = Shape::Count};
inline constexpr Type k_number{.shape = Shape::Number};
inline constexpr Type k_map{.shape = Shape::Map};
inline constexpr Type k_texts{.shape = Shape::List, .element = &k_text};
inline constexpr Type k_anything_list{.shape = Shape::List, .element = &k_any};

// `auto` and `fast` are newer than the documents.
inline constexpr std::array<sv, 4> k_service_tier_words = {"default", "priority", "auto", "fast"};
inline constexpr Type k_service_tier{.shape = Shape::Word, .words = k_service_tier_words};

inline constexpr std::array<sv, 3> k_search_mode_words = {"off", "on", "auto"};
inline constexpr Type k_search_mode{.shape = Shape::Word, .words = k_search_mode_words};

// --- search sources ---
inline constexpr std::array k_web_source_members = {
    Member{"allowed_websites", &k_texts}, Member{"excluded_websites", &k_texts},
    Member{"country", &k_text}, Member{"safe_search", &k_boolean}};
inline constexpr std::array k_x_source_members = {
    Member{"included_x_handles", &k_texts}, Member{"excluded_x_handles", &k_texts},
    Member{"x_handles", &k_texts}, Member{"post_favorite_count", &k_integer},
    Member{"post_view_count", &k_integer}};
inline constexpr std::array k_news_source_members = {Member{"country", &k_text},
                                                     Member{"excluded_websites", &k_texts},
                                                     Member{"safe_search", &k_boolean}};
inline constexpr std::array k_rss_source_members = {Member{"links", &k_texts, true}};
inline constexpr Type k_web_source{.shape = Shape::Object, .members = k_web_source_members};
inline constexpr Type k_x_source{.shape = Shape::Object, .members = k_x_source_members};
inline constexpr Type k_news_source{.shape = Shape::Object, .members = k_news_source_members};
inline constexpr Type k_rss_source{.shape = Shape::Object, .members = k_rss_source_members};
inline constexpr std::array k_source_variants = {
    Variant{"web", &k_web_source}, Variant{"x", &k_x_source}, Variant{"news", &k_news_source},
    Variant{"rss", &k_rss_source}};
inline constexpr Type k_source{
    .shape = Shape::Tagged, .tag = "type", .variants = k_source_variants};
inline constexpr Type k_sources{.shape = Shape::List, .element = &k_source};

inline constexpr std::array k_search_members = {Member{"mode", &k_search_mode},
                                                Member{"sources", &k_sources},
                                                Member{"from_date", &k_text},
                                                Member{"to_date", &k_text},
                                                Member{"max_search_results", &k_integer},
                                                Member{"return_citations", &k_boolean}};
inline constexpr Type k_search{.shape = Shape::Object, .members = k_search_members};

}  // namespace svc::emulator::text

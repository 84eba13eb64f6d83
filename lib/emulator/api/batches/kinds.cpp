#include "emulator/api/batches/kinds.h"

#include <algorithm>
#include <array>

namespace svc::emulator::batches {
namespace {

// The endpoints are internal names of the service; one of them was seen.
constexpr std::array k_kinds = {
    Kind{.member = "chat_get_completion",
         .path = "/v1/chat/completions",
         .endpoint = "svc_api.Chat/GetCompletion",
         .result = "chat_get_completion",
         .text = true},
    Kind{.member = "responses",
         .path = "/v1/responses",
         .endpoint = "svc_api.Responses/CreateResponse",
         .result = "chat_get_completion",
         .text = true},
    Kind{.member = "image_generation",
         .path = "/v1/images/generations",
         .endpoint = "svc_api.Image/GenerateImage",
         .result = "image_generation"},
    Kind{.member = "image_edit",
         .path = "/v1/images/edits",
         .endpoint = "svc_api.Image/EditImage",
         .result = "image_generation"},
    Kind{.member = "video_generation",
         .path = "/v1/videos/generations",
         .endpoint = "svc_api.Video/GenerateVideo",
         .result = "video_generation",
         .job = true},
    Kind{.member = "video_extension",
         .path = "/v1/videos/extensions",
         .endpoint = "svc_api.Video/ExtendVideo",
         .result = "video_generation",
         .job = true},
    Kind{.member = "video_edit",
         .path = "/v1/videos/edits",
         .endpoint = "svc_api.Video/EditVideo",
         .result = "video_generation",
         .job = true,
         .in_files_only = true},
};

}  // namespace

std::span<const Kind> kinds() {
  return k_kinds;
}

const Kind* find_kind(std::string_view member) {
  const auto found = std::ranges::find(k_kinds, member, &Kind::member);
  return found == k_kinds.end() ? nullptr : &*found;
}

const Kind* find_kind_by_path(std::string_view path) {
  const auto found = std::ranges::find(k_kinds, path, &Kind::path);
  return found == k_kinds.end() ? nullptr : &*found;
}

}  // namespace svc::emulator::batches

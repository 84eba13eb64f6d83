#include "emulator/api/files/routes.h"

#include "emulator/api/files/handlers.h"

namespace svc::emulator {
namespace {

constexpr const char* k_acl = "files";
constexpr std::uint64_t k_form_extra = 32'768;  // what surrounds the file in its form

Route upload_route() {
  Route route{"POST", "/v1/files", files::upload, k_acl, Input::Free};
  route.max_body = files::k_max_file + k_form_extra;
  return route;
}

// The whole content in base64, inside JSON.
Route update_route() {
  Route route{"PUT", "/v1/files/{file_id}", files::update, k_acl};
  route.max_body = files::k_max_file / 3 * 4 + k_form_extra;
  return route;
}

}  // namespace

std::vector<Route> file_routes() {
  return {
      upload_route(),
      update_route(),
      {"GET", "/v1/files", files::list, k_acl},
      {"POST", "/v1/files:initialize", files::initialize, k_acl},
      {"POST", "/v1/files:uploadChunks", files::upload_chunk, k_acl},
      {"GET", "/v1/files/{file_id}", files::get, k_acl},
      {"DELETE", "/v1/files/{file_id}", files::remove, k_acl},
      {"GET", "/v1/files/{file_id}/content", files::content, k_acl},
      {"POST", "/v1/files/{file_id}/public-url", files::publish, k_acl},
      {"POST", "/v1/files/{file_id}/public-url/revoke", files::unpublish, k_acl, Input::Free},
      {"GET", "/public/files/{token}/{name}", files::serve_public, "", Input::Free, KeyNeed::None},
  };
}

}  // namespace svc::emulator

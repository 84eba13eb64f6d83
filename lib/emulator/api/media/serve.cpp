#include "emulator/api/media/serve.h"

#include <fmt/format.h>

#include "emulator/api/media/store.h"
#include "emulator/handler/serve_bytes.h"

namespace svc::emulator {
namespace media {
namespace {

Answer plain(int status, std::string text) {
  Answer answer;
  answer.status = status;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = std::move(text);
  return answer;
}

Answer serve_media(const Call& call) {
  if (call.header("Authorization")) {
    return plain(403,
                 "The media host takes no Authorization header: an API key does not belong "
                 "here.\n");
  }
  const std::string& name = call.params.at("name");
  auto found = find_media(*call.state, name);
  if (!found) return refuse_internal(found.error());
  if (!*found) return plain(404, "No such media, or its URL has expired.\n");
  StoredMedia& media = **found;
  const std::string etag = fmt::format("\"{}\"", name.substr(0, name.find('.')));
  Answer answer = serve_bytes(call, std::move(media.data), std::move(media.content_type), etag,
                              media.created_at);
  answer.headers.push_back({"Cache-Control", fmt::format("public, max-age={}", k_url_life_s)});
  return answer;
}

}  // namespace
}  // namespace media

std::vector<Route> media_routes() {
  return {{.method = "GET",
           .path = "/_media/{name}",
           .handler = media::serve_media,
           .input = Input::Free,
           .key = KeyNeed::None}};
}

}  // namespace svc::emulator

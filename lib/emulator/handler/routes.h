// The operations of each area, defined there and joined in api/routes.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "emulator/handler/handler.h"

namespace svc::emulator {

namespace realtime {
class Speech;
}

struct VideoOptions {
  /// Duration of a video. The request header `x-emulator-video-ms` overrides it.
  std::chrono::milliseconds render_time{3000};
};

/// The service's operations, without the emulator's control operations (control/routes.h).
[[nodiscard]] std::vector<Route> all_routes(const VideoOptions& videos = {});

/// GET /v1/api-key.
[[nodiscard]] std::vector<Route> api_key_routes();

/// GET /v1/models[/{model_id}], and likewise /v1/language-models, /v1/image-generation-models and
/// /v1/video-generation-models.
[[nodiscard]] std::vector<Route> model_routes();

/// POST /v1/tokenize-text.
[[nodiscard]] std::vector<Route> tokenize_routes();

/// Chat, deferred chat, Responses and compaction. The request header `x-emulator-delay-ms` sets the
/// delay between the words of a streamed answer.
[[nodiscard]] std::vector<Route> text_routes();

/// POST /v1/completions, /v1/messages and /v1/complete, which share their implementation with chat.
[[nodiscard]] std::vector<Route> legacy_routes();

/// Files, chunked uploads, and GET of a public URL, without a key.
[[nodiscard]] std::vector<Route> file_routes();

/// The header `x-emulator-delay-ms` of an add call sets how long its requests take. Added requests
/// are processed by batches/worker.h.
[[nodiscard]] std::vector<Route> batch_routes();

/// The documentation MCP server: Streamable HTTP, stateless, without a key.
[[nodiscard]] std::vector<Route> docs_routes();

/// A prompt that starts with `Refuse:` returns images blocked by moderation; one that starts with
/// `Fail with: X` fails with 503 (deferred: with status failed).
[[nodiscard]] std::vector<Route> image_routes();

/// The prompt determines a video's outcome: `Refuse: …` is done but blocked by moderation, `Fail
/// with: [CODE:] MESSAGE` fails, `Expire: …` expires, any other is done.
[[nodiscard]] std::vector<Route> video_routes(VideoOptions options = {});

/// GET and HEAD /_media/{name}: the whole file or a range (RFC 9110, section 14). Like the
/// service's media hosts these require no key: a request with an Authorization header is refused
/// with 403, to detect clients that leak their key.
[[nodiscard]] std::vector<Route> media_routes();

/// The eight operations under /auth and GET /auth/management-keys/validation.
[[nodiscard]] std::vector<Route> key_routes();

/// The ten operations under /v1/billing, the usage report, and POST /_emulator/credit `{"cents":
/// N}`, which sets the demo team's prepaid credit.
[[nodiscard]] std::vector<Route> billing_routes();

/// /v1/collections of the management host, and /v1/documents/search of the inference host.
[[nodiscard]] std::vector<Route> collection_routes();

/// POST /v1/tts, GET /v1/tts/voices[/{voice_id}], and the socket /v1/tts.
[[nodiscard]] std::vector<Route> tts_routes();

/// POST /v1/stt and the socket /v1/stt.
[[nodiscard]] std::vector<Route> stt_routes();

/// Phone numbers, call control, POST /_emulator/calls and GET /_emulator/calls/{call_id}.
[[nodiscard]] std::vector<Route> phone_routes();

/// POST /v1/realtime/client_secrets and the socket /v1/realtime. Without `speech`, uses the default
/// one.
[[nodiscard]] std::vector<Route> realtime_routes(
    std::shared_ptr<const realtime::Speech> speech = nullptr);

}  // namespace svc::emulator

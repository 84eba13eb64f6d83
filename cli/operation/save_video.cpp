#include "operation/save_video.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "client/download.h"
#include "client/job.h"
#include "json/document.h"
#include "operation/media_names.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "print/text_view.h"
#include "request/media.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using nlohmann::json;

std::optional<Error> refusal(const json& video) {
  if (member(video, "respect_moderation") != json(false)) return std::nullopt;
  return Error{Fault::RemoteJob, "the video was blocked by the service's moderation",
               "Change the prompt.", 200};
}

Result<void> fetch(Session& session, const MediaPlan& plan, const std::string& url) {
  SVC_TRY(client, media_caller(session));
  SVC_TRY(base, session.base_url(Host::Inference));
  SVC_TRY(request, media_request(url, base, client->policy()));
  const DownloadOptions options{.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    session.progress().update(done, total);
  }};
  session.progress().start("Downloading the video", print::ProgressUnit::Bytes);
  if (plan.place == MediaPlace::Stdout) {
    const auto streamed = download(
        *client, request, [&](sv bytes) { return session.out().write(bytes); }, options);
    if (!streamed) return streamed.error();
    return session.out().flush();
  }
  DownloadTarget target{
      .path = plan.place == MediaPlace::Directory ? plan.path : media_path(plan, 1, 1),
      .directory = plan.place == MediaPlace::Directory,
      .fallback = "video.mp4",
      .replace = session.globals().replace()};
  if (target.directory) target.name = name_in_url(url);
  const auto saved = download(*client, request, target, options);
  session.progress().finish();
  if (!saved) return saved.error();
  check_saved_video(session, saved->path);
  if (plan.place == MediaPlace::File || session.format() != Format::Text) return {};
  return session.write_foreign(saved->path + "\n");
}

/// A result without a URL was uploaded to --output-upload-url or stored as a file of the service.
Result<void> without_url(Session& session) {
  if (session.globals().output) return video_without_url();
  session.notices().note("the video is done, but the service returned no URL");
  return {};
}

}  // namespace

void check_saved_video(Session& session, const std::string& path) {
  constexpr std::size_t k_sniffed = 512;
  const Result<std::string> start = read_prefix(path, k_sniffed);
  if (!start || path.empty()) return;
  const std::string type = request::sniff_type(*start);
  if (type.starts_with("video/")) return;
  session.notices().warning(fmt::format("{} is not a video; detected type: {}",
                                        visible(path, Lines::Escape), request::type_name(type)));
}

Error video_without_url() {
  return Error{Fault::RemoteJob, "the video is done, but the service returned no URL",
               "It may have been uploaded to --output-upload-url or stored by the service: see "
               "`svc files list`."};
}

Result<std::string> finished_video_url(Session& session, const json& document, bool tells) {
  const json& video = member(document, "video");
  if (!video.is_object()) return std::string();
  if (tells) note_storage(session, video);
  if (auto refused = refusal(video)) return *std::move(refused);
  return video_url(document);
}

Result<void> save_video(Session& session, const Operation& operation, const std::string& body) {
  const bool text = session.format() == Format::Text;
  // Without a Poll, checks once.
  const bool look = !operation.poll && !session.globals().output;
  if (!text) SVC_CHECK(session.write_document(body));
  if (text && look)
    SVC_CHECK(print::print_fields(session.out(), body, print::columns_of(operation)));
  SVC_CHECK(session.out().flush());
  const json document = parse_reply(body);
  SVC_TRY(url, finished_video_url(session, document, !look));
  const MediaPlan plan = media_plan(session);
  if (look || plan.place == MediaPlace::None) return {};
  if (url.empty()) return without_url(session);
  if (plan.place != MediaPlace::Chosen) SVC_CHECK(fetch(session, plan, url));
  if (plan.place == MediaPlace::Chosen) {
    SVC_CHECK(session.write_foreign(url + "\n"));
    if (session.settings().wants_emulator()) {
      session.notices().note(
          "this URL expires with this emulator run; save the video with -o FILE");
    }
  }
  if (!look) print_details(session, document);
  print_cost(session, body);
  return {};
}

}  // namespace svc::cli

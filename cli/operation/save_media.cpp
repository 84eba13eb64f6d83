#include "operation/save_media.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "base/write_target.h"
#include "catalogue/images_fields.h"
#include "client/download.h"
#include "client/job.h"
#include "json/document.h"
#include "json/slices.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "print/image.h"
#include "print/table.h"
#include "print/text_view.h"
#include "request/media.h"
#include "session/cost_tracker.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

using ImageFlags = Flags<catalogue::images::k_generate_fields>;

/// One image of the response. `encoded` points into the response's text.
struct ImageItem {
  std::string url{};
  sv encoded{};
  bool refused = false;
  nlohmann::json rest{};  ///< everything but the image itself
};

/// Parses an object with null in the place of this value of it.
nlohmann::json parse_without(sv object, sv value) {
  const auto at = static_cast<std::size_t>(value.data() - object.data());
  return parse_reply(
      std::string(object.substr(0, at)).append("null").append(object.substr(at + value.size())));
}

ImageItem read_item(sv slice) {
  ImageItem item;
  if (const auto encoded = json_member(slice, "b64_json"); encoded && encoded->starts_with('"')) {
    item.encoded = encoded->substr(1, encoded->size() - 2);
    item.rest = parse_without(slice, *encoded);
  } else {
    item.rest = parse_reply(slice);
  }
  item.url = text_member(item.rest, "url");
  item.refused = member(item.rest, "respect_moderation") == nlohmann::json(false);
  return item;
}

constexpr std::size_t k_start = 512;

bool is_named(const MediaPlan& plan) {
  return plan.place == MediaPlace::File || plan.place == MediaPlace::Pattern;
}

/// A temporary, unused name for a file that is renamed later.
std::string chosen_name(const MediaPlan& plan) {
  return fmt::format("{}svc-{}", plan.path, random_uuid());
}

struct SavedImage {
  std::string path{};
  std::string type{};     ///< from its content: "image/jpeg"
  std::string warning{};  ///< set if the extension is for another type
};

/// An image being written to disk: its content determines its type, and therefore its name.
class ImageFile {
 public:
  /// Creates a temporary file there. Errors as for AtomicFile::create().
  [[nodiscard]] static Result<ImageFile> create(const MediaPlan& plan, std::size_t number,
                                                std::size_t count, Replace replace) {
    SVC_TRY(file,
            AtomicFile::create(is_named(plan) ? media_path(plan, number, count) : chosen_name(plan),
                               replace));
    return ImageFile(plan, std::move(file));
  }

  /// Appends. Returns Network if the first bytes are text: an error page, not an image.
  [[nodiscard]] Result<void> write(std::string_view bytes) {
    if (!m_type.empty()) return m_file.write(bytes);
    m_start += bytes;
    return m_start.size() < k_start ? Result<void>() : look();
  }

  /// Moves the complete file into place; an automatic name is the first unused "image-N".
  [[nodiscard]] Result<SavedImage> commit() {
    if (m_type.empty()) SVC_CHECK(look());
    SavedImage saved{.path = m_file.path(), .type = m_type};
    if (is_named(m_plan)) {
      SVC_CHECK(m_file.commit());
      const std::string_view named = type_of_ending(saved.path);
      if (!named.empty() && named != m_type) {
        saved.warning = fmt::format("{} contains {}, but its extension is for {}",
                                    visible(saved.path, Lines::Escape), request::type_name(m_type),
                                    request::type_name(named));
      }
      return saved;
    }
    SVC_TRY(path, m_file.commit_first_free([this](std::size_t number) {
      return fmt::format("{}image-{}.{}", m_plan.path, number, extension_of(m_type));
    }));
    saved.path = std::move(path);
    return saved;
  }

 private:
  ImageFile(MediaPlan plan, AtomicFile file) : m_plan(std::move(plan)), m_file(std::move(file)) {}

  Result<void> look() {
    m_type = request::sniff_type(m_start);
    if (m_type == "text/plain" || m_start.empty()) {
      return Error{Fault::Network, m_start.empty() ? std::string("the image is empty")
                                                   : fmt::format("expected an image, got text: {}",
                                                                 shown(trim(m_start)))};
    }
    SVC_CHECK(m_file.write(m_start));
    m_start.clear();
    return {};
  }

  MediaPlan m_plan;
  AtomicFile m_file;
  std::string m_start{};  ///< buffered until the type is known
  std::string m_type{};
};

/// Saves the images of one response, one after the other.
class ImageRun {
 public:
  ImageRun(Session& session, MediaPlan plan, std::size_t count)
      : m_session(session), m_plan(std::move(plan)), m_count(count) {}

  void add(const ImageItem& item) {
    ++m_number;
    note_storage(m_session, item.rest);
    if (m_count > 1 && wants_details(m_session)) {
      m_session.notices().aside(fmt::format("image {}:", m_number));
    }
    print_details(m_session, item.rest, "data[]");
    if (item.refused || (item.url.empty() && item.encoded.empty())) {
      withhold(item);
      return;
    }
    if (m_plan.place == MediaPlace::None) return;
    if (m_plan.place == MediaPlace::Stdout && m_written) {
      fail(item, Error{Fault::Local, "only one image can be written to standard output"});
      return;
    }
    // Images already received are saved; the others can still be fetched by URL.
    if (const auto asked = m_session.cancel_token().requested(); asked && item.encoded.empty()) {
      fail(item, canceled(*asked));
      return;
    }
    m_session.progress().start(m_count > 1 ? fmt::format("Saving image {} of {}", m_number, m_count)
                                           : std::string("Saving the image"),
                               print::ProgressUnit::Bytes);
    Result<void> saved = save(item);
    m_session.progress().finish();
    if (!saved) fail(item, std::move(saved).error());
  }

  /// Returns the outcome: the first error, or else what the service withheld.
  Result<void> verdict() {
    if (m_failure) return *std::move(m_failure);
    if (m_refused > 0) {
      return withheld(m_refused, "refused",
                      "Blocked by the service's moderation; change the prompt.");
    }
    if (m_missing > 0) {
      return withheld(m_missing, "missing from the response", "Inspect the response with --json.");
    }
    return {};
  }

 private:
  [[nodiscard]] Error withheld(std::size_t number, sv how, const char* hint) const {
    std::string what = fmt::format("{} of {} images were {}", number, m_count, how);
    if (number == m_count) what = fmt::format("all images were {}", how);
    if (m_count == 1) what = fmt::format("the image was {}", how);
    return Error{Fault::RemoteJob, std::move(what), hint, 200};
  }

  void withhold(const ImageItem& item) {
    ++(item.refused ? m_refused : m_missing);
    if (m_count > 1) {
      m_session.notices().warning(fmt::format(
          "image {} was {}", m_number,
          item.refused ? "blocked by the service's moderation" : "missing from the response"));
    }
  }

  void fail(const ImageItem& item, Error error) {
    if (m_count > 1 || !item.url.empty()) {
      m_session.notices().warning(
          fmt::format("image {} was not saved: {}", m_number, error.message));
      if (!item.url.empty()) {
        m_session.notices().note(fmt::format("the image is still available at {}", item.url));
      }
    }
    if (item.url.empty() && error.fault == Fault::Local) save_copy(item);
    if (!m_failure) m_failure = std::move(error);
  }

  /// An image contained in the response exists nowhere else.
  void save_copy(const ImageItem& item) {
    std::string bytes;
    const auto collected = read(item, [&](sv piece) {
      bytes += piece;
      return Result<void>();
    });
    if (!collected || bytes.empty()) return;
    const std::string name =
        fmt::format("image-{}.{}", random_uuid().substr(0, 8),
                    extension_of(request::sniff_type(sv(bytes).substr(0, 64))));
    const SecretCopy saved(m_session, "images", name, bytes);
    if (!saved.is_saved()) m_session.notices().warning("saving a backup copy also failed");
  }

  Result<void> save(const ImageItem& item) {
    if (m_plan.place == MediaPlace::Stdout) {
      m_written = true;
      SVC_CHECK(read(item, [this](sv bytes) { return m_session.out().write(bytes); }));
      return m_session.out().flush();
    }
    SVC_TRY(file, ImageFile::create(m_plan, m_number, m_count, m_session.globals().replace()));
    SVC_CHECK(read(item, [&](sv bytes) { return file.write(bytes); }));
    SVC_TRY(saved, file.commit());
    return report(saved);
  }

  Result<void> read(const ImageItem& item, const std::function<Result<void>(sv)>& sink) {
    if (item.encoded.empty()) return fetch(item.url, sink);
    const std::string plain =
        item.encoded.find('\\') == sv::npos
            ? std::string()
            : parse_reply(fmt::format("\"{}\"", item.encoded)).get<std::string>();
    SVC_TRY(fine, base64_decode(plain.empty() ? item.encoded : sv(plain), sink));
    if (fine) return {};
    return Error{Fault::Network, "the image data is not valid base64"};
  }

  Result<void> fetch(const std::string& url, const std::function<Result<void>(sv)>& sink) {
    SVC_TRY(client, media_caller(m_session));
    SVC_TRY(base, m_session.base_url(Host::Inference));
    SVC_TRY(request, media_request(url, base, client->policy()));
    SVC_TRY(
        done,
        download(*client, request, sink,
                 DownloadOptions{.on_progress = [this](std::uint64_t count, std::uint64_t total) {
                   m_session.progress().update(count, total);
                 }}));
    (void)done;
    return {};
  }

  Result<void> report(const SavedImage& saved) {
    if (!saved.warning.empty()) m_session.notices().warning(saved.warning);
    const bool named_by_user = m_plan.place == MediaPlace::File && m_count == 1;
    if (m_session.format() == Format::Text && !named_by_user) {
      SVC_CHECK(m_session.write_foreign(saved.path + "\n"));
      SVC_CHECK(m_session.out().flush());
    }
    preview(saved);
    return {};
  }

  void preview(const SavedImage& saved) {
    const Globals& globals = m_session.globals();
    if (globals.quiet || m_session.format() != Format::Text || !m_session.out().terminal().is_tty ||
        ImageFlags(m_session.inputs()).get<"preview">() == false) {
      return;
    }
    print::Out& err = m_session.err();
    const auto way = print::image_way(m_session.environment(), err.terminal(), saved.type);
    if (way == print::ImageWay::None) return no_preview("this terminal cannot show pictures");
    const int columns = err.terminal().columns;
    std::string text;
    if (way != print::ImageWay::Helper) {
      constexpr std::uint64_t k_most = 16ULL << 20U;
      const Result<std::string> bytes = read_file(saved.path, k_most);
      if (!bytes) return;
      text = print::image_text(way, *bytes, columns);
      (void)err.write(text);
    }
    (void)err.flush();
    if (!text.empty()) return;
    if (!print::run_image_helper(saved.path, columns)) {
      no_preview(std::string(print::built_with_pictures()
                                 ? "this terminal cannot show pictures"
                                 : "this svc was built without pictures (SVC_PICTURES)") +
                 "; the program chafa could draw them");
    }
  }

  /// Says why there is no picture, if the user asked for it.
  void no_preview(const std::string& why) {
    if (ImageFlags(m_session.inputs()).has<"preview">()) m_session.notices().note(why);
  }

  Session& m_session;
  MediaPlan m_plan;
  std::size_t m_count;
  std::size_t m_number = 0;
  std::size_t m_refused = 0;
  std::size_t m_missing = 0;  ///< neither data nor a URL came
  bool m_written = false;
  std::optional<Error> m_failure{};
};

/// Creates a directory with a trailing slash. Where requests are only shown, checks that it could
/// be created.
Result<void> open_directory(const Session& session, const std::string& path) {
  std::error_code failed;
  if (!session.globals().shows_only()) {
    std::filesystem::create_directories(path, failed);
    if (!failed) return {};
    return Error{Fault::Local, fmt::format("cannot create directory {}: {}",
                                           visible(path, Lines::Escape), failed.message())};
  }
  std::filesystem::path at(path);
  while (!at.empty() && !std::filesystem::exists(at, failed)) at = at.parent_path();
  return check_download_directory(at.empty() ? "." : at.string());
}

/// Checks that `count` images can be saved there. Errors are Local.
Result<void> probe(const Session& session, const MediaPlan& plan, std::size_t count) {
  if (plan.place == MediaPlace::None || plan.place == MediaPlace::Stdout) return {};
  if (plan.place == MediaPlace::Directory) {
    SVC_CHECK(open_directory(session, plan.path));
    // It need not be there.
    if (session.globals().shows_only()) return {};
  }
  const std::size_t most = is_named(plan) ? count : 1;
  for (std::size_t number = 1; number <= most; ++number) {
    const std::string path = is_named(plan) ? media_path(plan, number, count) : chosen_name(plan);
    SVC_TRY(target, find_write_target(path, session.globals().replace()));
    // Opening it would make a pipe's reader see its end.
    if (!target.direct) SVC_CHECK(check_output(session, path));
  }
  return {};
}

std::size_t expected_images(const Session& session) {
  return static_cast<std::size_t>(ImageFlags(session.inputs()).get<"n">().value_or(1));
}

}  // namespace

MediaPlan media_plan(Session& session) {
  const Globals& globals = session.globals();
  return plan_media(globals.output, session.format() != Format::Text,
                    session.out().terminal().is_tty, globals.has_output_directory());
}

Result<std::unique_ptr<ApiClient>> media_caller(Session& session) {
  // The documentation's host is the only one that needs no key.
  return session.client(Host::Docs);
}

bool takes_images(const Globals& globals) {
  if (!globals.has_output_path()) return false;
  return globals.has_output_directory() || is_pattern(*globals.output) ||
         type_of_ending(*globals.output).starts_with("image/");
}

Result<void> check_answer_images(Session& session) {
  if (!takes_images(session.globals())) return session.write_to_output_file();
  return probe(session, media_plan(session), 1);
}

Result<void> save_answer_images(Session& session, const std::vector<std::string>& images) {
  const bool named = takes_images(session.globals());
  if (images.empty() || (!named && session.format() != Format::Text)) return {};
  ImageRun run(session, named ? media_plan(session) : MediaPlan{}, images.size());
  for (const std::string& image : images) {
    ImageItem item;
    item.encoded = image;
    run.add(item);
  }
  return run.verdict();
}

namespace {

/// " until 2026-12-23 00:18", or "" if it does not expire.
std::string until(const nlohmann::json& file, sv member, bool person) {
  const std::string time =
      print::cell_text(file, print::Column{{}, std::string(member), Unit::UnixTime},
                       person ? print::Reader::Person : print::Reader::Program);
  return time.empty() ? time : " until " + time;
}

}  // namespace

void note_storage(Session& session, const nlohmann::json& item) {
  if (const std::string error = text_member(item, "storage_error"); !error.empty()) {
    session.notices().warning(fmt::format("the service could not store the file: {}", error));
  }
  const nlohmann::json& file = member(item, "file_output");
  if (!file.is_object()) return;
  const bool person = session.err().terminal().is_tty;
  session.notices().aside(fmt::format("stored as {} ({}){}", text_member(file, "file_id"),
                                      text_member(file, "filename"),
                                      until(file, "expires_at", person)));
  if (const std::string url = text_member(file, "public_url"); !url.empty()) {
    session.notices().aside(
        fmt::format("public at {}{}", url, until(file, "public_url_expires_at", person)));
  }
  if (const std::string error = text_member(file, "public_url_error"); !error.empty()) {
    session.notices().warning(fmt::format("the stored file has no public URL: {}", error));
  }
}

Result<void> check_media_target(Session& session, const Operation& operation) {
  const MediaPlan plan = media_plan(session);
  const std::size_t count = operation.view == View::Images ? expected_images(session) : 1;
  // Where requests are only shown, they are what goes to standard output.
  const bool shown = session.globals().shows_only();
  if (plan.place == MediaPlace::Stdout && (!shown || session.globals().output)) {
    if (session.out().terminal().is_tty && !shown) {
      return usage_error("images and videos are not written to a terminal",
                         "Use -o FILE, or omit -o to have a name chosen.");
    }
    if (count > 1) {
      return usage_error(fmt::format("cannot write {} images to a pipe", count),
                         "Use -o DIRECTORY/ or a name with a number, such as -o 'image-%d.jpg'.");
    }
  }
  if (operation.view == View::Video && plan.place != MediaPlace::File &&
      plan.place != MediaPlace::Pattern && plan.place != MediaPlace::Directory) {
    return {};
  }
  return probe(session, plan, count);
}

Result<void> save_images(Session& session, const Operation& operation, const std::string& body) {
  if (session.format() != Format::Text) {
    SVC_CHECK(session.write_document(body));
    SVC_CHECK(session.out().flush());
  }
  const auto data = json_member(body, "data");
  const std::vector<sv> items = data ? json_elements(*data) : std::vector<sv>();
  if (items.empty()) {
    return Error{Fault::RemoteJob,
                 fmt::format("the response to svc {} has no images", command_name(operation)),
                 "Inspect the response with --json."};
  }
  ImageRun run(session, media_plan(session), items.size());
  for (const sv item : items) run.add(read_item(item));
  print_details(session, parse_without(body, *data));
  print_cost(session, body);
  return run.verdict();
}

Result<void> print_media_look(Session& session, const Operation& operation,
                              const CallReply& reply) {
  const JobStatus look =
      read_job_status(Judge::Status, reply.head.status, reply.body, session.secrets());
  const bool text = session.format() == Format::Text;
  if (look.state == JobState::Done) {
    const std::string id =
        request::text_given(session.inputs(), operation.fields.front().flag).value_or("");
    return print_answer(session, operation, reply.body, id);
  }
  const std::string body = trim(reply.body).empty() ? R"({"status":"pending"})" : reply.body;
  const bool fields = operation.view == View::Video && !session.globals().output;
  if (!text) SVC_CHECK(session.write_document(body));
  if (text && fields && !look.failure) {
    SVC_CHECK(print::print_fields(session.out(), body, print::columns_of(operation)));
  }
  SVC_CHECK(session.out().flush());
  if (look.failure) return *look.failure;
  if (!text || fields) return {};
  return job_not_ready(session, *find_operation(operation.group, "wait"),
                       Flags<catalogue::images::k_job>(session.inputs()).text<"request-id">());
}

}  // namespace svc::cli

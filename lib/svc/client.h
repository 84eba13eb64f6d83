// The client. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/batch.h"
#include "svc/export.h"
#include "svc/files.h"
#include "svc/media.h"
#include "svc/options.h"
#include "svc/result.h"
#include "svc/text.h"
#include "svc/voice.h"

namespace svc::v0 {

/// A response as it came.
struct Reply {
  int status = 0;
  std::string content_type{};
  std::string request_id{};
  std::string body{};  ///< JSON, or the bytes of media
};

/// Called for each item of a list, as JSON text that is valid until it returns. Returns false to
/// stop.
using OnItem = std::function<bool(std::string_view json)>;

/// A connection to the service. A client is a handle: copies are cheap and share connections and
/// retry limits. Thread-safe: any number of threads may use one client, each call by itself. No
/// call prints, handles signals, or throws, except what a callback of the caller throws, which
/// ends the call.
class SVC_API Client {
 public:
  /// As the program svc: environment, then the default profile. Fails with Fault::Usage if they are
  /// invalid. Nothing is sent; a missing URL or key is reported by the call that needs it.
  static Result<Client> open();
  /// Only what `options` say.
  static Result<Client> open(const Options& options);

  // Text

  Result<ChatAnswer> chat(const ChatRequest& request, const CallOptions& options = {}) const;
  /// Streams the answer; `on_delta` runs on this thread, and must not be empty.
  Result<ChatAnswer> chat(const ChatRequest& request, const OnDelta& on_delta,
                          const CallOptions& options = {}) const;
  Result<ResponseAnswer> responses(const ResponseRequest& request,
                                   const CallOptions& options = {}) const;
  Result<ResponseAnswer> responses(const ResponseRequest& request, const OnDelta& on_delta,
                                   const CallOptions& options = {}) const;

  // Images and videos

  /// Generates images or, with ImageRequest::images, edits them.
  Result<ImageAnswer> images(const ImageRequest& request, const CallOptions& options = {}) const;
  /// Generates a video and waits until it is done. RemoteJob if it fails. Whatever the error, if
  /// the job was submitted, Error::subject is its ID, for wait_video().
  Result<Video> video(const VideoRequest& request, const CallOptions& options = {}) const;
  /// Submits the job only; returns its ID.
  Result<std::string> start_video(const VideoRequest& request,
                                  const CallOptions& options = {}) const;
  Result<Video> wait_video(const std::string& id, const CallOptions& options = {}) const;
  /// Downloads an image's or a video's URL to a file, which appears complete or not at all. Returns
  /// its size.
  Result<std::uint64_t> save(const std::string& url, const std::string& path,
                             const DownloadOptions& download = {},
                             const CallOptions& options = {}) const;

  // Files

  /// Uploads a file; one larger than 50 MB in chunks, up to 512 MB.
  Result<File> upload(const std::string& path, const UploadOptions& upload = {},
                      const CallOptions& options = {}) const;
  Result<File> file(const std::string& id, const CallOptions& options = {}) const;
  /// At most `limit` files.
  Result<std::vector<File>> files(std::size_t limit = 100, const CallOptions& options = {}) const;
  /// Downloads to a file, which appears complete or not at all. Returns its size.
  Result<std::uint64_t> download(const std::string& id, const std::string& path,
                                 const DownloadOptions& download = {},
                                 const CallOptions& options = {}) const;
  Result<void> delete_file(const std::string& id, const CallOptions& options = {}) const;
  /// The passages of the collections that match best.
  Result<std::vector<Match>> search(const SearchRequest& request,
                                    const CallOptions& options = {}) const;

  // Batches

  /// Sends the items in batches, waits, and passes on each result. Canceling ends the waiting, not
  /// the batches: call it again with the same journal.
  Result<BatchReport> run_batch(const BatchRequest& request, const OnBatchResult& on_result,
                                const CallOptions& options = {}) const;

  // Voice

  Result<Speech> speak(const SpeechRequest& request, const CallOptions& options = {}) const;
  Result<Speech> speak(const SpeechRequest& request, const OnAudio& on_audio,
                       const CallOptions& options = {}) const;
  /// `source` is a path, or an http(s) URL, which the service fetches.
  Result<Transcript> transcribe(const std::string& source, const TranscribeOptions& transcribe = {},
                                const CallOptions& options = {}) const;
  Result<LiveTranscription> transcribe_live(const LiveOptions& live = {},
                                            const CallOptions& options = {}) const;
  Result<Realtime> realtime(const RealtimeOptions& realtime = {},
                            const CallOptions& options = {}) const;

  // Every operation by its name in svc-commands(7), with the flags of its manual page. An unknown
  // operation, flag or value is Fault::Usage with the program's message. Asks no questions: what
  // deletes, deletes.

  /// Sends one request: call("keys list"), call("files get", {{"file-id", "file_1"}}). "body",
  /// "set" and "header" are flags too. A list is its first page; see list(). A stream is refused.
  /// With {"wait", "true"}, waits for the job of an operation that has one, whose ID is in
  /// Error::subject if that fails.
  Result<Reply> call(std::string_view operation, const Flags& flags = {},
                     const CallOptions& options = {}) const;
  /// All items of a list, of all pages unless {"limit", N} is given. Returns their number.
  Result<std::uint64_t> list(std::string_view operation, const Flags& flags, const OnItem& on_item,
                             const CallOptions& options = {}) const;
  /// Opens the WebSocket of an operation: connect("realtime connect", {{"model", …}}).
  Result<Socket> connect(std::string_view operation, const Flags& flags = {},
                         const CallOptions& options = {}) const;

  struct SVC_LOCAL State;

 private:
  explicit Client(std::shared_ptr<State> state) : m_state(std::move(state)) {}
  std::shared_ptr<State> m_state;
};

/// The release of the library that runs, "0.1.0".
[[nodiscard]] SVC_API const char* version() noexcept;

}  // namespace svc::v0

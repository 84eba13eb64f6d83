// Files that a prompt refers to and the service accepts only by ID: uploaded before the request and
// deleted when the conversation ends. Those of a saved conversation stay for 30 days so that it can
// be continued. All other attachments are part of the request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "request/inputs.h"
#include "request/plan.h"
#include "session/session.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {

class Attachments {
 public:
  /// Returns the API client for calls that the given token cancels; null: not cancellable.
  using CallerFor = std::function<Result<ApiClient*>(const CancelToken* cancel)>;

  /// All arguments must outlive it.
  Attachments(Session& session, const Operation& operation, CallerFor client);
  Attachments(const Attachments&) = delete;
  Attachments& operator=(const Attachments&) = delete;
  /// Deletes the uploaded files, also after an interrupt, and reports those it could not delete.
  ~Attachments();

  /// The conversation is saved: files uploaded from now on stay on the service.
  void outlive() noexcept { m_outlive = true; }

  /// Marks the uploaded files as part of the saved conversation; they are no longer deleted.
  void settle() {
    if (m_outlive) m_uploaded.clear();
  }

  /// Finds such files among the inputs. For `--file -`, reads standard input; text goes to
  /// `stdin_text` for the request. A named pipe is read into a temporary file. Fault::Usage if an
  /// input is invalid.
  [[nodiscard]] Result<bool> find(const request::Inputs& inputs,
                                  std::optional<std::optional<std::string>>& stdin_text);

  /// The inputs with placeholder IDs for the files found.
  [[nodiscard]] request::Inputs placeholders(const request::Inputs& inputs) const;
  /// Adds the uploads of the files found to a plan; `request`, which has the placeholders, then
  /// refers to their answers.
  [[nodiscard]] Result<void> plan_uploads(request::Plan& plan, request::Request& request);
  /// Adds the removal of those that do not stay on the service.
  [[nodiscard]] Result<void> plan_removals(request::Plan& plan);

  /// Uploads the files found and returns the inputs with their IDs.
  [[nodiscard]] Result<request::Inputs> upload(const request::Inputs& inputs,
                                               const CancelToken& cancel);

 private:
  struct File {
    std::size_t place = 0;  ///< index in the inputs
    std::string path{};
    std::string name{};
    std::string type{};
    std::uint64_t size = 0;
    std::string id{};
    std::string placeholder{};  ///< instead of the ID, until there is one
    bool inlined = false;       ///< text from a pipe: `path` is part of the request
    std::string pipe{};         ///< as given, if `path` is its copy
  };

  static void attach(const File& file, request::Given& given);
  void name_pipe(request::Request& upload, const std::string& pipe);
  [[nodiscard]] Result<void> find_in_stdin(std::size_t place,
                                           std::optional<std::optional<std::string>>& stdin_text);
  [[nodiscard]] Result<request::Request> upload_request(const File& file);
  [[nodiscard]] Result<void> find_in_pipe(std::size_t place, const std::string& path);
  void note_stored(const File& file);
  void warn_of_lost(const File& file, const Error& error);
  [[nodiscard]] Result<request::Request> removal_request(const std::string& id);
  [[nodiscard]] Result<void> remove(const std::string& id);

  Session& m_session;
  const Operation& m_operation;
  CallerFor m_client;
  bool m_keep;
  bool m_outlive = false;
  std::vector<File> m_found{};
  std::vector<File> m_uploaded{};
  std::vector<StdinBuffer> m_pipes{};
};

}  // namespace svc::cli

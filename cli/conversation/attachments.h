// Files that a question needs and the service takes by their ids only: uploaded before it, deleted
// when the conversation is over; those of one that is kept stay for thirty days, so that it can go
// on. Everything else goes along inside of the request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "terminal/stdin_buffer.h"

namespace svc::cli {

class Attachments {
 public:
  /// Gives the way to the service, for calls that this stop ends; null: none does.
  using CallerFor = std::function<Result<ApiClient*>(const CancelToken* cancel)>;

  /// All must outlive it.
  Attachments(Session& session, const Operation& operation, CallerFor client);
  Attachments(const Attachments&) = delete;
  Attachments& operator=(const Attachments&) = delete;
  /// Deletes what was uploaded, also when the run was asked to end; says what it could not delete.
  ~Attachments();

  /// The conversation is kept on this machine: what is uploaded from now on stays.
  void outlive() noexcept { m_outlive = true; }

  /// What was uploaded has become part of what is kept, and is not deleted any more.
  void settle() {
    if (m_outlive) m_uploaded.clear();
  }

  /// Looks for such files among the inputs. For `--file -` standard input is read: a text of it is
  /// put into `stdin_text`, for the request. A path that is a pipe is read into a file. Usage.
  [[nodiscard]] Result<bool> find(const request::Inputs& inputs,
                                  std::optional<std::optional<std::string>>& stdin_text);

  /// The inputs with ids that only stand for those of the files that were found.
  [[nodiscard]] request::Inputs stand_ins(const request::Inputs& inputs) const;
  /// Says what they are, where a request is only shown.
  void tell_stand_ins();

  /// Uploads what was found; the inputs with the ids.
  [[nodiscard]] Result<request::Inputs> upload(const request::Inputs& inputs,
                                               const CancelToken& cancel);

 private:
  struct File {
    std::size_t place = 0;  ///< among the inputs
    std::string path{};
    std::string name{};
    std::string type{};
    std::uint64_t size = 0;
    std::string id{};
    bool inlined = false;  ///< a text that came from a pipe: `path` goes along in the request
  };

  static void go_along(const File& file, request::Given& given);
  [[nodiscard]] Result<void> find_in_stdin(std::size_t place,
                                           std::optional<std::optional<std::string>>& stdin_text);
  [[nodiscard]] Result<request::Request> upload_request(const File& file);
  [[nodiscard]] Result<void> find_in_pipe(std::size_t place, const std::string& path);
  void tell_kept(const File& file);
  void tell_lost(const File& file, const Error& error);
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

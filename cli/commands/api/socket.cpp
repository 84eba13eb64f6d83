// `svc api --socket PATH`: a WebSocket by hand, lines or bytes in and out.
#include "commands/api/socket.h"

#include "base/text.h"
#include "live/jsonl_session.h"
#include "live/socket.h"
#include "operation/runner.h"

namespace svc::cli {

Result<void> run_api_socket(Session& session, const std::string& path) {
  const Invocation& invocation = session.invocation();
  const Operation operation{.group = "api",
                            .name = "",
                            .method = "GET",
                            .path = path,
                            .summary = "",
                            .host = Host::Realtime,
                            .reply = Reply::Socket};
  request::Inputs inputs;
  inputs.headers = invocation.inputs.headers;
  SVC_TRY(request, prepare(session, operation, inputs));
  request.operation = &operation;
  if (session.globals().dry_run || session.globals().curl) {
    return show_socket(session, std::move(request));
  }
  SVC_TRY(channel, open_socket(session, request));
  JsonlSessionOptions options{.send_bytes = invocation.value("send") == "binary",
                              .receive_bytes = invocation.value("receive") == "binary"};
  if (const auto time = invocation.value("linger")) options.linger = parse_duration(*time);
  return run_jsonl_session(session, *channel, std::move(options));
}

}  // namespace svc::cli

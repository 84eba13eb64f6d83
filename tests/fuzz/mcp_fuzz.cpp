// Messages from an MCP server over both transports: the client must accept them or report an error,
// send a bounded number of requests, and produce well-formed text for models and headers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "json/text.h"
#include "mcp/client.h"
#include "mcp/http_channel.h"
#include "mcp/message.h"

namespace {

using namespace svc;
using namespace svc::mcp;

/// The lines of the input in order, starting over after the last.
class Script {
 public:
  explicit Script(std::string_view all) : m_all(all) {}
  std::string_view next() {
    if (++m_count > 10'000) std::abort();
    if (m_at >= m_all.size()) m_at = 0;
    const std::size_t end = std::min(m_all.find('\n', m_at), m_all.size());
    const std::string_view line = m_all.substr(m_at, end - m_at);
    m_at = end + 1;
    return line;
  }

 private:
  std::string_view m_all;
  std::size_t m_at = 0;
  int m_count = 0;
};

class ScriptedChannel final : public Channel {
 public:
  ScriptedChannel(Script& lines, OnNotification on_notification)
      : m_lines(lines), m_on_notification(std::move(on_notification)) {}
  Result<std::string> request(std::string_view, std::string, const CallContext&,
                              const std::vector<Header>& headers) override {
    for (const Header& header : headers) {
      for (const char c : header.name + header.value) {
        if (c < 0x20 || c > 0x7e) std::abort();
      }
    }
    auto messages = read_messages(m_lines.next());
    if (!messages) return std::move(messages).error();
    for (const RpcMessage& message : *messages) {
      if (message.kind == MessageKind::Notification)
        m_on_notification(message.method, message.params);
      if (message.kind == MessageKind::Error) return error_of(message);
      if (message.kind == MessageKind::Result) return message.result;
    }
    return Error{Fault::Timeout, "no message"};
  }
  Result<void> notify(std::string_view, std::string_view) override { return {}; }
  void adopt_protocol(NegotiatedProtocol) override {}
  [[nodiscard]] bool is_closed() const override { return false; }

 private:
  Script& m_lines;
  OnNotification m_on_notification;
};

class ScriptedTransport final : public http::Transport {
 public:
  explicit ScriptedTransport(Script& lines) : m_lines(lines) {}
  http::Outcome perform(const http::HttpRequest& request, http::Receiver& receiver,
                        const CancelToken&) override {
    const std::string_view line = m_lines.next();
    http::Outcome outcome{.sent = true, .answered = true};
    outcome.head.status = request.method == "POST" && !line.starts_with('4') ? 200 : 405;
    outcome.head.headers = {
        {"Content-Type", line.starts_with('{') ? "application/json" : "text/event-stream"}};
    auto taken = receiver.on_head(outcome.head);
    // Each line is an event, with "\v" as its line breaks.
    const std::string body = replace_all(std::string(line), "\v", "\n") + "\n\n";
    if (taken) taken = receiver.on_body(body.substr(0, body.size() / 2));
    if (taken) taken = receiver.on_body(body.substr(body.size() / 2));
    if (!taken) outcome.error = taken.error();
    return outcome;
  }
  void start(http::HttpRequest, http::Receiver&, Done) override {}
  void run(const CancelToken&, std::optional<std::chrono::steady_clock::time_point>) override {}

 private:
  Script& m_lines;
};

void use(const Connect& connect) {
  static const NeverCanceled nobody;
  const CallContext context{std::chrono::milliseconds(50), nobody};
  Client client("fuzz", "1", connect);
  if (!client.open(context)) return;
  for (const ToolInfo& tool : client.tools()) {
    if (check_json(tool.schema)) std::abort();
  }
  const std::string name = client.tools().empty() ? "t" : client.tools().front().name;
  const auto result = client.call(name, R"({"a":"\r\nX: y","b":{"c":7},"d":true})", context);
  if (result && first_invalid_utf8(result->text)) std::abort();
  (void)client.read_tools(context);
  for (const std::string& line : client.take_messages()) {
    if (line.size() > 2'100) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  Script lines(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  if (data[0] % 2 == 0) {
    use([&](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
      return std::unique_ptr<Channel>(std::make_unique<ScriptedChannel>(lines, std::move(notice)));
    });
  } else {
    use([&](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
      return std::unique_ptr<Channel>(std::make_unique<HttpChannel>(
          HttpServer{.url = "https://mcp.example.com/"},
          [&] { return std::make_unique<ScriptedTransport>(lines); }, std::move(notice)));
    });
  }
  return 0;
}

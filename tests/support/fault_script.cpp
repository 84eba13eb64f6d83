// The text format of a fault server's script.
#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/text.h"
#include "support/fault_frames.h"
#include "support/fault_server.h"

namespace svc::test {
namespace {

Error fault(std::size_t line, std::string_view what) {
  return usage_error(fmt::format("script, line {}: {}", line, what));
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

/// Decodes escapes in the text; nullopt if one is unknown.
std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    switch (text[i]) {
      case 'r':
        out += '\r';
        break;
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case '0':
        out += '\0';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x': {
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_digit(text[i + 1]);
        const int low = hex_digit(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
        break;
      }
      default:
        return std::nullopt;
    }
  }
  return out;
}

std::string_view reason_phrase(std::int64_t status) {
  struct Row {
    std::int64_t status;
    std::string_view phrase;
  };
  static constexpr std::array k_rows{Row{200, "OK"},
                                     Row{202, "Accepted"},
                                     Row{204, "No Content"},
                                     Row{206, "Partial Content"},
                                     Row{302, "Found"},
                                     Row{307, "Temporary Redirect"},
                                     Row{400, "Bad Request"},
                                     Row{401, "Unauthorized"},
                                     Row{403, "Forbidden"},
                                     Row{404, "Not Found"},
                                     Row{409, "Conflict"},
                                     Row{413, "Content Too Large"},
                                     Row{429, "Too Many Requests"},
                                     Row{500, "Internal Server Error"},
                                     Row{502, "Bad Gateway"},
                                     Row{503, "Service Unavailable"}};
  for (const Row& row : k_rows) {
    if (row.status == status) return row.phrase;
  }
  return "Status";
}

/// Removes and returns the first word of `rest`, with one space after it.
std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

class Parser {
 public:
  Result<Script> parse(std::string_view text) {
    m_script.connections.emplace_back().exchanges.emplace_back();
    for (std::string_view line : split(text, '\n')) {
      ++m_line;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string_view::npos || line[begin] == '#') continue;
      line.remove_prefix(begin);
      if (m_script.loop) return fault(m_line, "nothing may follow `loop`");
      const std::string_view word = take_word(line);
      SVC_CHECK(statement(word, line));
    }
    finish_exchange();
    return std::move(m_script);
  }

 private:
  ExchangeScript& steps() { return m_script.connections.back().exchanges.back(); }
  Step& add(Step::Kind kind) {
    steps().push_back(Step{.kind = kind});
    return steps().back();
  }

  Result<void> statement(std::string_view word, std::string_view rest) {
    if (word == "next" || word == "connection" || word == "loop") return divide(word, rest);
    if (word == "read") return read(rest);
    if (word == "header") return header(rest);
    if (word == "reply") return reply(rest);
    if (word == "events") return events(rest);
    if (word == "end") return end_body(rest);
    if (word == "upgrade") return upgrade(rest);
    if (word == "frame") return frame(rest);
    if (word == "sleep") return sleep(rest);
    if (word == "bytewise" || word == "repeat") return many(word, rest);
    if (word == "event" || word == "comment" || word == "done" || word == "part" || word == "send")
      return bytes(word, rest);
    return final_step(word, rest);
  }

  Result<void> divide(std::string_view word, std::string_view rest) {
    SVC_CHECK(nothing_more(word, rest));
    finish_exchange();
    if (word == "next") m_script.connections.back().exchanges.emplace_back();
    if (word == "connection") m_script.connections.emplace_back().exchanges.emplace_back();
    if (word == "loop") {
      if (steps().empty()) return fault(m_line, "`loop` has no steps to repeat");
      m_script.loop = true;
    }
    return {};
  }

  Result<void> read(std::string_view rest) {
    m_has_read = true;
    if (rest.empty()) {
      add(Step::Kind::Read);
    } else if (rest == "head") {
      add(Step::Kind::ReadHead);
    } else if (rest == "body") {
      add(Step::Kind::ReadBody);
    } else if (rest == "h2") {
      add(Step::Kind::ReadH2);
    } else if (rest == "frame" || rest == "frames") {
      add(rest == "frame" ? Step::Kind::ReadFrame : Step::Kind::ReadFrames);
    } else if (const auto count = parse_integer(rest); count && *count > 0) {
      add(Step::Kind::ReadCount).count = static_cast<std::uint64_t>(*count);
    } else {
      return fault(m_line,
                   "`read` takes nothing, `head`, `body`, `h2`, `frame`, `frames` or a "
                   "number of bytes");
    }
    return {};
  }

  Result<void> header(std::string_view rest) {
    const std::size_t colon = rest.find(':');
    const auto value = unescape(rest);
    if (colon == std::string_view::npos || colon == 0 || !value)
      return fault(m_line, "`header` takes `NAME: VALUE`");
    m_headers += *value + "\r\n";
    m_has_length = m_has_length || equals_ignore_case(rest.substr(0, colon), "content-length") ||
                   equals_ignore_case(rest.substr(0, colon), "transfer-encoding");
    return {};
  }

  Result<void> reply(std::string_view rest) {
    const auto status = parse_integer(take_word(rest));
    if (!status || *status < 100 || *status > 999)
      return fault(m_line, "`reply` takes `STATUS [TYPE [TEXT]]`");
    const std::string_view type = take_word(rest);
    const auto body = unescape(rest);
    if (!body) return fault(m_line, "an unknown escape in the text");
    imply_read();
    Step& step = add(Step::Kind::Reply);
    step.head = fmt::format("HTTP/1.1 {} {}\r\n{}", *status, reason_phrase(*status), m_headers);
    if (!type.empty()) step.head += fmt::format("Content-Type: {}\r\n", type);
    step.bytes = *body;
    // A Reply step with `count` 1 has its own framing.
    step.count = m_has_length || *status == 204 || *status == 304 ? 1 : 0;
    forget_headers();
    return {};
  }

  Result<void> events(std::string_view rest) {
    if (!rest.empty() && rest != "close") return fault(m_line, "`events` takes nothing or `close`");
    imply_read();
    m_body = rest.empty() ? BodyKind::Chunked : BodyKind::UntilClose;
    add(Step::Kind::Send).bytes =
        fmt::format("HTTP/1.1 200 OK\r\n{}Content-Type: text/event-stream\r\n{}\r\n\r\n", m_headers,
                    rest.empty() ? "Transfer-Encoding: chunked" : "Connection: close");
    forget_headers();
    return {};
  }

  Result<void> upgrade(std::string_view rest) {
    SVC_CHECK(nothing_more("upgrade", rest));
    if (!m_has_read) add(Step::Kind::ReadHead);
    m_has_read = true;
    add(Step::Kind::Send).bytes =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: ${ACCEPT}\r\n" +
        m_headers + "\r\n";
    forget_headers();
    return {};
  }

  Result<void> frame(std::string_view rest) {
    const auto text = unescape(rest);
    const auto made = text ? frame_bytes(*text) : std::nullopt;
    if (!made) return fault(m_line, "`frame` takes flags, a kind and a payload");
    add(Step::Kind::Send).bytes = *made;
    return {};
  }

  Result<void> bytes(std::string_view word, std::string_view rest) {
    const auto text = unescape(rest);
    if (!text) return fault(m_line, "an unknown escape in the text");
    Step& step = add(Step::Kind::Send);
    if (word == "event") step.bytes = "data: " + *text + "\n\n";
    if (word == "comment") step.bytes = ": " + *text + "\n\n";
    if (word == "done") step.bytes = "data: [DONE]\n\n";
    if (word == "part" || word == "send") step.bytes = *text;
    step.chunked = word != "send" && m_body == BodyKind::Chunked && !step.bytes.empty();
    return {};
  }

  Result<void> many(std::string_view word, std::string_view rest) {
    const std::string_view amount = take_word(rest);
    const auto text = unescape(rest);
    const bool bytewise = word == "bytewise";
    const auto delay = parse_duration(amount);
    const auto count = parse_integer(amount);
    if (!text || text->empty() || (bytewise ? !delay : (!count || *count < 0)))
      return fault(m_line,
                   bytewise ? "`bytewise` takes `DELAY TEXT`" : "`repeat` takes `COUNT TEXT`");
    Step& step = add(bytewise ? Step::Kind::Bytewise : Step::Kind::Repeat);
    step.bytes = *text;
    step.chunked = m_body == BodyKind::Chunked;
    if (bytewise) {
      step.delay = *delay;
      return {};
    }
    step.count = static_cast<std::uint64_t>(*count);
    if (m_body != BodyKind::None && text->find('\n') == std::string::npos)
      step.bytes = "data: " + *text + "\n\n";
    return {};
  }

  Result<void> sleep(std::string_view rest) {
    const auto delay = parse_duration(rest);
    if (!delay) return fault(m_line, "`sleep` takes a time such as 200ms");
    add(Step::Kind::Sleep).delay = *delay;
    return {};
  }

  Result<void> end_body(std::string_view rest) {
    SVC_CHECK(nothing_more("end", rest));
    if (m_body == BodyKind::None) return fault(m_line, "`end` without `events`");
    close_body();
    return {};
  }

  Result<void> final_step(std::string_view word, std::string_view rest) {
    struct Row {
      std::string_view word;
      Step::Kind kind;
    };
    static constexpr std::array k_rows{
        Row{"close", Step::Kind::Close}, Row{"cut", Step::Kind::Cut},
        Row{"reset", Step::Kind::Reset}, Row{"half", Step::Kind::HalfClose},
        Row{"hang", Step::Kind::Hang},   Row{"stall", Step::Kind::Stall},
        Row{"echo", Step::Kind::Echo}};
    for (const Row& row : k_rows) {
      if (row.word != word) continue;
      SVC_CHECK(nothing_more(word, rest));
      add(row.kind);
      m_body = BodyKind::None;  // truncated on purpose: no last chunk
      return {};
    }
    return fault(m_line, fmt::format("unknown step `{}`", word));
  }

  Result<void> nothing_more(std::string_view word, std::string_view rest) const {
    if (rest.empty()) return {};
    return fault(m_line, fmt::format("`{}` takes nothing", word));
  }

  void imply_read() {
    if (!m_has_read) add(Step::Kind::Read);
    m_has_read = true;
  }

  void forget_headers() {
    m_headers.clear();
    m_has_length = false;
  }

  void close_body() {
    if (m_body == BodyKind::Chunked) add(Step::Kind::Send).bytes = "0\r\n\r\n";
    if (m_body == BodyKind::UntilClose) add(Step::Kind::Close);
    m_body = BodyKind::None;
  }

  void finish_exchange() {
    close_body();
    m_has_read = false;
  }

  enum class BodyKind : std::uint8_t { None, Chunked, UntilClose };

  Script m_script{};
  std::string m_headers{};
  std::size_t m_line = 0;
  BodyKind m_body = BodyKind::None;
  bool m_has_length = false;
  bool m_has_read = false;
};

}  // namespace

Result<Script> parse_script(std::string_view text) {
  return Parser{}.parse(text);
}

Script script(std::string_view text) {
  auto parsed = parse_script(text);
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  return std::move(*parsed);
}

}  // namespace svc::test

// The text of simple PDF documents (ISO 32000): uncompressed or deflated content streams whose
// strings are bytes of the usual Latin encodings. Fonts with encodings of their own are not read.
#include <algorithm>
#include <array>

#include <zlib.h>

#include "base/text.h"
#include "emulator/api/files/extract.h"

namespace svc::emulator {
namespace {

constexpr std::size_t k_most_text = 64U << 20U;  // what all streams may unfold to

// The bytes behind a deflated stream, as far as they are whole.
std::string inflate_bytes(sv data, std::size_t most) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  std::array<char, 16'384> chunk{};
  int code = Z_OK;
  while (code == Z_OK && out.size() < most) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  inflateEnd(&stream);
  return out;
}

// Bytes of Latin-1 and the printable part of Windows-1252, as UTF-8.
void append_latin(std::string& out, char c) {
  switch (static_cast<unsigned char>(c)) {
    case 0x85:
      out += "…";
      return;
    case 0x91:
    case 0x92:
      out += '\'';
      return;
    case 0x93:
    case 0x94:
      out += '"';
      return;
    case 0x95:
      out += "•";
      return;
    case 0x96:
      out += "–";
      return;
    case 0x97:
      out += "—";
      return;
    default:
      append_utf8(out, static_cast<unsigned char>(c));
  }
}

// Reads one content stream, operator by operator.
class ContentReader {
 public:
  ContentReader(sv content, std::string& out) : m_content(content), m_out(out) {}

  void read() {
    while (m_at < m_content.size()) {
      const char c = m_content[m_at];
      if (c == '(') {
        read_string();
      } else if (c == '<') {
        read_hex();
      } else if (c == '[' || c == ']') {
        ++m_at;
      } else if (c == '%') {
        m_at = std::min(m_content.find_first_of("\r\n", m_at), m_content.size());
      } else if (is_regular(c)) {
        read_word();
      } else {
        ++m_at;
      }
    }
  }

 private:
  static bool is_regular(char c) { return sv(" \t\r\n\f\0()<>[]{}/%", 16).find(c) == sv::npos; }

  void read_string() {
    int depth = 1;
    for (++m_at; m_at < m_content.size(); ++m_at) {
      char c = m_content[m_at];
      if (c == '\\') {
        if (!read_escape(c)) continue;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        ++m_at;
        return;
      }
      m_pending += c;
    }
  }

  // After a backslash; false when it stands for nothing.
  bool read_escape(char& c) {
    if (++m_at >= m_content.size()) return false;
    c = m_content[m_at];
    constexpr sv k_names = "nrtbf";
    constexpr sv k_values = "\n\r\t\b\f";
    if (const auto at = k_names.find(c); at != sv::npos) {
      c = k_values[at];
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      int digits = 0;
      for (; digits < 3 && m_at < m_content.size(); ++digits, ++m_at) {
        if (m_content[m_at] < '0' || m_content[m_at] > '7') break;
        value = value * 8 + static_cast<unsigned>(m_content[m_at] - '0');
      }
      --m_at;
      c = static_cast<char>(value);
    } else if (c == '\n' || c == '\r') {
      return false;
    }
    return true;
  }

  void read_hex() {
    if (m_content.substr(m_at).starts_with("<<")) {
      m_at += 2;
      return;
    }
    unsigned value = 0;
    bool half = false;
    for (++m_at; m_at < m_content.size() && m_content[m_at] != '>'; ++m_at) {
      const auto digit = sv("0123456789abcdef").find(to_lower(m_content.substr(m_at, 1)).front());
      if (digit == sv::npos) continue;
      value = value * 16 + static_cast<unsigned>(digit);
      if (half) m_pending += static_cast<char>(value & 0xFFU);
      half = !half;
    }
    ++m_at;
  }

  void read_word() {
    const std::size_t begin = m_at;
    while (m_at < m_content.size() && is_regular(m_content[m_at])) ++m_at;
    const sv word = m_content.substr(begin, m_at - begin);
    if (word == "Tj" || word == "TJ") {
      show();
    } else if (word == "'" || word == "\"") {
      end_line();
      show();
    } else if (word == "Td" || word == "TD" || word == "T*" || word == "ET" || word == "Tm") {
      break_line();
    } else if (const auto number = parse_number(word)) {
      // A wide gap between two strings of a TJ array is a blank.
      if (!m_pending.empty() && *number < -180 && m_pending.back() != ' ') m_pending += ' ';
    } else {
      m_pending.clear();
    }
  }

  void show() {
    for (const char c : m_pending) append_latin(m_out, c);
    m_pending.clear();
  }

  void break_line() {
    m_pending.clear();
    end_line();
  }

  void end_line() {
    if (!m_out.empty() && m_out.back() != '\n') m_out += '\n';
  }

  sv m_content;
  std::string& m_out;
  std::size_t m_at = 0;
  std::string m_pending{};  ///< strings that no operator has shown yet
};

// Enough of it must be letters and marks that people write.
bool is_readable(sv text) {
  std::size_t good = 0;
  std::size_t all = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = decode_utf8(text, at);
    ++all;
    if (c == U'\n' || (c >= U' ' && c != 0x7F && !(c >= 0x80 && c < 0xA0))) ++good;
  }
  return all > 0 && good * 100 >= all * 95;
}

// The dictionary in front of a stream, and the bytes of it.
struct Stream {
  sv dictionary{};
  sv data{};
};

std::optional<Stream> next_stream(sv pdf, std::size_t& at) {
  for (;;) {
    const std::size_t word = pdf.find("stream", at);
    if (word == sv::npos) return std::nullopt;
    std::size_t begin = word + 6;
    at = begin;
    if (word >= 3 && pdf.substr(word - 3, 3) == "end") continue;
    if (pdf.substr(begin).starts_with("\r\n")) {
      begin += 2;
    } else if (pdf.substr(begin).starts_with("\n")) {
      begin += 1;
    } else {
      continue;
    }
    const std::size_t end = pdf.find("endstream", begin);
    if (end == sv::npos) return std::nullopt;
    at = end + 9;
    const std::size_t open = pdf.rfind(" obj", word);
    const sv dictionary = open == sv::npos ? sv{} : pdf.substr(open, word - open);
    return Stream{dictionary, pdf.substr(begin, end - begin)};
  }
}

}  // namespace

Result<std::string> pdf_text(sv pdf) {
  std::string text;
  std::size_t at = 0;
  std::size_t left = k_most_text;
  while (const auto stream = next_stream(pdf, at)) {
    const bool filtered = stream->dictionary.find("/Filter") != sv::npos;
    const bool deflated = stream->dictionary.find("/FlateDecode") != sv::npos;
    if (filtered && !deflated) continue;
    const std::string content =
        deflated ? inflate_bytes(stream->data, left) : std::string(stream->data);
    left -= std::min(left, content.size());
    // A page's content shows text between BT and ET; images and fonts do not.
    if (content.find("BT") == std::string::npos || content.find("ET") == std::string::npos) {
      continue;
    }
    std::string shown;
    ContentReader(content, shown).read();
    if (is_readable(shown)) text += shown;
  }
  if (!text.empty()) return text;
  return usage_error(
      "No text can be extracted from this PDF: it has none, or its fonts have encodings of their "
      "own, which this emulator does not read.");
}

}  // namespace svc::emulator

#include "mcp/config.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "json/text.h"

namespace svc::mcp {
namespace {

constexpr std::size_t k_max_name = 64;

bool is_url(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

/// The part of a server's configuration that the user approves. A command with relative paths runs
/// different files in another directory, so the directory is then included.
OrderedJson identity_of(const std::vector<std::string>& words, const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path base =
      fs::absolute(directory.empty() ? "." : directory, failed).lexically_normal();
  const bool relative = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::string path = word.substr(word.starts_with('-') ? word.find('=') + 1 : 0);
    return !path.empty() && path.front() != '/' && fs::exists(base / path, failed);
  });
  return {{"command", words.front()},
          {"cwd", relative || !directory.empty() ? base.string() : std::string()},
          {"args", std::vector<std::string>(words.begin() + 1, words.end())}};
}

/// Parses one server of a file.
class ServerReader {
 public:
  ServerReader(std::string_view where, std::string name, const ReadVariable& variable)
      : m_where(fmt::format("{}: server {}", where, shown(name))), m_variable(variable) {
    m_spec.name = std::move(name);
  }

  Result<ServerSpec> read(const OrderedJson& server) {
    if (!server.is_object()) return wrong("must be an object");
    const std::string command = text_member(server, "command");
    m_spec.http.url = text_member(server, "url");
    if (m_spec.http.url.empty()) m_spec.http.url = text_member(server, "serverUrl");
    if (command.empty() == m_spec.http.url.empty()) {
      return wrong("requires either \"command\" or \"url\"");
    }
    if (!m_spec.is_program()) {
      if (!is_url(m_spec.http.url)) return wrong("\"url\" must be an http or https URL");
      if (text_member(server, "type") == "sse") {
        return wrong(
            "the transport sse is not supported: the protocol replaced it with streamable HTTP");
      }
      SVC_CHECK(read_values(server, "headers", [this](const std::string& name, std::string value) {
        m_spec.http.headers.push_back({name, std::move(value)});
      }));
    } else {
      m_spec.command.arguments.push_back(command);
      SVC_CHECK(read_arguments(server));
      m_spec.command.directory = text_member(server, "cwd");
      SVC_CHECK(read_values(server, "env", [this](const std::string& name, std::string value) {
        m_spec.command.variables.emplace_back(name, std::move(value));
      }));
    }
    m_spec.identity = compact_json(m_identity);
    return std::move(m_spec);
  }

 private:
  [[nodiscard]] Error wrong(const std::string& what) const {
    return usage_error(fmt::format("{}: {}", m_where, what),
                       "Use {\"command\", \"args\", \"env\", \"cwd\"} or {\"url\", \"headers\"}.");
  }

  Result<void> read_arguments(const OrderedJson& server) {
    if (server.contains("args") && !server["args"].is_array()) {
      return wrong("\"args\" must be an array");
    }
    for (const OrderedJson& argument : server.value("args", OrderedJson::array())) {
      if (!argument.is_string()) return wrong("every item of \"args\" must be a string");
      m_spec.command.arguments.push_back(argument.get<std::string>());
    }
    m_identity = identity_of(m_spec.command.arguments, text_member(server, "cwd"));
    return {};
  }

  template <typename Add>
  Result<void> read_values(const OrderedJson& server, const char* member, const Add& add) {
    if (!m_spec.is_program()) m_identity["url"] = m_spec.http.url;
    if (!server.contains(member)) return {};
    const OrderedJson& values = server[member];
    if (!values.is_object()) return wrong(fmt::format("\"{}\" must be an object", member));
    for (const auto& [name, value] : values.items()) {
      if (!value.is_string())
        return wrong(fmt::format("the value of {} must be a string", shown(name)));
      std::string text = value.template get<std::string>();
      if (text.starts_with("env:")) {
        const std::string variable = text.substr(4);
        const auto found = m_variable(variable);
        if (!found || found->empty()) {
          return usage_error(fmt::format("{}: environment variable {} for {} is not set", m_where,
                                         shown(variable), shown(name)),
                             fmt::format("Set it: export {}=…", shown(variable)));
        }
        text = *found;
        m_spec.secrets.push_back(text);
      } else if (std::string_view(member) == "headers") {
        m_spec.secrets.push_back(text);
      }
      add(name, std::move(text));
    }
    // Contains the names of secrets instead of their values.
    m_identity[member] = values;
    return {};
  }

  std::string m_where;
  const ReadVariable& m_variable;
  ServerSpec m_spec{};
  OrderedJson m_identity = OrderedJson::object();
};

}  // namespace

std::string ServerSpec::shown_command() const {
  if (!is_program()) return visible(http.url, Lines::Escape);
  std::string line;
  for (const std::string& word : command.arguments) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  // The same command may run a different program with other variables or in another directory.
  if (!command.directory.empty()) line += ", in " + command.directory;
  for (const auto& [variable, value] : command.variables) {
    line += (&variable == &command.variables.front().first ? ", with " : ", ") + variable;
  }
  return visible(line, Lines::Escape);
}

std::optional<std::vector<std::string>> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<ServerSpec> read_server_flag(std::string_view flag, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return usage_error(
        fmt::format("{} must be NAME=COMMAND or NAME=URL, not '{}'", flag, shown(text)),
        fmt::format("For example: {} 'files=my-server --root /tmp'", flag));
  }
  ServerSpec spec{.name = std::string(text.substr(0, equals))};
  const bool clean = std::all_of(spec.name.begin(), spec.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (!clean || spec.name.size() > k_max_name) {
    return usage_error(
        fmt::format("{} {}: a name may contain only letters, digits, - and _, up to {} characters",
                    flag, shown(spec.name), k_max_name));
  }
  const std::string_view rest = text.substr(equals + 1);
  if (is_url(rest)) {
    spec.http.url = rest;
    spec.identity = compact_json(OrderedJson{{"url", rest}});
    return spec;
  }
  auto words = split_command(rest);
  if (!words || words->empty()) {
    return usage_error(
        fmt::format("{} {}: {}", flag, spec.name, words ? "missing command" : "unclosed quote"));
  }
  spec.identity = compact_json(identity_of(*words, {}));
  spec.command.arguments = *std::move(words);
  return spec;
}

Result<std::vector<ServerSpec>> read_servers(std::string_view where, std::string_view json,
                                             const ReadVariable& variable, std::string_view only) {
  if (const auto fault = check_json(json)) {
    return usage_error(fmt::format("{} is not JSON: {}", where, describe(*fault)));
  }
  const OrderedJson document = parse_reply_in_order(json);
  const char* member =
      document.is_object() && document.contains("mcpServers") ? "mcpServers" : "servers";
  if (!document.is_object() || !document.contains(member) || !document[member].is_object()) {
    return usage_error(fmt::format("{} has no \"mcpServers\" object", where),
                       "For example: {\"mcpServers\": {\"files\": {\"command\": \"my-server\"}}}");
  }
  std::vector<ServerSpec> specs;
  for (const auto& [name, server] : document[member].items()) {
    if (name.empty() || name.size() > k_max_name || name.find(',') != std::string::npos) {
      return usage_error(
          fmt::format("{}: '{}' is not a valid server name: use 1 to {} characters without commas",
                      where, shown(name), k_max_name));
    }
    if (server.is_object() && server.contains("disabled") && server["disabled"] == true) continue;
    if (!only.empty() && name != only) continue;
    SVC_TRY(spec, ServerReader(where, name, variable).read(server));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace svc::mcp

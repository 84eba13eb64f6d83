#include "conversation/mcp_servers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/background.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "base/wait.h"
#include "catalogue/chat_fields.h"
#include "catalogue/tool_fields.h"
#include "conversation/slash_commands.h"
#include "conversation/turn_tools.h"
#include "json/document.h"
#include "mcp/stdio_channel.h"
#include "operation/results.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using McpFlags = Flags<catalogue::k_mcp_fields>;

constexpr std::size_t k_max_function_name = 64;
constexpr std::uint64_t k_max_config = 4U << 20U;

std::string as_function_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  }
  return name.substr(0, k_max_function_name);
}

std::string unused_name(const std::set<std::string>& taken, const std::string& name) {
  if (!taken.contains(name)) return name;
  for (int number = 2;; ++number) {
    const std::string end = fmt::format("_{}", number);
    std::string next = name.substr(0, k_max_function_name - end.size()) + end;
    if (!taken.contains(next)) return next;
  }
}

std::string definition_of(const mcp::ToolInfo& tool, const std::string& name) {
  OrderedJson function = {{"type", "function"}, {"name", name}};
  const std::string& about = tool.description.empty() ? tool.title : tool.description;
  if (!about.empty()) function["description"] = about;
  OrderedJson schema = parse_reply_in_order(tool.schema);
  // The service requires an object schema with properties, even for a function without arguments.
  if (!schema.contains("type")) schema["type"] = "object";
  if (!schema.contains("properties")) schema["properties"] = OrderedJson::object();
  schema.erase("$schema");
  function["parameters"] = std::move(schema);
  return compact_json(function);
}

mcp::Connect connect_of(mcp::ServerSpec spec) {
  if (spec.is_program()) {
    return [spec = std::move(spec)](
               mcp::OnNotification notice) -> Result<std::unique_ptr<mcp::Channel>> {
      SVC_TRY(channel, mcp::StdioChannel::start(spec.command, std::move(notice)));
      return std::unique_ptr<mcp::Channel>(std::move(channel));
    };
  }
  return [spec = std::move(spec)](
             mcp::OnNotification notice) -> Result<std::unique_ptr<mcp::Channel>> {
    return std::unique_ptr<mcp::Channel>(std::make_unique<mcp::HttpChannel>(
        spec.http, [] { return http::make_curl_transport({.user_agent = "svc/" SVC_VERSION}); },
        std::move(notice)));
  };
}

void add_media(ToolEnd& end, const mcp::MediaPart& part) {
  constexpr std::array<sv, 4> k_seen = {"image/png", "image/jpeg", "image/webp", "image/gif"};
  if (std::find(k_seen.begin(), k_seen.end(), part.type) != k_seen.end()) {
    end.images.push_back(fmt::format("data:{};base64,{}", part.type, part.base64));
    return;
  }
  if (!end.output.empty() && !end.output.ends_with('\n')) end.output += '\n';
  end.output += fmt::format("[{} of {}, not passed to the model]",
                            format_bytes(part.base64.size() / 4 * 3), part.type);
}

namespace fs = std::filesystem;

constexpr std::uint64_t k_max_trusted = 1U << 20U;

/// The file of MCP servers that the user has confirmed, one per line. Only the hash of a server's
/// identity is stored: the identity may contain paths and names.
fs::path trust_path() {
  const fs::path directory = state_directory();
  return directory.empty() ? fs::path() : directory / "mcp_servers";
}

std::string read_marks() {
  const fs::path path = trust_path();
  std::error_code failed;
  if (path.empty() || !fs::exists(path, failed)) return {};
  auto text = read_private_file(path.string());
  return text ? *std::move(text) : std::string();
}

bool has_mark(const std::string& marks, const std::string& mark) {
  const std::vector<sv> lines = split(marks, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](sv line) { return trim(line) == mark; });
}

/// Whether the user has confirmed a server of that identity before. An unreadable file means no.
bool is_trusted_server(const std::string& identity) {
  return has_mark(read_marks(), sha256(identity));
}

/// Records that the user has confirmed the server. Local if the file cannot be written.
Result<void> trust_server(const std::string& identity) {
  const fs::path path = trust_path();
  if (path.empty()) return Error{Fault::Local, "no directory for the record: HOME is not set"};
  SVC_CHECK(make_private_directory(path.parent_path()));
  SVC_TRY(lock, FileLock::acquire(path.string() + ".lock"));
  (void)lock;
  std::string marks = read_marks();
  if (marks.size() > k_max_trusted) marks.clear();
  const std::string mark = sha256(identity);
  if (has_mark(marks, mark)) return {};
  return write_file(path.string(), marks + mark + "\n", Replace::Yes, 0600);
}

}  // namespace

/// Connects a client, or lists its tools.
struct McpServers::Task {
  using Work = Result<void> (mcp::Client::*)(const mcp::CallContext& context);

  Task(std::shared_ptr<mcp::Client> which, Work work, bool may_fail = false)
      : client(std::move(which)), optional(may_fail), run([this, work](const CancelToken& cancel) {
          return (client.get()->*work)(mcp::CallContext{k_start_time, cancel});
        }) {}

  std::shared_ptr<mcp::Client> client;
  bool optional;
  Background<Result<void>> run;
};

Result<std::vector<mcp::ServerSpec>> read_mcp_servers(Session& session, sv only) {
  std::vector<mcp::ServerSpec> specs;
  const Environment& environment = session.environment();
  std::string path = McpFlags(session.inputs()).text<"mcp-config">();
  // The setting applies only to commands that have the flag, and to answers that can use tools.
  const Flags<catalogue::chat::k_create_fields> chat(session.inputs());
  const bool has_flag =
      find_field(*session.invocation().operation, McpFlags::k_name<"mcp-config">) != nullptr;
  const bool uses_tools = has_flag && !chat.is_true<"deferred">() && !chat.has<"n">();
  const bool by_profile = path.empty() && uses_tools;
  if (by_profile) path = session.settings().mcp_config.value;
  if (!path.empty() && path != "none") {
    path = with_home(path, environment);
    SVC_TRY(text, request::read_named_file(by_profile ? "mcp_config" : "--mcp-config", path,
                                           k_max_config));
    SVC_TRY(read, mcp::read_servers(quote_path(path), text, environment.get, only));
    specs = std::move(read);
    for (mcp::ServerSpec& spec : specs) spec.optional = by_profile;
  }
  for (const std::string& text : McpFlags(session.inputs()).get<"mcp-local">()) {
    SVC_TRY(spec, mcp::read_server_flag("--mcp-local", text));
    // A server on the command line replaces one of the same name in a file.
    std::erase_if(specs, [&](const mcp::ServerSpec& one) { return one.name == spec.name; });
    if (!only.empty() && spec.name != only) continue;
    specs.push_back(std::move(spec));
  }
  for (const mcp::ServerSpec& spec : specs) {
    for (const std::string& secret : spec.secrets) session.keep_secret(secret);
  }
  return specs;
}

McpServers::McpServers(Session& session) : m_session(session) {}

McpServers::~McpServers() {
  m_readings.clear();
  for (const auto& client : m_clients) client->request_exit();
}

Result<void> McpServers::agree(const mcp::ServerSpec& spec, bool allowed, bool asks) {
  if (allowed || m_session.globals().yes || is_trusted_server(spec.identity)) return {};
  const std::string server =
      fmt::format("MCP server {} ({})", shown(spec.name), spec.shown_command());
  if (!asks) {
    return usage_error(fmt::format("cannot confirm {} {}: not running on a terminal",
                                   spec.is_program() ? "starting" : "using", server),
                       "Add --yes to use it without asking.");
  }
  SVC_TRY(answer, ask_on_terminal(
                      m_session, fmt::format("{} {}?", spec.is_program() ? "start" : "use", server),
                      m_session.cancel_token()));
  if (answer.consent == ToolConsent::No) {
    return usage_error(
        fmt::format("MCP server {}: not confirmed; nothing was sent", shown(spec.name)));
  }
  if (const auto saved = trust_server(spec.identity); !saved) {
    m_session.notices().warning(
        fmt::format("your answer could not be saved: {}", saved.error().message));
  }
  return {};
}

Result<void> McpServers::start(std::vector<mcp::ServerSpec> specs, const CancelToken& cancel) {
  std::vector<std::unique_ptr<Task>> openings;
  m_session.progress().start(specs.size() == 1 ? "Starting an MCP server" : "Starting MCP servers");
  for (mcp::ServerSpec& spec : specs) {
    const std::string name = spec.name;
    const bool optional = spec.optional;
    openings.push_back(std::make_unique<Task>(
        std::make_shared<mcp::Client>(name, k_full_version, connect_of(std::move(spec))),
        &mcp::Client::open, optional));
  }
  std::optional<Error> failure;
  for (const auto& opening : openings) {
    while (!failure) {
      const Result<bool> opened =
          wait_readable(opening->run.descriptor(), after(std::chrono::milliseconds(100)), cancel);
      if (!opened) failure = opened.error();
      if (opened && *opened) break;
      m_session.progress().tick();
    }
    if (failure) opening->run.cancel();
    const Result<void>& result = opening->run.result();
    if (result || failure) continue;
    if (!opening->optional) {
      failure = result.error();
    } else {
      m_session.notices().warning(fmt::format("{}; continuing without it", result.error().message));
    }
  }
  m_session.progress().finish();
  for (const auto& opening : openings) {
    if (!opening->run.result()) continue;
    m_clients.push_back(opening->client);
    m_session.notices().detail(fmt::format(
        "MCP server {}: {}, revision {}, {} tools", opening->client->name(),
        opening->client->title(), opening->client->revision(), opening->client->tools().size()));
  }
  report_changes();
  if (failure) return *std::move(failure);
  return {};
}

mcp::Client* McpServers::find(std::string_view name) const {
  for (const auto& client : m_clients) {
    if (client->name() == name) return client.get();
  }
  return nullptr;
}

std::vector<ToolProgram> McpServers::tools(const std::vector<ToolProgram>& others) {
  std::map<std::string, int> wanted;
  for (const ToolProgram& other : others) ++wanted[other.name];
  for (const auto& client : m_clients) {
    for (const mcp::ToolInfo& tool : client->tools()) ++wanted[as_function_name(tool.name)];
  }
  std::set<std::string> taken;
  for (const ToolProgram& other : others) taken.insert(other.name);
  const Field* field = find_field(*m_session.invocation().operation,
                                  Flags<catalogue::chat::k_create_fields>::k_name<"tools">);
  const std::size_t most =
      field != nullptr && field->max_count != 0 ? field->max_count : std::size_t{SIZE_MAX};
  std::size_t left_out = 0;
  std::vector<ToolProgram> all;
  for (const auto& client : m_clients) {
    for (const mcp::ToolInfo& tool : client->tools()) {
      if (others.size() + all.size() >= most) {
        ++left_out;
        continue;
      }
      std::string name = as_function_name(tool.name);
      if (wanted[name] > 1) name = as_function_name(client->name() + "_" + tool.name);
      name = unused_name(taken, name);
      taken.insert(name);
      all.push_back({.name = name,
                     .program = "MCP server " + client->name(),
                     .tool = definition_of(tool, name),
                     .address = client->name() + "." + tool.name,
                     .call = [client, remote = tool.name](const std::string& arguments,
                                                          const ToolLimits& limits,
                                                          const CancelToken& cancel) {
                       return tool_end(
                           client->call(remote, arguments, mcp::CallContext{limits.time, cancel}),
                           limits);
                     }});
    }
  }
  if (std::exchange(m_left_out, left_out) < left_out) {
    m_session.notices().warning(
        fmt::format("{} tools of MCP servers are left out: a request may have {}", left_out, most));
  }
  return all;
}

bool McpServers::refresh_concurrently() {
  for (const auto& client : m_clients) {
    const bool reads = std::any_of(m_readings.begin(), m_readings.end(),
                                   [&](const auto& one) { return one->client == client; });
    if (!reads && client->tools_changed()) {
      m_readings.push_back(std::make_unique<Task>(client, &mcp::Client::read_tools));
    }
  }
  bool changed = false;
  for (auto reading = m_readings.begin(); reading != m_readings.end();) {
    if (!(*reading)->run.over()) {
      ++reading;
      continue;
    }
    const mcp::Client& client = *(*reading)->client;
    if (const Result<void>& read = (*reading)->run.result(); !read) {
      m_session.notices().warning(read.error().message);
    } else {
      changed = true;
      m_session.notices().detail(fmt::format("MCP server {}: tools changed; {} now", client.name(),
                                             client.tools().size()));
    }
    reading = m_readings.erase(reading);
  }
  return changed;
}

bool McpServers::refresh(const CancelToken& cancel) {
  bool changed = refresh_concurrently();
  while (!m_readings.empty()) {
    if (!wait_readable(m_readings.front()->run.descriptor(), {}, cancel)) break;
    changed = refresh_concurrently() || changed;
  }
  return changed;
}

void McpServers::report_changes() {
  for (const auto& client : m_clients) {
    if (client->take_restarted()) {
      m_session.notices().note(
          fmt::format("MCP server {} had exited; svc has restarted it", shown(client->name())));
    }
    for (const std::string& line : client->take_warnings()) {
      m_session.notices().warning(
          fmt::format("MCP server {}: {}", shown(client->name()), shown_message(line)));
    }
    for (const std::string& line : client->take_messages()) {
      m_session.notices().detail(
          fmt::format("MCP server {}: {}", shown(client->name()), shown_message(line)));
    }
  }
}

ToolEnd tool_end(Result<mcp::ToolResult> result, const ToolLimits& limits) {
  ToolEnd end;
  if (!result) {
    end.error = std::move(result).error();
    return end;
  }
  end.output = std::move(result->text);
  if (end.output.size() > limits.output) {
    // Truncated at the limit, but never inside a character.
    end.output.resize(limits.output);
    while (!end.output.empty() && first_invalid_utf8(end.output)) end.output.pop_back();
    end.cut = true;
  }
  for (const mcp::MediaPart& part : result->media) add_media(end, part);
  if (result->failed) end.error = Error{Fault::Service, "the tool reported an error"};
  return end;
}

}  // namespace svc::cli

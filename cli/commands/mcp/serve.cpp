// `svc mcp`: an MCP server on standard input and output that offers the operations as tools.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "base/version.h"
#include "catalogue/mcp_fields.h"
#include "commands/command.h"
#include "commands/mcp/offered.h"
#include "commands/mcp/tool_run.h"
#include "json/document.h"
#include "mcp/server.h"
#include "operation/results.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using McpServeFlags = Flags<catalogue::mcp::k_serve_fields>;

constexpr sv k_conversations = "svc://conversations/";
constexpr sv k_files = "svc://files/";

constexpr sv k_instructions =
    "Tools of svc, the command-line tool of a hosted AI service: each is an operation of the "
    "service. A wrong argument returns an error with the allowed values.";

class OfferedTools final : public mcp::ServerHandler {
 public:
  OfferedTools(Session& session, std::vector<const Operation*> offered, std::string directory,
               ReadRoots& roots, bool conversations, bool read_only)
      : m_context{.session = session, .roots = roots, .directory = std::move(directory)},
        m_offered(std::move(offered)),
        m_conversations(conversations),
        m_read_only(read_only) {}

  std::string tools() override {
    OrderedJson all = OrderedJson::array();
    for (const Operation* operation : m_offered) all.push_back(tool_of(*operation));
    return compact_json(all);
  }

  Result<std::string> call(const std::string& tool, const std::string& arguments,
                           const mcp::OnProgress& progress, const CancelToken& cancel) override {
    const Operation* operation = find(tool);
    if (operation == nullptr) return unknown(tool);
    return m_context.without_secrets(
        call_operation(m_context, *operation, arguments, progress, cancel));
  }

  void expect_roots() override { m_context.roots.expect(); }
  void on_roots(const std::vector<std::string>& uris) override { m_context.roots.grant(uris); }
  void on_no_roots() override { m_context.roots.give_up(); }

  Result<std::string> resources(const CancelToken& cancel) override {
    OrderedJson all = OrderedJson::array();
    if (m_conversations) add_conversations(all, cancel);
    if (find("files_list") != nullptr) add_files(all, cancel);
    return compact_json(all);
  }

  std::string resource_templates() override {
    OrderedJson all = OrderedJson::array();
    if (m_conversations) {
      all.push_back({{"uriTemplate", "svc://conversations/{number}"},
                     {"name", "conversation"},
                     {"description", "A conversation saved on this machine."},
                     {"mimeType", "text/markdown"}});
    }
    if (find("files_list") != nullptr) {
      all.push_back({{"uriTemplate", "svc://files/{file_id}"},
                     {"name", "file"},
                     {"description", "A file on the service."}});
    }
    return compact_json(all);
  }

  Result<std::string> read_resource(const std::string& uri, const CancelToken& cancel) override {
    if (m_conversations && uri.starts_with(k_conversations)) {
      SVC_TRY(text, run_text("history", "export", "conversation",
                             uri.substr(k_conversations.size()), "text", cancel));
      return contents(uri, "text/markdown", text);
    }
    if (find("files_list") != nullptr && uri.starts_with(k_files)) {
      SVC_TRY(bytes,
              run_text("files", "download", "file-id", uri.substr(k_files.size()), "raw", cancel));
      return contents(uri, {}, bytes);
    }
    return Error{Fault::NotFound, fmt::format("unknown resource {}", shown(uri)),
                 "resources/list lists them."};
  }

  /// The profile's templates; their one argument is the text that follows the template's.
  std::string prompts() override {
    OrderedJson all = OrderedJson::array();
    for (const auto& [name, one] : templates()) {
      const OrderedJson text = {{"name", "text"}, {"description", "Text to work on."}};
      all.push_back({{"name", name},
                     {"description", fmt::format("Prompt template {} of svc.", name)},
                     {"arguments", OrderedJson::array({text})}});
    }
    return compact_json(all);
  }

  Result<std::string> prompt(const std::string& name, const std::string& arguments) override {
    const auto found = templates().find(name);
    if (found == templates().end()) {
      return usage_error(fmt::format("unknown prompt {}", shown(name)), "prompts/list lists them.");
    }
    std::string text;
    const auto add = [&text](std::string part) {
      if (!text.empty() && !part.empty()) text += "\n\n";
      text += part;
    };
    for (const sv key : {sv("system"), sv("prompt")}) {
      for (const auto& [given, values] : found->second.values) {
        if (given != key || values.empty()) continue;
        SVC_TRY(part, request::resolve_text(key, values.front(), false));
        add(std::move(part));
      }
    }
    add(text_member(parse_reply(arguments), "text"));
    const OrderedJson content = {{"type", "text"}, {"text", text}};
    const OrderedJson message = {{"role", "user"}, {"content", content}};
    return compact_json(
        OrderedJson{{"description", fmt::format("Prompt template {} of svc.", name)},
                    {"messages", OrderedJson::array({message})}});
  }

 private:
  [[nodiscard]] const ConfigFile::Templates& templates() const {
    const Session& session = m_context.session;
    return session.config().templates(session.settings().profile.value);
  }

  [[nodiscard]] const Operation* find(const std::string& tool) const {
    for (const Operation* operation : m_offered) {
      if (tool_name(*operation) == tool) return operation;
    }
    return nullptr;
  }

  /// The error for an unknown tool: whether it exists but is not offered, or which one was meant.
  [[nodiscard]] Error unknown(const std::string& tool) const {
    for (const Group& group : groups()) {
      for (const Operation& operation : group.operations) {
        if (tool_name(operation) != tool || !can_be_tool(operation)) continue;
        return usage_error(
            fmt::format("{} is not offered", tool),
            m_read_only && !is_read_only(operation)
                ? "svc mcp runs with --read-only, which excludes it."
                : fmt::format("Start svc mcp with --allow {} to offer it.", group.name));
      }
    }
    std::vector<std::string> names;
    for (const Operation* operation : m_offered) names.push_back(tool_name(*operation));
    const sv near = nearest(tool, names);
    return usage_error(
        fmt::format("unknown tool {}", shown(tool)),
        near.empty() ? "tools/list lists them." : fmt::format("Did you mean {}?", near));
  }

  Result<std::string> run_text(sv group, sv name, sv flag, const std::string& value,
                               const std::string& format, const CancelToken& cancel) {
    const Operation& operation = *find_operation(group, name);
    const request::Inputs inputs{.given = {{find_field(operation, flag), value}}};
    OperationEnd end = run_inside(
        m_context, operation, inputs, format, {}, [](double, double, sv) {}, cancel);
    if (!end.verdict) {
      Error error = std::move(end.verdict).error();
      error.message = m_context.without_secrets(std::move(error.message));
      return error;
    }
    return m_context.without_secrets(std::move(end.output));
  }

  void add_conversations(OrderedJson& all, const CancelToken& cancel) {
    const auto list = run_text("history", "list", "limit", "100", "json", cancel);
    if (!list) return;
    for (const OrderedJson& one : parse_reply_in_order(*list)) {
      if (!one.is_object() || !one.contains("id")) continue;
      const std::string id =
          one["id"].is_string() ? one["id"].get<std::string>() : one["id"].dump();
      std::string name = text_member(one, "name");
      if (name.empty()) name = "conversation " + id;
      OrderedJson resource = {{"uri", fmt::format("{}{}", k_conversations, id)},
                              {"name", name},
                              {"mimeType", "text/markdown"}};
      if (const std::string title = text_member(one, "title"); !title.empty()) {
        resource["title"] = title;
      }
      all.push_back(std::move(resource));
    }
  }

  void add_files(OrderedJson& all, const CancelToken& cancel) {
    // Without a key, files cannot be listed; the conversations still can.
    const auto list = run_text("files", "list", "limit", "100", "json", cancel);
    if (!list) return;
    for (const nlohmann::json& one : parse_reply(*list)) {
      const std::string id = text_member(one, {"id", "file_id"});
      if (id.empty()) continue;
      const std::string name = text_member(one, {"filename", "name"});
      OrderedJson resource = {{"uri", fmt::format("{}{}", k_files, id)},
                              {"name", name.empty() ? id : name}};
      const std::string type = text_member(one, "content_type");
      if (!type.empty()) resource["mimeType"] = type;
      if (one.contains("bytes") && one["bytes"].is_number_unsigned())
        resource["size"] = one["bytes"];
      all.push_back(std::move(resource));
    }
  }

  [[nodiscard]] static std::string contents(const std::string& uri, sv type,
                                            const std::string& bytes) {
    OrderedJson one = {{"uri", uri}};
    if (!type.empty()) one["mimeType"] = type;
    add_content(one, bytes);
    return compact_json(OrderedJson::array({std::move(one)}));
  }

  ToolContext m_context;
  std::vector<const Operation*> m_offered;
  bool m_conversations;
  bool m_read_only;
};

Result<std::string> output_directory(const Session& session) {
  const std::string directory = McpServeFlags(session.inputs()).text<"output-dir">();
  if (directory.empty()) return directory;
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (!std::filesystem::is_directory(directory, failed)) {
    return Error{Fault::Local,
                 fmt::format("--output-dir: {} is not a directory and cannot be created",
                             quote_path(directory))};
  }
  if (::access(directory.c_str(), W_OK) != 0)
    return system_error("cannot write in " + quote_path(directory), errno);
  return directory.ends_with('/') ? directory : directory + "/";
}

/// Conversations are offered unless --allow selects only other groups.
bool offers_conversations(const std::vector<std::string>& allow) {
  if (allow.empty()) return true;
  for (const std::string& text : allow) {
    for (const sv part : split(text, ',')) {
      if (trim(part) == "all" || trim(part) == "history") return true;
    }
  }
  return false;
}

}  // namespace

template <>
Result<void> run<Handler::McpServe>(Session& session) {
  const McpServeFlags flags(session.inputs());
  const std::vector<std::string> allow = flags.get<"allow">();
  const bool read_only = flags.is_true<"read-only">();
  SVC_TRY(offered, offered_operations(allow, read_only));
  SVC_TRY(directory, output_directory(session));
  SVC_TRY(roots, ReadRoots::create(flags.get<"root">(), session));
  if (::isatty(STDIN_FILENO) == 1) {
    session.notices().note(
        "svc mcp waits for another program's requests on standard input; see `svc help tools`");
  }
  OfferedTools tools(session, std::move(offered), std::move(directory), *roots,
                     offers_conversations(allow), read_only);
  mcp::Server server(
      tools,
      {.name = "svc", .version = k_full_version, .instructions = std::string(k_instructions)},
      STDIN_FILENO, STDOUT_FILENO);
  return server.run(session.cancel_token());
}

}  // namespace svc::cli

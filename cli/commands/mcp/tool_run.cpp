#include "commands/mcp/tool_run.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "catalogue/tts_fields.h"
#include "client/credentials.h"
#include "commands/command.h"
#include "commands/mcp/offered.h"
#include "json/document.h"
#include "operation/model_call.h"
#include "operation/save_media.h"
#include "request/media.h"
#include "voice/speech_audio.h"

namespace svc::cli {
namespace {

using SpeakFlags = Flags<catalogue::tts::k_speak_fields>;

namespace fs = std::filesystem;
/// Larger files are not embedded in a result.
constexpr std::uint64_t k_max_inline = 12U << 20U;

std::string value_text(const Field& field, const OrderedJson& value) {
  if (value.is_string() && field.kind != Kind::Json) return value.get<std::string>();
  if (value.is_null()) return std::string(field.null_word);
  // 2.0 is accepted as an integer.
  if (field.kind == Kind::Integer && value.is_number_float()) {
    return fmt::format("{:.0f}", value.get<double>());
  }
  return compact_json(value);
}

bool has_type(const OrderedJson& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "integer" && value.is_number_float()) {
    return std::floor(value.get<double>()) == value.get<double>();
  }
  return type == "integer" ? value.is_number_integer() : value.is_number();
}

std::string type_in_words(const std::string& type) {
  if (type == "boolean") return "true or false";
  return (type == "integer" || type == "object" || type == "array" ? "an " : "a ") + type;
}

/// Values are not converted to the schema's type: the caller has to say what was meant.
Result<void> check_type(const std::string& name, const OrderedJson& schema,
                        const OrderedJson& value) {
  if (!schema.contains("type")) return {};
  std::vector<std::string> allowed;
  const OrderedJson& type = schema["type"];
  for (const OrderedJson& one : type.is_array() ? type : OrderedJson::array({type}))
    allowed.push_back(one);
  const bool fits = std::any_of(allowed.begin(), allowed.end(),
                                [&](const std::string& one) { return has_type(value, one); });
  if (!fits) {
    std::vector<std::string> words;
    for (const std::string& one : allowed) words.push_back(type_in_words(one));
    return usage_error(fmt::format("{} has the wrong type: {} given, {} allowed", name,
                                   shown(compact_json(value)), join(words, " or ")));
  }
  if (!value.is_array() || !schema.contains("items")) return {};
  std::size_t number = 0;
  for (const OrderedJson& one : value) {
    SVC_CHECK(check_type(fmt::format("{}[{}]", name, number++), schema["items"], one));
  }
  return {};
}

Error unknown_argument(const Operation& operation, const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : operation.fields) {
    if (is_argument(operation, field)) names.push_back(argument_name(field));
  }
  const sv near = nearest(name, names);
  return usage_error(fmt::format("{} has no argument '{}'", tool_name(operation), shown(name)),
                     near.empty() ? fmt::format("Arguments: {}.", join(names, ", "))
                                  : fmt::format("Did you mean {}?", near));
}

/// Values are literal: @FILE and - have no special meaning, but for paths.
request::Given given_as(const Field& field, const OrderedJson& value) {
  return {.field = &field,
          .text = value_text(field, value),
          .literal = field.kind != Kind::Media && field.kind != Kind::File};
}

/// Converts a tool's arguments to command-line inputs.
Result<request::Inputs> inputs_of(const Operation& operation, const OrderedJson& arguments) {
  request::Inputs inputs;
  for (const auto& argument : arguments.items()) {
    const std::string& name = argument.key();
    const OrderedJson& value = argument.value();
    const auto field =
        std::find_if(operation.fields.begin(), operation.fields.end(), [&](const Field& one) {
          return is_argument(operation, one) && (argument_name(one) == name || one.flag == name);
        });
    if (field == operation.fields.end()) return unknown_argument(operation, name);
    if (value.is_null() && field->null_word.empty()) continue;
    const bool one_id = field->repeated && field->in == In::Path && value.is_string();
    if (!value.is_null() && !one_id) {
      SVC_CHECK(check_type(name, schema_of_argument(*field), value));
    }
    if (!field->repeated || one_id) {
      inputs.given.push_back(given_as(*field, value));
      continue;
    }
    for (const OrderedJson& one : value) inputs.given.push_back(given_as(*field, one));
  }
  for (const Field& field : operation.fields) {
    if (!field.required || !is_argument(operation, field)) continue;
    const bool given = std::any_of(inputs.given.begin(), inputs.given.end(),
                                   [&](const request::Given& one) { return one.field == &field; });
    if (!given) {
      return usage_error(fmt::format("{} needs the argument {}: {}", tool_name(operation),
                                     argument_name(field), field.help));
    }
  }
  return inputs;
}

/// Whether the value of a File or Media argument means a file on this machine.
bool is_local_file(const Field& field, const std::string& text) {
  const request::MediaForm form = request::form_of(text);
  if (field.kind == Kind::Media) return form == request::MediaForm::File;
  std::error_code failed;
  return field.in != In::Path || form != request::MediaForm::FileId || fs::exists(text, failed);
}

/// Opens each local file, if it may be read, and replaces it by the name in `held`.
Result<void> confine_files(const ReadRoots& roots, request::Inputs& inputs, HeldFiles& held,
                           const CancelToken& cancel) {
  for (request::Given& given : inputs.given) {
    const Field& field = *given.field;
    if (field.kind != Kind::Media && field.kind != Kind::File) continue;
    // SECONDS=MEDIA
    const std::size_t at = field.wraps.empty() ? 0 : given.text.find('=') + 1;
    const std::string path = given.text.substr(at);
    if (path.empty() || !is_local_file(field, path)) continue;
    SVC_TRY(file, roots.open(argument_name(field), path, cancel));
    SVC_TRY(name, held.add(std::move(file)));
    given.text.replace(at, std::string::npos, name);
  }
  return {};
}

std::string media_type(const std::string& path) {
  constexpr std::array<std::pair<sv, sv>, 4> k_sounds = {{{".mp3", "audio/mpeg"},
                                                          {".wav", "audio/wav"},
                                                          {".pcm", "audio/pcm"},
                                                          {".ulaw", "audio/basic"}}};
  for (const auto& [ending, type] : k_sounds) {
    if (path.ends_with(ending)) return std::string(type);
  }
  return std::string(type_of_ending(path));
}

/// A temporary directory for the files of one call, removed with its contents.
class CallDirectory {
 public:
  explicit CallDirectory(const std::string& parent) {
    std::string path = parent.empty() ? temporary_call_path() : parent + ".svc-mcp-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) m_path = path + "/";
  }
  CallDirectory(const CallDirectory&) = delete;
  CallDirectory& operator=(const CallDirectory&) = delete;
  ~CallDirectory() {
    std::error_code ignored;
    if (!m_path.empty()) fs::remove_all(m_path, ignored);
  }
  [[nodiscard]] const std::string& path() const noexcept { return m_path; }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(m_path, failed)) {
      if (entry.is_regular_file(failed)) names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Moves a file to its final directory, numbering its name if it is taken.
  [[nodiscard]] static Result<std::string> move_into(const std::string& file,
                                                     const std::string& directory) {
    const fs::path from(file);
    SVC_TRY(kept, AtomicFile::create(file + ".kept", Replace::Yes));
    SVC_CHECK(kept.adopt(file));
    return kept.commit_first_free([&](std::size_t number) {
      return directory + (number == 1 ? from.filename().string()
                                      : fmt::format("{}-{}{}", from.stem().string(), number,
                                                    from.extension().string()));
    });
  }

 private:
  std::string m_path{};
};

bool makes_files(const Operation& operation) {
  return saves_media(operation) || command_name(operation) == "tts speak" ||
         command_name(operation) == "files download" || operation.reply == Reply::Bytes;
}

/// The value of --output: the directory, or a file if the command needs one.
std::string output_of(const Operation& operation, const request::Inputs& inputs,
                      const std::string& directory) {
  if (saves_media(operation) || operation.group == "files") return directory;
  if (operation.group != "tts") return directory + "result";
  voice::Codec codec = voice::Codec::Mp3;
  for (const request::Given& given : inputs.given) {
    if (given.field->flag == SpeakFlags::k_name<"codec"> ||
        given.field->flag == SpeakFlags::k_name<"output-format-codec">) {
      codec = voice::parse_codec(given.text).value_or(codec);
    }
  }
  return fmt::format("{}speech.{}", directory, voice::codec_extension(codec));
}

/// Replaces `svc files get ID` by the tool's name, files_get.
std::string with_tool_names(std::string text) {
  constexpr sv k_begin = "`svc ";
  for (std::size_t at = text.find(k_begin); at != std::string::npos;
       at = text.find(k_begin, at + 1)) {
    const sv command = sv(text).substr(at + k_begin.size());
    std::string longest;
    std::string tool;
    for (const Group& group : groups()) {
      for (const Operation& operation : group.operations) {
        if (!can_be_tool(operation)) continue;
        for (const std::string& name :
             {std::string(command_name(operation)), std::string(command_name(operation, true))}) {
          const bool named = command.starts_with(name) &&
                             sv(" `").find(command.substr(name.size(), 1)) != sv::npos;
          if (!named || name.size() <= longest.size()) continue;
          longest = name;
          tool = tool_name(operation);
        }
      }
    }
    if (!tool.empty()) text.replace(at + 1, k_begin.size() - 1 + longest.size(), tool);
  }
  return text;
}

/// Replaces flags by the tool's argument names: "max_tokens" for --max-tokens.
std::string with_argument_names(const Operation& operation, std::string text) {
  for (const Field& field : operation.fields) {
    if (!is_argument(operation, field)) continue;
    const std::string flag = fmt::format("--{}", field.flag);
    for (std::size_t at = text.find(flag); at != std::string::npos; at = text.find(flag, at + 1)) {
      const std::size_t end = at + flag.size();
      const bool longer =
          end < text.size() &&
          (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '-');
      if (!longer) text.replace(at, flag.size(), argument_name(field));
    }
  }
  return text;
}

/// Rewrites a hint for the caller of a tool. Advice that no tool can follow is marked as the
/// user's.
std::string caller_hint(const Operation& operation, const std::string& hint) {
  std::string text = with_tool_names(with_argument_names(operation, hint));
  const bool others = text.find("--") != std::string::npos ||
                      text.find("`svc ") != std::string::npos ||
                      text.find("SVC_") != std::string::npos;
  return others ? text + " (Commands and flags of svc are for the user who configured it.)" : text;
}

/// Builds the content blocks of a tool's result.
class CallResult {
 public:
  CallResult(ToolContext& context, const Operation& operation)
      : m_context(context), m_operation(operation) {}

  /// Where the answer's secrets go, as the model must not see them.
  void save_secrets_to(AtomicFile file) { m_secrets.emplace(std::move(file)); }

  std::string failed(const Error& error) {
    const std::string message = with_argument_names(m_operation, error.message);
    const std::string hint = caller_hint(m_operation, error.hint);
    std::string text = message;
    if (!hint.empty()) text += "\n" + hint;
    say(text);
    m_structured = {
        {"error", {{"fault", fault_name(error.fault)}, {"message", message}, {"hint", hint}}}};
    if (error.http_status != 0) m_structured["error"]["http_status"] = error.http_status;
    if (!error.code.empty()) m_structured["error"]["code"] = error.code;
    return text_of(true);
  }

  std::string whole(OperationEnd end) {
    for (const std::string& file : end.files) {
      const std::string place = add_file(file);
      end.output = replace_all(std::move(end.output), file, place);
    }
    add_document(end.output);
    if (!end.verdict) return failed(end.verdict.error());
    if (m_content.empty()) say("done");
    return text_of(false);
  }

 private:
  void say(const std::string& text) { m_content.push_back({{"type", "text"}, {"text", text}}); }

  void add_document(const std::string& output) {
    if (trim(output).empty()) return;
    OrderedJson document = m_operation.tool.empty() ? parse_reply_in_order(output)
                                                    : OrderedJson(OrderedJson::value_t::discarded);
    if (document.is_discarded()) {
      return say(m_secrets ? "The answer is no JSON; it is not shown, as it may hold a secret."
                           : replace_invalid_utf8(output));
    }
    if (m_secrets) save_secrets(document);
    // The images are files, or separate content blocks.
    if (document.is_object() && document.contains("data") && document["data"].is_array()) {
      for (OrderedJson& item : document["data"]) {
        if (item.is_object()) item.erase("b64_json");
      }
    }
    const std::string said = transcript_text(output);
    const bool saved = !m_content.empty() && said.empty();
    if (!saved) {
      m_content.insert(
          m_content.begin(),
          OrderedJson{{"type", "text"}, {"text", said.empty() ? compact_json(document) : said}});
    }
    m_structured =
        document.is_object() ? std::move(document) : OrderedJson{{"items", std::move(document)}};
  }

  /// Replaces each secret by where it was saved.
  void save_secrets(OrderedJson& document) {
    for (const Member& row : m_operation.answer) {
      if (!row.secret) continue;
      const OrderedJson::json_pointer at("/" + replace_all(std::string(row.path), ".", "/"));
      if (!document.contains(at) || !document[at].is_string()) continue;
      const Result<std::string> kept = save_secret(document[at].get<std::string>());
      document[at] = kept ? "saved in " + *kept : "not saved: " + kept.error().message;
    }
  }

  Result<std::string> save_secret(const std::string& secret) {
    SVC_CHECK(m_secrets->write(secret + "\n"));
    const std::string path = m_secrets->path();
    return m_secrets->commit_first_free([&](std::size_t number) {
      return number == 1 ? path : fmt::format("{}-{}", path, number);
    });
  }

  /// The text of an answer or a transcript, which is the actual result.
  [[nodiscard]] std::string transcript_text(const std::string& output) const {
    if (m_operation.group == "stt") return text_member(parse_reply(output), "text");
    const View view = m_operation.view;
    if (view != View::Chat && view != View::Response && view != View::Message) return {};
    const ModelReply got = whole_answer(m_context.session, m_operation, output);
    return got.answer.choices.empty() ? std::string() : got.answer.choices.front().text;
  }

  /// Moves a file to its final place and returns its path; only its name if it is embedded.
  std::string add_file(const std::string& file) {
    if (!m_context.directory.empty()) return add_saved(file);
    add_inline(file);
    return fs::path(file).filename().string();
  }

  void add_inline(const std::string& file) {
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    const std::string type = media_type(file);
    auto bytes = failed || size > k_max_inline ? Result<std::string>(Error{})
                                               : read_file(file, k_max_inline);
    if (!bytes) {
      return say(
          fmt::format("{} of {} are too large for a result: start svc mcp with --output-dir.",
                      format_bytes(size), type.empty() ? "data" : type));
    }
    const bool image = type.starts_with("image/");
    if (image || type.starts_with("audio/")) {
      m_content.push_back({{"type", image ? "image" : "audio"},
                           {"data", base64_encode(*bytes)},
                           {"mimeType", type}});
      return;
    }
    OrderedJson resource = {{"uri", "svc://results/" + fs::path(file).filename().string()}};
    if (!type.empty()) resource["mimeType"] = type;
    add_content(resource, *bytes);
    m_content.push_back({{"type", "resource"}, {"resource", std::move(resource)}});
  }

  std::string add_saved(const std::string& file) {
    const auto kept = CallDirectory::move_into(file, m_context.directory);
    if (!kept) {
      say(kept.error().message);
      return {};
    }
    say("saved as " + *kept);
    std::error_code failed;
    OrderedJson link = {{"type", "resource_link"},
                        {"uri", "file://" + fs::absolute(*kept, failed).string()},
                        {"name", fs::path(*kept).filename().string()}};
    if (const std::string type = media_type(*kept); !type.empty()) link["mimeType"] = type;
    m_content.push_back(std::move(link));
    return *kept;
  }

  std::string text_of(bool failed) {
    OrderedJson result = {{"content", std::move(m_content)}};
    // A result has structured content if, and only if, the tool has an output schema.
    if (failed ? m_structured.is_object() : has_structured_result(m_operation)) {
      result["structuredContent"] =
          m_structured.is_object() ? std::move(m_structured) : OrderedJson::object();
    }
    if (failed) result["isError"] = true;
    return compact_json(result);
  }

  ToolContext& m_context;
  const Operation& m_operation;
  OrderedJson m_content = OrderedJson::array();
  OrderedJson m_structured{};
  std::optional<AtomicFile> m_secrets{};
};

/// A private file for the secrets of an answer, made before anything is sent. In the state
/// directory, of which a tool reads nothing: --output-dir may be below a root.
Result<AtomicFile> secret_file(const Operation& operation) {
  const fs::path state = state_directory();
  if (state.empty()) {
    return usage_error("there is no directory for the secret that the service returns",
                       "Set HOME or XDG_STATE_HOME for svc mcp.");
  }
  SVC_CHECK(make_private_directory(state / "secrets"));
  return AtomicFile::create(state / "secrets" / tool_name(operation), Replace::Yes, 0600);
}

}  // namespace

void add_content(OrderedJson& resource, const std::string& bytes) {
  if (first_invalid_utf8(bytes) || bytes.find('\0') != std::string::npos) {
    resource["blob"] = base64_encode(bytes);
  } else {
    resource["text"] = bytes;
  }
}

void ToolContext::add_secrets(const std::vector<std::string>& more) {
  const std::lock_guard lock(mutex);
  for (const std::string& secret : more) {
    if (std::ranges::find(secrets, secret) == secrets.end()) secrets.push_back(secret);
  }
}

std::string ToolContext::without_secrets(std::string text) {
  const std::lock_guard lock(mutex);
  return scrub(std::move(text), secrets);
}

OperationEnd run_inside(ToolContext& context, const Operation& operation,
                        const request::Inputs& inputs, const std::string& format,
                        const std::string& output, const mcp::OnProgress& progress,
                        const CancelToken& cancel) {
  Invocation invocation;
  invocation.group = find_group(operation.group);
  invocation.operation = &operation;
  invocation.verb_given = true;
  invocation.inputs = inputs;
  invocation.globals = context.session.globals();
  invocation.globals.settings[std::string(k_global_flag<"format">)] = format;
  invocation.globals.jq.reset();
  invocation.globals.output.reset();
  if (!output.empty()) invocation.globals.output = output;
  invocation.globals.no_stdin = true;
  // The user is asked by the program that started the MCP server.
  invocation.globals.yes = true;
  OperationEnd end;
  std::string said;
  print::Out err(print::string_sink(said));
  print::Progress watched(err, false);
  watched.watch([&](std::uint64_t done, std::uint64_t total, sv line) {
    progress(static_cast<double>(done), static_cast<double>(total), line);
  });
  print::Notices notices(err, {.quiet = true}, &watched);
  {
    Session session(invocation, cancel, err, notices, watched);
    session.embed({.result = print::string_sink(end.output),
                   .spent = context.spent,
                   .emulator = [&]() -> Result<EmulatorAddress> {
                     const std::lock_guard lock(context.mutex);
                     SVC_CHECK(context.session.ensure_emulator());
                     return context.session.emulator();
                   }});
    end.verdict = run_invocation(session, invocation);
    context.add_secrets(session.secrets());
  }
  return end;
}

std::string call_operation(ToolContext& context, const Operation& operation,
                           const std::string& arguments, const mcp::OnProgress& progress,
                           const CancelToken& cancel) {
  CallResult answer(context, operation);
  auto inputs = inputs_of(operation, parse_reply_in_order(arguments));
  if (!inputs) return answer.failed(inputs.error());
  HeldFiles held;
  if (const auto confined = confine_files(context.roots, *inputs, held, cancel); !confined) {
    return answer.failed(confined.error());
  }
  if (operation.secret) {
    auto file = secret_file(operation);
    if (!file) return answer.failed(file.error());
    answer.save_secrets_to(*std::move(file));
  }
  if (!makes_files(operation)) {
    // The documentation's tools already return text.
    const std::string format = operation.tool.empty() ? "json" : "text";
    return held.with_real_paths(
        answer.whole(run_inside(context, operation, *inputs, format, {}, progress, cancel)));
  }
  // Without an output directory, a video is better returned as a URL.
  const bool links = operation.view == View::Video && context.directory.empty();
  const CallDirectory directory(context.directory);
  if (directory.path().empty()) {
    return answer.failed(system_error("cannot create a directory for the results", errno));
  }
  OperationEnd end = run_inside(
      context, operation, *inputs, "json",
      links ? std::string() : output_of(operation, *inputs, directory.path()), progress, cancel);
  end.files = directory.files();
  return held.with_real_paths(answer.whole(std::move(end)));
}

}  // namespace svc::cli

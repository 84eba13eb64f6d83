#include "request/build.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/text.h"
#include "base/url.h"
#include "catalogue/billing_fields.h"
#include "catalogue/catalogue.h"
#include "catalogue/chat_fields.h"
#include "catalogue/model.h"
#include "json/document.h"
#include "json/slices.h"
#include "request/body.h"
#include "request/compose.h"
#include "request/compose_collection.h"
#include "request/convert.h"
#include "request/flags.h"
#include "request/form.h"
#include "request/mask.h"
#include "request/media.h"
#include "request/plan.h"
#include "request/prior_turns.h"
#include "request/rules.h"

namespace svc::request {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;

// The format of an answer: converts words and bare schemas to the objects of the API.

bool is_format(const OrderedJson& value) {
  const auto type = value.find("type");
  return type != value.end() && type->is_string() &&
         (*type == "text" || *type == "json_object" || *type == "json_schema");
}

/// Converts `response_format` of chat and `text.format` of responses: "text" and "json_object"
/// become {"type": …}, a JSON schema becomes a json_schema format, and a format object is
/// unchanged. Usage for anything else.
Result<void> shape_format(Composer composer, OrderedJson& body) {
  const bool chat = composer == Composer::Chat;
  if (!chat && composer != Composer::Responses) return {};
  const char* path = chat ? "response_format" : "text.format";
  const OrderedJson* given = find(body, path);
  if (given == nullptr || given->is_null() || (given->is_object() && is_format(*given))) return {};
  if (given->is_string()) {
    const auto word = given->get<std::string>();
    if (word == "text" || word == "json_object")
      return put(body, path, OrderedJson{{"type", word}});
  }
  if (!given->is_object()) {
    return usage_error(
        fmt::format("--{} must be text, json_object, a JSON schema or a format object",
                    kebab_case(path)),
        "Pass a schema file as @schema.json.");
  }
  OrderedJson schema = *given;
  OrderedJson wrapped =
      chat
          ? OrderedJson{{"type", "json_schema"},
                        {"json_schema", {{"name", "answer"}, {"schema", std::move(schema)}}}}
          : OrderedJson{{"type", "json_schema"}, {"name", "answer"}, {"schema", std::move(schema)}};
  return put(body, path, std::move(wrapped));
}

class Builder {
 public:
  Builder(const Operation& operation, const Inputs& inputs, const BuildContext& context)
      : m_operation(operation), m_inputs(inputs), m_context(context) {}

  Result<Request> build() {
    m_request.operation = &m_operation;
    m_request.method = std::string(m_operation.method);
    if (!m_operation.replaced_by.empty()) {
      m_request.warnings.push_back(fmt::format("the service has deprecated `svc {}`; use `{}`",
                                               command_name(m_operation), m_operation.replaced_by));
    }
    m_path = std::string(m_operation.path);
    m_prefix = field_prefix(m_operation);
    m_convert_options.now = m_context.now.value_or(m_convert_options.now);
    m_convert_options.cents =
        Flags<catalogue::billing::k_top_up_fields>(m_inputs).is_true<"cents">();
    SVC_CHECK(read_stdin());
    SVC_TRY(body, base_body(m_inputs, m_stdin));
    m_body = std::move(body);
    const OrderedJson base = m_body;
    SVC_CHECK(apply_sets(m_body, m_inputs));
    warn_of_fields();
    SVC_CHECK(guard_secrets(base));
    for (const Given& given : m_inputs.given) SVC_CHECK(place(given));
    SVC_CHECK(place_stdin());
    SVC_CHECK(place_prior_turns(m_operation, m_context.thread, m_body));
    SVC_CHECK(place_tools(m_context.tools, m_body));
    SVC_CHECK(compose(m_operation, m_inputs,
                      m_context.thread.answers_tools ? std::nullopt : m_stdin, m_files, m_body));
    if (m_operation.composer == Composer::Collection) {
      SVC_CHECK(compose_collection(m_inputs, m_body, m_request));
    }
    SVC_CHECK(place_media(m_operation, m_inputs, m_stdin, m_files, m_body));
    SVC_CHECK(shape_format(m_operation.composer, m_body));
    set_model();
    const OrderedJson& members = members_of(m_operation, m_body);
    SVC_CHECK(check_rules(m_operation, m_inputs, members));
    add_warnings(m_operation, m_inputs, members, m_request.warnings);
    if (ends_something(m_operation, m_inputs, members)) m_request.ends = m_operation.ends;
    SVC_CHECK(place_format(m_operation, m_context.format, m_body));
    continue_response(m_context.thread, m_body);
    SVC_CHECK(apply_mask(m_operation, m_inputs, m_body));
    SVC_CHECK(place_team());
    choose_stream();
    add_always();
    SVC_CHECK(fill_path());
    m_request.deferred = is_true("deferred");
    note_said();
    SVC_CHECK(check_says_something());
    SVC_CHECK(finish_body());
    SVC_CHECK(add_headers());
    m_request.url = m_context.base_url + m_path + query_string(m_query);
    if (m_operation.paging) {
      const PageRange pages = read_pages(m_operation, m_inputs);
      set_page(m_request.url, *m_operation.paging, pages.next_size(pages.most), pages.token);
    }
    return std::move(m_request);
  }

 private:
  Result<void> add_headers() {
    for (const std::string& text : m_inputs.headers) {
      SVC_TRY(header, read_header(text));
      m_request.headers.push_back(std::move(header));
    }
    if (m_operation.reply != Reply::Socket &&
        (std::holds_alternative<std::string>(m_request.body) ||
         std::holds_alternative<std::vector<BodySection>>(m_request.body))) {
      set_default_header(m_request.headers, "Content-Type", "application/json");
    }
    if (!m_operation.tool.empty()) {
      set_default_header(m_request.headers, "Accept", "application/json, text/event-stream");
    }
    return {};
  }

  Result<void> read_stdin() {
    SVC_TRY(wanted, wants_stdin(m_operation, m_inputs));
    const Field* missing = wanted ? nullptr : missing_text();
    if ((!wanted && missing == nullptr) || !m_context.read_stdin) return {};
    SVC_TRY(text, m_context.read_stdin());
    m_stdin = std::move(text);
    if (missing != nullptr && m_stdin && !m_stdin->empty()) m_filled_from_stdin = missing;
    return {};
  }

  [[nodiscard]] bool is_given(const Field& field) const {
    return std::ranges::find(m_inputs.given, &field, &Given::field) != m_inputs.given.end();
  }

  /// A required positional text that was not given and may come from standard input.
  [[nodiscard]] const Field* missing_text() const {
    for (const Field& field : m_operation.fields) {
      if (!field.required || !field.positional || !field.file_text) continue;
      if (!is_given(field) && !m_inputs.body) return &field;
    }
    return nullptr;
  }

  Result<void> place(const Given& given) {
    const Field& field = *given.field;
    if (field.in == In::Compose) return {};
    if (field.in == In::Local) return check_value(given);
    warn(field, flag_name(field));
    const bool from_stdin = given.is_stdin() && field.positional && field.file_text;
    if (from_stdin && !m_stdin) {
      return usage_error(fmt::format("{} is -, but standard input is empty", flag_name(field)));
    }
    if (field.in == In::Form) {
      SVC_TRY(part, form_part(field, given.text, m_context));
      m_form.push_back(std::move(part));
      return {};
    }
    if (field.kind == Kind::File && field.in == In::Body) {
      SVC_TRY(content, base64_file(field, given.text, m_context));
      return put_value(field, OrderedJson(std::move(content)));
    }
    if (field.kind == Kind::Boolean && !field.stands_for.empty()) {
      return put_value(field, OrderedJson::parse(field.stands_for.begin(), field.stands_for.end()));
    }
    if (field.kind == Kind::Secret) {
      return given.literal ? put_value(field, OrderedJson(given.text))
                           : place_secret(field, given.text);
    }
    const std::string_view text = from_stdin ? std::string_view(*m_stdin) : given.text;
    m_convert_options.literal = given.literal;
    SVC_TRY(value, convert(field, text, m_convert_options));
    if (field.quoted && value.is_number()) value = value.dump();
    if (!field.stands_for.empty() && value.is_string()) {
      value = fill_template(field.stands_for, value.get_ref<const std::string&>());
    }
    return put_value(field, std::move(value));
  }

  Result<void> place_secret(const Field& field, const std::string& text) {
    SVC_TRY(source, parse_secret_source(field, text));
    if (!m_context.read_secret) return put_value(field, variable_for(field, source));
    SVC_TRY(secret, m_context.read_secret(field, source));
    return put_value(field, OrderedJson(secret));
  }

  OrderedJson variable_for(const Field& field, const SecretSource& source) {
    m_request.variables.push_back({placeholder_id("secret"), secret_variable(field, source)});
    return OrderedJson(m_request.variables.back().mark);
  }

  /// --set is part of the arguments, which must not contain secrets; a secret in --body is not
  /// shown.
  Result<void> guard_secrets(const OrderedJson& base) {
    for (const Field& field : m_operation.fields) {
      if (field.kind != Kind::Secret || field.in != In::Body || field.alias) continue;
      const std::string path = m_prefix + std::string(field.path);
      const OrderedJson* now = find(m_body, path);
      const OrderedJson* before = find(base, path);
      if (now == nullptr || now->is_null()) continue;
      if (before == nullptr || *before != *now) return secret_in_argv("--set");
      if (!m_context.read_secret) SVC_CHECK(put(m_body, path, variable_for(field, {})));
    }
    return {};
  }

  Result<void> put_value(const Field& field, OrderedJson value) {
    const auto as_text = [&] {
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    switch (field.in) {
      case In::Body:
        return put_field(field, m_prefix + std::string(field.path), std::move(value));
      case In::Query:
        m_query.push_back({std::string(field.path), as_text()});
        return {};
      case In::Path:
        m_parameters.push_back({std::string(field.path), as_text()});
        return {};
      default:
        return {};
    }
  }

  Result<void> put_field(const Field& field, const std::string& path, OrderedJson value) {
    // Values that one flag put into an array are preserved when another flag adds to it.
    if (const std::size_t picks = path.find('='); picks != std::string::npos) {
      m_fresh.insert(path.substr(0, path.rfind('.', picks)));
    }
    const bool adds = field.repeated || (!field.stands_for.empty() && value.is_array());
    if (!adds) return put(m_body, path, std::move(value));
    if (m_fresh.insert(path).second && replaces(field)) {
      SVC_CHECK(put(m_body, path, OrderedJson::array()));
    }
    return append(m_body, path, std::move(value));
  }

  /// Where the service determines the team itself, it is only sent if configured.
  Result<void> place_team() {
    if (!m_operation.team || m_context.team_id.empty()) return {};
    if (*m_operation.team == In::Query) m_query.push_back({"team_id", m_context.team_id});
    if (*m_operation.team == In::Body && !m_body.contains("team_id")) {
      m_body["team_id"] = m_context.team_id;
    }
    return {};
  }

  /// Flags override --body: a repeated flag replaces its array, except where messages are appended.
  [[nodiscard]] bool replaces(const Field& field) const {
    return m_operation.composer == Composer::None || field.path != "messages";
  }

  void warn(const Field& field, const std::string& name) {
    if (field.status == Status::Current || !m_warned.insert(field.path).second) return;
    const char* says = field.status == Status::Deprecated ? "is deprecated"
                       : field.status == Status::Ignored  ? "is ignored by the service"
                                                          : "is not supported by the service";
    m_request.warnings.push_back(fmt::format("{} {}", name, says));
  }

  /// Warns about fields from --body and --set; called before any flag is applied.
  void warn_of_fields() {
    for (const Field& field : m_operation.fields) {
      if (field.status == Status::Current || field.alias) continue;
      if (field.in != In::Body && field.in != In::Form) continue;
      const OrderedJson* member = find(m_body, m_prefix + std::string(field.path));
      if (member != nullptr && !member->is_null()) warn(field, std::string(field.path));
    }
  }

  void set_model() {
    const Field* field = find_field(m_operation, ChatFlags::k_name<"model">);
    if (field == nullptr || field->in != In::Body) return;
    if (const OrderedJson* given = find(m_body, field->path)) {
      if (given->is_string()) m_request.model = given->get<std::string>();
      return;
    }
    const bool profile = m_operation.text_model && !m_context.model.empty();
    const std::string model = profile ? m_context.model : std::string(m_operation.default_model);
    if (!model.empty()) m_body[std::string(field->path)] = model;
    m_request.model = model;
  }

  [[nodiscard]] bool is_true(const char* name) const {
    const OrderedJson* value = find(m_body, name);
    return value != nullptr && *value == OrderedJson(true);
  }

  void choose_stream() {
    if (!m_operation.streams) return;
    const OrderedJson* several = find(m_body, "n");
    if (several != nullptr && several->is_number_integer()) {
      m_request.choices = several->get<std::int64_t>();
    }
    const OrderedJson* prompts = find(m_body, "prompt");
    if (prompts != nullptr && prompts->is_array() && prompts->size() > 1) {
      m_request.choices *= static_cast<std::int64_t>(prompts->size());
    }
    if (find(m_body, "stream") == nullptr && m_context.stream_by_default &&
        m_request.choices == 1 && !is_true("deferred")) {
      m_body["stream"] = true;
    }
    m_request.stream = is_true("stream");
    // Streams omit tokens and cost unless requested.
    if (m_request.stream &&
        find_field(m_operation, ChatFlags::k_name<"stream-options-include-usage">) != nullptr &&
        find(m_body, "stream_options") == nullptr) {
      m_body["stream_options"] = OrderedJson{{"include_usage", true}};
    }
  }

  Result<void> fill_path() {
    std::string filled;
    for (std::size_t at = 0; at < m_path.size();) {
      const std::size_t open = m_path.find('{', at);
      filled += m_path.substr(at, open - at);
      if (open == std::string::npos) break;
      const std::size_t close = m_path.find('}', open);
      SVC_TRY(value, parameter(std::string_view(m_path).substr(open + 1, close - open - 1)));
      filled += value == k_team_variable ? value : percent_encode(value);
      at = close + 1;
    }
    m_path = std::move(filled);
    return {};
  }

  Result<std::string> parameter(std::string_view name) {
    for (const Header& given : m_parameters) {
      if (given.name != name) continue;
      if (given.value.empty() || given.value == "." || given.value == "..") {
        return usage_error(fmt::format("--{} is empty or not an ID", kebab_case(name)));
      }
      return given.value;
    }
    if (!m_context.team_id.empty()) return m_context.team_id;
    return usage_error("the team ID is not set",
                       "Pass --team-id, set SVC_TEAM_ID, or run `svc config set team_id ID`.");
  }

  /// A conversation that ends with an answer needs something new to say.
  [[nodiscard]] Result<void> check_says_something() const {
    const PriorTurns& thread = m_context.thread;
    if (!m_request.said.empty() || thread.answers_tools || thread.messages.empty()) return {};
    const auto role = json_member(thread.messages.back(), "role");
    if (role != R"("assistant")") return {};
    return no_prompt_error(m_operation);
  }

  /// Notes what later turns need, while the body is not yet bytes.
  void note_said() {
    const bool chat = m_operation.composer == Composer::Chat;
    if (!chat && m_operation.composer != Composer::Responses) return;
    if (const OrderedJson* tools = find(m_body, "tools")) m_request.tools = tools->dump();
    const OrderedJson* store = find(m_body, "store");
    m_request.stored = store == nullptr || *store != OrderedJson(false);
    const OrderedJson* list = find(m_body, chat ? "messages" : "input");
    if (list != nullptr && list->is_string()) {
      m_request.said.emplace_back(OrderedJson{{"role", "user"}, {"content", *list}}.dump());
    }
    if (list == nullptr || !list->is_array()) return;
    // The system prompt stands first.
    const std::size_t system = chat && ChatFlags(m_inputs).has<"system">() ? 1 : 0;
    for (std::size_t i = m_context.thread.messages.size() + system; i < list->size(); ++i) {
      m_request.said.push_back(m_files.to_payload((*list)[i].dump()));
    }
  }

  Result<void> finish_body() {
    if (!m_form.empty()) {
      add_fields_to_form();
      m_request.body = std::move(m_form);
      return {};
    }
    const bool socket = m_operation.reply == Reply::Socket;
    const bool has_body = m_operation.method != "GET" && m_operation.method != "DELETE";
    if (m_body.empty() && !has_body) return {};
    if (socket && !m_operation.opening.empty()) {
      m_request.body = opening_message();
      return {};
    }
    if (!has_body) {
      return usage_error(fmt::format("{} does not accept a body", command_name(m_operation)));
    }
    std::string text = m_body.dump();
    if (!m_operation.tool.empty()) text = tool_call(m_operation.tool, m_body);
    m_request.body = m_files.to_payload(std::move(text));
    return {};
  }

  /// The first message on a socket, starting with its type.
  std::string opening_message() {
    OrderedJson message = {{"type", m_operation.opening}};
    for (auto& [name, value] : m_body.items()) {
      if (name != "type") message[name] = std::move(value);
    }
    return message.dump();
  }

  /// Converts --body and --set to form fields. Files come last: the service reads a form once and
  /// ignores fields after a file.
  void add_fields_to_form() {
    for (const auto& [name, value] : m_body.items()) {
      m_form.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
    }
    std::stable_partition(m_form.begin(), m_form.end(), [](const Part& part) {
      return std::holds_alternative<std::string>(part.content);
    });
  }

  /// Fields with an unknown default are always sent.
  void add_always() {
    for (const Field& field : m_operation.fields) {
      if (field.always.empty() || is_given(field)) continue;
      m_query.push_back({std::string(field.path), std::string(field.always)});
    }
  }

  Result<void> place_stdin() {
    if (m_filled_from_stdin == nullptr) return {};
    if (const auto at = first_invalid_utf8(*m_stdin)) {
      return usage_error(fmt::format("standard input is not valid UTF-8 (at byte {})", *at + 1));
    }
    return put_value(*m_filled_from_stdin, OrderedJson(*m_stdin));
  }

  const Operation& m_operation;
  const Inputs& m_inputs;
  const BuildContext& m_context;
  Request m_request{};
  std::string m_path{};
  std::vector<Header> m_query{};
  std::vector<Header> m_parameters{};
  std::vector<Part> m_form{};
  InlineFiles m_files{};
  OrderedJson m_body = OrderedJson::object();
  std::string m_prefix{};
  ConvertOptions m_convert_options{};
  std::set<std::string> m_fresh{};
  std::set<std::string_view> m_warned{};  // paths
  std::optional<std::string> m_stdin{};
  const Field* m_filled_from_stdin = nullptr;
};

}  // namespace

Result<Request> build_request(const Operation& operation, const Inputs& inputs,
                              const BuildContext& context) {
  if (!context.thread.is_continued()) return Builder(operation, inputs, context).build();
  return Builder(operation, new_inputs(inputs, context.thread), context).build();
}

}  // namespace svc::request

#include "operation/runner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "client/api_error.h"
#include "client/list_items.h"
#include "json/slices.h"
#include "operation/answer_printer.h"
#include "operation/deferred_jobs.h"
#include "operation/model_call.h"
#include "operation/plan.h"
#include "operation/rpc_tool.h"
#include "operation/save_media.h"
#include "operation/save_video.h"
#include "print/json.h"
#include "print/table.h"
#include "print/text_view.h"
#include "session/cost_tracker.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

/// Prints a whole document as text: labelled members, a table, or `name: value` lines.
Result<void> print_plain(Session& session, const Operation& operation, const std::string& body) {
  const bool details = session.globals().verbose;
  if (operation.view == View::Card) {
    return print::print_sections(session.out(), parse_reply(body),
                                 print::sections_of(open_members(operation.answer)), details);
  }
  if (operation.items.empty()) {
    return print::print_fields(session.out(), body, print::columns_of(operation));
  }
  SVC_TRY(items, list_items(operation, body, session.secrets()));
  print::Table table(session.out(), print::columns_of(operation), session.list_choice());
  for (const sv item : items) SVC_CHECK(table.add(parse_reply(item)));
  return finish_table(session, table);
}

/// The same in the other formats.
Result<void> write_answer(Session& session, const Operation& operation, const std::string& body) {
  if (operation.items.empty() || session.format() == Format::Raw) {
    return session.write_document(body);
  }
  SVC_TRY(items, list_items(operation, body, session.secrets()));
  return write_list(session, items);
}

/// Returns the ID by which the operation fetches an answer; empty if it creates one.
std::string fetched_id(const Session& session, const Operation& operation) {
  if (operation.method != "GET" || operation.fields.empty()) return {};
  const Field& first = operation.fields.front();
  return first.in == In::Path ? request::text_given(session.inputs(), first.flag).value_or("")
                              : std::string();
}

}  // namespace

Result<void> finish_submission(Session& session, ApiClient& client, const Operation& operation,
                               const std::string& id, const std::string& body) {
  const Operation* job = find_operation(operation.group, operation.poll->operation);
  const std::string resume = resume_command(session, *job, id);
  if (job->once) remember_deferred(session, id, resume);
  if (waits(session, operation)) {
    // Print this before waiting, so that the answer remains retrievable whatever happens.
    session.notices().note(fmt::format("if interrupted, resume with: {}", resume));
    return run_wait(session, client, *job, id);
  }
  if (session.format() != Format::Text) return session.write_document(body);
  SVC_CHECK(session.write_foreign(id + "\n"));
  session.notices().note(fmt::format("fetch it with: {}", resume));
  return {};
}

std::optional<std::string> submitted_job(const Operation& operation, const std::string& body) {
  if (!operation.poll || operation.name == operation.poll->operation) return std::nullopt;
  // Without parsing the document: it may contain images.
  const auto id = json_member(body, operation.poll->id_path);
  if (!id || !id->starts_with('"')) return std::nullopt;
  if (json_member(body, "choices") || json_member(body, "data")) return std::nullopt;
  return json_string(id);
}

Result<std::string> base_to_show(const Session& session, Host host) {
  Result<std::string> base = session.base_url(host);
  if (base || !session.globals().shows_only()) return base;
  return std::string(host == Host::Management ? "$SVC_MANAGEMENT_URL"
                     : host == Host::Docs     ? "$SVC_DOCS_URL"
                     : host == Host::Realtime ? "$SVC_REALTIME_URL"
                                              : "$SVC_BASE_URL");
}

Result<request::Request> prepare(Session& session, const Operation& operation,
                                 const request::Inputs& inputs,
                                 const std::function<void(request::BuildContext&)>& adjust) {
  const bool only_shown = session.globals().shows_only();
  request::BuildContext context{
      .team_id = session.settings().team_id.value,
      .model = session.settings().model.value,
      .stream_by_default = session.format() == Format::Text || session.format() == Format::Jsonl,
      .read_stdin = [&session] { return session.read_stdin(); }};
  // As with the URL below: may need a request, so do it after the rest of the input was validated.
  if (context.team_id.empty() && operation.path.find("{team") != sv::npos) {
    context.team_id = request::k_team_variable;
  }
  context.buffer_stdin = [&session] { return session.buffer_stdin(); };
  if (!only_shown) {
    context.read_secret = [&session](const Field& field, const request::SecretSource& source) {
      return read_secret_value(session, field, source);
    };
  }
  Result<std::string> base = base_to_show(session, operation.host);
  // Report invalid input before missing configuration; also, the emulator's URL is known only once
  // it runs.
  if (base) context.base_url = *base;
  if (adjust) adjust(context);
  Result<request::Request> request = build_request(operation, inputs, context);
  if (request && !base && !session.settings().wants_emulator()) return std::move(base).error();
  return request;
}

Result<request::Request> prepare_own(Session& session) {
  const Invocation& invocation = session.invocation();
  SVC_TRY(request, prepare(session, *invocation.operation, invocation.inputs));
  for (const std::string& warning : request.warnings) session.notices().warning(warning);
  return std::move(request);
}

Result<request::Request> prepare_other(Session& session, const Operation& operation,
                                       std::initializer_list<std::pair<sv, std::string>> values) {
  request::Inputs inputs;
  inputs.headers = session.invocation().inputs.headers;
  for (const auto& [flag, text] : values) {
    inputs.given.push_back({find_field(operation, flag), text});
  }
  return prepare(session, operation, inputs);
}

Result<void> print_answer(Session& session, const Operation& operation, const std::string& body,
                          sv job) {
  switch (operation.view) {
    case View::Images:
      record_document(session, operation, body, job);
      return save_images(session, operation, body);
    case View::Video:
      record_document(session, operation, body, job);
      return save_video(session, operation, body);
    case View::Chat:
    case View::Response:
    case View::Message: {
      AnswerPrinter view(session);
      const ModelReply got = whole_answer(session, operation, body);
      record_answer(session, operation, got.answer, job);
      return finish_call(session, operation, got, view);
    }
    case View::Auto:
    case View::Card:
    case View::BatchResult:
      break;
  }
  if (session.format() != Format::Text) return write_answer(session, operation, body);
  if (trim(body).empty() || trim(body) == "null" || trim(body) == "{}") return {};
  return print_plain(session, operation, body);
}

namespace {

/// Network if `body` is no answer to the operation: not an object, nor a list where one is
/// expected; or a job without the ID by which it is fetched.
Result<void> check_shape(const Operation& operation, sv body) {
  if (operation.method == "DELETE" || body == "null") return {};
  if (!body.starts_with('{') && (operation.items.empty() || !body.starts_with('['))) {
    return unexpected_answer(operation.items.empty() ? "an object" : "an object or a list",
                             shown(body));
  }
  const bool is_job = operation.view == View::Video && operation.poll &&
                      operation.name != operation.poll->operation;
  if (!is_job || json_member(body, "video") || json_member(body, "error")) return {};
  return unexpected_answer(fmt::format("text for \"{}\"", operation.poll->id_path), "none");
}

}  // namespace

Result<void> send(Session& session, ApiClient& client, const request::Request& request) {
  const Operation& operation = *request.operation;
  if (request.stream) {
    AnswerPrinter view(session);
    return finish_call(session, operation, call_model(session, client, request, view, false), view);
  }
  session.models().note_long_context(operation, request.body);
  session.progress().start(operation.items.empty()
                               ? fmt::format("svc {}", command_name(operation, true))
                               : fmt::format("Listing {}", operation.noun.many));
  Result<CallReply> answered = client.call(request);
  session.progress().finish();
  if (!answered) {
    record_interrupted(session, operation, answered.error());
    if (answered.error().fault != Fault::NotFound || operation.already_done.empty()) {
      return std::move(answered).error();
    }
    session.notices().note(std::string(operation.already_done));
    return {};
  }
  const CallReply& reply = *answered;
  if (const auto id = submitted_job(operation, reply.body)) {
    return finish_submission(session, client, operation, *id, reply.body);
  }
  if (saves_media(operation) && request.method == "GET") {
    return print_media_look(session, operation, reply);
  }
  if (trim(reply.body).empty() && session.format() != Format::Raw) return {};
  SVC_CHECK(check_shape(operation, trim(reply.body)));
  return print_answer(session, operation, reply.body, fetched_id(session, operation));
}

Result<std::optional<std::string>> fetch_answer(Session& session, sv label) {
  const Operation& operation = *session.invocation().operation;
  SVC_TRY(request, prepare_own(session));
  SVC_TRY(approved, approve(session, request));
  if (!approved) return std::optional<std::string>();
  SVC_TRY(client, open_client(session, request));
  session.progress().start(label.empty() ? fmt::format("svc {}", command_name(operation))
                                         : std::string(label));
  Result<CallReply> reply = client->call(request);
  session.progress().finish();
  if (!reply) {
    record_interrupted(session, operation, reply.error());
    return std::move(reply).error();
  }
  return std::optional(std::move(reply->body));
}

Result<std::unique_ptr<ApiClient>> open_client(Session& session, request::Request& request) {
  SVC_TRY(client, session.client(request.operation->host));
  SVC_CHECK(complete_address(session, request));
  return std::move(client);
}

Result<void> complete_address(Session& session, request::Request& request) {
  if (session.settings().wants_emulator() && !request.url.starts_with("http")) {
    SVC_TRY(base, session.base_url(request.operation->host));
    request.url = base + request.url;
  }
  const std::size_t team = request.operation->path.find("{team") == sv::npos
                               ? std::string::npos
                               : request.url.find(request::k_team_variable);
  if (team != std::string::npos) {
    SVC_TRY(id, find_team(session));
    request.url.replace(team, request::k_team_variable.size(), percent_encode(id));
  }
  return {};
}

Result<void> confirm(Session& session, const request::Request& request) {
  if (request.ends.empty()) return {};
  const Operation& operation = *request.operation;
  constexpr std::size_t k_named = 10;
  std::size_t count = 0;
  std::string targets;
  for (const request::Given& given : session.invocation().inputs.given) {
    if (given.field->in != In::Path || ++count > k_named) continue;
    targets += fmt::format("{}{}", targets.empty() ? " " : ", ", shown(given.text));
  }
  if (count > k_named) targets += fmt::format(" and {} more", count - k_named);
  const std::string what(operation.summary.substr(0, operation.summary.size() - 1));
  Result<bool> agreed = session.confirm(
      fmt::format("{}{}{}. {} Continue?", what, targets.empty() ? "" : ":", targets, request.ends));
  if (!agreed && agreed.error().fault == Fault::Usage) {
    agreed.error().hint = fmt::format("{} {}", request.ends, agreed.error().hint);
  }
  if (!agreed) return std::move(agreed).error();
  if (!*agreed) return usage_error("not confirmed; nothing was done");
  return {};
}

namespace {

/// Jobs of the operation's Poll.
JobKind media_jobs(Session& session, const Operation& operation) {
  const Poll& poll = *operation.poll;
  return {.look =
              [&session, &poll](const CallReply& reply) {
                return read_job_status(poll.judge, reply.head.status, reply.body,
                                       session.secrets());
              },
          .done =
              [&session, &operation](const std::string& id, const std::string& body) {
                record_document(session, operation, body, id);
                const std::string url = video_url(parse_reply(body));
                return url.empty() ? id : url;
              },
          .times = times_of(poll)};
}

}  // namespace

Result<void> run_operation(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const bool waits_only = operation.poll && operation.name == operation.poll->operation;
  if (takes_targets(operation)) {
    if (!waits_only) return run_each_target(session);
    auto ids = several_jobs(session, operation);
    if (!ids.empty()) {
      return wait_for_each(session, operation, std::move(ids), media_jobs(session, operation));
    }
  }
  SVC_TRY(request, prepare_own(session));
  request::Plan plan;
  plan.steps.push_back({.request = std::move(request)});
  SVC_CHECK(plan_rest(session, plan));
  if (saves_media(operation)) SVC_CHECK(check_media_target(session, operation));
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  request = std::move(plan.steps.front().request);
  SVC_TRY(client, open_client(session, request));
  if (!operation.tool.empty()) return run_tool(session, *client, request);
  if (operation.paging) return run_list(session, *client, std::move(request));
  if (waits_only) {
    const auto id = request::text_given(session.inputs(), operation.fields.front().flag);
    return run_wait(session, *client, operation, id.value_or(""));
  }
  return send(session, *client, request);
}

}  // namespace svc::cli

#include "operation/plan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "http/check.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "operation/waiter.h"
#include "request/flags.h"
#include "request/show.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using request::Plan;
using request::Step;

/// Whether svc would send the request. What is not known yet is a variable, and not checked.
Result<void> check(const request::Request& request) {
  http::HttpRequest wire{.method = request.method, .url = request.url};
  if (wire.url.starts_with('$')) {
    wire.url.replace(0, std::min(wire.url.find('/'), wire.url.size()), "https://host");
  }
  if (wire.url.starts_with("ws")) wire.url.replace(0, 2, "http");
  if (request.operation->reply != Reply::Socket) wire.headers = request.headers;
  if (const auto* parts = std::get_if<std::vector<Part>>(&request.body)) wire.body = *parts;
  SVC_CHECK(http::check_request(wire));
  return {};
}

/// A cost limit may refuse the request, or shorten its answer.
Result<void> limit(Session& session, request::Request& request) {
  CostTracker& tracker = session.cost_tracker();
  if (!tracker.is_limited() || !may_cost(*request.operation)) return {};
  SVC_TRY(reserved, tracker.reserve(*request.operation, request.body));
  if (reserved) tracker.settle_shown(reserved->number);
  return {};
}

/// The path of standard input's copy means nothing to whoever reads the plan.
void name_stdin(Session& session, request::Request& request) {
  const std::string copy = session.stdin_copy();
  if (copy.empty()) return;
  const auto name = [&](FileSource& file) {
    if (file.path == copy) file.path = "-";
  };
  if (auto* parts = std::get_if<std::vector<Part>>(&request.body)) {
    for (Part& part : *parts) {
      if (auto* file = std::get_if<FileSource>(&part.content)) name(*file);
    }
  }
  if (auto* file = std::get_if<FileSource>(&request.body)) name(*file);
}

}  // namespace

PlanPrinter::PlanPrinter(Session& session) : m_session(session), m_documents(session, 2) {}

Result<void> PlanPrinter::add(Step step) {
  const auto& lookups = m_session.planned_lookups();
  while (m_looked < lookups.size()) SVC_CHECK(add_next(lookups[m_looked++].step));
  for (const request::Lookup& lookup : lookups) {
    request::put_variable(step.request, lookup.placeholder, lookup.step.result->variable);
  }
  return add_next(std::move(step));
}

Result<void> PlanPrinter::add_next(Step step) {
  if (const auto fault = m_session.cancel_token().requested()) return canceled(*fault);
  SVC_CHECK(check(step.request));
  if (m_count++ == 0) m_command = command_name(*step.request.operation, true);
  if (m_session.globals().estimate) return price(step);
  SVC_CHECK(limit(m_session, step.request));
  if (m_session.globals().dry_run && may_cost(*step.request.operation)) {
    m_estimate.add(m_session.quote(*step.request.operation, step.request.body));
  }
  name_stdin(m_session, step.request);
  if (m_count == 1) {
    m_first = std::move(step);
    return {};
  }
  if (const auto first = std::exchange(m_first, std::nullopt)) {
    m_count = 1;
    SVC_CHECK(print_next(*first));
    m_count = 2;
  }
  return print_next(step);
}

Result<void> PlanPrinter::price(const Step& step) {
  if (!may_cost(*step.request.operation)) return {};
  m_costs = true;
  SVC_TRY(quote, quote_with_prices(m_session, step.request));
  m_estimate.add(quote);
  return {};
}

Result<void> PlanPrinter::print_one(const Step& step) {
  if (!step.repeats.empty()) m_session.notices().note(fmt::format("repeated {}", step.repeats));
  if (m_session.globals().curl) {
    return m_session.write_foreign(request::show_curl(
        step.request,
        m_session.out().terminal().is_tty ? request::ShownTo::Terminal : request::ShownTo::Pipe));
  }
  if (m_session.format() == Format::Text) {
    return m_session.write_foreign(request::show_request(step.request));
  }
  return m_session.write_document(request::show_request_json(step.request));
}

Result<void> PlanPrinter::print_next(const Step& step) {
  const bool text = m_session.globals().curl || m_session.format() == Format::Text;
  if (!text) return m_documents.add(request::show_step_json(step, m_count), {});
  if (m_count > 1) SVC_CHECK(m_session.write_foreign("\n"));
  if (!m_session.globals().curl) {
    return m_session.write_foreign(request::show_step(step, m_count));
  }
  return m_session.write_foreign(request::show_step_curl(
      step, m_count,
      m_session.out().terminal().is_tty ? request::ShownTo::Terminal : request::ShownTo::Pipe));
}

Result<void> PlanPrinter::finish(bool priced) {
  const Globals& globals = m_session.globals();
  if (globals.estimate) {
    if (m_costs) return print_estimate(m_session, m_estimate);
    return usage_error(fmt::format("svc {} costs nothing", m_command),
                       "--dry-run prints the request.");
  }
  if (m_first) {
    SVC_CHECK(print_one(*m_first));
  } else if (!globals.curl && m_session.format() != Format::Text) {
    SVC_CHECK(m_documents.finish());
  }
  if (globals.dry_run && !priced) note_estimate(m_session, m_estimate);
  return {};
}

Result<bool> approve(Session& session, const Plan& plan) {
  if (session.globals().shows_only()) {
    PlanPrinter printer(session);
    Plan shown = plan;
    request::rename_variables(shown);
    for (Step& step : shown.steps) SVC_CHECK(printer.add(std::move(step)));
    SVC_CHECK(printer.finish());
    return false;
  }
  if (!plan.question.empty()) {
    SVC_TRY(agreed, session.confirm(plan.question));
    if (!agreed) return usage_error("not confirmed; nothing was sent");
    return true;
  }
  for (const Step& step : plan.steps) {
    if (step.request.ends.empty()) continue;
    SVC_CHECK(confirm(session, step.request));
    break;  // one question names everything
  }
  return true;
}

Result<bool> approve(Session& session, const request::Request& request, std::string repeats) {
  if (session.globals().shows_only()) {
    PlanPrinter printer(session);
    SVC_CHECK(printer.add({.request = request, .repeats = std::move(repeats)}));
    SVC_CHECK(printer.finish());
    return false;
  }
  SVC_CHECK(confirm(session, request));
  return true;
}

void plan_result(Plan& plan, request::Request& request, std::string placeholder,
                 const std::string& name, std::string path) {
  request::put_variable(request, std::move(placeholder), name);
  plan.steps.back().result = {name, std::move(path)};
}

std::string wait_repeats(const Session& session, const Operation& operation) {
  return operation.poll && waits(session, operation) ? "until the job is done" : "";
}

namespace {

constexpr sv k_video_url = "VIDEO_URL";

/// Without a key, which is for the service alone.
constexpr Operation k_download{.group = "videos",
                               .name = "download",
                               .method = "GET",
                               .path = "",
                               .summary = "Download the video.",
                               .host = Host::Docs,
                               .reply = Reply::Bytes,
                               .repeat = Repeat::Always};

}  // namespace

void plan_download(Session& session, Plan& plan, std::size_t at, std::string variable) {
  const MediaPlace place = media_plan(session).place;
  const bool saved = place != MediaPlace::None && place != MediaPlace::Chosen;
  if (plan.steps[at].request.operation->view != View::Video || !saved) return;
  request::Request request;
  request.operation = &k_download;
  request.method = "GET";
  request.url = "https://host/" + request::placeholder_id("video");
  request::put_variable(request, request.url, variable);
  request.keyless = true;
  plan.steps[at].result = {std::move(variable), ".video.url"};
  plan.steps.push_back({.request = std::move(request)});
}

namespace {

std::string page_repeats(const Session& session, const Operation& operation) {
  const request::PageRange pages = request::read_pages(operation, session.inputs());
  if (pages.next_size(pages.most) >= pages.most) return {};
  return fmt::format("with the {} of each answer until {}", operation.paging->token_path,
                     pages.most == UINT64_MAX ? std::string("the list ends")
                                              : fmt::format("{} items are listed", pages.most));
}

}  // namespace

Result<void> plan_rest(Session& session, Plan& plan) {
  if (!session.globals().shows_only()) return {};
  Step& last = plan.steps.back();
  const Operation& operation = *last.request.operation;
  if (operation.paging) last.repeats = page_repeats(session, operation);
  if (!operation.poll) return {};
  if (operation.name == operation.poll->operation) {
    last.repeats = wait_repeats(session, operation);
    if (!last.repeats.empty())
      plan_download(session, plan, plan.steps.size() - 1, std::string(k_video_url));
    return {};
  }
  const bool submits_job = operation.view == View::Video || last.request.deferred;
  if (!waits(session, operation) || !submits_job) return {};
  const Operation& job = *find_operation(operation.group, operation.poll->operation);
  const std::string id = request::placeholder_id("job");
  SVC_TRY(request, prepare_other(session, job, {{job.fields.front().flag, id}}));
  plan_result(plan, request, id, "REQUEST_ID", fmt::format(".{}", operation.poll->id_path));
  plan.steps.push_back({.request = std::move(request), .repeats = "until the job is done"});
  plan_download(session, plan, plan.steps.size() - 1, std::string(k_video_url));
  return {};
}

}  // namespace svc::cli

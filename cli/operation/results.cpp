#include "operation/results.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/write_target.h"
#include "client/api_error.h"
#include "print/text_view.h"

namespace svc::cli {
namespace {

// Lines are not cut when output is not a terminal.
constexpr int k_endless = 100'000;

}  // namespace

Result<void> Results::add(std::string_view json, std::string_view text) {
  const Format format = m_session.format();
  if (format == Format::Text) {
    SVC_CHECK(m_session.write_foreign(text));
  } else if (trim(json).empty()) {
    return {};  // the service's response is empty
  } else if (!m_several || format != Format::Json) {
    SVC_CHECK(m_session.write_document(json));
    const bool joined = m_several && format == Format::Raw && !json.ends_with('\n');
    if (joined) SVC_CHECK(m_session.out().write("\n"));
  } else if (m_session.globals().jq) {
    m_items += m_items.empty() ? "[" : ",";
    m_items += json;
    return {};
  } else {
    SVC_CHECK(m_array.add(json));
  }
  return m_session.out().flush();
}

Result<void> Results::add_object(std::string_view json, std::string_view text) {
  if (m_several || m_session.format() != Format::Text) return add(json, text);
  if (trim(json).empty() || trim(json) == "null") return {};
  SVC_CHECK(print::print_fields(m_session.out(), json,
                                print::columns_of(*m_session.invocation().operation)));
  return m_session.out().flush();
}

Result<void> Results::finish() {
  if (!m_several || m_session.format() != Format::Json) return {};
  if (!m_session.globals().jq) return m_array.finish();
  return m_session.write_document(m_items.empty() ? "[]" : m_items + "]");
}

bool Failures::add(std::string_view name, Error error) {
  ++m_failed;
  const bool last = is_cancellation(error.fault) || error.fault == Fault::ReaderGone ||
                    error.fault == Fault::Auth || error.fault == Fault::Unexpected ||
                    error.cause == Cause::CreditsUsedUp;
  if (m_count > 1 && !last) {
    error.message = fmt::format("{}: {}", visible(name, Lines::Escape), error.message);
    m_session.notices().error(error);
  }
  if (!m_first || last) m_first = std::move(error);
  return !last;
}

Result<void> Failures::verdict() const {
  if (!m_first) return {};
  const Fault fault = m_first->fault;
  if (m_count == 1 || is_cancellation(fault) || fault == Fault::ReaderGone ||
      fault == Fault::Auth || fault == Fault::Unexpected ||
      m_first->cause == Cause::CreditsUsedUp) {
    return *m_first;
  }
  return Error{fault, fmt::format("{} of {} {}", m_failed, m_count, m_verb)};
}

std::vector<std::string> distinct_values_of(const Session& session, std::string_view flag) {
  std::vector<std::string> values;
  for (std::string& value : request::texts_given(session.inputs(), flag)) {
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

request::Inputs inputs_with(const Session& session, std::string_view flag,
                            const std::string& value) {
  request::Inputs inputs = session.invocation().inputs;
  std::erase_if(inputs.given,
                [&](const request::Given& given) { return given.field->flag == flag; });
  const Field* field = find_field(*session.invocation().operation, flag);
  if (field != nullptr) inputs.given.push_back({field, value});
  return inputs;
}

bool wants_details(const Session& session) {
  return session.format() == Format::Text && session.globals().verbose;
}

namespace {

void print_aside(Session& session, const nlohmann::json& document,
                 const std::vector<print::Section>& sections) {
  print::Terminal terminal = session.err().terminal();
  const bool log = !terminal.is_tty;
  if (log) terminal.columns = k_endless;
  // Laid out for people even if standard error is not a terminal; the notice removes escape
  // sequences and color.
  terminal.is_tty = true;
  terminal.color = false;
  std::string text;
  print::Out out(print::string_sink(text), terminal);
  if (print::print_sections(out, document, sections, true, log) && out.flush()) {
    session.notices().aside(text);
  }
}

}  // namespace

void print_details(Session& session, const nlohmann::json& document, sv below) {
  if (!wants_details(session)) return;
  const Operation& operation = *session.invocation().operation;
  print_aside(session, document, print::sections_of(open_members(operation.answer, below), true));
}

void print_beside_secret(Session& session, const nlohmann::json& document) {
  if (!wants_details(session)) return;
  const Operation& operation = *session.invocation().operation;
  print_aside(session, document, print::sections_of(open_members(operation.answer)));
}

Result<void> check_output(const Session& session, const std::string& path) {
  const Replace replace = session.globals().replace();
  if (session.globals().shows_only()) return check_write_target(path, replace);
  SVC_TRY(file, AtomicFile::create(path, replace));
  (void)file;
  return {};
}

}  // namespace svc::cli

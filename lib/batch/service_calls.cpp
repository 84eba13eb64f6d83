#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/url.h"
#include "batch/service.h"
#include "catalogue/catalogue.h"
#include "client/api_error.h"
#include "client/concurrent_calls.h"
#include "client/list_items.h"
#include "json/document.h"
#include "json/slices.h"

namespace svc::batch {
namespace {

constexpr Operation k_upload{.group = "files",
                             .name = "upload",
                             .method = "POST",
                             .path = "/v1/files",
                             .summary = "Upload the requests of a batch."};

class ApiService final : public Service {
 public:
  ApiService(ApiClient& client, ServiceRequests requests)
      : m_client(client), m_requests(std::move(requests)) {}

  Result<std::string> create(const std::string& name, const std::string& input_file_id) override {
    SVC_TRY(reply, m_client.call(m_requests.create(name, input_file_id)));
    SVC_TRY(batch, read_batch_state(reply.body));
    return batch.id;
  }

  Result<void> add_many(const NextAddition& next, const CancelToken* drain) override {
    const auto next_job = [&]() -> std::optional<CallJob> {
      std::optional<Addition> given = next();
      if (!given) return std::nullopt;
      const auto attempts = std::make_shared<int>(0);
      CallJob job{.request = m_requests.add(given->batch, std::move(given->body))};
      job.on_send = [attempts](const Reserved&) -> Result<void> {
        ++*attempts;
        return {};
      };
      job.done = [attempts, done = std::move(given->done)](Result<CallReply> reply) {
        done(reply ? Result<void>() : std::move(reply).error(), *attempts > 1);
      };
      return job;
    };
    return ConcurrentCalls::run_all(m_client, SIZE_MAX, next_job, {}, drain);
  }

  Result<BatchState> get(const std::string& id) override {
    SVC_TRY(reply, m_client.call(m_requests.get(id)));
    SVC_TRY(state, read_batch_state(reply.body));
    state.served_at = served_at(reply.head);
    return state;
  }

  Result<void> cancel(const std::string& id) override {
    SVC_CHECK(m_client.call(m_requests.cancel(id)));
    return {};
  }

  Result<Page> list(const std::string& token) override { return page("list", "", token); }
  Result<Page> requests(const std::string& id, const std::string& token) override {
    return page("requests", id, token);
  }
  Result<Page> results(const std::string& id, const std::string& token) override {
    return page("results", id, token);
  }

  Result<std::string> upload(const std::string& path, std::uint64_t size) override {
    SVC_TRY(reply, m_client.call(m_requests.upload(FileSource{path, size})));
    std::string id = json_string(json_member(reply.body, "id"));
    if (id.empty()) id = json_string(json_member(reply.body, "file_id"));
    if (id.empty()) return Error{Fault::Network, "the upload response has no file ID"};
    return id;
  }

 private:
  Result<Page> page(std::string_view verb, const std::string& id, const std::string& token) {
    const Operation* operation = find_operation("batches", verb);
    while (true) {
      Result<CallReply> reply = m_client.call(m_requests.page(verb, id, token, m_page_size));
      // The results are large, so request fewer at a time.
      if (!reply && reply.error().cause == Cause::TooLarge && m_page_size > 1) {
        m_page_size = std::max(1U, m_page_size / 4);
        continue;
      }
      if (!reply) return std::move(reply).error();
      Page page;
      page.body = std::move(reply->body);
      SVC_TRY(items, list_items(*operation, page.body, m_client.policy().secrets));
      page.items = std::move(items);
      page.next = json_string(json_member(page.body, operation->paging->token_path));
      return page;
    }
  }

  ApiClient& m_client;
  ServiceRequests m_requests;
  std::uint32_t m_page_size = k_result_page;
};

}  // namespace

request::Request ServiceRequests::create(const std::string& name,
                                         const std::string& input_file_id) const {
  std::string body = fmt::format(R"({{"name":{})", compact_json(nlohmann::json(name)));
  if (!input_file_id.empty()) {
    body += fmt::format(R"(,"input_file_id":{})", compact_json(nlohmann::json(input_file_id)));
  }
  return make("create", "", Payload(body + "}"));
}

request::Request ServiceRequests::add(const std::string& batch, std::string body) const {
  return make("add", batch, Payload(std::move(body)));
}

request::Request ServiceRequests::get(const std::string& id) const {
  return make("get", id);
}

request::Request ServiceRequests::cancel(const std::string& id) const {
  return make("cancel", id);
}

request::Request ServiceRequests::page(std::string_view verb, const std::string& id,
                                       const std::string& token, std::uint32_t size) const {
  const Operation* operation = find_operation("batches", verb);
  std::vector<Header> query = {
      {"limit", fmt::format("{}", std::min(size, operation->paging->max_page))}};
  if (!token.empty()) query.push_back({"pagination_token", token});
  return make(verb, id, {}, query_string(query));
}

request::Request ServiceRequests::upload(std::variant<std::string, FileSource> content) const {
  request::Request request;
  request.operation = &k_upload;
  request.method = "POST";
  request.url = m_base_url + "/v1/files";
  request.headers = m_headers;
  request.body = std::vector<svc::Part>{svc::Part{.name = "file",
                                                  .content = std::move(content),
                                                  .file_name = "batch.jsonl",
                                                  .content_type = "application/jsonl"}};
  return request;
}

request::Request ServiceRequests::make(std::string_view verb, const std::string& id, Payload body,
                                       const std::string& query) const {
  const Operation* operation = find_operation("batches", verb);
  request::Request request;
  request.operation = operation;
  request.method = std::string(operation->method);
  request.url = m_base_url +
                replace_all(std::string(operation->path), "{batch_id}", percent_encode(id)) + query;
  request.headers = m_headers;
  if (request.method == "POST") {
    // A POST without the JSON type is rejected even if it has no body.
    set_default_header(request.headers, "Content-Type", "application/json");
    if (std::holds_alternative<std::monostate>(body)) body = std::string("{}");
  }
  request.body = std::move(body);
  return request;
}

std::unique_ptr<Service> make_service(ApiClient& client, std::string base_url,
                                      std::vector<Header> headers) {
  return std::make_unique<ApiService>(client,
                                      ServiceRequests(std::move(base_url), std::move(headers)));
}

bool is_outcome_unknown(const Error& error) {
  switch (error.fault) {
    case Fault::UnknownOutcome:
    case Fault::Timeout:
    case Fault::Network:
      return true;
    default:
      return error.http_status >= 500;
  }
}

}  // namespace svc::batch

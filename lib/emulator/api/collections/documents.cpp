// The documents of a collection.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/configuration.h"
#include "emulator/api/collections/fields.h"
#include "emulator/api/collections/handlers.h"
#include "emulator/api/collections/indexing.h"
#include "emulator/api/collections/paging.h"
#include "emulator/api/collections/with_collection.h"
#include "emulator/api/files/multipart.h"
#include "emulator/json/json_answer.h"

namespace svc::emulator::collections {
namespace {

using filter::Field;
using management::Code;

constexpr std::array<sv, 3> k_document_sort_words = {
    "DOCUMENTS_SORT_BY_NAME", "DOCUMENTS_SORT_BY_SIZE", "DOCUMENTS_SORT_BY_AGE"};
constexpr std::array k_document_filter_fields = {
    Field{"name", filter::Match::Part},          Field{"content_type", filter::Match::Part},
    Field{"size_bytes", filter::Match::Integer}, Field{"created_at", filter::Match::Time},
    Field{"status", filter::Match::Exact},       Field{"file_id", filter::Match::Exact},
    Field{"fields.*", filter::Match::Any}};

template <typename Work>
Answer with_document(const Call& call, Work&& work) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    const std::string& id = call.params.at("file_id");
    SVC_TRY(document, find_document(database, collection, id));
    if (!document) return refuse_document(id);
    return work(database, collection, *document);
  });
}

Answer refuse_file(sv id) {
  return management::refuse(Code::NotFound, fmt::format("File {} not found.", excerpt(id, 60)),
                            "not-found:file");
}

// Why a document with these values cannot be added; nothing when it can.
Result<std::optional<Answer>> check_addition(Database& database, const Collection& collection,
                                             const Json& values) {
  SVC_TRY(others, all_documents(database, collection));
  return values_fault(values, collection, others);
}

// Stores the file's document. It takes two steps, because reading a file takes the state's mutex.
Answer add_file(const Call& call, const FileContent& file, const Json& values, bool show) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    SVC_TRY(taken, find_document(database, collection, file.file.id));
    if (taken) {
      return management::refuse(
          Code::AlreadyExists,
          fmt::format("File {} is in collection {} already.", file.file.id, collection.id),
          "already-exists:document");
    }
    SVC_TRY(fault, check_addition(database, collection, values));
    if (fault) return *fault;
    const std::int64_t now = call.state->now_ms();
    Indexed indexed = index_file(file, collection, values, now);
    SVC_CHECK(insert_document(database, indexed.document, indexed.chunks));
    return json_answer(show ? document_json(indexed.document, now) : Json::object());
  });
}

struct Upload {
  std::string name{}, content_type{}, data{};
  Json fields = Json::object();
};

std::optional<Answer> read_upload(const Call& call, Upload& upload) {
  const auto refuse_form = [](sv reason) {
    return management::refuse_field("body", reason, "multipart");
  };
  const auto boundary = form_boundary(call.header("Content-Type").value_or(""));
  if (!boundary) return refuse_form("The body must be multipart/form-data.");
  const auto parts = parse_form(call.body, *boundary);
  if (!parts) return refuse_form(parts.error().message);
  bool has_data = false;
  for (const FormPart& part : *parts) {
    if (part.name == "name") upload.name = part.data;
    if (part.name == "content_type") upload.content_type = part.data;
    if (part.name == "fields") upload.fields = text::parse_json(part.data);
    if (part.name != "data") continue;
    has_data = true;
    upload.data = part.data;
    if (upload.name.empty()) upload.name = part.filename.value_or("");
    if (upload.content_type.empty()) upload.content_type = part.content_type;
  }
  if (upload.name.empty()) return management::refuse_empty("name");
  if (!has_data) return management::refuse_empty("data");
  if (!upload.fields.is_object()) {
    return management::refuse_field("fields", "This is no JSON object.", "json");
  }
  return std::nullopt;
}

}  // namespace

Answer refuse_document(std::string_view id) {
  return management::refuse(
      Code::NotFound, fmt::format("Document {} not found in this collection.", excerpt(id, 60)),
      "not-found:document");
}

Answer add_document(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = management::read_body(call, add_document_type(), refusal);
  if (refusal || (refusal = team_fault(call, &body))) return *refusal;
  const std::string& id = call.params.at("file_id");
  const auto file = read_file(*call.state, call.key.team_id, id);
  if (!file) return management::refuse_internal(file.error());
  if (!*file) return refuse_file(id);
  const Json* fields = text::member(body, "fields");
  return add_file(call, **file, fields == nullptr ? Json::object() : *fields, false);
}

Answer upload_document(const Call& call) {
  Upload upload;
  if (auto refusal = read_upload(call, upload)) return *refusal;
  // A refused document leaves no file behind.
  const Answer allowed =
      with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
        SVC_TRY(fault, check_addition(database, collection, upload.fields));
        return fault ? *fault : Answer{};
      });
  if (allowed.status != 200) return allowed;
  const auto file = store_file(
      *call.state, call.key.team_id,
      {.filename = upload.name, .content_type = upload.content_type, .data = upload.data});
  if (!file) return management::refuse_internal(file.error());
  return add_file(call, {*file, upload.data}, upload.fields, true);
}

Answer list_documents(const Call& call) {
  std::optional<Answer> refusal;
  const PageWish wish = read_page_wish(call, k_document_sort_words, refusal);
  if (refusal) return *refusal;
  const auto filter =
      filter::Filter::parse(call.query_value("filter").value_or(""), k_document_filter_fields);
  if (!filter) return management::refuse_field("filter", filter.error().message, "filter");
  const std::string name = call.query_value("name").value_or("");
  const std::int64_t now = call.state->now_ms();
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    SVC_TRY(list, all_documents(database, collection));
    std::erase_if(list, [&](const Document& document) {
      if (!contains_ignore_case(document.name, name)) return true;
      const Json values = text::parse_json(document.fields);
      return !filter->matches([&](sv field) { return value_of(document, values, field, now); });
    });
    const bool by_name = wish.sort_by.empty() || wish.sort_by == k_document_sort_words[0];
    const bool by_size = wish.sort_by == k_document_sort_words[1];
    const std::string token = take_page(list, wish, [&](const Document& document) {
      return std::pair(by_name ? to_lower(document.name) : std::string{},
                       by_size ? document.bytes : 0);
    });
    Json items = Json::array();
    for (const Document& document : list) items.push_back(document_json(document, now));
    Json body = {{"documents", std::move(items)}};
    if (!token.empty()) body["pagination_token"] = token;
    return json_answer(body);
  });
}

Answer get_document(const Call& call) {
  return with_document(call, [&](Database&, Collection&, Document& document) -> Result<Answer> {
    return json_answer(document_json(document, call.state->now_ms()));
  });
}

Answer get_documents(const Call& call) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    Json items = Json::array();
    for (const Header& pair : call.query) {
      if (pair.name != "file_ids") continue;
      SVC_TRY(document, find_document(database, collection, pair.value));
      if (document) items.push_back(document_json(*document, call.state->now_ms()));
    }
    return json_answer({{"documents", std::move(items)}});
  });
}

Answer reindex_document(const Call& call) {
  const std::string& id = call.params.at("file_id");
  const auto file = read_file(*call.state, call.key.team_id, id);
  if (!file) return management::refuse_internal(file.error());
  return with_document(
      call, [&](Database& database, Collection& collection, Document& document) -> Result<Answer> {
        if (!*file) return refuse_file(id);
        Indexed indexed =
            index_file(**file, collection, text::parse_json(document.fields), call.state->now_ms());
        indexed.document.seq = document.seq;
        SVC_CHECK(replace_chunks(database, indexed.document, indexed.chunks));
        return json_answer(Json::object());
      });
}

Answer remove_document(const Call& call) {
  return with_document(call,
                       [](Database& database, Collection&, Document& document) -> Result<Answer> {
                         SVC_CHECK(delete_document(database, document));
                         return json_answer(Json::object());
                       });
}

}  // namespace svc::emulator::collections

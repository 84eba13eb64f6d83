// The operations on one file.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/handlers.h"
#include "emulator/api/files/json.h"
#include "emulator/handler/address.h"
#include "emulator/handler/serve_bytes.h"
#include "emulator/json/check_tables.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::files {
namespace {

using text::Json;
using text::refuse_argument;
using text::text_of;

constexpr std::int64_t k_most_public = 1'000;

using text::Member;
using text::Shape;
using text::Type;

constexpr std::array k_initialize_members = {Member{"name", &text::k_text, true},
                                             Member{"content_type", &text::k_text, true}};
constexpr Type k_initialize{.shape = Shape::Object, .members = k_initialize_members};
constexpr std::array k_chunk_members = {Member{"file_id", &text::k_text, true},
                                        Member{"chunk", &text::k_text, true}};
constexpr Type k_chunk{.shape = Shape::Object, .members = k_chunk_members};
// Nothing is published about the body; these are the members of its nearest relative,
// with the file object's own word for the name.
constexpr std::array k_update_members = {
    Member{"name", &text::k_text}, Member{"filename", &text::k_text},
    Member{"content_type", &text::k_text}, Member{"data", &text::k_text}};
constexpr Type k_update{.shape = Shape::Object, .members = k_update_members};
constexpr std::array k_public_members = {Member{"expires_after", &text::k_integer}};
constexpr Type k_public{.shape = Shape::Object, .members = k_public_members};

const std::string& id_of(const Call& call) {
  return call.params.at("file_id");
}

Json object_of(const Call& call, const StoredFile& file) {
  return file_object(file, own_address(call), call.state->now_ms() / 1000);
}

// The file of an outcome as an answer, or the refusal.
template <typename Show>
Answer show(const Call& call, const Result<std::optional<StoredFile>>& found, const Show& as_json) {
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(id_of(call));
  return json_answer(as_json(**found));
}

// The wanted text, or why there is none.
Answer text_answer(const FileContent& content) {
  auto text = extract_text(content.file.content_type, content.data);
  if (!text) return refuse_argument(text.error().message);
  Answer answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = *std::move(text);
  return answer;
}

Answer bytes_answer(const Call& call, FileContent content, std::string type) {
  const std::string etag = fmt::format("\"{}\"", content.file.hash);
  return serve_bytes(call, std::move(content.data), std::move(type), etag, content.file.created_at);
}

std::optional<std::string> change_fault(const FileChange& change) {
  if (!change.filename && !change.content_type && !change.data) {
    return "Nothing to update: give name, content_type or data.";
  }
  return change.filename ? name_fault(*change.filename) : std::nullopt;
}

}  // namespace

Answer get(const Call& call) {
  return show(call, find_file(*call.state, call.key.team_id, id_of(call)),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer remove(const Call& call) {
  const auto removed = delete_file(*call.state, call.key.team_id, id_of(call));
  if (!removed) return refuse_internal(removed.error());
  if (!*removed) return refuse_file(id_of(call));
  return json_answer(Json{{"id", id_of(call)}, {"deleted", true}, {"object", "file"}});
}

Answer content(const Call& call) {
  const std::string format = call.query_value("format").value_or("original");
  if (format != "original" && format != "text") {
    return refuse_argument("Invalid value for format: it must be original or text.");
  }
  auto found = read_file(*call.state, call.key.team_id, id_of(call));
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(id_of(call));
  // The stored type is not echoed.
  return format == "text" ? text_answer(**found)
                          : bytes_answer(call, std::move(**found), "application/octet-stream");
}

Answer update(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_update, refusal);
  if (refusal) return *refusal;
  FileChange change;
  for (const char* name : {"filename", "name"}) {
    if (text::member(body, name)) change.filename = text_of(body, name);
  }
  if (text::member(body, "content_type")) change.content_type = text_of(body, "content_type");
  std::optional<std::string> data;
  if (text::member(body, "data")) {
    data = text::decode_base64(text_of(body, "data"));
    if (!data) return refuse_argument("data is not base64.");
    if (data->size() > k_max_file) return refuse_file_size(k_max_file);
    change.data = *data;
  }
  if (const auto fault = change_fault(change)) return refuse_argument(*fault);
  return show(call, update_file(*call.state, call.key.team_id, id_of(call), change),
              [&](const StoredFile& file) { return object_of(call, file); });
}

Answer publish(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_public, refusal);
  if (refusal) return *refusal;
  const auto expires_after = text::integer_of(body, "expires_after");
  if (expires_after) {
    if (const auto fault = expiry_fault(*expires_after)) return refuse_argument(*fault);
  }
  const auto active = count_public_files(*call.state, call.key.team_id);
  if (!active) return refuse_internal(active.error());
  if (*active >= k_most_public) {
    return refuse(429, "Some resource has been exhausted",
                  fmt::format("Too many active public URLs: at most {}.", k_most_public));
  }
  return show(call, publish_file(*call.state, call.key.team_id, id_of(call), expires_after),
              [&](const StoredFile& file) {
                Json answer = {{"public_url", public_file_url(own_address(call), file.public_token,
                                                              file.filename)}};
                if (file.public_expires_at) answer["expires_at"] = *file.public_expires_at;
                return answer;
              });
}

Answer unpublish(const Call& call) {
  return show(call, unpublish_file(*call.state, call.key.team_id, id_of(call)),
              [](const StoredFile& file) {
                return Json{{"id", file.id}, {"revoked", true}, {"public_url", nullptr}};
              });
}

Answer serve_public(const Call& call) {
  auto found = read_public_file(*call.state, call.params.at("token"));
  if (!found) return refuse_internal(found.error());
  if (!*found) return refuse_file(call.params.at("name"));
  std::string type = (*found)->file.content_type;
  if (type.empty()) type = "application/octet-stream";
  return bytes_answer(call, std::move(**found), std::move(type));
}

Answer initialize(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_initialize, refusal);
  if (refusal) return *refusal;
  const std::string name = text_of(body, "name");
  if (const auto fault = name_fault(name)) return refuse_argument(*fault);
  const auto begun =
      begin_upload(*call.state, call.key.team_id,
                   NewFile{.filename = name, .content_type = text_of(body, "content_type")});
  if (!begun) return refuse_internal(begun.error());
  return json_answer(Json{{"file_id", begun->id}, {"metadata", file_metadata(*begun)}});
}

Answer upload_chunk(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = text::read_body(call, k_chunk, refusal);
  if (refusal) return *refusal;
  const std::string id = text_of(body, "file_id");
  const auto chunk = text::decode_base64(text_of(body, "chunk"));
  if (!chunk) return refuse_argument("chunk is empty or not base64.");
  const auto limit = k_max_chunked_file - static_cast<std::int64_t>(chunk->size());
  auto stored = append_chunk(*call.state, call.key.team_id, id, *chunk, limit);
  if (!stored && stored.error().fault == Fault::Usage) return refuse_file_size(k_max_chunked_file);
  if (!stored) return refuse_internal(stored.error());
  if (!*stored) return refuse_file(id);
  return json_answer(file_metadata(**stored));
}

}  // namespace svc::emulator::files

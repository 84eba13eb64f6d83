// The handlers behind collection_routes().
#pragma once

#include <optional>
#include <string>

#include "emulator/api/collections/store.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::collections {

[[nodiscard]] Answer create_collection(const Call& call);
[[nodiscard]] Answer list_collections(const Call& call);
[[nodiscard]] Answer get_collection(const Call& call);
[[nodiscard]] Answer change_collection(const Call& call);
[[nodiscard]] Answer remove_collection(const Call& call);

[[nodiscard]] Answer add_document(const Call& call);
[[nodiscard]] Answer upload_document(const Call& call);
[[nodiscard]] Answer list_documents(const Call& call);
[[nodiscard]] Answer get_document(const Call& call);
[[nodiscard]] Answer get_documents(const Call& call);
[[nodiscard]] Answer reindex_document(const Call& call);
[[nodiscard]] Answer remove_document(const Call& call);

/// POST /v1/documents/search.
[[nodiscard]] Answer search_documents(const Call& call);

[[nodiscard]] Answer refuse_collection(std::string_view id);
[[nodiscard]] Answer refuse_document(std::string_view id);

/// 403 when a `team_id`, in the query or in `body`, is not the caller's.
[[nodiscard]] std::optional<Answer> team_fault(const Call& call, const text::Json* body = nullptr);

}  // namespace svc::emulator::collections

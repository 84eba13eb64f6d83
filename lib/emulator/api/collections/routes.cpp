#include "emulator/api/collections/routes.h"

#include "emulator/api/collections/handlers.h"

namespace svc::emulator {

std::vector<Route> collection_routes() {
  using namespace collections;
  const std::string one = "/v1/collections/{collection_id}";
  const std::string document = one + "/documents/{file_id}";
  std::vector<Route> routes = {
      {"POST", "/v1/collections", create_collection},
      {"GET", "/v1/collections", list_collections},
      {"GET", one, get_collection},
      {"PUT", one, change_collection},
      {"DELETE", one, remove_collection},
      {"POST", one + "/documents", upload_document, "", Input::Free},
      {"GET", one + "/documents", list_documents},
      {"GET", one + "/documents:batchGet", get_documents},
      {"POST", document, add_document},
      {"GET", document, get_document},
      {"PATCH", document, reindex_document, "", Input::Free},
      {"DELETE", document, remove_document},
  };
  for (Route& route : routes) route.key = KeyNeed::Management;
  routes.push_back({"POST", "/v1/documents/search", search_documents, "documents"});
  return routes;
}

}  // namespace svc::emulator

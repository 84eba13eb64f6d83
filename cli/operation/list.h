// Lists: one document, one line per item, or one table.
#pragma once

#include <functional>
#include <span>

#include "client/api_client.h"
#include "json/document.h"
#include "session/session.h"

namespace svc::print {
class Table;
}

namespace svc::cli {

/// Writes a list as one array or one item per line, depending on the format. Not for Format::Text
/// and Raw.
[[nodiscard]] Result<void> write_list(Session& session, std::span<const sv> items);

/// Prints a complete list in the session's format: as a table of the operation's columns, one
/// array, or one item per line. `row` converts an item for the table.
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});
[[nodiscard]] Result<void> print_list(
    Session& session, const OrderedJson& items, std::span<const print::Column> columns,
    const std::function<OrderedJson(const OrderedJson&)>& row = {});

/// Tells a person that a list is empty.
void note_empty(Session& session);

/// Ends a table, and reports columns that the terminal has no room for.
[[nodiscard]] Result<void> finish_table(Session& session, print::Table& table);

/// Calls `use` for each item of a list, across its pages, and prints nothing. `request` fetches the
/// first page; its items are as many as the service allows. Network if the pages do not end.
[[nodiscard]] Result<void> each_item(Session& session, ApiClient& client, request::Request request,
                                     const std::function<void(sv item)>& use);

/// Prints a list across its pages; `request` fetches the first one.
[[nodiscard]] Result<void> run_list(Session& session, ApiClient& client, request::Request request);

}  // namespace svc::cli

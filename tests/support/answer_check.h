// Whether an answer is what the catalogue's rows say: the rows and the emulator are two independent
// readings of the service's documents, so a difference is an error in one of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "catalogue/model.h"

namespace svc::test {

/// Returns what is wrong with an object made of these members, one sentence each: a member that has
/// no row, or a value of another type. Null passes, as does a number or boolean in a string.
[[nodiscard]] std::vector<std::string> check_members(std::span<const Member> members,
                                                     const nlohmann::json& object);

/// The same for the body of a successful answer to `method` and `path` (without query): JSON, or
/// the events of a stream. Of several operations with that request, one must fit. Empty if no
/// operation has it, or if its answer is not JSON.
[[nodiscard]] std::vector<std::string> check_answer(std::string_view method, std::string_view path,
                                                    std::string_view body);

/// The same for JSON of svc's own, which a command printed: a list of items, or one document.
[[nodiscard]] std::vector<std::string> check_printed(std::string_view group, std::string_view verb,
                                                     std::string_view out);

}  // namespace svc::test

// What the answers of the operations say about their price, as the purse books it.
#pragma once

#include <string>
#include <string_view>

#include "catalogue/model.h"
#include "client/answer.h"
#include "session/session.h"

namespace svc::cli {

/// Books an answer of a model; silently, as conclude() tells it once it is shown. `job`: the id
/// that it was fetched by; empty: it was made for this request, or has an id of its own.
void record_answer(Session& session, const Operation& operation, const Answer& answer, sv job = {});

/// Books an answer with images or a video, silently as well.
void record_media(Session& session, const Operation& operation, sv body, sv job = {});

/// Tells on standard error what such an answer cost.
void print_cost(Session& session, sv body);

/// Books what a batch has cost so far; what it costs more is booked when it is looked at again.
/// `model` is "" where it is not known, or there are several.
void record_batch(Session& session, const std::string& id, const std::string& model,
                  std::int64_t ticks);

}  // namespace svc::cli

// What responses say about their price, as the cost tracker records it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalogue/model.h"
#include "client/answer.h"
#include "session/session.h"

namespace svc::cli {

/// Books an answer of a model; silently, as conclude() tells it once it is shown. `job`: the id
/// that it was fetched by; empty: it was made for this request, or has an id of its own.
void record_answer(Session& session, const Operation& operation, const Answer& answer, sv job = {});

/// Records an answer by its JSON, for who does not read the rest of it: images, a video.
void record_document(Session& session, const Operation& operation, sv body, sv job = {});

/// The same for the answers of a bulk run, all at once; nothing stands for one that did not arrive
/// whole.
void record_documents(Session& session, const Operation& operation,
                      std::span<const std::optional<std::string>> bodies);

/// Records that a request was sent and no whole answer came, if that is what `error` says and the
/// operation may cost something.
void record_interrupted(Session& session, const Operation& operation, const Error& error);

/// The same where it is known: work was handed to a model, and its end was not awaited.
void record_interrupted(Session& session, const Operation& operation);

/// Tells on standard error what such an answer cost.
void print_cost(Session& session, sv body);

/// Records what a batch has cost so far, and the tokens of its results where they were read; what
/// it costs more is recorded when it is looked at again. `model` is "" where it is not known, or
/// there are several.
void record_batch(Session& session, const std::string& id, const std::string& model, Usage usage);

}  // namespace svc::cli

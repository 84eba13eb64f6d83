// libsvc: a client of the service. Include this header only; svc-library(3) describes it.
//
//   auto client = svc::Client::open();
//   if (!client) return fail(client.error());
//   auto answer = client->chat({.prompt = "Name three rivers"});
//   if (!answer) return fail(answer.error());
//   std::cout << answer->text << '\n';
#pragma once

#include "svc/batch.h"
#include "svc/client.h"
#include "svc/files.h"
#include "svc/media.h"
#include "svc/options.h"
#include "svc/result.h"
#include "svc/text.h"
#include "svc/voice.h"
#include "svc/webhook.h"

namespace svc {

// The interface has a version of its own, which the names of its symbols contain.
using namespace v0;

}  // namespace svc

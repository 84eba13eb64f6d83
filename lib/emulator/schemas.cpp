#include "emulator/schemas.h"

#include <array>

#include "emulator/batches/schema.h"
#include "emulator/billing/schema.h"
#include "emulator/collections/schema.h"
#include "emulator/files/schema.h"
#include "emulator/keys/schema.h"
#include "emulator/media/schema.h"
#include "emulator/phone/schema.h"
#include "emulator/realtime/schema.h"
#include "emulator/text/prompt_cache.h"

namespace svc::emulator {

std::span<const char* const> area_schemas() {
  // Each area declares its tables in a schema.h of its own.
  static constexpr std::array k_schemas = {
      files::k_schema, batches::k_schema,  media::k_schema,
      keys::k_schema,  billing::k_schema,  collections::k_schema,
      phone::k_schema, realtime::k_schema, text::k_prompt_cache_schema,
  };
  return k_schemas;
}

}  // namespace svc::emulator

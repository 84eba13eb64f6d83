#include "print/jq_library.h"

#include "base/shared_library.h"

namespace svc::print {
namespace {

Result<JqLibrary> find_jq() {
  SVC_TRY(library, SharedLibrary::load_for("--jq", "libjq.so.1", "libjq1"));
  JqLibrary jq{};
  SVC_CHECK(library.find(jq.jq_compile, "jq_compile"));
  SVC_CHECK(library.find(jq.jq_get_error_message, "jq_get_error_message"));
  SVC_CHECK(library.find(jq.jq_get_exit_code, "jq_get_exit_code"));
  SVC_CHECK(library.find(jq.jq_halted, "jq_halted"));
  SVC_CHECK(library.find(jq.jq_init, "jq_init"));
  SVC_CHECK(library.find(jq.jq_next, "jq_next"));
  SVC_CHECK(library.find(jq.jq_set_attr, "jq_set_attr"));
  SVC_CHECK(library.find(jq.jq_set_debug_cb, "jq_set_debug_cb"));
  SVC_CHECK(library.find(jq.jq_set_error_cb, "jq_set_error_cb"));
  SVC_CHECK(library.find(jq.jq_set_input_cb, "jq_set_input_cb"));
  SVC_CHECK(library.find(jq.jq_start, "jq_start"));
  SVC_CHECK(library.find(jq.jq_teardown, "jq_teardown"));
  SVC_CHECK(library.find(jq.jv_array, "jv_array"));
  SVC_CHECK(library.find(jq.jv_copy, "jv_copy"));
  SVC_CHECK(library.find(jq.jv_dump_string, "jv_dump_string"));
  SVC_CHECK(library.find(jq.jv_free, "jv_free"));
  SVC_CHECK(library.find(jq.jv_get_kind, "jv_get_kind"));
  SVC_CHECK(library.find(jq.jv_invalid, "jv_invalid"));
  SVC_CHECK(library.find(jq.jv_invalid_get_msg, "jv_invalid_get_msg"));
  SVC_CHECK(library.find(jq.jv_invalid_has_msg, "jv_invalid_has_msg"));
  SVC_CHECK(library.find(jq.jv_number_value, "jv_number_value"));
  SVC_CHECK(library.find(jq.jv_parse_sized, "jv_parse_sized"));
  SVC_CHECK(library.find(jq.jv_string, "jv_string"));
  SVC_CHECK(library.find(jq.jv_string_length_bytes, "jv_string_length_bytes"));
  SVC_CHECK(library.find(jq.jv_string_value, "jv_string_value"));
  return jq;
}

const Result<JqLibrary>& the_jq_library() {
  static const Result<JqLibrary> library = find_jq();
  return library;
}

}  // namespace

Result<void> load_jq() {
  if (!the_jq_library()) return the_jq_library().error();
  return {};
}

const JqLibrary& libjq() {
  return *the_jq_library();
}

}  // namespace svc::print

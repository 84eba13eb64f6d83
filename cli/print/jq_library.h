// libjq, loaded when --jq is first used.
#pragma once

// jq.h does not declare itself as C.
extern "C" {
#include <jq.h>
}
// A helper in the header calls it, which a compiler may keep that has not been told to optimise.
#pragma weak jv_get_kind

#include "base/result.h"

namespace svc::print {

/// The functions of libjq that are used.
struct JqLibrary {
  decltype(&::jq_compile) jq_compile;
  decltype(&::jq_get_error_message) jq_get_error_message;
  decltype(&::jq_get_exit_code) jq_get_exit_code;
  decltype(&::jq_halted) jq_halted;
  decltype(&::jq_init) jq_init;
  decltype(&::jq_next) jq_next;
  decltype(&::jq_set_attr) jq_set_attr;
  decltype(&::jq_set_debug_cb) jq_set_debug_cb;
  decltype(&::jq_set_error_cb) jq_set_error_cb;
  decltype(&::jq_set_input_cb) jq_set_input_cb;
  decltype(&::jq_start) jq_start;
  decltype(&::jq_teardown) jq_teardown;
  decltype(&::jv_array) jv_array;
  decltype(&::jv_copy) jv_copy;
  decltype(&::jv_dump_string) jv_dump_string;
  decltype(&::jv_free) jv_free;
  decltype(&::jv_get_kind) jv_get_kind;
  decltype(&::jv_invalid) jv_invalid;
  decltype(&::jv_invalid_get_msg) jv_invalid_get_msg;
  decltype(&::jv_invalid_has_msg) jv_invalid_has_msg;
  decltype(&::jv_number_value) jv_number_value;
  decltype(&::jv_parse_sized) jv_parse_sized;
  decltype(&::jv_string) jv_string;
  decltype(&::jv_string_length_bytes) jv_string_length_bytes;
  decltype(&::jv_string_value) jv_string_value;
};

/// Loads it at the first call, on any thread; Local, with what to install, when it is not there.
[[nodiscard]] Result<void> load_jq();

/// Only after load_jq() has succeeded.
[[nodiscard]] const JqLibrary& libjq();

}  // namespace svc::print

#include "emulator/json/json_answer.h"

namespace svc::emulator {

Answer json_answer(const text::Json& body) {
  Answer answer;
  answer.body = text::dump(body);
  return answer;
}

}  // namespace svc::emulator

// Lets the model call a function of this program.
#include <iostream>

#include <svc/svc.h>

int main() {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  svc::ChatRequest request{.prompt = "Call weather for Oslo"};
  request.tools.push_back(
      {.name = "weather",
       .description = "The weather in a city.",
       .parameters = R"({"type":"object","properties":{"city":{"type":"string"}}})",
       .run = [](const std::string& arguments) -> svc::Result<std::string> {
         std::cerr << "weather called with " << arguments << '\n';
         return std::string("rain");
       }});
  const auto answer = client->chat(request);
  if (!answer) {
    std::cerr << answer.error().message << '\n';
    return static_cast<int>(answer.error().fault);
  }
  std::cout << answer->text << '\n';
}

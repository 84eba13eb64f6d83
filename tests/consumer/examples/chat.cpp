// Asks a model.
#include <iostream>

#include <svc/svc.h>

int main() {
  const auto client = svc::Client::open();
  if (!client) {
    std::cerr << client.error().message << '\n' << client.error().hint << '\n';
    return static_cast<int>(client.error().fault);
  }
  const auto answer = client->chat({.prompt = "Say exactly: The Nile, the Amazon, the Rhine"});
  if (!answer) {
    std::cerr << answer.error().message << '\n' << answer.error().hint << '\n';
    return static_cast<int>(answer.error().fault);
  }
  std::cout << answer->text << '\n';
  std::cerr << answer->usage.input_tokens << " tokens in, " << answer->usage.output_tokens
            << " out\n";
}

// Prints an answer while it arrives, and stops when it has seen enough.
#include <iostream>

#include <svc/svc.h>

int main() {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  int words = 0;
  const auto on_delta = [&](const svc::Delta& delta) {
    if (delta.kind == svc::Delta::Kind::Text) std::cout << delta.text << std::flush;
    for (const char c : delta.text) words += c == ' ' ? 1 : 0;
    return words < 1000;  // false stops the call
  };
  const auto answer = client->chat({.prompt = "Say exactly: Once upon a time"}, on_delta);
  if (!answer) {
    std::cerr << answer.error().message << '\n';
    return static_cast<int>(answer.error().fault);
  }
  std::cout << (answer->stopped ? " ...\n" : "\n");
}

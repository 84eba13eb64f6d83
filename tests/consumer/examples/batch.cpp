// Sends prompts as a batch, at half the price. Run again, it continues where it was interrupted.
#include <iostream>

#include <svc/svc.h>

int main() {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  svc::BatchRequest request{.journal = "rivers.journal"};
  for (const char* town : {"Oslo", "Rome", "Lima"}) {
    request.items.push_back(
        {.id = town, .prompt = std::string("Say exactly: the river of ") + town});
  }
  const auto report = client->run_batch(request, [](const svc::BatchResult& result) {
    const bool good = result.state == svc::BatchResult::State::Succeeded;
    std::cout << result.id << ": " << (good ? result.answer : result.error) << '\n';
    return true;  // false stops the waiting
  });
  if (!report) {
    std::cerr << report.error().message << '\n' << report.error().hint << '\n';
    return static_cast<int>(report.error().fault);
  }
  return report->succeeded == report->items ? 0 : 9;
}

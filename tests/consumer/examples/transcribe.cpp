// Writes down what is said in a recording, word by word.
#include <iostream>

#include <svc/svc.h>

int main(int argc, char** argv) {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  const auto heard = client->transcribe(argc > 1 ? argv[1] : "talk.wav", {.language = "en"});
  if (!heard) {
    std::cerr << heard.error().message << '\n' << heard.error().hint << '\n';
    return static_cast<int>(heard.error().fault);
  }
  std::cout << heard->text << '\n';
  for (const svc::Word& word : heard->words) {
    std::cerr << word.start << " s: " << word.text << '\n';
  }
}

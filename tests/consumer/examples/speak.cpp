// Speaks a text into a file, while the sound arrives.
#include <fstream>
#include <iostream>

#include <svc/svc.h>

int main(int argc, char** argv) {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  std::ofstream file(argc > 1 ? argv[1] : "hello.wav", std::ios::binary);
  const auto speech =
      client->speak({.text = "hello world", .codec = "wav"}, [&](std::string_view bytes) {
        return static_cast<bool>(file << bytes);  // false, on a full disk, stops the call
      });
  if (!speech) {
    std::cerr << speech.error().message << '\n' << speech.error().hint << '\n';
    return static_cast<int>(speech.error().fault);
  }
  std::cout << speech->bytes << " bytes of " << speech->content_type << '\n';
}

// Has a text spoken, and sends the sound to live transcription.
#include <iostream>

#include <svc/svc.h>

int main() {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  const auto speech = client->speak({.text = "hello world", .codec = "pcm", .sample_rate = 16000});
  if (!speech) {
    std::cerr << speech.error().message << '\n' << speech.error().hint << '\n';
    return static_cast<int>(speech.error().fault);
  }
  const auto live = client->transcribe_live({.sample_rate = 16000});
  if (!live || !live->send(speech->audio) || !live->finish()) return 1;
  while (const auto utterance = live->next()) {  // nothing after the last; an error ends it too
    if (!*utterance) return 0;
    std::cout << (*utterance)->transcript.text << '\n';
  }
  return 1;
}

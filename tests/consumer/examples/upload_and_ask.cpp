// Uploads a file, asks about it, and deletes it.
#include <iostream>

#include <svc/svc.h>

int main(int argc, char** argv) {
  const auto client = svc::Client::open();
  if (!client) return static_cast<int>(client.error().fault);
  const auto file = client->upload(argc > 1 ? argv[1] : "notes.txt");
  if (!file) {
    std::cerr << file.error().message << '\n' << file.error().hint << '\n';
    return static_cast<int>(file.error().fault);
  }
  const auto answer =
      client->responses({.input = "Say exactly: It is about a filter", .files = {file->id}});
  const auto deleted = client->delete_file(file->id);
  if (!answer || !deleted) {
    std::cerr << (answer ? deleted.error() : answer.error()).message << '\n';
    return 1;
  }
  std::cout << file->filename << ", " << file->bytes << " bytes: " << answer->text << '\n';
}

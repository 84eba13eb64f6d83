#include "audio/enhanced_source.h"

#include <utility>
#include <vector>

namespace svc::audio {
namespace {

class EnhancedSource final : public Source {
 public:
  EnhancedSource(std::unique_ptr<Source> source, std::unique_ptr<EchoFilter> filter)
      : m_source(std::move(source)),
        m_filter(std::move(filter)),
        m_silence(static_cast<std::size_t>(m_source->format().rate / 100)) {}

  [[nodiscard]] Format format() const override { return m_source->format(); }
  [[nodiscard]] Result<void> start() override { return m_source->start(); }
  [[nodiscard]] int wait_fd() const override { return m_source->wait_fd(); }
  void stop() override { m_source->stop(); }
  [[nodiscard]] bool ended() const override { return m_source->ended(); }
  void set_muted(bool muted) override { m_source->set_muted(muted); }
  [[nodiscard]] bool muted() const override { return m_source->muted(); }
  [[nodiscard]] Level level() const override { return m_source->level(); }
  [[nodiscard]] std::uint64_t lost() const override { return m_source->lost(); }

  [[nodiscard]] Result<std::optional<Block>> take() override {
    SVC_TRY(block, m_source->take());
    if (!block) return std::optional<Block>{};
    const std::span<Sample> samples(block->samples);
    const std::size_t step = m_silence.size();
    // Only the end of a recording has no whole step.
    for (std::size_t at = 0; at + step <= samples.size(); at += step) {
      m_filter->process(m_silence, samples.subspan(at, step));
    }
    return std::move(block);
  }

 private:
  std::unique_ptr<Source> m_source;
  std::unique_ptr<EchoFilter> m_filter;
  std::vector<Sample> m_silence;  // a step
};

}  // namespace

Result<std::unique_ptr<Source>> enhance(std::unique_ptr<Source> source, Enhancement enhancement) {
  if (!enhancement.any()) return source;
  SVC_TRY(filter, make_enhancer(source->format().rate, enhancement));
  return std::unique_ptr<Source>(
      std::make_unique<EnhancedSource>(std::move(source), std::move(filter)));
}

}  // namespace svc::audio

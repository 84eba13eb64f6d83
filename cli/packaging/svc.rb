# svc for Homebrew, from the repository that this file is in, without its emulator and its library, which
# only Linux has. As Homebrew reads formulas only from taps: `brew tap-new local/svc`, a symbolic link to
# this file in the tap's directory Formula, and `brew install --HEAD local/svc/svc`. It has not been run yet,
# and svc has only run on Linux.
# cli/packaging/write writes the lists of packages.
class Svc < Formula
  desc "Command-line tool for a hosted AI service"
  license "Apache-2.0"
  head "file://#{Pathname(__FILE__).realpath.dirname.parent.parent}", using: :git, branch: "main"

  # dependencies
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "nlohmann-json" => :build
  depends_on "curl"
  depends_on "fmt"
  depends_on "jq"
  depends_on "oniguruma"
  depends_on "sqlite"
  depends_on "openssl@3"
  depends_on "utf8proc"
  depends_on "wslay"
  depends_on "libpng"
  depends_on "jpeg-turbo"
  depends_on "libsndfile"
  depends_on "speexdsp"
  depends_on "portaudio"
  # end of dependencies

  def install
    system "cmake", "--preset", "release", "-B", "build", "-DSVC_EMULATOR=OFF", "-DSVC_LIBRARY=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "svc"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "svc", shell_output("#{bin}/svc --version")
    assert_match "Hello", shell_output("#{bin}/svc chat Hello --dry-run --no-stdin")
  end
end

# Builds for arm64 on another architecture of Debian, with the compiler of g++-aarch64-linux-gnu and the
# packages that `cross-packages` lists. tests/platforms arm64 does so in a system made for it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)
# The archives of libstdc++-12-dev, which Debian fixes, rather than the cross compiler's own.
set(CMAKE_EXE_LINKER_FLAGS_INIT -L/usr/lib/gcc/${triplet}/12)
# For tests, and for checks of configurations that run what they compile.
find_program(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static REQUIRED)

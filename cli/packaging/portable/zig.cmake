# Builds for SVC_TARGET, x86_64-linux-musl or aarch64-apple-darwin, with compilers named SVC_TARGET-gcc and
# so on that run those of zig. tests/platforms portable makes them.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SVC_TARGET)
set(CMAKE_SYSTEM_NAME Linux)
if(SVC_TARGET MATCHES darwin)
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "")  # zig has the headers
endif()
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${SVC_TARGET})
set(CMAKE_LIBRARY_ARCHITECTURE ${SVC_TARGET})
set(CMAKE_C_COMPILER ${SVC_TARGET}-gcc)
set(CMAKE_CXX_COMPILER ${SVC_TARGET}-g++)
foreach(tool ar ranlib)
  string(TOUPPER ${tool} name)
  find_program(CMAKE_${name} ${SVC_TARGET}-${tool} REQUIRED)
endforeach()
# Nothing of this machine's.
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
# zig decides; it does not take -fPIE when it compiles.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# Without debug information, which zig adds otherwise. Boost before 1.77 uses std::result_of, which libc++
# does not have in C++20.
set(CMAKE_C_FLAGS_INIT -g0)
set(CMAKE_CXX_FLAGS_INIT "-g0 -DBOOST_ASIO_HAS_STD_INVOKE_RESULT=1")

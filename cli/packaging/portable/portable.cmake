# The portable programs: everything but glibc is linked from archives. The target `package` makes the
# archive. With zig.cmake, musl is linked too; and svc for macOS still loads what it loads elsewhere.
set(svc_libraries ${CMAKE_BINARY_DIR}/libraries)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/contents)
if(CMAKE_CROSSCOMPILING)
  set(svc_foreign ${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_TOOLCHAIN_FILE})
endif()
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/build-libraries ${svc_libraries} ${svc_foreign} COMMAND_ERROR_IS_FATAL ANY)

list(PREPEND CMAKE_PREFIX_PATH ${svc_libraries}/prefix)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CURL_NO_CURL_CMAKE ON)
set(OPENSSL_USE_STATIC_LIBS ON)
if(APPLE)
  set(CURL_LIBRARY curl)  # only its headers are needed
  return()
endif()
add_compile_definitions(SVC_PORTABLE)
# At fixed addresses: as position-independent programs, they would take twice the time to start, as
# 41,000 addresses would have to be changed in memory.
add_link_options(-static-libstdc++ -static-libgcc -no-pie)

# What the programs load by name in any other build, and what that needs.
set(svc_bundled)
foreach(name curl nghttp2 jq onig png16 turbojpeg ssl crypto z)
  find_library(SVC_bundled_${name} lib${name}.a REQUIRED)
  list(APPEND svc_bundled ${SVC_bundled_${name}})
endforeach()
list(APPEND svc_bundled m)

include(GNUInstallDirs)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/install.sh DESTINATION .)
install(DIRECTORY ${svc_libraries}/licences DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/svc)

if(NOT SVC_TARGET)
  # An object, since an archive's member would come too late for libgcc.
  add_library(svc_glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/glibc.c)
  set(svc_glibc svc_glibc)
endif()

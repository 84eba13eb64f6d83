# libsvc for other programs: a shared library, a static one, and what finds them.
#
# Both export only the namespace svc::v0. Its number is that of the shared library's SONAME: both
# change when a program would have to be compiled again.
set(svc_interface 0)
set(library COMPONENT library)
set(development COMPONENT development)

add_library(svc_shared SHARED $<TARGET_OBJECTS:svc_svc>)
add_library(svc::svc ALIAS svc_shared)
set_target_properties(svc_shared PROPERTIES OUTPUT_NAME svc EXPORT_NAME svc
  VERSION ${PROJECT_VERSION} SOVERSION ${svc_interface} LINKER_LANGUAGE CXX
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/lib/svc/exports.map)
target_compile_features(svc_shared INTERFACE cxx_std_20)
target_include_directories(svc_shared INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/lib>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(svc_shared PRIVATE svc_library)
target_link_options(svc_shared PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/lib/svc/exports.map)
# A missing symbol is noticed here instead of in a program. Sanitizers leave theirs to programs.
if(NOT SVC_SANITIZE)
  target_link_options(svc_shared PRIVATE LINKER:-z,defs)
endif()
install(TARGETS svc_shared EXPORT svc-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${library} NAMELINK_COMPONENT development)

# One object, in which every name but those of the interface is local: a program may have names like
# ours. Only GNU's linker can dissolve the groups of functions that templates make, and only weak names
# can be made local, which excludes those of the binding "unique".
set(exported _ZN3svc2v${svc_interface}*)
set(exported_const _ZNK3svc2v${svc_interface}*)
set(static_library ${CMAKE_BINARY_DIR}/libsvc.a)
add_custom_command(OUTPUT ${static_library}
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--force-group-allocation
    -o libsvc.o $<TARGET_OBJECTS:svc_svc> $<TARGET_FILE:svc_library>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden libsvc.o
  COMMAND sh -c "${CMAKE_NM} libsvc.o | sed -n 's/^[0-9a-f]* u //p' > libsvc.unique"
  COMMAND ${CMAKE_OBJCOPY} --weaken-symbols=libsvc.unique libsvc.o
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=${exported}
    --keep-global-symbol=${exported_const} libsvc.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
  COMMAND ${CMAKE_AR} rcs ${static_library} libsvc.o
  COMMAND ${CMAKE_COMMAND} -E rm -f libsvc.o libsvc.unique
  DEPENDS svc_library svc_svc $<TARGET_OBJECTS:svc_svc>
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMAND_EXPAND_LISTS VERBATIM)
if(NOT SVC_SANITIZE)
  add_custom_target(svc_static ALL DEPENDS ${static_library})
  install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR} ${development})
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/svc)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/svcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/+$" "" prefix "${prefix}")
# Relative to the prefix, so that the whole can be moved, unless a packager chose a place outside it.
foreach(directory libdir includedir)
  string(TOUPPER ${directory} name)
  cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_FULL_${name}}" NORMALIZE inside)
  set(pc_${directory} "${CMAKE_INSTALL_FULL_${name}}")
  if(inside)
    file(RELATIVE_PATH pc_${directory} "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_${name}}")
    string(PREPEND pc_${directory} "\${prefix}/")
  endif()
endforeach()
configure_file(lib/svc/svc.pc.in svc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/svc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${development})
install(EXPORT svc-targets NAMESPACE svc:: DESTINATION ${package} ${development})
install(FILES lib/svc/svcConfig.cmake ${CMAKE_BINARY_DIR}/svcConfigVersion.cmake DESTINATION ${package} ${development})
file(GLOB public_headers CONFIGURE_DEPENDS lib/svc/*.h)
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/svc ${development})
install(FILES man/svc-library.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 ${development})
svc_licences(libsvc${svc_interface} COMPONENT library nlohmann-json3-dev)
svc_licences(libsvc-dev COMPONENT development nlohmann-json3-dev)

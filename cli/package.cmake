# Debian packages by CPack: svc; svc-emulator, separate because users of the service do not need its
# image, video and speech libraries; libsvc0 and libsvc-dev, for other programs that use the library.
# Its package is named after its SONAME.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME svc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The svc developers <svc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "command-line tool for a hosted AI service")
set(CPACK_PACKAGE_DESCRIPTION "svc covers every operation of the service's inference, voice and management
APIs: chat, images, videos, batches, files, keys, billing, collections, speech
and realtime conversations, for terminals, scripts, pipes and CI jobs. The
package svc-emulator brings a local emulator of the whole service.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
if(SVC_EMULATOR)
  list(APPEND CPACK_COMPONENTS_ALL emulator)
endif()
if(SVC_LIBRARY)
  list(APPEND CPACK_COMPONENTS_ALL library development)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME svc)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SHLIBDEPS ON)
# Loaded at run time, so shlibdeps does not find them. libcurl must know the options that it is given:
# those of the version that was there to build with. Debian 13 renamed it to t64.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS
  "ca-certificates, libcurl4t64 | libcurl4 (>= ${CURL_VERSION_STRING})")
if(SVC_JQ)
  string(APPEND CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS ", libjq1, libonig5 (>= 6.9)")
endif()
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "svc-emulator (= ${PROJECT_VERSION})")
if(SVC_SOUND)
  string(APPEND CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS ", libportaudio2, libsndfile1, libspeexdsp1")
endif()
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "chafa")

set(CPACK_DEBIAN_EMULATOR_PACKAGE_NAME svc-emulator)
set(CPACK_COMPONENT_EMULATOR_DESCRIPTION "local emulator of a hosted AI service
svc-emulator serves every operation that svc knows on this machine, without a
key and without a network: to try svc, and to test programs that use the service.")
set(CPACK_DEBIAN_EMULATOR_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_EMULATOR_PACKAGE_RECOMMENDS
  "libsndfile1, libspeexdsp1, libflite1, libpocketsphinx${sphinx_interface}, pocketsphinx-en-us")
# Earlier versions of svc contained it.
set(CPACK_DEBIAN_EMULATOR_PACKAGE_BREAKS "svc (<< ${PROJECT_VERSION})")
set(CPACK_DEBIAN_EMULATOR_PACKAGE_REPLACES "svc (<< ${PROJECT_VERSION})")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsvc0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "client library for a hosted AI service
libsvc calls every operation of the service from C++, as the program svc does.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "ca-certificates, libcurl4t64 | libcurl4 (>= ${CURL_VERSION_STRING})")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsvc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "client library for a hosted AI service (development)
Headers and libraries for programs that use libsvc; svc-library(3) describes them.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libsvc0 (= ${PROJECT_VERSION})")
# Only a program that links the static library needs these.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libfmt-dev (>= 8), libsqlite3-dev (>= 3.40), libssl-dev (>= 3), libwslay-dev (>= 1.1)")
if(SVC_PORTABLE)
  string(REPLACE "aarch64" "arm64" architecture ${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_GENERATOR TGZ)
  set(CPACK_PACKAGE_FILE_NAME svc-${PROJECT_VERSION}-linux-${architecture})
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
endif()
include(CPack)

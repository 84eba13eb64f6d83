# The emulator.
svc_module(emulator USES json database audio
  LIBRARIES nlohmann_json::nlohmann_json fmt::fmt Boost::headers OpenSSL::SSL OpenSSL::Crypto CLI11::CLI11 PkgConfig::TURBOJPEG PkgConfig::PNG PkgConfig::WEBP PkgConfig::OPENH264 PkgConfig::XML Threads::Threads ${CMAKE_DL_LIBS})
svc_cheap(svc_emulator)
if(POPPLER_FOUND)
  target_link_libraries(svc_emulator PUBLIC PkgConfig::POPPLER)
  target_compile_definitions(svc_emulator PRIVATE SVC_WITH_POPPLER)
endif()
if(SVC_SANITIZE MATCHES thread)
  # Asio uses fences around handlers in addition to locks; ThreadSanitizer supports only locks.
  target_compile_definitions(svc_emulator PUBLIC BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

# The emulator's speech synthesis and recognition. To start quickly, it loads these libraries only
# when needed; building needs only their headers.
option(SVC_SPEECH "Build the emulator's speech features for which headers are installed" ON)
set(sphinx_interface 3)
if(SVC_SPEECH)
  find_path(FLITE_INCLUDE flite/flite.h)
  pkg_check_modules(SPHINX QUIET pocketsphinx>=5.0.0)
  if(SPHINX_FOUND)
    set(sphinx_interface 5)
  else()
    pkg_check_modules(SPHINX pocketsphinx sphinxbase)
  endif()
  if(FLITE_INCLUDE)
    set_source_files_properties(lib/emulator/sound/speaker.cpp PROPERTIES COMPILE_DEFINITIONS SVC_WITH_FLITE)
  endif()
  if(SPHINX_FOUND)
    # The compiler's own directory must keep its position, or <cstdlib> does not find <stdlib.h>.
    list(REMOVE_ITEM SPHINX_INCLUDE_DIRS /usr/include)
    list(TRANSFORM SPHINX_INCLUDE_DIRS PREPEND "-isystem")
    set_source_files_properties(lib/emulator/sound/listener.cpp PROPERTIES
      COMPILE_DEFINITIONS SVC_WITH_POCKETSPHINX=${sphinx_interface} COMPILE_OPTIONS "${SPHINX_INCLUDE_DIRS}")
  endif()
endif()

# The manual pages, which the emulator serves, are built into it, and its own data.
file(GLOB embedded CONFIGURE_DEPENDS man/*.1)
list(APPEND embedded lib/emulator/json/requests.txt lib/emulator/control/page.html lib/emulator/control/faults.txt
  lib/emulator/api/docs/docs_tools.json lib/emulator/api/files/types.txt
  lib/emulator/server/announce.txt lib/emulator/state/schema.sql)
list(TRANSFORM embedded REPLACE "^lib" "${CMAKE_SOURCE_DIR}/lib")
list(JOIN embedded "," embedded_files)
set(embed ${CMAKE_SOURCE_DIR}/lib/emulator/json/embed.cmake)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/embedded_files.cpp
  COMMAND ${CMAKE_COMMAND} -DFILES=${embedded_files} -DOUTPUT=${CMAKE_BINARY_DIR}/embedded_files.cpp -P ${embed}
  DEPENDS ${embedded} ${embed})
target_sources(svc_emulator PRIVATE ${CMAKE_BINARY_DIR}/embedded_files.cpp)

install(FILES man/svc-emulator.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT emulator)
install(DIRECTORY tests/fixtures/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT emulator)
svc_licences(svc-emulator COMPONENT emulator libcli11-dev nlohmann-json3-dev)

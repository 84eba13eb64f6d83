# Installs the build given by BUILD into a folder of its own, builds the consumer against it, runs
# both what was installed and what was built.
set(prefix ${BUILD}/consumer/prefix)
file(REMOVE_RECURSE ${BUILD}/consumer)
foreach(command
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${prefix}"
    "${CMAKE_COMMAND};-S;${SOURCE};-B;${BUILD}/consumer/build;-DCMAKE_PREFIX_PATH=${prefix}"
    "${CMAKE_COMMAND};--build;${BUILD}/consumer/build"
    "${BUILD}/consumer/build/consumer"
    "${prefix}/bin/svc;--version"
    "${prefix}/bin/svc-emulator;--version")
  execute_process(COMMAND ${command} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endforeach()
foreach(file share/man/man1/svc.1 share/bash-completion/completions/svc share/zsh/site-functions/_svc
        share/fish/vendor_completions.d/svc.fish include/svc/request/inputs.h)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# Writes OUTPUT, a source file with the version and the commit (base/version.h), if they have changed.
# It runs in every build, so that after a commit only that file is recompiled.
#   cmake -DSOURCE=DIRECTORY -DVERSION=1.2.3 -DOUTPUT=FILE -P version_text.cmake
# The tag v1.2.3 is version 1.2.3, and five commits later 1.2.3-5-g0123456. Without a tag it is the
# project's version and the commit: 1.2.3+g0123456. "-dirty" marks uncommitted changes. Outside a
# checkout, as in an unpacked archive, it is the project's version.
cmake_minimum_required(VERSION 3.22)

function(git output)
  execute_process(COMMAND git --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE text RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(text unknown)
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(version ${VERSION})
git(source rev-parse --show-prefix)
if(source STREQUAL "")  # the top of a checkout, not a directory of another project
  git(source describe --tags --match "v[0-9]*" --always --abbrev=7 --dirty)
  if(source MATCHES "^v([0-9].*)$")
    set(version ${CMAKE_MATCH_1})
  elseif(NOT source STREQUAL unknown)
    set(version ${VERSION}+g${source})
  endif()
else()
  set(source unknown)
endif()

set(text "#include \"base/version.h\"\n
namespace svc {\n
const char* const k_full_version = \"${version}\";
const char* const k_source = \"${source}\";\n
}  // namespace svc\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()

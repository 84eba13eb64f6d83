# Writes OUTPUT, a source that holds the version with its place in git (base/version.h), and only when
# that has changed: run at every build, it compiles nothing again after a commit but that one source.
#   cmake -DSOURCE=FOLDER -DVERSION=1.2.3 -DOUTPUT=FILE -P version_text.cmake
# A tag v1.2.3 gives 1.2.3, five commits after it 1.2.3-5-g0123456; before the first tag it is the
# project's version and the commit, 1.2.3+g0123456. "-dirty" tells of changes that are not committed.
# What is in no checkout of its own, as an unpacked archive, has the project's version.
cmake_minimum_required(VERSION 3.25)

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
if(source STREQUAL "")  # the top of a checkout, and not a folder in that of something else
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

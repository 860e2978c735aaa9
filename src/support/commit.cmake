# Writes OUTPUT, a header with the commit that is being built, when it changes:
#   cmake -DSOURCE=... -DOUTPUT=... [-DGIT=...] -P commit.cmake
# "unknown" without git, or when SOURCE is not the top of a repository (an unpacked archive inside another one).
set(commit unknown)
if(GIT)
  execute_process(COMMAND ${GIT} rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(here ${SOURCE} REALPATH)
  if(top)
    get_filename_component(top ${top} REALPATH)
  endif()
  if(here STREQUAL top AND described)
    set(commit ${described})
  endif()
endif()
set(text "#pragma once\n#define AWELE_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()

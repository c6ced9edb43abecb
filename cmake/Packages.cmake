# `utils/package.sh` makes a package of Debian of each component that is installed:
# `cpack` with the variables below.
find_program(BUFFER_MERGE_DPKG dpkg)
if(NOT PROJECT_IS_TOP_LEVEL OR NOT BUFFER_MERGE_DPKG)
  return()
endif()

# As for Debian's own tools.
set(maintainer "The developers of buffer-merge <developers@buffer-merge.invalid>")
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "" AND NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(BUFFER_MERGE_MAINTAINER "${maintainer}" CACHE STRING "Who packages it")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME buffer-merge)
set(CPACK_PACKAGE_CONTACT "${BUFFER_MERGE_MAINTAINER}")
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE buffer-merge)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(soversion ${PROJECT_VERSION_MAJOR})
set(planner_library libbuffer-merge-planner${soversion})

# What each package has in its folder of documents.
find_package(Git QUIET)
set(date "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} log -1 --format=%cD
    WORKING_DIRECTORY ${BUFFER_MERGE_SOURCE_DIR}
    OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(date STREQUAL "")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(READ ${BUFFER_MERGE_SOURCE_DIR}/LICENSE exceptions)
string(REGEX REPLACE ".*LLVM Exceptions to[^\n]*\n\n" "" exceptions "${exceptions}")
set(folder ${CMAKE_CURRENT_BINARY_DIR}/debian)
foreach(file copyright changelog.Debian shlibs)
  configure_file(debian/${file}.in ${folder}/${file} @ONLY)
endforeach()
execute_process(COMMAND gzip -9nf ${folder}/changelog.Debian)

# add_package(COMPONENT PACKAGE SECTION SUMMARY DESCRIPTION [FIELD value...]): fields are
# those of a control file that CPack knows, in capitals.
function(add_package component package section summary description)
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${description}")
  set(names CPACK_COMPONENTS_ALL CPACK_DEBIAN_${key}_PACKAGE_NAME
    CPACK_DEBIAN_${key}_PACKAGE_SECTION CPACK_DEBIAN_${key}_DESCRIPTION)
  while(ARGN)
    list(POP_FRONT ARGN field value)
    set(CPACK_DEBIAN_${key}_PACKAGE_${field} "${value}")
    list(APPEND names CPACK_DEBIAN_${key}_PACKAGE_${field})
  endwhile()
  foreach(name ${names})
    set(${name} "${${name}}" PARENT_SCOPE)
  endforeach()
  install(FILES ${folder}/copyright ${folder}/changelog.Debian.gz
    DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  set(overrides ${CMAKE_CURRENT_SOURCE_DIR}/debian/${package}.lintian-overrides)
  if(EXISTS ${overrides})
    install(FILES ${overrides} RENAME ${package} DESTINATION share/lintian/overrides
      COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endfunction()

# dpkg-shlibdeps finds libMLIR.so and the like, but not this.
set(llvm "libllvm22 (>= 1:22.1)")
set(about
  "buffer-merge is a static memory planner for MLIR: buffers that are not in\nuse at the same time share the bytes of one pool.\n")
add_package(tools buffer-merge devel "memory planner for MLIR: tools"
  "${about}\nThis package has buffer-merge-opt, which is mlir-opt with the passes,\nbuffer-merge-schedule, which plans tables without IR, and\nbuffer-merge-report, which converts, compares and checks memory plans."
  SHLIBDEPS ON DEPENDS "python3 (>= 3.9), ${llvm}" SUGGESTS "buffer-merge-doc, mlir-22-tools")
if(TARGET BufferMergePlugin)
  add_package(plugin buffer-merge-plugin devel
    "memory planner for MLIR: plugin of mlir-opt"
    "${about}\nThis package has the passes as a plugin that the mlir-opt of mlir-22-tools\nloads with --load-pass-plugin."
    SHLIBDEPS ON DEPENDS ${llvm} RECOMMENDS mlir-22-tools)
endif()
add_package(development libbuffer-merge-dev libdevel
  "memory planner for MLIR: development files"
  "${about}\nThis package has the headers, the static libraries, and what find_package()\nof CMake looks for."
  DEPENDS "libbuffer-merge-planner-dev (= ${version}), libmlir-22-dev (>= 1:22.1), llvm-22-dev (>= 1:22.1)"
  SUGGESTS buffer-merge-doc)
add_package(planner-library ${planner_library} libs
  "memory planner: C library"
  "Places buffers of known lifetimes in one pool of memory, such that those that\nare in use at the same time share no bytes. Needs no MLIR."
  SHLIBDEPS ON)
set(CPACK_DEBIAN_PLANNER-LIBRARY_PACKAGE_CONTROL_EXTRA ${folder}/shlibs)
add_package(planner-development libbuffer-merge-planner-dev libdevel
  "memory planner: C library, development files"
  "Places buffers of known lifetimes in one pool of memory, such that those that\nare in use at the same time share no bytes. Needs no MLIR.\n\nThis package has the header, and what pkg-config looks for."
  DEPENDS "${planner_library} (= ${version})")
add_package(python python3-buffer-merge python "memory planner: Python package"
  "Places buffers of known lifetimes in one pool of memory, draws the result, and\nreads tables, reports, and models of ONNX and TensorFlow Lite."
  ARCHITECTURE all DEPENDS "python3:any (>= 3.9), ${planner_library} (>= ${version})"
  SUGGESTS "python3-flatbuffers, python3-numpy, python3-onnx")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${CMAKE_CURRENT_SOURCE_DIR}/debian/postinst ${CMAKE_CURRENT_SOURCE_DIR}/debian/prerm)
add_package(documents buffer-merge-doc doc "memory planner for MLIR: documents"
  "${about}\nThis package has the user guide, the other documents, and examples."
  ARCHITECTURE all)

include(CPack)

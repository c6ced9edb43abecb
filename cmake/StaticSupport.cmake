# The libraries without MLIR (BufferMergeScheduling, BufferMergeReportFormat) need
# LLVM's support library alone. Who links them decides where it comes from: libLLVM.so,
# which everything that links MLIR has in its process anyway, or the archive, for
# programs without MLIR: they start in a tenth of the time and of the memory. Two copies
# of LLVM do not get along, so that a target gets one or the other.

# use_llvm_support(LIBRARY) makes a static library leave that choice to the targets that
# link it.
function(use_llvm_support library)
  set(is_static $<BOOL:$<TARGET_PROPERTY:BUFFER_MERGE_STATIC_SUPPORT>>)
  set(shared LLVMSupport)
  if(LLVM_LINK_LLVM_DYLIB)
    set(shared LLVM)
  endif()
  # As files: the imported target asks for zlib, zstd and z3 as well, which only parts
  # that nothing here uses need.
  set(choice $<$<NOT:${is_static}>:${shared}>)
  foreach(archive LLVMSupport LLVMDemangle)
    list(APPEND choice $<${is_static}:$<TARGET_FILE:${archive}>>)
  endforeach()
  target_link_libraries(${library} INTERFACE ${choice})
endfunction()

# link_support_statically(TARGET...) chooses the archive for executables and shared
# libraries.
function(link_support_statically)
  foreach(target ${ARGN})
    set_property(TARGET ${target} PROPERTY BUFFER_MERGE_STATIC_SUPPORT ON)
    target_link_options(${target} PRIVATE LINKER:--as-needed,--gc-sections)
    # There is no library to look for.
    set_property(TARGET ${target} PROPERTY INSTALL_RPATH "")
  endforeach()
endfunction()

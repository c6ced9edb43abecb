// RUN: buffer-merge-opt %s --allow-unregistered-dialect --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L9: whatever no rule covers lasts as long as it might, or is not merged.

func.func @operand(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'unknown.use'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  "unknown.use"(%a) : (memref<16xf32>) -> ()
  return
}

func.func @result(%i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'unknown.view'}}
  %a = memref.alloc() : memref<16xf32>
  %b = "unknown.view"(%a) : (memref<16xf32>) -> memref<4xf32>
  %y = memref.load %b[%i] : memref<4xf32>
  return %y : f32
}

// A region may be executed at any time and any number of times from the operation
// on.
func.func @region(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 6), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  "unknown.region"() ({                            // 1
    memref.store %x, %a[%i] : memref<16xf32>       // 2
  }) : () -> ()                                    // 3
  %z = arith.constant 0 : index                    // 4
  return                                           // 5
}

// In a loop: of several at once, one slot is wrong.
func.func @region_in_loop(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
    %a = memref.alloc() : memref<16xf32>
    "unknown.region"() ({
      memref.store %x, %a[%i] : memref<16xf32>
    }) : () -> ()
  }
  return
}

// What is allocated inside would share a pool with what runs at the same time.
func.func @allocated_inside(%x: f32, %i: index) {
  "unknown.region"() ({
    // expected-remark @below {{not mergeable: no-alloc-scope,}}
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.if %c {
      // expected-remark @below {{not mergeable: no-alloc-scope,}}
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%i] : memref<16xf32>
    }
    // A scope of its own is one.
    scf.forall (%j) in (7) {
      // expected-remark @below {{lifetime [10, 11), 64 bytes}}
      %d = memref.alloc() : memref<16xf32>
      memref.store %x, %d[%j] : memref<16xf32>
    }
    %c = "unknown.condition"() : () -> i1
  }) : () -> ()
  return
}

// Handed over by an operation that nobody knows to end a region.
func.func @yielded(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'unknown.yield'}}
  %a = memref.alloc() : memref<16xf32>
  %r = "unknown.region"() ({
    "unknown.yield"(%a) : (memref<16xf32>) -> ()
  }) : () -> memref<16xf32>
  memref.store %x, %r[%i] : memref<16xf32>
  return
}

// Blocks inside of it: the pool is freed where the function returns.
func.func @blocks(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'memref.store'}}
  %a = memref.alloc() : memref<16xf32>             // 0
  "unknown.region"() ({                            // 1
    cf.br ^bb1                                     // 2
  ^bb1:
    memref.store %x, %a[%i] : memref<16xf32>       // 3
    cf.br ^bb1                                     // 4
  }) : () -> ()                                    // 5
  return                                           // 6
}

// An unknown operation that does not see the buffer.
func.func @elsewhere(%x: f32, %i: index, %m: memref<16xf32>) {
  // expected-remark @below {{lifetime [2, 3), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  %n = "unknown.use"(%m) : (memref<16xf32>) -> memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  return
}

// A dynamic unregistered terminator of a function body.
func.func @terminator(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'unknown.return'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  "unknown.return"(%a) : (memref<16xf32>) -> ()
}

// The copy on the device may be the buffer itself.
func.func @device_copy(%x: f32, %i: index) -> memref<16xf32> {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'acc.copyin'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %copy = acc.copyin varPtr(%a : memref<16xf32>) -> memref<16xf32>
  return %copy : memref<16xf32>
}

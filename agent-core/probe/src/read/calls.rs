//! What a probe class calls.

use classfile::ClassFile;
use classfile::reader::tag;

/// Classes of which every method may be called without a guard: none of them runs code of others, and where they are woven
/// themselves, their sites have a guard of their own.
const LEAVES: [&[u8]; 14] = [
    b"java/lang/Boolean",
    b"java/lang/Byte",
    b"java/lang/Character",
    b"java/lang/Double",
    b"java/lang/Float",
    b"java/lang/Integer",
    b"java/lang/Long",
    b"java/lang/Math",
    b"java/lang/Short",
    b"java/lang/StrictMath",
    b"java/util/concurrent/atomic/AtomicBoolean",
    b"java/util/concurrent/atomic/AtomicInteger",
    b"java/util/concurrent/atomic/AtomicLong",
    b"java/util/concurrent/atomic/LongAdder",
];

/// Single methods of which the same holds.
const METHODS: [(&[u8], &[u8]); 5] = [
    (b"java/lang/Object", b"<init>"),
    (b"java/lang/System", b"currentTimeMillis"),
    (b"java/lang/System", b"identityHashCode"),
    (b"java/lang/System", b"nanoTime"),
    (b"java/lang/Thread", b"currentThread"),
];

/// Whether the class calls anything besides itself, arithmetic, boxing, clocks and atomic numbers. Constants that cannot be
/// read count as calls.
pub(super) fn reach_out(file: &ClassFile<'_>) -> bool {
    let pool = file.pool();
    (1..pool.len()).any(|index| match pool.tag(index) {
        Some(tag::METHOD) => pool.member_ref(index).map_or(true, |member| {
            let is_leaf = LEAVES.contains(&member.class) || METHODS.contains(&(member.class, member.name));
            member.class != file.this_name() && !is_leaf
        }),
        Some(tag::INTERFACE_METHOD | tag::DYNAMIC | tag::INVOKE_DYNAMIC) => true,
        _ => false,
    })
}

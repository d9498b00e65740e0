//! Instructions that enter the kernel, past the functions of the C library.

use goblin::elf::header;

/// How far before it the number of a system call is loaded, in bytes, at most.
const NUMBER_BEFORE: usize = 48;

/// A call through the entry that the kernel offers to 32-bit programs: `call *%gs:0x10`.
const GATE: [u8; 7] = [0x65, 0xFF, 0x15, 0x10, 0, 0, 0];

/// Whether code for that machine holds an instruction that enters the kernel. Where it is as short as two bytes, these could be
/// part of anything, so that the number of the call has to be loaded right before.
pub(super) fn has_system_call(code: &[u8], machine: u16) -> bool {
    match machine {
        header::EM_AARCH64 => words(code).any(|word| word & 0xFFE0_001F == 0xD400_0001),
        header::EM_ARM => words(code).any(|word| word == 0xEF00_0000) || has_thumb_call(code),
        header::EM_X86_64 => has_call(code, &[[0x0F, 0x05]]),
        header::EM_386 => {
            has_call(code, &[[0xCD, 0x80], [0x0F, 0x34]]) || code.windows(GATE.len()).any(|window| window == GATE)
        }
        _ => false,
    }
}

/// Instructions of four bytes.
fn words(code: &[u8]) -> impl Iterator<Item = u32> + '_ {
    code.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// `svc #0` of two bytes, after a load of register 7.
fn has_thumb_call(code: &[u8]) -> bool {
    let halves = code.as_chunks::<2>().0;
    halves.iter().enumerate().any(|(at, &half)| {
        half == [0, 0xDF] && {
            let before = &halves[at.saturating_sub(NUMBER_BEFORE / 2)..at];
            // mov r7, #n; mov r7, another register; mov.w r7, #n
            before.iter().any(|half| half[1] == 0x27 || half[1] == 0x46 && half[0] & 0x87 == 0x07)
                || before.windows(2).any(|pair| pair[0] == [0x4F, 0xF0] && pair[1][1] & 0x8F == 0x07)
        }
    })
}

/// A call of x86: with a constant number, or with one from elsewhere where what follows looks at the result.
fn has_call(code: &[u8], calls: &[[u8; 2]]) -> bool {
    code.windows(2).enumerate().any(|(at, pair)| {
        let before = || &code[at.saturating_sub(NUMBER_BEFORE)..at];
        calls.iter().any(|call| pair == call)
            && (loads_number(before()) || loads_from_elsewhere(before()) && uses_result(&code[at + 2..]))
    })
}

/// `mov $n, %eax` and `mov $n, %rax`, with a number that a system call may have.
fn loads_number(code: &[u8]) -> bool {
    let is_number = |number: &[u8]| number[1] < 2 && number[2..4] == [0, 0];
    code.windows(5).any(|load| load[0] == 0xB8 && is_number(&load[1..]))
        || code.windows(7).any(|load| load[..3] == [0x48, 0xC7, 0xC0] && is_number(&load[3..]))
}

/// Sets `%eax` from another register, from memory, or to zero.
fn loads_from_elsewhere(code: &[u8]) -> bool {
    code.windows(2).any(|load| match load[0] {
        // mov register, %eax; xor %eax, %eax
        0x89 | 0x31 | 0x33 => load[1] & 0xC7 == 0xC0,
        // mov memory or register, %eax
        0x8B => load[1] & 0x38 == 0,
        _ => false,
    })
}

/// Returns, or compares, tests, keeps or moves what is in `%eax`. Offsets and numbers of other instructions do not go on so.
fn uses_result(code: &[u8]) -> bool {
    match code {
        [0xC3 | 0xC9 | 0x5D | 0x5B, ..]
        | [0x48, 0x3D, _, 0xF0, 0xFF, 0xFF, ..]
        | [0x3D, _, 0xF0, 0xFF, 0xFF, ..]
        | [0x48, 0x83, 0xF8, ..]
        | [0x48, 0x85, 0xC0, ..]
        | [0x83, 0xF8, ..]
        | [0x85, 0xC0, ..] => true,
        // mov %eax to anywhere
        [0x48, 0x89, to, ..] | [0x89, to, ..] => to & 0x38 == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_calls_are_seen_and_other_bytes_are_not() {
        // mov eax, 41; syscall
        let code = [0x90, 0xB8, 41, 0, 0, 0, 0x0F, 0x05, 0xC3];
        assert!(has_system_call(&code, header::EM_X86_64));
        assert!(!has_system_call(&code[6..], header::EM_X86_64));
        // mov rax, 59; syscall
        assert!(has_system_call(&[0x48, 0xC7, 0xC0, 59, 0, 0, 0, 0x0F, 0x05], header::EM_X86_64));
        // svc #0, and with another number
        assert!(has_system_call(&[0x01, 0, 0, 0xD4], header::EM_AARCH64));
        assert!(has_system_call(&[0x01, 0x10, 0, 0xD4], header::EM_AARCH64));
        assert!(!has_system_call(&[0, 0x01, 0, 0, 0xD4, 0, 0, 0], header::EM_AARCH64));
    }

    #[test]
    fn numbers_in_a_register_count_where_the_result_is_used() {
        // mov rax, rdi; mov rdi, rsi; syscall; ret
        let code = [0x48, 0x89, 0xF8, 0x48, 0x89, 0xF7, 0x0F, 0x05, 0xC3];
        assert!(has_system_call(&code, header::EM_X86_64));
        // mov eax, [rbp - 4]; syscall; mov [rbp - 16], rax
        let code = [0x8B, 0x45, 0xFC, 0x0F, 0x05, 0x48, 0x89, 0x45, 0xF0];
        assert!(has_system_call(&code, header::EM_X86_64));
        // mov eax, edi; lea rax, [rip + 0x50f]; ret
        let code = [0x89, 0xF8, 0x48, 0x8D, 0x05, 0x0F, 0x05, 0, 0, 0xC3];
        assert!(!has_system_call(&code, header::EM_X86_64));
    }

    #[test]
    fn older_processors_enter_the_kernel_by_an_interrupt() {
        // mov eax, 11; int 0x80
        let code = [0xB8, 11, 0, 0, 0, 0xCD, 0x80];
        assert!(has_system_call(&code, header::EM_386));
        assert!(!has_system_call(&code[5..], header::EM_386));
        assert!(has_system_call(&GATE, header::EM_386));
        // svc #0; and of two bytes, with mov r7, #11 and without
        assert!(has_system_call(&[0, 0, 0, 0xEF], header::EM_ARM));
        assert!(has_system_call(&[11, 0x27, 0, 0xDF], header::EM_ARM));
        assert!(!has_system_call(&[11, 0x26, 0, 0xDF], header::EM_ARM));
    }

    #[test]
    fn libraries_built_without_such_instructions_have_none() {
        assert!(!has_system_call(&[0x90; 64], header::EM_X86_64));
        assert!(!has_system_call(&[0; 64], header::EM_ARM));
    }
}

//! Opcodes: the ones used by name, and the length of each instruction.

use crate::bytes::get4;
use crate::weave::Skip;

pub(crate) const ACONST_NULL: u8 = 1;
pub(crate) const ICONST_0: u8 = 3;
pub(crate) const LCONST_0: u8 = 9;
pub(crate) const BIPUSH: u8 = 16;
pub(crate) const SIPUSH: u8 = 17;
pub(crate) const LDC: u8 = 18;
pub(crate) const LDC_W: u8 = 19;
pub(crate) const ILOAD: u8 = 21;
pub(crate) const LLOAD: u8 = 22;
pub(crate) const FLOAD: u8 = 23;
pub(crate) const DLOAD: u8 = 24;
pub(crate) const ALOAD: u8 = 25;
pub(crate) const ILOAD_0: u8 = 26;
pub(crate) const ALOAD_0: u8 = 42;
pub(crate) const ALOAD_3: u8 = 45;
pub(crate) const ISTORE: u8 = 54;
pub(crate) const ASTORE: u8 = 58;
pub(crate) const ISTORE_0: u8 = 59;
pub(crate) const ASTORE_3: u8 = 78;
pub(crate) const IALOAD: u8 = 46;
pub(crate) const SALOAD: u8 = 53;
pub(crate) const IASTORE: u8 = 79;
pub(crate) const LASTORE: u8 = 80;
pub(crate) const AASTORE: u8 = 83;
pub(crate) const SASTORE: u8 = 86;
pub(crate) const POP: u8 = 87;
pub(crate) const POP2: u8 = 88;
pub(crate) const DUP: u8 = 89;
pub(crate) const DUP_X1: u8 = 90;
pub(crate) const DUP_X2: u8 = 91;
pub(crate) const DUP2: u8 = 92;
pub(crate) const DUP2_X1: u8 = 93;
pub(crate) const DUP2_X2: u8 = 94;
pub(crate) const SWAP: u8 = 95;
pub(crate) const LSUB: u8 = 101;
pub(crate) const IAND: u8 = 126;
pub(crate) const IINC: u8 = 132;
pub(crate) const I2L: u8 = 133;
pub(crate) const I2B: u8 = 145;
pub(crate) const I2C: u8 = 146;
pub(crate) const I2S: u8 = 147;
pub(crate) const IFEQ: u8 = 153;
pub(crate) const GOTO: u8 = 167;
pub(crate) const JSR: u8 = 168;
pub(crate) const RET: u8 = 169;
pub(crate) const TABLESWITCH: u8 = 170;
pub(crate) const LOOKUPSWITCH: u8 = 171;
pub(crate) const IRETURN: u8 = 172;
pub(crate) const RETURN: u8 = 177;
pub(crate) const GETSTATIC: u8 = 178;
pub(crate) const PUTSTATIC: u8 = 179;
pub(crate) const GETFIELD: u8 = 180;
pub(crate) const PUTFIELD: u8 = 181;
pub(crate) const INVOKEVIRTUAL: u8 = 182;
pub(crate) const INVOKESPECIAL: u8 = 183;
pub(crate) const INVOKESTATIC: u8 = 184;
pub(crate) const INVOKEINTERFACE: u8 = 185;
pub(crate) const INVOKEDYNAMIC: u8 = 186;
pub(crate) const NEW: u8 = 187;
pub(crate) const NEWARRAY: u8 = 188;
pub(crate) const ANEWARRAY: u8 = 189;
pub(crate) const ATHROW: u8 = 191;
pub(crate) const CHECKCAST: u8 = 192;
pub(crate) const INSTANCEOF: u8 = 193;
pub(crate) const MONITORENTER: u8 = 194;
pub(crate) const MONITOREXIT: u8 = 195;
pub(crate) const WIDE: u8 = 196;
pub(crate) const MULTIANEWARRAY: u8 = 197;
pub(crate) const IFNULL: u8 = 198;
pub(crate) const IFNONNULL: u8 = 199;
pub(crate) const GOTO_W: u8 = 200;
pub(crate) const JSR_W: u8 = 201;

/// Length of each instruction in bytes; 0 where it depends on the operands.
pub(crate) const LENGTHS: [u8; 202] = {
    let mut lengths = [1; 202];
    let spans: [(usize, usize, u8); 14] = [
        (16, 16, 2),
        (17, 17, 3),
        (18, 18, 2),
        (19, 20, 3),
        (21, 25, 2),
        (54, 58, 2),
        (132, 132, 3),
        (153, 168, 3),
        (169, 169, 2),
        (170, 171, 0),
        (178, 184, 3),
        (185, 186, 5),
        (187, 187, 3),
        (188, 188, 2),
    ];
    let mut i = 0;
    while i < spans.len() {
        let (mut op, last, length) = spans[i];
        while op <= last {
            lengths[op] = length;
            op += 1;
        }
        i += 1;
    }
    lengths[189] = 3;
    lengths[192] = 3;
    lengths[193] = 3;
    lengths[196] = 0;
    lengths[197] = 4;
    lengths[198] = 3;
    lengths[199] = 3;
    lengths[200] = 5;
    lengths[201] = 5;
    lengths
};

/// Whether control never falls through to the next instruction. `jsr` does come back.
pub(crate) fn ends_flow(opcode: u8) -> bool {
    matches!(opcode, GOTO | RET..=RETURN | ATHROW | GOTO_W)
}

/// Offset of a switch's operands: after zero to three bytes of padding.
pub(crate) fn switch_operands(at: usize) -> usize {
    (at + 4) & !3
}

/// Length in bytes of the instruction at `at`, which lies completely within the code.
pub(crate) fn length(code: &[u8], at: usize) -> Result<usize, Skip> {
    let opcode = code[at];
    let Some(&fixed) = LENGTHS.get(usize::from(opcode)) else {
        return Err(Skip::UnknownOpcode { offset: at, opcode });
    };
    let length = match opcode {
        TABLESWITCH | LOOKUPSWITCH => switch_length(code, at)?,
        WIDE => match code.get(at + 1) {
            Some(&IINC) => 6,
            Some(&(ILOAD..=ALOAD | ISTORE..=ASTORE | RET)) => 4,
            Some(&opcode) => return Err(Skip::UnknownOpcode { offset: at + 1, opcode }),
            None => return Err(Skip::Malformed { offset: at, what: "truncated instruction" }),
        },
        _ => usize::from(fixed),
    };
    if length > code.len() - at {
        return Err(Skip::Malformed { offset: at, what: "truncated instruction" });
    }
    Ok(length)
}

fn switch_length(code: &[u8], at: usize) -> Result<usize, Skip> {
    let operands = switch_operands(at);
    let header = if code[at] == TABLESWITCH { 12 } else { 8 };
    if operands + header > code.len() {
        return Err(Skip::Malformed { offset: at, what: "truncated switch" });
    }
    let entries = if code[at] == TABLESWITCH {
        4 * (i64::from(get4(code, operands + 8)) - i64::from(get4(code, operands + 4)) + 1)
    } else {
        8 * i64::from(get4(code, operands + 4))
    };
    // Bounded before it becomes a size, so nothing overflows on any platform.
    match usize::try_from(entries) {
        Ok(entries) if entries <= code.len() => Ok(operands + header + entries - at),
        _ => Err(Skip::Malformed { offset: at, what: "size of a switch" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        assert_eq!(length(&[WIDE, IINC, 0, 1, 0, 1], 0), Ok(6));
        assert_eq!(length(&[WIDE, 22, 1, 0], 0), Ok(4));
        assert_eq!(length(&[WIDE, 1, 1, 0], 0), Err(Skip::UnknownOpcode { offset: 1, opcode: 1 }));
        assert_eq!(length(&[202], 0), Err(Skip::UnknownOpcode { offset: 0, opcode: 202 }));
        assert_eq!(length(&[INVOKEDYNAMIC, 0, 1, 0, 0], 0), Ok(5));
        assert!(length(&[GOTO, 0], 0).is_err());
    }

    #[test]
    fn switches_at_every_alignment() {
        for at in 0..4 {
            let mut code = vec![0; at];
            code.push(TABLESWITCH);
            code.resize(switch_operands(at), 0);
            code.extend([0, 0, 0, 9, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1]);
            code.extend([0; 12]);
            assert_eq!(length(&code, at), Ok(code.len() - at));
            code.pop();
            assert!(length(&code, at).is_err());
        }
    }

    #[test]
    fn a_switch_of_negative_or_absurd_size_is_malformed() {
        let table = [TABLESWITCH, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF];
        assert!(matches!(length(&table, 0), Err(Skip::Malformed { .. })));
        let lookup = [LOOKUPSWITCH, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF];
        assert!(matches!(length(&lookup, 0), Err(Skip::Malformed { .. })));
    }
}

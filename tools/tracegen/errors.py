"""Malformed lines: one or more for each message of a reader of Tarmac."""

MESSAGES = {
    "Unrecognised token": [
        "{", "IT (1) 8000 e1a00000 A svc : {", "R r0 00000001 ;", "FOO {", "\xef\xbb\xbf10 clk P",
        "10 clk R r0 00000001 *", "CACHE \"x\"", "E {", "ES EXC =", "R DC {", "R pc {",
        "R r0 00000001 : {", "ES (8000:e1a00000) A svc : CCFAIL {", "IT (1) 8000 e1 O EL0t : \xe9"],
    "expected '(' to introduce instruction address and bit pattern": ["ES", "ES x", "ES :"],
    "expected a hex instruction address": ["ES (", "ES (z", "ES (0x8000:e1a00000)", "ES ()"],
    "expected ':' between instruction address and bit pattern": ["ES (8000", "ES (8000 e1)"],
    "expected a hex instruction bit pattern": [
        "ES (8000:", "ES (8000:z", "IT (1) 8000", "IT (1) 8000 ---- A svc : x", "IT 8000 zz A :",
        "ES (8000:--e1) A svc : x"],
    "expected ')' after instruction address and bit pattern": ["ES (8000:e1", "ES (8000:e1 A"],
    "expected a hex or decimal number": ["IT (", "IT (z", "IT (1:", "IT (1:z", "IS ()"],
    "expected ')' after bracketed value": ["IT (1", "IT (1:2", "IT (1 8000)", "IF (1:2:3)"],
    "expected a hex value": ["IT", "IT zzz", "IT (1:2)", "IS (1) 0x8000 e1 A", "IT (2) ["],
    "expected a hex address after ':'": ["IT (1) 8000:z", "IT (1) 8000:", "IT 8000:1_X e1 A :"],
    "expected a hex address after ','": ["IT (1) 8000:_NS,z e1 A :", "IT (1) 8000:1,,"],
    "expected instruction-set state": [
        "ES (8000:e1)", "ES (8000:e1) X", "IT (1) 8000 e1", "IT 8000 e1 B svc : x",
        "ES (8000:e1) a svc : x"],
    "expected CPU mode": ["ES (8000:e1) A", "ES (8000:e1) A (", "IT (1) 8000 e1 A", "IT 8 e1 O <"],
    "expected ':' before instruction": [
        "ES (8000:e1) A svc", "IT (1) 8000 e1 O EL0t x", "IT (8000) 46c0 T16 NOP",
        "IT (8000:9000) 46c0 T NOP x", "IT 8000 e1a00000 T16 NOP"],
    "expected register name": ["R", "R :", "R (", "R <7:0>"],
    "expected register contents": [
        "R r0 1", "R r0 zz", "R r0 :", "R x5 00000001", "R sp", "R cpsr zz", "R r0 d-",
        "R S3_0_C15_C2_1 1", "R MSP 1", "R fpcr", "R v0 12", "R r0<15:8> 1", "R fpscr (x) 12",
        "R E30 0000", "R r0 X1X0", "R sp_el1 q", "R lr_irq 00z"],
    "expected register contents to be an integer number of bytes": [
        "R r0 000000001", "R r0 0x00000001", "R sp 1", "R fpcr 1", "R z0 1", "R p3 123",
        "R r0 ---------", "R sp 1234567:12"],
    "cannot handle register bit range for this register": [
        "R sp<7:0> 1", "R cpsr <7:0> 1", "R fpcr<31:0> 0", "R sp_el1 <63:0> 0"],
    "expected bit offset within register": ["R r0<z:0> 01", "R r0<", "R r0<7:z> 01", "R r0<7:"],
    "expected high bit offset within register to be at the top of a byte": [
        "R r0<8:0> 01", "R x0<0:0> 1"],
    "high bit offset is larger than containing register": ["R r0<39:0> 01", "R pc<7:0>"],
    "expected ':' separating bit offsets in register bit range": ["R r0<7 0> 01", "R r0<7>"],
    "expected low bit offset within register to be at the bottom of a byte": ["R r0<7:1> 01"],
    "low bit offset is higher than high bit offset": ["R r0<7:8> 01", "R x0<15:32> 01"],
    "expected '>' after register bit range": ["R r0<7:0 01", "R r0<7:0"],
    "expected extra register identification details": ["R r0 (", "R r0 ()", "R foo (:"],
    "expected ')' after extra register identification details": ["R r0 (a", "R r0 (a b)"],
    "expected additional register contents after ':'": [
        "R sp 1234:", "R sp 1234:zz", "R cpsr 12:q", "R fpcr 00:"],
    "unclosed '(' in memory operation": ["MR4 (", "MW4 (foo bar", "R04 (x"],
    "expected memory address": ["MR4 zz 3", "MR4", "W08 [", "MR4 X X 100 3", "MR4 TRANSFER 3"],
    "expected physical memory address after ':'": ["MR4 100:zz 3", "MR4 100:", "MW1 100:1_N 3"],
    "expected closing parenthesis": ["MR4 100 (ABORTED", "MR4 100 (ABORTED x)"],
    "unrecognised parenthesised keyword": ["MR4 100 (ABORT)", "MW4 100 ()", "R01 100 ("],
    "expected memory contents in hex": ["MR4 100", "W04 100 __", "MR4 100 :", "MR8 100:_NS"],
    "expected second word of memory contents": ["MR16 100 33", "MW16 100 33 zz", "MR16 100 33 :"],
    "unexpected memory access size: 32 bytes": ["MR32 100 33", "MW32 100 xx"],
    "unexpected memory access size: 9 bytes": ["MR9 100 33"],
    "expected load/store memory address": ["LD", "ST zz", "LD ("],
    "expected a word of data bytes, '.' and '#'": [
        "LD 100", "ST 100 :", "LD 100 0011_22", "LD 100 ........ (", "LD 1000 00112233 xx"],
    "expected data word to cover a whole number of bytes": ["LD 100 112", "ST 100 0011 ###"],
    "expected exactly 16 data bytes": [
        "LD 100 00112233445566778899aabbccddeeff00", "ST 100 0011223344556677 8899aabbccddee ff00"],
    "expected each byte to be only one of '.', '#' and hex": [
        "LD 100 .1", "ST 100 1111.1", "LD 100 11 22 .#", "LD 100 0011223344556677 8899aabbccdd.eff"],
}
WARNINGS = {
    "unsupported system operation 'DC'": ["R DC 1"],
    "unsupported system operation 'IC'": ["R IC"],
    "unsupported system operation 'TLBI'": ["R TLBI x {"],
    "unsupported system operation 'AT'": ["R AT 1"],
    "unknown Tarmac event type 'FOO'": ["FOO", "FOO bar"],
    "unknown Tarmac event type ''": ["", "  ", ": x", "(", "5: x"],
}


def random_error(rng):
    """Return (message, malformed line without time)."""
    message = rng.pick(sorted(MESSAGES))
    return message, rng.pick(MESSAGES[message])


def random_warning(rng):
    """Return (message, line without time)."""
    message = rng.pick(sorted(WARNINGS))
    return message, rng.pick(WARNINGS[message])

#include "trace/unknown_text.h"

#include "base/base.h"
#include "base/limits.h"

#include <string.h>

// --- Bytes ---------------------------------------------------------------------------------------

// Not for \t \n \v \f \r and escape, which occur in texts.
static bool is_control(char c)
{
    const uint32_t of_texts = UINT32_C(0x1f) << '\t' | UINT32_C(1) << '\033';
    return (unsigned char)c < ' ' && !(of_texts >> c & 1);
}

// For bytes without a byte order mark: every second one is 0.
static bool is_utf16(const char *bytes, size_t size_bytes)
{
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < size_bytes; i++)
        zeros[i % 2] += !bytes[i];
    size_t most = zeros[0] > zeros[1] ? zeros[0] : zeros[1], least = zeros[0] + zeros[1] - most;
    return size_bytes >= 16 && most > size_bytes * 3 / 8 && least < size_bytes / 64 + 1;
}

const char *unknown_text_binary(const char *bytes, size_t size_bytes)
{
    size_t controls = 0;
    if (is_utf16(bytes, size_bytes))
        return "is UTF-16 text; convert it first: 'iconv -f UTF-16LE -t UTF-8 FILE | trawl COMMAND "
               "-'";
    for (size_t i = 0; i < size_bytes; i++)
        controls += is_control(bytes[i]);
    // A damaged trace may have some control characters.
    return controls > size_bytes / 32 + 8 ? "is binary data, not the text of a trace" : NULL;
}

// --- Lines ---------------------------------------------------------------------------------------

struct line {
    const char *at, *end;
};

static bool begins(const struct line *line, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(line->end - line->at) >= length && memcmp(line->at, text, length) == 0;
}

static bool begins_with_any(const struct line *line, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (begins(line, texts[i]))
            return true;
    }
    return false;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

#define DIGITS "0123456789"
#define HEX_DIGITS DIGITS "abcdefABCDEF"
#define BLANKS " \t"

// Skips characters of a set; returns their number.
static size_t skip(struct line *line, const char *set)
{
    const char *start = line->at;
    while (line->at < line->end && is_one_of(*line->at, set))
        line->at++;
    return (size_t)(line->at - start);
}

static bool take(struct line *line, const char *text)
{
    if (!begins(line, text))
        return false;
    line->at += strlen(text);
    return true;
}

// "0 3 0x0000000080000150 (0x00000285) x 5 0x0000000000000001"
static bool is_dromajo(struct line line)
{
    return skip(&line, DIGITS) && take(&line, " ") && skip(&line, "0123") == 1 &&
           take(&line, " 0x") && skip(&line, HEX_DIGITS) == 16 && take(&line, " (0x") &&
           skip(&line, HEX_DIGITS) == 8 && take(&line, ")");
}

// "12 345 0x80000000 0x00000297 M auipc x5, 0x00000000 <TRAP_ENTRY>"
static bool is_neorv32(struct line line)
{
    return skip(&line, DIGITS) && take(&line, " ") && skip(&line, DIGITS) && take(&line, " 0x") &&
           skip(&line, HEX_DIGITS) == 8 && take(&line, " 0x") && skip(&line, HEX_DIGITS) == 8 &&
           take(&line, " ") && skip(&line, "DMU") == 1 && take(&line, " ");
}

// "        42 :       #1 0 80000000 b0201073              ; csrrw   zero, minstret, zero"
static bool is_veer(struct line line)
{
    skip(&line, BLANKS);
    return skip(&line, DIGITS) && skip(&line, BLANKS) && take(&line, ":") && skip(&line, BLANKS) &&
           take(&line, "#") && skip(&line, DIGITS) && skip(&line, BLANKS) && skip(&line, DIGITS) &&
           skip(&line, BLANKS) && skip(&line, HEX_DIGITS) == 8;
}

// "Time Cycle PC Insn ..." and "  12  3  00000080  00000297  auipc ...", separated by tabs.
static bool is_ibex(struct line line)
{
    skip(&line, BLANKS);
    if (begins(&line, "Time\tCycle\tPC\tInsn"))
        return true;
    if (!skip(&line, DIGITS) || !skip(&line, BLANKS "nps") || !skip(&line, DIGITS) ||
        !skip(&line, BLANKS) || skip(&line, HEX_DIGITS) != 8 || !skip(&line, BLANKS))
        return false;
    size_t digits = skip(&line, HEX_DIGITS);
    return (digits == 4 || digits == 8) && skip(&line, BLANKS);
}

// "#1 0 80000000 d0580537 r 0a         d0580000  lui      x10, -0x2fa80", since 2023 with the
// privilege before the PC: "#1 0  M 80000000 ..."
static bool is_whisper(struct line line)
{
    bool is_numbered = take(&line, "#") && skip(&line, DIGITS) && skip(&line, BLANKS) &&
                       skip(&line, DIGITS) && skip(&line, BLANKS);
    if (skip(&line, "MSUV"))
        skip(&line, BLANKS);
    return is_numbered && skip(&line, HEX_DIGITS) >= 8 && skip(&line, BLANKS) &&
           skip(&line, HEX_DIGITS) >= 4 && skip(&line, BLANKS) && line.at < line.end &&
           is_one_of(*line.at, "rfcmv");
}

// "[0] [M]: 0x0000000000001000 (0x00000297) auipc t0, 0x0", "x5 <- 0x1000", "mem[X,0x1000] ->
// 0x0297"
static bool is_sail(struct line line)
{
    static const char *const arrows[] = {"<- 0x", "-> 0x"};
    if (begins(&line, "mem[") || begins(&line, "CSR "))
        return true;
    if (take(&line, "["))
        return skip(&line, DIGITS) && take(&line, "] [") && skip(&line, "MSUHVD") &&
               take(&line, "]: 0x");
    return (take(&line, "x") || take(&line, "f")) && skip(&line, DIGITS) && skip(&line, BLANKS) &&
           begins_with_any(&line, arrows, ARRAY_COUNT(arrows));
}

// "C0:         52 [1] pc=[0000000000010000] W[r 0=0000000000000000][0] ..."
static bool is_rocket(struct line line)
{
    return take(&line, "C") && skip(&line, DIGITS) && take(&line, ":") && skip(&line, BLANKS) &&
           skip(&line, DIGITS) && take(&line, " [") && skip(&line, DIGITS) && take(&line, "] pc=[");
}

// "18:51:11.3003 [INFO] cpu: Setting initial values: PC = 0x8001379, SP = 0x20004000."
static bool is_renode(struct line line)
{
    static const char *const levels[] = {"[INFO]", "[DEBUG]", "[WARNING]", "[ERROR]", "[NOISY]"};
    return skip(&line, DIGITS) == 2 && take(&line, ":") && skip(&line, DIGITS) == 2 &&
           take(&line, ":") && skip(&line, DIGITS ".") >= 4 && skip(&line, BLANKS) &&
           begins_with_any(&line, levels, ARRAY_COUNT(levels));
}

// "0x8000000: 0x4770": the execution tracing of Renode in the format PCAndOpcode; "0x8000000": in
// the format PC.
static bool is_renode_trace(struct line line)
{
    if (!take(&line, "0x") || !skip(&line, HEX_DIGITS))
        return false;
    if (take(&line, ": 0x"))
        skip(&line, HEX_DIGITS);
    skip(&line, BLANKS "\r");
    return line.at == line.end;
}

static bool is_verilator(struct line line)
{
    static const char *const texts[] = {"- Verilator:", "- S i m u l a t i o n   R e p o r t",
                                        "- V e r i l a t i o n   R e p o r t", "%Warning-",
                                        "%Error"};
    if (begins_with_any(&line, texts, ARRAY_COUNT(texts)))
        return true;
    static const char finish[] = ": Verilog $finish";
    size_t length = sizeof finish - 1;
    return take(&line, "- ") && (size_t)(line.end - line.at) >= length &&
           memcmp(line.end - length, finish, length) == 0;
}

// Transcripts of VCS, Questa and Xcelium.
static bool is_simulator(struct line line)
{
    static const char *const texts[] = {"Chronologic VCS simulator",
                                        "Contains Synopsys proprietary",
                                        "Compiler version ",
                                        "$finish called from file ",
                                        "UVM_INFO ",
                                        "UVM_WARNING ",
                                        "# vsim ",
                                        "# Loading ",
                                        "# ** ",
                                        "#    Time: ",
                                        "TOOL:\txrun",
                                        "xcelium> ",
                                        "Simulation complete via $fin",
                                        "ncsim> ",
                                        "           V C S "};
    return begins_with_any(&line, texts, ARRAY_COUNT(texts));
}

// "0, 0xa12, 0xf8012400, "movs r0, #1"": QEMU's plugin execlog.
static bool is_execlog(struct line line)
{
    return skip(&line, DIGITS) && take(&line, ", 0x") && skip(&line, HEX_DIGITS) &&
           take(&line, ", ") && (take(&line, "0x") || begins(&line, "\"")) &&
           memchr(line.at, '"', (size_t)(line.end - line.at)) != NULL;
}

// The output of QEMU with -d in_asm, exec, cpu or int, for any target: how its dumps of registers,
// blocks and exceptions begin.
static bool is_qemu(struct line line)
{
    static const char *const texts[] = {
        // All targets.
        "Trace ", "IN:", "OUT: ", "OP:", "OBJD-", "----------------", "Linking TBs ",
        "PROLOGUE:", "Stopped execution of TB chain",
        // Arm.
        "PC=", " PC=", "R00=", "R04=", "R08=", "R12=", "X00=", "X04=", "PSTATE=", "PSR=", "XPSR=",
        "Taking exception", "Exception return", "...", "Handling as semihosting call",
        // x86.
        "EAX=", "ESI=", "EIP=", "RAX=", "RSI=", "R8 =", "RIP=", "ES =", "CS =", "SS =", "DS =",
        "FS =", "GS =", "LDT=", "TR =", "GDT=", "IDT=", "CR0=", "DR0=", "DR6=", "CCS=", "CCD=",
        "CCO=", "EFER=", "FCW=", "FPR0=", "FPR2=", "FPR4=", "FPR6=", "XMM", "YMM",
        "check_exception", "Servicing hardware INT", "SMM:", "CPU Reset (CPU ",
        // RISC-V.
        "pc       ", "mhartid ", "mstatus ", "x0/zero ", "x4/tp ", "x8/s0 ", "x12/a2 ", "x16/a6 ",
        "x20/s4 ", "x24/s8 ", "x28/t3 ", "riscv_cpu_do_interrupt", "V      =   ",
        // MIPS, PowerPC, SPARC, m68k, s390, LoongArch, SuperH, Xtensa and others.
        "pc=0x", "GPR0", "GPR1", "GPR2", "CP0 Status", "NIP ", "MSR ", "TB 0", "XER ",
        "pc: ", "%g0-", "%o0-", "%l0-", "%i0-",
        "psr: ", "wim: ", "D0 = ", "D1 = ", "D2 = ", "PSW=mask", "SR = ", "PC = ", "r0=0x", "r4=0x",
        "A00=", "AR00=", "IR="};
    skip(&line, " ");
    if (begins_with_any(&line, texts, ARRAY_COUNT(texts)))
        return true;
    return take(&line, "0x") && skip(&line, HEX_DIGITS) && take(&line, ":") && skip(&line, BLANKS);
}

// "Idx:17248; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x96a00:[0x96a10] ...": packets and
// elements as trc_pkt_lister writes them.
static bool is_opencsd(struct line line)
{
    static const char *const texts[] = {"Trace Packet Lister", "OCSD_GEN_TRC_ELEM_",
                                        "Frame Data; Index"};
    if (begins_with_any(&line, texts, ARRAY_COUNT(texts)))
        return true;
    return take(&line, "Idx:") && skip(&line, DIGITS) && take(&line, ";");
}

// "run  1234/1234 [002]  12.345678:  1 branches:u:  ffff0000 f+0x4 (run)", and the frames below it.
static bool is_perf_script(struct line line)
{
    if (skip(&line, BLANKS) && skip(&line, HEX_DIGITS) >= 4 && take(&line, " "))
        return line.end[-1] == ')' && memchr(line.at, '(', (size_t)(line.end - line.at));
    // A name may have blanks: the number of the process is what a processor or a time follows.
    while (line.at < line.end) {
        while (line.at < line.end && !is_one_of(*line.at, BLANKS))
            line.at++;
        if (!skip(&line, BLANKS))
            return false;
        struct line rest = line;
        if (!skip(&rest, DIGITS))
            continue;
        if (take(&rest, "/"))
            skip(&rest, DIGITS);
        if (!skip(&rest, BLANKS))
            continue;
        if (take(&rest, "["))
            return skip(&rest, DIGITS) && take(&rest, "]") && skip(&rest, BLANKS) &&
                   skip(&rest, DIGITS) && take(&rest, ".") && skip(&rest, DIGITS) &&
                   take(&rest, ":");
        if (skip(&rest, DIGITS) && take(&rest, ".") && skip(&rest, DIGITS) && take(&rest, ":"))
            return true;
    }
    return false;
}

// "  run-1234  [002] d..1  12.345678: sched_switch: ...": the tracing files of Linux, trace-cmd.
static bool is_ftrace(struct line line)
{
    if (begins(&line, "# tracer: ") || begins(&line, "#           TASK-PID"))
        return true;
    const char *bracket = memchr(line.at, '[', (size_t)(line.end - line.at));
    if (!bracket || bracket == line.at || !is_one_of(bracket[-1], BLANKS))
        return false;
    const char *at = bracket;
    while (at > line.at && is_one_of(at[-1], BLANKS))
        at--;
    const char *digits = at;
    while (digits > line.at && is_one_of(digits[-1], DIGITS))
        digits--;
    line.at = bracket + 1;
    return digits < at && digits[-1] == '-' && skip(&line, DIGITS) == 3 && take(&line, "]");
}

// "-0000000042|   D:20001000 wr-long 00000001 \\prog\main  0.100us": Trace.List of TRACE32 as text
// or CSV.
static bool is_trace32(struct line line)
{
    static const char *const texts[] = {"record ",  "record|",       "record;",   "record,",
                                        "record\"", "B::Trace.List", "//TRACE32", "; TRACE32"};
    static const char *const parts[] = {"ptrace",  "ti.back", "wr-long",
                                        "rd-long", "\\\\",    "BRANCH"};
    skip(&line, BLANKS "\"|");
    if (begins_with_any(&line, texts, ARRAY_COUNT(texts)))
        return true;
    if ((take(&line, "-") || take(&line, "+")) && skip(&line, DIGITS) >= 6)
        return line.at < line.end && is_one_of(*line.at, BLANKS "|;,\"");
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (memmem(line.at, (size_t)(line.end - line.at), parts[i], strlen(parts[i])))
            return true;
    }
    return false;
}

// "0.000 041 s, X : 0x080001A4, LDR r0,[pc,#24], ...": what the windows Trace Data, Instruction
// Trace and Trace Records of Keil's debugger save.
static bool is_uvision(struct line line)
{
    static const char *const parts[] = {
        "Address / Port", "Instruction / Data", "X : 0x",    "R : 0x",         "W : 0x",
        "Trace Records",  "Data Write",         "Data Read", "Exception Entry"};
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (memmem(line.at, (size_t)(line.end - line.at), parts[i], strlen(parts[i])))
            return true;
    }
    return begins(&line, "# Type Flag") || begins(&line, "#\tType\tFlag");
}

// The description of streams in the Common Trace Format, which stands beside them.
static bool is_ctf(struct line line)
{
    static const char *const texts[] = {"/* CTF 1.", "typealias ", "trace {", "stream {",
                                        "event {",   "env {",      "clock {", "struct packet_"};
    return begins_with_any(&line, texts, ARRAY_COUNT(texts));
}

// Whether a word of the line is an instruction that only RISC-V has. Each is compared as a number
// of 8 bytes, because this is asked of the beginning of every trace.
static bool names_riscv(struct line line)
{
    static const char words[][8] = {
        "auipc", "lui",   "jal",   "jalr",   "addi",  "addiw",  "andi",   "ori",    "xori",
        "slti",  "sltiu", "slli",  "srli",   "srai",  "slliw",  "srliw",  "sraiw",  "sllw",
        "srlw",  "sraw",  "bgeu",  "bltu",   "beqz",  "bnez",   "bgez",   "bltz",   "blez",
        "bgtz",  "csrr",  "csrw",  "csrs",   "csrc",  "csrrw",  "csrrs",  "csrrc",  "csrwi",
        "csrsi", "csrci", "ecall", "ebreak", "mret",  "sret",   "mulhu",  "mulhsu", "mulw",
        "divw",  "divu",  "remu",  "remw",   "lbu",   "lhu",    "lwu",    "li",     "mv",
        "c.li",  "c.lui", "c.mv",  "c.j",    "c.jr",  "c.jal",  "c.jalr", "c.addi", "c.add",
        "c.lw",  "c.sw",  "c.ld",  "c.sd",   "c.nop", "c.lwsp", "c.swsp", "c.ldsp", "c.sdsp"};
    while (line.at < line.end) {
        char word[8] = {0};
        size_t length = 0;
        while (line.at < line.end && (*line.at == ' ' || *line.at == '\t'))
            line.at++;
        for (; line.at < line.end && *line.at != ' ' && *line.at != '\t'; line.at++, length++) {
            if (length < sizeof word)
                word[length] = (char)(*line.at | 0x20);
        }
        uint64_t seen, wanted;
        memcpy(&seen, word, sizeof seen);
        for (size_t i = 0; length <= sizeof word && i < ARRAY_COUNT(words); i++) {
            memcpy(&wanted, words[i], sizeof wanted);
            if (seen == wanted)
                return true;
        }
    }
    return false;
}

// "10 clk IT (5) 80000000:000080000000 00000297 O M : AUIPC t0,0x0": a record of an instruction.
static bool is_tarmac_instruction(struct line line)
{
    static const char *const words[] = {"IT", "IS", "ES"};
    for (unsigned n = 0; n < 4; n++) {
        skip(&line, BLANKS);
        for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
            struct line rest = line;
            if (!take(&rest, words[i]))
                continue;
            skip(&rest, BLANKS);
            if (take(&rest, "("))
                return true;
        }
        while (line.at < line.end && !is_one_of(*line.at, BLANKS))
            line.at++;
    }
    return false;
}

static bool is_riscv_tarmac(struct line line)
{
    return is_tarmac_instruction(line) && names_riscv(line);
}

// "500: system.cpu: A0 T0 : 0x10074 @_start : mov r0, #1"
static bool is_gem5(struct line line)
{
    skip(&line, BLANKS);
    return skip(&line, DIGITS) && take(&line, ": ") &&
           memchr(line.at, ':', (size_t)(line.end - line.at)) != NULL;
}

// "  400580:	d2800020 	mov	x0, #0x1"
static bool is_objdump(struct line line)
{
    bool is_indented = skip(&line, BLANKS) > 0;
    if (skip(&line, HEX_DIGITS) < 2)
        return false;
    return is_indented ? take(&line, ":\t") : take(&line, " <");
}

// "root:x:0:0:root:/root:/bin/bash"
static bool is_passwd(struct line line)
{
    size_t colons = 0;
    for (const char *at = line.at; at < line.end; at++)
        colons += *at == ':';
    const char *second = memchr(line.at, ':', (size_t)(line.end - line.at));
    second = second ? memchr(second + 1, ':', (size_t)(line.end - second - 1)) : NULL;
    return colons == 6 && second && second + 1 < line.end && is_one_of(second[1], DIGITS);
}

static bool is_markup(struct line line)
{
    skip(&line, BLANKS);
    return begins(&line, "<");
}

static bool is_vcd(struct line line)
{
    static const char *const texts[] = {"$date",           "$version",  "$timescale",
                                        "$scope",          "$var ",     "$upscope",
                                        "$enddefinitions", "$dumpvars", "$end"};
    return begins_with_any(&line, texts, ARRAY_COUNT(texts));
}

static bool is_json(struct line line)
{
    skip(&line, BLANKS "{}[],");
    return line.at == line.end || *line.at == '"';
}

static bool is_source(struct line line)
{
    static const char *const texts[] = {"#include", "#define", "#if",     "#endif", "//",
                                        "/*",       "*",       "import ", "from ",  "def ",
                                        "class ",   "static ", "return",  "int ",   "void "};
    skip(&line, BLANKS);
    if (begins_with_any(&line, texts, ARRAY_COUNT(texts)))
        return true;
    while (line.at < line.end && is_one_of(line.end[-1], BLANKS "\r"))
        line.end--;
    return line.at < line.end && is_one_of(line.end[-1], ";{}");
}

static bool is_markdown(struct line line)
{
    static const char *const texts[] = {"# ", "## ", "### ",  "- ", "* ",
                                        "| ", "```", "    $", "> "};
    return begins_with_any(&line, texts, ARRAY_COUNT(texts));
}

// --- What it seems to be -------------------------------------------------------------------------

struct text_kind {
    const char *name;
    bool (*is)(struct line line);
    unsigned percent_min; // of the lines that are not empty
    const char *first;    // the text must begin with one of these; NULL: with anything
};

// Another architecture in the style of Tarmac, whose lines are read without a complaint.
static const struct text_kind riscv_tarmac = {"a log of a RISC-V core in the style of Tarmac",
                                              is_riscv_tarmac, 10, NULL};

// Records of instructions of Tarmac: such a text is a trace, and no kind below is looked for.
static const struct text_kind tarmac = {"a Tarmac trace", is_tarmac_instruction, 10, NULL};

// The first kind that reaches its share is taken.
static const struct text_kind kinds[] = {
    {"a log of Dromajo (RISC-V)", is_dromajo, 30, NULL},
    {"a log of the VeeR core (RISC-V)", is_veer, 30, NULL},
    {"a log of the NEORV32 core (RISC-V)", is_neorv32, 30, NULL},
    {"a log of the Ibex core (RISC-V)", is_ibex, 30, NULL},
    {"a log of Whisper (RISC-V)", is_whisper, 30, NULL},
    {"a log of the Sail model of RISC-V", is_sail, 50, NULL},
    {"a log of the Rocket core (RISC-V)", is_rocket, 30, NULL},
    {"the log of Renode", is_renode, 30, NULL},
    {"a log of PCs by Renode", is_renode_trace, 90, NULL},
    {"a log of QEMU's plugin execlog", is_execlog, 50, NULL},
    {"a list of CoreSight packets by OpenCSD", is_opencsd, 30, NULL},
    {"the output of perf script", is_perf_script, 60, NULL},
    {"a trace of Linux's ftrace", is_ftrace, 60, NULL},
    {"a trace listed by Lauterbach TRACE32", is_trace32, 50, NULL},
    {"a trace saved by Keil uVision", is_uvision, 50, NULL},
    {"the metadata of a trace in the Common Trace Format", is_ctf, 5, "/"},
    {"the output of a model made by Verilator", is_verilator, 30, NULL},
    {"the transcript of an RTL simulator", is_simulator, 30, NULL},
    {"the output of gem5's flag Exec (its TarmacTracer writes Tarmac)", is_gem5, 50, NULL},
    {"a log of QEMU", is_qemu, 50, NULL},
    {"a disassembly of objdump", is_objdump, 50, NULL},
    {"a list of accounts (passwd)", is_passwd, 50, NULL},
    {"a Value Change Dump", is_vcd, 30, NULL},
    {"JSON", is_json, 60, "{["},
    {"HTML or XML", is_markup, 50, "<"},
    {"source code", is_source, 25, NULL},
    {"Markdown", is_markdown, 15, NULL},
};

static unsigned share_of(const struct text_kind *kind, const char *text, const char *end)
{
    unsigned lines = 0, matching = 0;
    while (text < end && lines < LIMIT_UNKNOWN_LINES) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const struct line line = {text, newline ? newline : end};
        text = line.end + 1;
        if (line.at == line.end)
            continue;
        lines++;
        matching += kind->is(line);
    }
    return lines ? matching * 100 / lines : 0;
}

const char *unknown_text_architecture(const char *text, size_t size_bytes)
{
    return share_of(&riscv_tarmac, text, text + size_bytes) >= riscv_tarmac.percent_min
               ? "is a log of a RISC-V core in the style of Tarmac; trawl reads only Arm's "
                 "instructions"
               : NULL;
}

const char *unknown_text_seems(const char *text, size_t size_bytes)
{
    const char *first = text;
    if (share_of(&tarmac, text, text + size_bytes) >= tarmac.percent_min)
        return NULL;
    while (first < text + size_bytes && is_one_of(*first, BLANKS "\r\n"))
        first++;
    for (size_t i = 0; i < ARRAY_COUNT(kinds) && first < text + size_bytes; i++) {
        if (kinds[i].first && !is_one_of(*first, kinds[i].first))
            continue;
        if (share_of(&kinds[i], text, text + size_bytes) >= kinds[i].percent_min)
            return kinds[i].name;
    }
    return NULL;
}

// tracer: runs a bare-metal Arm program in Unicorn, and writes its execution as a Tarmac trace.
#include "machine.h"
#include "text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tracer [options] PROGRAM.elf\n"
    "  -o FILE            the trace (default: standard output)\n"
    "  --style STYLE      it (Fast Models), es (RTL simulators), gem5; default it\n"
    "  --isa ISA          a64, a32 or thumb: refuse a program that is not\n"
    "  --max-bytes N      stop before the trace gets longer, at the end of a line\n"
    "  --max-insns N      stop after that many instructions\n"
    "  --cut N            leave off the last N bytes: a run cut short\n"
    "  --cores N          1 to 4 cores, each started with its number in its first register;\n"
    "                     not with es, which has no names for them\n"
    "  --turn N           instructions until the other core runs (default 200, gem5 3)\n"
    "  --irq-every N      interrupt every N instructions, when not masked\n"
    "  --irq-again N      once more N instructions after every third of these\n"
    "  --truth FILE       true registers, memory and stack, as lines of JSON\n"
    "  --truth-every N    how often (default 1000 instructions)\n"
    "  --stacks FILE      the true stack, as its changes; ends the run where it is not known for "
    "sure\n"
    "  --task-variable V  the program's variable that tells which task runs (default "
    "current_task)\n"
    "  --m-profile        an M-profile core: the image begins with its vectors; T32 only, style "
    "it\n"
    "  --device-every N   M profile: another interrupt, which interrupts the first one's handler\n"
    "  --sign-addresses   A64: cores with pointer authentication, switched on\n"
    "  --no-registers     no lines of registers but those of exceptions, as a simulator can be "
    "told\n"
    "  --input FILE       what semihosting SYS_READ reads\n"
    "  --args TEXT        what semihosting SYS_GET_CMDLINE gives\n"
    "  --check            verify after every instruction that all changes were traced\n"
    "  --quiet            do not show what the program writes\n"
    "The program's exit code becomes the tracer's only if there was no other error.\n";

enum {
    DEFAULT_TRUTH_EVERY = 1000,
    DEFAULT_TURN_INSNS = 200,
    DEFAULT_TURN_INSNS_GEM5 = 3,
    EXIT_USAGE = 2,
    EXIT_BROKEN = 3,
};

enum {
    OPTION_STYLE = 256,
    OPTION_ISA,
    OPTION_MAX_BYTES,
    OPTION_MAX_INSNS,
    OPTION_CUT,
    OPTION_CORES,
    OPTION_TURN,
    OPTION_IRQ_EVERY,
    OPTION_IRQ_AGAIN,
    OPTION_TRUTH,
    OPTION_TRUTH_EVERY,
    OPTION_STACKS,
    OPTION_TASK_VARIABLE,
    OPTION_M_PROFILE,
    OPTION_DEVICE_EVERY,
    OPTION_SIGN_ADDRESSES,
    OPTION_NO_REGISTERS,
    OPTION_INPUT,
    OPTION_ARGS,
    OPTION_CHECK,
    OPTION_QUIET,
    OPTION_HELP,
};

static const struct option long_options[] = {
    {"style", required_argument, NULL, OPTION_STYLE},
    {"isa", required_argument, NULL, OPTION_ISA},
    {"max-bytes", required_argument, NULL, OPTION_MAX_BYTES},
    {"max-insns", required_argument, NULL, OPTION_MAX_INSNS},
    {"cut", required_argument, NULL, OPTION_CUT},
    {"cores", required_argument, NULL, OPTION_CORES},
    {"turn", required_argument, NULL, OPTION_TURN},
    {"irq-every", required_argument, NULL, OPTION_IRQ_EVERY},
    {"irq-again", required_argument, NULL, OPTION_IRQ_AGAIN},
    {"truth", required_argument, NULL, OPTION_TRUTH},
    {"truth-every", required_argument, NULL, OPTION_TRUTH_EVERY},
    {"stacks", required_argument, NULL, OPTION_STACKS},
    {"task-variable", required_argument, NULL, OPTION_TASK_VARIABLE},
    {"m-profile", no_argument, NULL, OPTION_M_PROFILE},
    {"device-every", required_argument, NULL, OPTION_DEVICE_EVERY},
    {"sign-addresses", no_argument, NULL, OPTION_SIGN_ADDRESSES},
    {"no-registers", no_argument, NULL, OPTION_NO_REGISTERS},
    {"input", required_argument, NULL, OPTION_INPUT},
    {"args", required_argument, NULL, OPTION_ARGS},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

typedef struct {
    options_t *options;
    const char *isa;
    bool good;
} parse_t;

static uint64_t number(parse_t *parse, const char *text)
{
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (errno != 0 || end == text || *end != '\0' || *text == '-') {
        fprintf(stderr, "tracer: not a number: %s\n", text);
        parse->good = false;
    }
    return value;
}

static const style_t *style_by_name(parse_t *parse, const char *name)
{
    const style_t *const styles[] = {&style_it, &style_es, &style_gem5};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(styles[i]->name, name) == 0) {
            return styles[i];
        }
    }
    fprintf(stderr, "tracer: no such style: %s\n", name);
    parse->good = false;
    return NULL;
}

static void take_option(parse_t *parse, int option, const char *value)
{
    options_t *o = parse->options;
    switch (option) {
    case 'o':
        o->out_path = value;
        break;
    case OPTION_STYLE:
        o->style = style_by_name(parse, value);
        break;
    case OPTION_ISA:
        parse->isa = value;
        break;
    case OPTION_MAX_BYTES:
        o->bytes_max = number(parse, value);
        break;
    case OPTION_MAX_INSNS:
        o->insns_max = number(parse, value);
        break;
    case OPTION_CUT:
        o->cut_bytes = number(parse, value);
        break;
    case OPTION_CORES:
        o->core_count = (unsigned)number(parse, value);
        break;
    case OPTION_TURN:
        o->turn_insns = number(parse, value);
        break;
    case OPTION_IRQ_EVERY:
        o->irq_every = number(parse, value);
        break;
    case OPTION_IRQ_AGAIN:
        o->irq_again = number(parse, value);
        break;
    case OPTION_TRUTH:
        o->truth_path = value;
        break;
    case OPTION_TRUTH_EVERY:
        o->truth_every = number(parse, value);
        break;
    case OPTION_STACKS:
        o->stacks_path = value;
        break;
    case OPTION_TASK_VARIABLE:
        o->task_variable = value;
        break;
    case OPTION_M_PROFILE:
        o->is_m_profile = true;
        break;
    case OPTION_DEVICE_EVERY:
        o->device_every = number(parse, value);
        break;
    case OPTION_SIGN_ADDRESSES:
        o->signs_addresses = true;
        break;
    case OPTION_NO_REGISTERS:
        o->has_no_registers = true;
        break;
    case OPTION_INPUT:
        o->input_path = value;
        break;
    case OPTION_ARGS:
        o->arguments = value;
        break;
    case OPTION_CHECK:
        o->check = true;
        break;
    case OPTION_QUIET:
        o->quiet = true;
        break;
    case OPTION_HELP:
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    default:
        parse->good = false;
        break;
    }
}

static bool parse_options(options_t *o, int argc, char **argv, const char **isa)
{
    *o = (options_t){
        .out_path = "-",
        .arguments = "program",
        .task_variable = "current_task",
        .style = &style_it,
        .truth_every = DEFAULT_TRUTH_EVERY,
        .core_count = 1,
    };
    parse_t parse = {.options = o, .good = true};
    int option;
    while ((option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1) {
        take_option(&parse, option, optarg);
    }
    *isa = parse.isa;
    bool in_range = o->core_count >= 1 && o->core_count <= CORES_MAX && o->truth_every != 0 &&
                    !(o->core_count > 1 && (o->style == &style_es || o->stacks_path != NULL)) &&
                    !(o->is_m_profile && o->style != &style_it);
    if (o->turn_insns == 0) {
        o->turn_insns = o->style == &style_gem5 ? DEFAULT_TURN_INSNS_GEM5 : DEFAULT_TURN_INSNS;
    }
    if (!parse.good || !in_range || optind + 1 != argc) {
        fputs(usage, stderr);
        return false;
    }
    if (o->bytes_max == 0 && o->insns_max == 0) {
        fputs("tracer: give --max-bytes or --max-insns: runs are always bounded\n", stderr);
        return false;
    }
    o->elf_path = argv[optind];
    return true;
}

static bool isa_fits(const image_t *image, const char *isa)
{
    const char *actual = image->is_64bit ? "a64" : image->entry & 1 ? "thumb" : "a32";
    if (isa == NULL || strcmp(isa, actual) == 0) {
        return true;
    }
    fprintf(stderr, "tracer: the program is %s, not %s\n", actual, isa);
    return false;
}

static bool prepare(machine_t *m, const char *isa)
{
    const options_t *o = &m->options;
    if (!image_load(&m->image, o->elf_path)) {
        fprintf(stderr, "tracer: cannot load %s\n", o->elf_path);
        return false;
    }
    if (!isa_fits(&m->image, isa)) {
        return false;
    }
    if (!insn_cache_open(&m->cache, &m->image, o->style, o->is_m_profile)) {
        fputs("tracer: cannot set up the disassembler\n", stderr);
        return false;
    }
    if (!semihost_open(&m->semihost, o->input_path)) {
        fprintf(stderr, "tracer: cannot read %s\n", o->input_path);
        return false;
    }
    if (!out_open(&m->out, o->out_path, o->bytes_max,
                  o->truth_path != NULL || o->stacks_path != NULL) ||
        !truth_open(&m->truth, m) || !stacks_open(&m->stacks, m)) {
        fputs("tracer: cannot create the output\n", stderr);
        return false;
    }
    for (unsigned i = 0; i < o->core_count; i++) {
        if (!core_open(&m->cores[i], m, i)) {
            fputs("tracer: cannot set up Unicorn\n", stderr);
            return false;
        }
    }
    return true;
}

static bool all_finished(const machine_t *m)
{
    for (unsigned i = 0; i < m->options.core_count; i++) {
        if (!m->cores[i].finished) {
            return false;
        }
    }
    return true;
}

static bool run(machine_t *m)
{
    const options_t *o = &m->options;
    bool good = true;
    for (unsigned i = 0; i < o->core_count; i++) {
        out_commit(&m->out, o->style->header(&m->cores[i], m->out.end));
    }
    uint64_t turn_insns = o->core_count == 1 ? INT64_MAX : o->turn_insns;
    while (good && !m->stopping && !all_finished(m)) {
        for (unsigned i = 0; good && i < o->core_count; i++) {
            good = core_run(&m->cores[i], turn_insns);
        }
    }
    if (!m->stopping) {
        out_commit(&m->out, o->style->footer(&m->cores[0], m->out.end));
    }
    return good;
}

int main(int argc, char **argv)
{
    static machine_t machine;
    machine_t *m = &machine;
    const char *isa = NULL;
    text_init();
    if (!parse_options(&m->options, argc, argv, &isa)) {
        return EXIT_USAGE;
    }
    if (!prepare(m, isa)) {
        return EXIT_BROKEN;
    }
    bool good = run(m);
    good = truth_close(&m->truth, m) && good;
    good = stacks_close(&m->stacks) && good;
    if (!out_close(&m->out, m->options.cut_bytes)) {
        fputs("tracer: cannot write the trace\n", stderr);
        good = false;
    }
    for (unsigned i = 0; i < m->options.core_count; i++) {
        core_close(&m->cores[i]);
    }
    return good ? (int)m->exit_code : EXIT_BROKEN;
}

// What is in a log, for a report on whether it can be used: counts of each kind of record, and what
// is missing. Lines are read one by one, on one thread, by the plain reader of lines and not by a
// pass, so that each line that is not understood is seen with its reason.
#include "trace/riscv/examine.h"

#include "base/limits.h"
#include "trace/riscv/forms.h"

#include <inttypes.h>

enum { HARTS = 64 };

struct examiner {
    struct examination *examination;
    struct reading_options how;
    uint64_t instructions, compressed, registers, csrs, loads, stores;
    uint64_t exceptions, texts, repeats;
    struct {
        uint64_t number, lines;
    } harts[HARTS];
    size_t hart_count; // HARTS + 1: more
    bool has_unnamed;
};

static void take_hart(struct examiner *examiner, const struct trace_line *line)
{
    uint64_t number = 0;
    size_t at = 0;
    if (!line->cpu) {
        examiner->has_unnamed = true;
        return;
    }
    for (uint32_t i = 0; i < line->cpu_length && i < 18; i++)
        number = number * 10 + (uint64_t)(line->cpu[i] - '0');
    while (at < examiner->hart_count && at < HARTS && examiner->harts[at].number != number)
        at++;
    if (at == HARTS) {
        examiner->hart_count = HARTS + 1;
        return;
    }
    if (at == examiner->hart_count)
        examiner->hart_count++;
    examiner->harts[at].number = number;
    examiner->harts[at].lines++;
}

static void take_record(struct examiner *examiner, const struct trace_line *line)
{
    examiner->repeats += line->repeats;
    switch (line->kind) {
    case LINE_INSTRUCTION:
        examiner->instructions++;
        examiner->compressed += line->instruction.size_bytes == 2;
        break;
    case LINE_REGISTER:
        examiner->registers++;
        break;
    case LINE_NAMED_REGISTER:
        examiner->csrs++;
        break;
    case LINE_MEMORY:
        *(line->memory.is_read ? &examiner->loads : &examiner->stores) += 1;
        break;
    case LINE_EXCEPTION:
        examiner->exceptions++;
        break;
    case LINE_TEXT:
        examiner->texts++;
        break;
    case LINE_NOTHING:
    case LINE_DIAGRAM:
        break;
    }
}

static void take_line(void *self, const char *start, const char *end)
{
    struct examiner *examiner = self;
    struct line_context context = LINE_CONTEXT_START;
    struct line_columns columns = {.goes_on = true, .read_end = start};
    struct trace_line line;
    struct text_fault fault;
    end = line_trim(start, end);
    for (bool is_first = true; columns.goes_on; is_first = false) {
        const char *reason = NULL;
        if (!riscv_study(columns.read_end, end, &examiner->how, &context, &line, &fault, &columns))
            reason = fault.text;
        else if (line.note == NOTE_UNKNOWN_EVENT)
            reason = "no record of a RISC-V log";
        if (reason) {
            examination_line(examiner->examination, start, (size_t)(end - start), reason);
            return;
        }
        if (is_first && line.kind == LINE_NOTHING && columns.is_particular && !line.cpu)
            examiner->examination->blank_lines++;
        else if (is_first)
            take_hart(examiner, &line);
        take_record(examiner, &line);
    }
}

static const char *dialect_text(uint32_t dialect)
{
    if (riscv_form_of(dialect)->text)
        return riscv_form_of(dialect)->text;
    const bool is_both = (dialect & RISCV_HAS_COMMITS) && (dialect & RISCV_HAS_INSTRUCTIONS);
    if (is_both && (dialect & (RISCV_HAS_NO_HARTS | RISCV_IS_RTL)))
        return "RVFI text as CVA6 and old versions of Spike write it";
    if (is_both)
        return "as Spike writes it with -l and --log-commits";
    return dialect & RISCV_HAS_COMMITS ? "as Spike writes it with --log-commits"
                                       : "as Spike writes it with -l";
}

static void report_facts(const struct examiner *examiner)
{
    struct examination *to = examiner->examination;
    char text[EXAMINED_TEXT_BYTES] = "";
    size_t length = 0;
    examination_fact(to, "dialect", "%s", dialect_text(examiner->how.dialect));
    examination_line_facts(to);
    examination_fact(to, "instructions", "%" PRIu64 " of RV%d, compressed %" PRIu64,
                     examiner->instructions + examiner->repeats,
                     examiner->how.dialect & RISCV_IS_32 ? 32 : 64, examiner->compressed);
    examination_fact(to, "registers", "%" PRIu64 " writes, and of CSRs %" PRIu64,
                     examiner->registers, examiner->csrs);
    if (riscv_form_of(examiner->how.dialect)->hides_direction)
        examination_fact(to, "memory", "%" PRIu64 " accesses", examiner->loads);
    else
        examination_fact(to, "memory", "%" PRIu64 " loads, %" PRIu64 " stores", examiner->loads,
                         examiner->stores);
    examination_fact(to, "exceptions", "%" PRIu64, examiner->exceptions);
    for (size_t i = 0; i < examiner->hart_count && i < HARTS && length < sizeof text - 1; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             "%s" RISCV_LANE_PREFIX "%" PRIu64 " (%" PRIu64 " lines)",
                             i ? ", " : "", examiner->harts[i].number, examiner->harts[i].lines);
    if (examiner->hart_count)
        examination_fact(to, "harts", "%s%zu: %s", examiner->hart_count > HARTS ? "more than " : "",
                         (size_t)u64_min(examiner->hart_count, HARTS), text);
}

static void report_missing(const struct examiner *examiner)
{
    struct examination *to = examiner->examination;
    const struct riscv_form *form = riscv_form_of(examiner->how.dialect);
    to->is_no_trace = !examiner->instructions;
    if (!to->lines)
        examination_finding(to, "give a trace", "the file is empty");
    else if (to->is_no_trace)
        examination_finding(to, "give a trace that trawl reads", "no line is an instruction");
    else if (!examiner->registers)
        examination_finding(to,
                            form->text ? "have the producer show registers"
                                       : "run Spike with --log-commits, too",
                            "no register is written: values are unknown, and calls are found by "
                            "the instructions alone");
    if (examiner->instructions && !examiner->loads && !examiner->stores)
        examination_finding(to,
                            form->text ? "have the producer show memory, if it matters"
                                       : "run Spike with --log-commits, too, if memory matters",
                            "there are no memory accesses: the contents of memory are unknown");
    if (!form->text && examiner->instructions && !examiner->exceptions && !examiner->texts)
        examination_finding(to, "run Spike with -l, too, if causes of traps or disassembly matter",
                            "lines of commits show neither traps nor the text of instructions");
    examination_line_findings(to);
}

enum status riscv_examine(struct source *source, const struct reading_options *how,
                          struct progress *progress, struct examination *examination,
                          struct error *err)
{
    struct examiner examiner = {.examination = examination, .how = *how};
    enum status status = examination_read(examination, source, progress, take_line, &examiner, err);
    if (status == STATUS_OK) {
        report_facts(&examiner);
        report_missing(&examiner);
    }
    if (status == STATUS_OK && examination->has_no_memory)
        status = error_set(err, STATUS_MEMORY, "no memory for the report");
    return status;
}

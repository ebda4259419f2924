// Command lines: any arguments, with the option tables of every command; and values of options.
//
// Input: a byte that selects the command, then arguments, each with a NUL byte at its end.
#include "fuzz.h"

#include "cli/options.h"
#include "cli/values.h"
#include "cmd/commands.h"

#define ARGUMENTS_MAX 32

static void check_values(const char *text)
{
    uint64_t value, same;
    struct value_range range;
    if (parse_u64(text, &value)) {
        CLAIM(parse_u64_within(text, value, value, &same) && same == value);
        CLAIM(parse_load_offset(text, &same));
    }
    if (parse_size(text, &value))
        CLAIM(strlen(text) > 0);
    if (parse_range(text, &range))
        CLAIM(range.first <= range.last);
}

static void parse(const struct command_spec *command, int argc, char **argv)
{
    struct options_parser parser;
    struct option_match match;
    size_t positionals = 0;
    options_begin(&parser, command, argc, argv);
    for (int steps = 0;; steps++) {
        int option = options_next(&parser, &match);
        if (option == OPTION_END || option == OPTION_STOP)
            break;
        CLAIM(steps <= 2000);
        if (option == OPTION_POSITIONAL)
            CLAIM(match.value && positionals++ <= (size_t)argc);
        else
            CLAIM(option > 0 && match.option && match.option->id == option &&
                  !match.option->metavar == !match.value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const struct command_spec *const commands[] = {
        &profile_command,         &calltree_command,          &callinfo_command,
        &flamegraph_command,      &tarmac_profile_command,    &tarmac_calltree_command,
        &tarmac_callinfo_command, &tarmac_flamegraph_command,
    };
    if (size_bytes == 0 || size_bytes > 1000)
        return 0;
    char *text = fuzz_copy(data, size_bytes), *argv[ARGUMENTS_MAX + 1];
    int argc = 0;
    text[size_bytes - 1] = '\0';
    for (char *at = text + 1; at < text + size_bytes && argc < ARGUMENTS_MAX; at += strlen(at) + 1)
        argv[argc++] = at;
    argv[argc] = NULL;
    for (int i = 0; i < argc; i++)
        check_values(argv[i]);
    parse(commands[data[0] % ARRAY_COUNT(commands)], argc, argv);
    free(text);
    return 0;
}

// xray extract: the instrumentation map of an image.
#include "cmd/xray/command.h"
#include "cmd/xray/convert.h"

enum { OPTION_SYMBOLIZE = XRAY_OPTION_OWN, OPTION_DEMANGLE, OPTION_NO_DEMANGLE };

struct extract_command {
    struct xray_command common;
    bool symbolizes, keeps_mangled;
};

// Like hexadecimal numbers in LLVM's YAML: with capitals.
static void put_address(struct out *out, uint64_t address)
{
    static const char digits[] = "0123456789ABCDEF";
    int shift = 60;
    while (shift && !(address >> shift))
        shift -= 4;
    out_text(out, "0x");
    for (; shift >= 0; shift -= 4)
        out_byte(out, digits[address >> shift & 15]);
}

static bool report(void *self)
{
    struct extract_command *command = self;
    struct xray_command *common = &command->common;
    struct xray_names *names = &common->input.names;
    struct error err;
    names->keeps_mangled = command->keeps_mangled;
    if (xray_names_add(names, common->input.path, &err) != STATUS_OK)
        return xray_fail(common, &err);
    struct xray_object *object = &names->objects.items.items[0];
    xray_object_number(object, 0); // ids of the object itself, not of a log
    if (xray_names_settle(names, NULL, &err) != STATUS_OK)
        return xray_fail(common, &err);
    if (!xray_command_output(common))
        return false;
    out_text(&common->out, "---\n");
    for (size_t i = 0; i < object->map.sleds.count && !out_failed(&common->out); i++) {
        const struct xray_sled *sled = &object->map.sleds.items[i];
        const char *kind = xray_sled_name(sled->kind);
        const char *name =
            command->symbolizes ? xray_name(&command->common.input.names, sled->function_id) : "";
        out_text(&common->out, "- { id: ");
        out_u64(&common->out, sled->function_id);
        out_text(&common->out, ", address: ");
        put_address(&common->out, sled->address);
        out_text(&common->out, ", function: ");
        put_address(&common->out, sled->function);
        out_text(&common->out, ", kind: ");
        out_text(&common->out, kind ? kind : "unknown");
        out_text(&common->out, sled->always_instrument
                                   ? ", always-instrument: true, function-name: "
                                   : ", always-instrument: false, function-name: ");
        xray_put_yaml(&common->out, name, strlen(name));
        out_text(&common->out, ", version: ");
        out_u64(&common->out, sled->version);
        out_text(&common->out, " }\n");
    }
    out_text(&common->out, "...\n");
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    (void)parser;
    (void)match;
    struct extract_command *command = self;
    if (option == OPTION_SYMBOLIZE)
        command->symbolizes = true;
    else
        command->keeps_mangled = option == OPTION_NO_DEMANGLE;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct extract_command command = {0};
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_SYMBOLIZE, 's', "symbolize", NULL, "add the names of functions"},
    {OPTION_DEMANGLE, 0, "demangle", NULL, "show C++, Rust and D names as in the source (default)"},
    {OPTION_NO_DEMANGLE, 0, "no-demangle", NULL, "show names as the image has them"},
    {XRAY_OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {0},
};

const struct command_spec xray_extract_command = {
    .name = "xray extract",
    .option_set = OPTIONS_TRAWL,
    .summary = "the instrumentation map of an image, as YAML",
    .description =
        "Prints the instrumentation map of an image as YAML: for each place that XRay can patch "
        "its address, its kind, and the id and address of its function. --instr-map of the other "
        "commands reads it in place of the image.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals =
        (const struct positional_spec[]){
            {"IMAGE", "ELF file with an instrumentation map, or such a map as YAML", NULL, false,
             false},
            {0}},
    .examples = "trawl xray extract --symbolize prog\n",
    .takes_one_dash = true,
    .alternatives = (const int[]){OPTION_DEMANGLE, OPTION_NO_DEMANGLE, 0, 0},
    .run = run,
};

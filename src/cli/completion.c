
#include "cli/help.h"

// Options that every command has, next to its own.
static const struct option_spec common_option = {1, 'h', "help", NULL,
                                                 "show a summary of the options"};

// Calls `visit` for each option that the help of a command shows.
typedef void visit_option(FILE *out, const struct command_spec *command,
                          const struct option_spec *option);

static void visit_options(FILE *out, const struct command_spec *command, visit_option *visit)
{
    for (const struct option_group *group = command->groups; group && group->options; group++) {
        for (const struct option_spec *option = group->options; option->id; option++) {
            if (option->help)
                visit(out, command, option);
        }
    }
    visit(out, command, &common_option);
}

// Calls `visit` for every command, those of families as well.
typedef void visit_command(FILE *out, const struct command_spec *command);

static void visit_commands(FILE *out, const struct command_spec *const *commands,
                           visit_command *visit)
{
    for (; *commands; commands++) {
        visit(out, *commands);
        if ((*commands)->commands)
            visit_commands(out, (*commands)->commands, visit);
    }
}

// The last word of a command's name, its name in its family.
static const char *last_word(const struct command_spec *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank ? blank + 1 : command->name;
}

// The names of a list of commands, each after a space.
static void put_names(FILE *out, const struct command_spec *const *commands)
{
    for (; *commands; commands++) {
        if (help_is_listed(*commands))
            fprintf(out, " %s", last_word(*commands));
    }
}

// The names of the programs besides trawl, each after a space.
static void put_programs(FILE *out, const struct command_spec *const *commands)
{
    for (; *commands; commands++) {
        if ((*commands)->option_set == OPTIONS_TTU)
            fprintf(out, " %s", (*commands)->name);
    }
}

// Text between single quotes; `escaped` stands for one of these inside.
static void put_quoted(FILE *out, const char *text, const char *escaped)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs(escaped, out);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

// --- bash ----------------------------------------------------------------------------------------

static void put_bash_option(FILE *out, const struct command_spec *command,
                            const struct option_spec *option)
{
    (void)command;
    const char *value = option->metavar ? "=" : "";
    for (const char *at = option->names; at && *at;) {
        size_t length = strcspn(at, ",");
        fprintf(out, " --%.*s%s", (int)length, at, value);
        at += length + (at[length] == ',');
    }
    if (option->letter && !option->names)
        fprintf(out, " -%c", option->letter);
}

static void put_bash_case(FILE *out, const struct command_spec *command)
{
    fprintf(out, "    '%s') echo", command->name);
    if (command->commands)
        put_names(out, command->commands);
    else
        visit_options(out, command, put_bash_option);
    fputs(" ;;\n", out);
}

void completion_print_bash(FILE *out, const struct command_spec *const *commands)
{
    fputs("# bash completion of trawl\n"
          "# What may follow a command: the commands of a family, or options.\n"
          "_trawl_words() {\n"
          "    case $1 in\n"
          "    '') echo",
          out);
    put_names(out, commands);
    fputs(" help --help --version ;;\n", out);
    visit_commands(out, commands, put_bash_case);
    fputs("    esac\n"
          "}\n"
          "_trawl() {\n"
          "    local command=${COMP_WORDS[0]##*/} word words offered\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    [[ $command == trawl ]] && command=\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        words=\" $(_trawl_words \"$command\") \"\n"
          "        [[ $word != -* && $words == *\" $word \"* ]] || break\n"
          "        command=${command:+$command }$word\n"
          "    done\n"
          "    offered=$(_trawl_words \"$command\")\n"
          "    COMPREPLY=()\n"
          "    # What follows '=' is a value, and '=' is a word of its own here.\n"
          "    [[ $current == = ]] && current=\n"
          "    if [[ $before == = || $current == '' && ${COMP_WORDS[COMP_CWORD]} == = ]]; then\n"
          "        :\n"
          "    elif [[ $current == -* || \" $offered\" != *\" -\"* || -z $command ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$offered\" -- \"$current\")\n"
          "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
          "        return\n"
          "    fi\n"
          "    compopt -o filenames\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
          "}\n"
          "complete -F _trawl trawl",
          out);
    put_programs(out, commands);
    fputc('\n', out);
}

// --- zsh -----------------------------------------------------------------------------------------

// Text of a description, in which brackets and colons are special.
static void put_zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            fputc('\\', out);
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put_zsh_spec(FILE *out, const struct option_spec *option, const char *name,
                         size_t length, bool is_long)
{
    const char *value = option->metavar ? is_long ? "=" : "+" : "";
    fprintf(out, " \\\n        '*%s%.*s%s[", is_long ? "--" : "-", (int)length, name, value);
    put_zsh_text(out, option->help);
    fputc(']', out);
    if (option->metavar) {
        fputc(':', out);
        put_zsh_text(out, option->metavar);
        fputs(":_files", out);
    }
    fputc('\'', out);
}

static void put_zsh_option(FILE *out, const struct command_spec *command,
                           const struct option_spec *option)
{
    (void)command;
    if (option->letter)
        put_zsh_spec(out, option, &option->letter, 1, false);
    for (const char *at = option->names; at && *at;) {
        size_t length = strcspn(at, ",");
        put_zsh_spec(out, option, at, length, true);
        at += length + (at[length] == ',');
    }
}

static void put_zsh_list(FILE *out, const struct command_spec *const *commands)
{
    fputs("\n        _values command", out);
    for (; *commands; commands++) {
        if (!help_is_listed(*commands))
            continue;
        fprintf(out, " \\\n        '%s[", last_word(*commands));
        put_zsh_text(out, (*commands)->summary);
        fputs("]'", out);
    }
    fputs(" ;;\n", out);
}

static void put_zsh_case(FILE *out, const struct command_spec *command)
{
    fprintf(out, "    '%s')", command->name);
    if (command->commands) {
        put_zsh_list(out, command->commands);
        return;
    }
    fputs("\n        _arguments -s -S", out);
    visit_options(out, command, put_zsh_option);
    fputs(" \\\n        '*: :_files' ;;\n", out);
}

void completion_print_zsh(FILE *out, const struct command_spec *const *commands)
{
    fputs("#compdef trawl", out);
    put_programs(out, commands);
    fputs("\n"
          "# zsh completion of trawl\n"
          "_trawl_command() {\n"
          "    case $1 in\n"
          "    '')",
          out);
    put_zsh_list(out, commands);
    visit_commands(out, commands, put_zsh_case);
    fputs("    esac\n"
          "}\n"
          "_trawl() {\n"
          "    local families=' ",
          out);
    for (const struct command_spec *const *command = commands; *command; command++) {
        if ((*command)->commands)
            fprintf(out, "%s ", (*command)->name);
    }
    fputs("' command=${words[1]:t} taken=1\n"
          "    [[ $command == trawl ]] && command=\n"
          "    if [[ -z $command ]] && (( CURRENT > 2 )); then\n"
          "        command=$words[2] taken=2\n"
          "        if [[ $families == *\" $command \"* ]] && (( CURRENT > 3 )); then\n"
          "            command+=\" $words[3]\" taken=3\n"
          "        fi\n"
          "    fi\n"
          "    shift $(( taken - 1 )) words\n"
          "    (( CURRENT -= taken - 1 ))\n"
          "    _trawl_command \"$command\"\n"
          "}\n"
          "if [[ $funcstack[1] == _trawl ]]; then _trawl \"$@\"; else compdef _trawl trawl",
          out);
    put_programs(out, commands);
    fputs("; fi\n", out);
}

// --- fish ----------------------------------------------------------------------------------------

static void put_fish_option(FILE *out, const struct command_spec *command,
                            const struct option_spec *option)
{
    // Writes the program of a command, and the test that the command was typed.
    if (command->option_set == OPTIONS_TTU)
        fprintf(out, "complete -c %s", command->name);
    else
        fprintf(out, "complete -c trawl -n '__trawl_is %s'", command->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    for (const char *at = option->names; at && *at;) {
        size_t length = strcspn(at, ",");
        fprintf(out, " -l %.*s", (int)length, at);
        at += length + (at[length] == ',');
    }
    fprintf(out, "%s -d ", option->metavar ? " -r" : "");
    put_quoted(out, option->help, "\\'");
    fputc('\n', out);
}

static void put_fish_list(FILE *out, const char *family, const struct command_spec *const *commands)
{
    for (; *commands; commands++) {
        if (!help_is_listed(*commands))
            continue;
        fprintf(out, "complete -c trawl -f -n '__trawl_wants_command %s' -a %s -d ", family,
                last_word(*commands));
        put_quoted(out, (*commands)->summary, "\\'");
        fputc('\n', out);
    }
}

static void put_fish_command(FILE *out, const struct command_spec *command)
{
    if (command->commands)
        put_fish_list(out, command->name, command->commands);
    else
        visit_options(out, command, put_fish_option);
}

void completion_print_fish(FILE *out, const struct command_spec *const *commands)
{
    fputs("# fish completion of trawl\n"
          "# Whether the words after trawl begin with these.\n"
          "function __trawl_is\n"
          "    set -l words (commandline -opc)\n"
          "    set -e words[1]\n"
          "    set -l count (count $argv)\n"
          "    test (count $words) -ge $count\n"
          "    and test \"$words[1..$count]\" = \"$argv\"\n"
          "end\n"
          "# Whether they are these, and the name of a command is what follows.\n"
          "function __trawl_wants_command\n"
          "    set -l words (commandline -opc)\n"
          "    set -e words[1]\n"
          "    test \"$words\" = \"$argv\"\n"
          "end\n",
          out);
    put_fish_list(out, "", commands);
    visit_commands(out, commands, put_fish_command);
}

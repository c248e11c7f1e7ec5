import type { Command, Option } from "commander";

/** A word that a shell can propose, with its description. */
export type CompletedWord = { readonly word: string; readonly description: string };

export type CompletedOption = CompletedWord & {
  /** Short form, such as `-V`. */
  readonly short: string | undefined;
  /** True if the next word is its value. */
  readonly takesValue: boolean;
  /** Allowed values; empty if any text is. */
  readonly values: readonly string[];
};

/** A command as a shell completes it. */
export type CompletedCommand = {
  /** Words that lead to the command, each after a space: ` key create`. Empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** Allowed values of its arguments. */
  readonly values: readonly string[];
  readonly hasArguments: boolean;
};

/** Words that need no quoting in any shell. Others, which an operator's data may have, are not proposed. */
const plainValue = /^[\w@%+:,./-]+$/;

/** Returns the commands of a program, the program itself first. Hidden commands and options are left out. */
export const completedCommands = (program: Command, path = ""): readonly CompletedCommand[] => {
  const help = program.createHelp();
  const visibleSubcommands = help.visibleCommands(program);
  const values = program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    {
      path,
      subcommands: visibleSubcommands.map((command) => wordOf(command.name(), command.description())),
      options: help.visibleOptions(program).flatMap(optionWords),
      values: values.filter((value) => plainValue.test(value)),
      hasArguments: program.registeredArguments.length > 0,
    },
    // The help command takes any command, and nothing below it is proposed.
    ...visibleSubcommands.flatMap((command) =>
      command.name() === "help" ? [] : completedCommands(command, `${path} ${command.name()}`),
    ),
  ];
};

const optionWords = (option: Option): readonly CompletedOption[] =>
  option.long === undefined
    ? []
    : [
        {
          ...wordOf(option.long ?? "", option.description),
          short: option.short,
          takesValue: option.required || option.optional,
          values: (option.argChoices ?? []).filter((value) => plainValue.test(value)),
        },
      ];

/** Removes what has a meaning within quotes of some shell, and ends at the first sentence. */
const wordOf = (word: string, description: string): CompletedWord => ({
  word,
  description: (/^.*?(?=\.(?:\s|$)|$)/s.exec(description)?.[0] ?? "")
    .replaceAll(/['"`$\\[\]]/g, "")
    .replaceAll(/\s+/g, " "),
});

/** Returns a name for shell functions: that of the program with `_`. */
export const functionName = (program: string): string => program.replaceAll(/\W/g, "_");

import type { Command } from "commander";
import { type CommandLineError, withSubcommands } from "./conventions.ts";
import { printMessage } from "./output.ts";

/** A failed command as JSON, in the form that errors have under `/v1`. */
export type CommandFailure = {
  /** Stable code of the error. */
  readonly error: string;
  readonly message: string;
  /** The option, argument or member at fault, or else the option that helps. */
  readonly target?: string | undefined;
  /** The values that `target` may have. */
  readonly allowed?: readonly string[] | undefined;
};

/** Codes of wrong command lines, by commander's code, with the pattern that finds the name at fault in commander's message. */
const usageErrors: Readonly<Record<string, { readonly error: string; readonly name?: RegExp }>> = {
  "commander.unknownOption": { error: "unknown_option", name: /unknown option '([^']*)'/ },
  "commander.unknownCommand": { error: "unknown_command", name: /unknown command '([^']*)'/ },
  "commander.missingArgument": { error: "missing_argument", name: /argument '([^']*)'/ },
  "commander.missingMandatoryOptionValue": { error: "missing_option", name: /option '([^']*)'/ },
  "commander.optionMissingArgument": { error: "missing_value", name: /option '([^']*)'/ },
  "commander.conflictingOption": { error: "conflicting_options", name: /option '([^']*)'/ },
  "commander.invalidArgument": {
    error: "invalid_value",
    name: /(?:option '([^']*)' argument|for argument '([^']*)')/,
  },
  "commander.excessArguments": { error: "excess_arguments" },
};

/** True if the command line has `--json`: then an error is printed as JSON too. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).includes("--json");
}

/** Keeps commander from printing wrong command lines, for {@link printFailure} to print them as JSON. */
export function silenceUsageErrors(program: Command): void {
  for (const command of withSubcommands(program))
    command.configureOutput({ writeErr: () => {}, outputError: () => {} });
}

/** Describes a wrong command line. */
export function usageFailure({ code, message, command }: CommandLineError): CommandFailure {
  const { error, name } = usageErrors[code] ?? { error: "command_line_invalid" };
  const [, ...found] = name?.exec(message) ?? [];
  const named = found.find((text) => text !== undefined);
  const target = /--[\w-]+/.exec(named ?? "")?.[0] ?? named;
  return {
    error,
    message: message.replace(/^error: /, ""),
    target,
    allowed: allowedAt(error, target, command),
  };
}

function allowedAt(
  error: string,
  target: string | undefined,
  command: Command,
): readonly string[] | undefined {
  const help = command.createHelp();
  if (error === "unknown_option") return help.visibleOptions(command).map(({ long, flags }) => long ?? flags);
  if (error === "unknown_command") return help.visibleCommands(command).map((one) => one.name());
  const option = command.options.find(({ long }) => long === target);
  return (option ?? command.registeredArguments.find((argument) => argument.name() === target))?.argChoices;
}

/** Describes an error whose message may name options: the first one is the target. */
export const failureOf = (error: string, message: string): CommandFailure => ({
  error,
  message,
  target: /(?<![\w-])--[a-z][\w-]*/.exec(message)?.[0],
});

/** Prints a failure as the last line of standard error. */
export const printFailure = (failure: CommandFailure): void => printMessage(JSON.stringify(failure));

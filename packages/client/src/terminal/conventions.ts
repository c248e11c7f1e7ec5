import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { type Command, CommanderError } from "commander";
import { completionCommand } from "./completion.ts";
import { asTyped } from "./typed-command.ts";

/** Exit codes of a program, by name, with what each means. */
export type ExitCodeTable = Readonly<Record<string, { readonly code: number; readonly means: string }>>;

/** Command lines that show how a command is used, by the words of the command: `key create`. The first line is the usual one. */
export type ExampleTable = Readonly<Record<string, readonly string[]>>;

export type ProgramConventions = {
  /** Address of the package's `package.json`, which has the version. */
  readonly manifest: URL;
  readonly exitCodes: ExitCodeTable;
  readonly examples: ExampleTable;
};

/**
 * Gives a program `--version`, `completion`, examples and exit codes in its help, and errors that name the help. Wrong command
 * lines are thrown as {@link CommandLineError} instead of ending the process.
 */
export function applyConventions(
  program: Command,
  { manifest, exitCodes, examples }: ProgramConventions,
): void {
  program.version(versionIn(manifest), "-V, --version", "print the version");
  program.addCommand(completionCommand(program));
  for (const command of withSubcommands(program)) {
    const words = commandWords(command);
    command.exitOverride((error) => {
      throw new CommandLineError(error, command);
    });
    // Commander removes the styles for `NO_COLOR`, and where the output is no terminal.
    command.configureHelp({ styleTitle: (title) => styleText("bold", title, { validateStream: false }) });
    command.showHelpAfterError(
      asTyped(`\`${[...words, "--help"].join(" ")}\` shows the options and examples.`),
    );
    const lines = examples[words.slice(1).join(" ")];
    if (lines !== undefined) command.addHelpText("after", `\nExamples:\n${indented(lines)}`);
  }
  program.addHelpText("after", `\n${exitCodeHelp(exitCodes)}`);
}

/** A wrong command line, with the command that it is of. Commander has printed it, unless the program is silent. */
export class CommandLineError extends CommanderError {
  readonly command: Command;

  constructor({ exitCode, code, message }: CommanderError, command: Command) {
    super(exitCode, code, message);
    this.command = command;
  }
}

/** Returns a command and all commands below it. */
export const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Returns the words that call a command, the program's name first. */
export const commandWords = (command: Command): readonly string[] => [
  ...(command.parent === null ? [] : commandWords(command.parent)),
  command.name(),
];

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join("\n");

const exitCodeHelp = (table: ExitCodeTable): string =>
  `Exit codes:\n${indented(Object.values(table).map(({ code, means }) => `${code}  ${means}`))}`;

function versionIn(manifest: URL): string {
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  return version;
}

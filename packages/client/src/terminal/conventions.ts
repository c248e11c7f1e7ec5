import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import type { Command } from "commander";
import { completionCommand } from "./completion.ts";

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
 * Gives a program `--version`, `completion`, examples and exit codes in its help, and errors that name the help. Commander's errors are
 * thrown instead of ending the process.
 */
export function applyConventions(
  program: Command,
  { manifest, exitCodes, examples }: ProgramConventions,
): void {
  program.version(versionIn(manifest), "-V, --version", "print the version");
  program.addCommand(completionCommand(program));
  for (const command of withSubcommands(program)) {
    const words = commandWords(command);
    command.exitOverride();
    // Commander removes the styles for `NO_COLOR`, and where the output is no terminal.
    command.configureHelp({ styleTitle: (title) => styleText("bold", title, { validateStream: false }) });
    command.showHelpAfterError(`\`${[...words, "--help"].join(" ")}\` shows the options and examples.`);
    const lines = examples[words.slice(1).join(" ")];
    if (lines !== undefined) command.addHelpText("after", `\nExamples:\n${indented(lines)}`);
  }
  program.addHelpText("after", `\n${exitCodeHelp(exitCodes)}`);
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

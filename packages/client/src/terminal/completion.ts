import { Argument, Command } from "commander";
import { bashCompletion } from "./completion-bash.ts";
import { fishCompletion } from "./completion-fish.ts";
import { type CompletedCommand, completedCommands } from "./completion-words.ts";
import { zshCompletion } from "./completion-zsh.ts";
import { printResult } from "./output.ts";

/** Shells with completion, by name. */
const shells = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<string, (program: string, commands: readonly CompletedCommand[]) => string>;

/** `completion <shell>` of a program: prints a script that completes its commands, options and values. */
export const completionCommand = (program: Command): Command =>
  new Command("completion")
    .description("Print a script with which a shell completes commands, options and values.")
    .addArgument(
      new Argument("<shell>", "the shell that loads the script").choices(
        Object.keys(shells) as (keyof typeof shells)[],
      ),
    )
    .action((shell: keyof typeof shells) =>
      printResult(shells[shell](program.name(), completedCommands(program)).trimEnd()),
    );

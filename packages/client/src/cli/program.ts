import { Command } from "commander";
import { exitCodes } from "../errors.ts";
import { followCommand } from "./follow.ts";
import { reportError } from "./outcome.ts";
import { pullCommand } from "./pull.ts";
import { replicateCommand } from "./replicate.ts";
import { verifyCommand } from "./verify.ts";

/** Runs a command line, and returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = new Command("cadastre-client").description(
    "Pull, verify and load what a Cadastre service delivers.",
  );
  for (const command of [pullCommand(), followCommand(), verifyCommand(), replicateCommand()])
    program.addCommand(command.exitOverride());
  try {
    await program.exitOverride().parseAsync(args, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    return reportError(error);
  }
}

import { Command } from "commander";
import { exitCodeMeanings, exitCodes } from "../errors.ts";
import { applyConventions, type ExitCodeTable } from "../terminal/conventions.ts";
import { asksForJson, silenceUsageErrors } from "../terminal/failure.ts";
import { clientExamples } from "./examples.ts";
import { followCommand } from "./follow.ts";
import { listenCommand } from "./listen.ts";
import { reportError } from "./outcome.ts";
import { pullCommand } from "./pull.ts";
import { replicateCommand } from "./replicate.ts";
import { sqlCommand } from "./sql.ts";
import { statusCommand } from "./status.ts";
import { subscribeCommand } from "./subscribe.ts";
import { subscriptionsCommand } from "./subscriptions.ts";
import { verifyCommand } from "./verify.ts";

const exitCodeTable: ExitCodeTable = Object.fromEntries(
  Object.entries(exitCodeMeanings).map(([name, means]) => [
    name,
    { code: exitCodes[name as keyof typeof exitCodes], means },
  ]),
);

/** Creates the program with all of its commands. */
export function createClientProgram(): Command {
  const program = new Command("cadastre-client").description(
    "Pull, verify and load what a Cadastre service delivers, and keep it current.",
  );
  for (const command of [
    pullCommand(),
    subscribeCommand(),
    subscriptionsCommand(),
    followCommand(),
    statusCommand(),
    listenCommand(),
    verifyCommand(),
    sqlCommand(),
    replicateCommand(),
  ])
    program.addCommand(command);
  applyConventions(program, {
    manifest: new URL("../../package.json", import.meta.url),
    exitCodes: exitCodeTable,
    examples: clientExamples,
  });
  return program;
}

/** Runs a command line, and returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = createClientProgram();
  const asJson = asksForJson(args);
  if (asJson) silenceUsageErrors(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    return reportError(error, asJson);
  }
}

import { Command } from "commander";
import { buildsCommand, rollbackCommand } from "./builds.ts";
import { coverageCommand } from "./coverage.ts";
import { entitlementCommand } from "./entitlement.ts";
import { gatesCommand, publishCommand } from "./gates.ts";
import { identityCommand } from "./identity.ts";
import { ingestCommand } from "./ingest.ts";
import { keyCommand } from "./key.ts";
import { concede, exitCodes } from "./outcome.ts";
import { profileCommand } from "./profile.ts";
import { replicateCommand } from "./replicate.ts";
import { workerCommand } from "./worker.ts";

/** The commands by which an operator looks after the service. */
function createProgram(): Command {
  const program = new Command("cadastre")
    .description("Look after a Cadastre listing data service.")
    .addCommand(keyCommand())
    .addCommand(entitlementCommand())
    .addCommand(ingestCommand())
    .addCommand(replicateCommand())
    .addCommand(gatesCommand())
    .addCommand(publishCommand())
    .addCommand(rollbackCommand())
    .addCommand(buildsCommand())
    .addCommand(identityCommand())
    .addCommand(profileCommand())
    .addCommand(coverageCommand())
    .addCommand(workerCommand());
  for (const command of withSubcommands(program)) command.exitOverride();
  return program;
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Carry out a command line, and give the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    return concede(error);
  }
}

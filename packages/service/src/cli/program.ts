import {
  applyConventions,
  asksForJson,
  type ExitCodeTable,
  silenceUsageErrors,
} from "@cadastre/client/terminal";
import { Command } from "commander";
import { chooseSettingsFile } from "../settings/find-settings-file.ts";
import { operatorExamples } from "./examples.ts";
import { operatorExitCodeMeanings, operatorExitCodes, reportCommandError } from "./outcome.ts";

/** Commands of the operator. A module is only loaded when its command is used, so that the program starts fast. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).serveCommand(),
  key: async () => (await import("./key.ts")).keyCommand(),
  customer: async () => (await import("./customer.ts")).customerCommand(),
  entitlement: async () => (await import("./entitlement.ts")).entitlementCommand(),
  ingest: async () => (await import("./ingest.ts")).ingestCommand(),
  receive: async () => (await import("./receive.ts")).receiveCommand(),
  replicate: async () => (await import("./replicate.ts")).stageFeedCommand(),
  feed: async () => (await import("./feed.ts")).feedCommand(),
  gates: async () => (await import("./gates.ts")).gatesCommand(),
  publish: async () => (await import("./gates.ts")).publishCommand(),
  rollback: async () => (await import("./builds.ts")).rollbackCommand(),
  builds: async () => (await import("./builds.ts")).buildsCommand(),
  identity: async () => (await import("./identity.ts")).identityCommand(),
  profile: async () => (await import("./profile.ts")).profileCommand(),
  coverage: async () => (await import("./coverage.ts")).coverageCommand(),
  backup: async () => (await import("./backup.ts")).backupCommand(),
  restore: async () => (await import("./backup.ts")).restoreCommand(),
  check: async () => (await import("./backup.ts")).checkCommand(),
  sample: async () => (await import("./sample.ts")).sampleCommand(),
  doctor: async () => (await import("./doctor/doctor.ts")).doctorCommand(),
  init: async () => (await import("./init/init.ts")).initCommand(),
  migrate: async () => (await import("./migrate.ts")).migrateCommand(),
  system: async () => (await import("./system/system.ts")).systemCommand(),
  field: async () => (await import("./field/field.ts")).fieldCommand(),
  dictionary: async () => (await import("./dictionary.ts")).dictionaryCommand(),
  delivery: async () => (await import("./delivery/delivery.ts")).deliveryCommand(),
  subscription: async () => (await import("./delivery/subscription.ts")).subscriptionCommand(),
  destination: async () => (await import("./delivery/destination.ts")).destinationCommand(),
  webhook: async () => (await import("./delivery/webhook.ts")).webhookCommand(),
  acknowledgement: async () => (await import("./delivery/acknowledgement.ts")).acknowledgementCommand(),
  parts: async () => (await import("./parts.ts")).partsCommand(),
  secrets: async () => (await import("./secrets.ts")).secretsCommand(),
  worker: async () => (await import("./worker.ts")).workerCommand(),
};

/** Options of the program itself, for which no command is loaded. */
const versionOptions: ReadonlySet<string> = new Set(["--version", "-V"]);

const exitCodeTable: ExitCodeTable = Object.fromEntries(
  Object.entries(operatorExitCodeMeanings).map(([name, means]) => [
    name,
    { code: operatorExitCodes[name as keyof typeof operatorExitCodes], means },
  ]),
);

/** @param asked first word of the command line; if it is no command, all commands are loaded, for help and completion */
export async function createOperatorProgram(asked?: string): Promise<Command> {
  const program = new Command("cadastre")
    .description("Look after a Cadastre listing data service.")
    // Read and removed by `chooseSettingsFile` before the command line is parsed.
    .option("--config <file>", "settings file; by default CADASTRE_CONFIG, else cadastre.yaml");
  for (const load of loadersFor(asked)) program.addCommand(await load());
  applyConventions(program, {
    manifest: new URL("../../package.json", import.meta.url),
    exitCodes: exitCodeTable,
    examples: operatorExamples,
  });
  return program;
}

function loadersFor(asked: string | undefined): readonly (() => Promise<Command>)[] {
  if (asked !== undefined && versionOptions.has(asked)) return [];
  const known = asked !== undefined && Object.hasOwn(commands, asked) ? commands[asked] : undefined;
  return known === undefined ? Object.values(commands) : [known];
}

/** Runs a command line and returns the exit code. */
export async function runOperatorProgram(given: readonly string[]): Promise<number> {
  const args = chooseSettingsFile(given);
  const asJson = asksForJson(args);
  try {
    const program = await createOperatorProgram(args[0]);
    if (asJson) silenceUsageErrors(program);
    await program.parseAsync(args, { from: "user" });
    // A long-running program sets its own.
    return Number(process.exitCode ?? operatorExitCodes.done);
  } catch (error) {
    return reportCommandError(error, asJson);
  }
}

import { asTyped } from "@cadastre/client/terminal";
import { Command } from "commander";
import { type Config, ConfigError, readConfig, withSettingPlaces } from "../../config.ts";
import { withDataFolder } from "../../data/data-error.ts";
import { configuredFolder } from "../../data/data-folder.ts";
import { databasesOf } from "../../data/databases.ts";
import { openRegistryAudit } from "../../data/registry.ts";
import { CommandRefused, printResult } from "../outcome.ts";
import { table } from "../table.ts";
import {
  type Diagnosis,
  type DoctorCheck,
  type DoctorContext,
  mend,
  type RegistryContext,
  sound,
  warn,
} from "./diagnosis.ts";
import { folderChecks } from "./folder-checks.ts";
import { machineChecks } from "./machine-checks.ts";
import { keysUnread, mayReadKeys, registryChecks } from "./registry-checks.ts";
import { workerChecks } from "./worker-checks.ts";

/** A diagnosis with the name of its check. */
type Report = Diagnosis & { readonly check: string };

/** `cadastre doctor` */
export const doctorCommand = (): Command =>
  new Command("doctor")
    .description(
      "Show what is configured, missing or insecure, each with the command that mends it. It changes nothing, prints no secret, and ends with exit code 1 if something must be mended.",
    )
    .option("--json", "print JSON")
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const reports: Report[] = [];
      for await (const report of diagnose(process.env, Date.now())) reports.push(report);
      printResult(json ? JSON.stringify(reports) : formatReports(reports));
      const count = reports.filter(({ state }) => state === "mend").length;
      if (count > 0)
        throw new CommandRefused(`${count} ${count === 1 ? "finding" : "findings"} must be mended.`);
    });

const formatReports = (reports: readonly Report[]): string =>
  table(
    ["CHECK", "STATE", "FINDING"],
    reports.flatMap(({ check, state, says, remedy }) => [
      [check, state, says],
      ...(remedy === undefined ? [] : [["", "", `→ ${asTyped(remedy)}`]]),
    ]),
  );

/** Runs all checks. Those whose objects cannot be opened are left out. */
async function* diagnose(environment: DoctorContext["environment"], now: number): AsyncGenerator<Report> {
  const context: DoctorContext = { environment, now };
  yield* run(machineChecks, context);
  const config = yield* readSettings(environment);
  if (config === undefined) return;
  const folder = configuredFolder(config);
  yield* run(folderChecks, { ...context, config, folder });
  const check = "registry";
  const { hasRegistry, registryName } = databasesOf(folder);
  try {
    if (!(await hasRegistry())) {
      yield {
        check,
        ...mend(
          `${registryName} does not exist`,
          "`cadastre init`, or `cadastre restore` with your last backup",
        ),
      };
      return;
    }
    let readsKeys: boolean | undefined;
    for (const one of [
      { name: check, needs: "registry", run: checkRegistry } as const,
      ...registryChecks,
      ...workerChecks,
    ]) {
      // A transaction of its own for each: in PostgreSQL a failed statement ends the transaction.
      const audit = await withDataFolder(folder.path, () => openRegistryAudit(folder));
      const opened = { ...context, config, folder, audit };
      try {
        if (one.needs === "keys" && readsKeys === undefined) {
          readsKeys = await mayReadKeys(opened);
          if (!readsKeys) yield { check: "keys", ...keysUnread };
        }
        if (one.needs !== "keys" || readsKeys === true) yield* run([one], opened);
      } finally {
        await audit.close();
      }
    }
  } catch (error) {
    yield { check, ...ofError(error, environment) };
  }
}

async function checkRegistry({ audit, folder }: RegistryContext): Promise<Diagnosis> {
  const { registryName, requireRegistrySchema } = databasesOf(folder);
  await requireRegistrySchema(audit);
  return sound(registryName);
}

function* readSettings(environment: DoctorContext["environment"]): Generator<Report, Config | undefined> {
  const check = "settings";
  const file = environment["CADASTRE_CONFIG"];
  try {
    const config = readConfig(environment);
    yield {
      check,
      ...(file
        ? sound(`${file}, and the environment`)
        : warn("there is no settings file: all is from the environment", "`cadastre init`")),
    };
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split("\n"))
      yield { check, ...mend(line, "correct it; `cadastre init --help`") };
    return undefined;
  }
}

async function* run(checks: readonly DoctorCheck[], context: DoctorContext): AsyncGenerator<Report> {
  for (const check of checks) {
    try {
      // A check is listed only where the objects that it needs are there.
      const results = check.run(context as never);
      for await (const diagnosis of results instanceof Promise ? [await results] : results)
        yield { check: check.name, ...diagnosis };
    } catch (error) {
      const { folder } = context;
      yield {
        check: check.name,
        ...ofError(folder === undefined ? error : databasesOf(folder).explain(error), context.environment),
      };
    }
  }
}

const ofError = (error: unknown, environment: DoctorContext["environment"]): Diagnosis =>
  mend(
    withSettingPlaces(error instanceof Error ? error.message : String(error), environment),
    "mend what the message says, and run `cadastre doctor` again",
  );

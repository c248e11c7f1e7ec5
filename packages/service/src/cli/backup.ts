import { existsSync } from "node:fs";
import { Argument, Command, Option } from "commander";
import { makeBackup } from "../backup/backup.ts";
import { restoreBackup, verifyBackup } from "../backup/restore.ts";
import { checkFolder } from "../check/check.ts";
import { checkBuilds } from "../check/check-builds.ts";
import { type Finding, findingCodes } from "../check/findings.ts";
import { type Config, readConfig } from "../config.ts";
import { withDataFolder } from "../data/data-error.ts";
import { configuredFolder } from "../data/data-folder.ts";
import { secretDocuments } from "../data/secret-place.ts";
import { audited, auditOf } from "./audited.ts";
import { withServiceFolder } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { number, showItemProgress } from "./progress.ts";

const json = () => new Option("--json", "write the result for machines");
const folder = (description: string) => new Argument("<folder>", description);

/** `cadastre backup <folder>` */
export const backupCommand = (): Command =>
  new Command("backup")
    .description("Copy the data folder to a new one, also while the service runs. The copy holds secrets.")
    .addArgument(folder("where to write the backup: a folder that does not exist or is empty"))
    .addOption(json())
    .action((target: string, output: { readonly json?: true }) =>
      withServiceFolder("registry", async (source, config) => {
        requireFiles(source);
        const progress = showItemProgress(undefined, "files copied");
        const action = { action: "backup.create", ...auditOf(source, config) } as const;
        const { files, bytes, missing } = await audited(action, () =>
          makeBackup({ folder: source, config }, target, progress.at),
        ).finally(progress.end);
        if (output.json) printResult(JSON.stringify({ folder: target, files, bytes, missing }, null, 2));
        else printMessage(`Backed up ${number(files)} files, ${number(bytes)} bytes, to ${target}.`);
        if (config.partsBucket !== undefined)
          printMessage(
            `Parts of deliveries lie in the bucket ${config.partsBucket.bucket}, and are not in the backup.`,
          );
        for (const secret of secretsElsewhere(config.secretSources))
          printMessage(`${secret} is not in the backup: keep a copy of it yourself.`);
        if (missing.length > 0)
          throw new CommandRefused(
            `The backup lacks parts that are missing or damaged, such as ${missing[0]?.path}: \`cadastre check\` lists them`,
          );
      }),
    );

/** Returns the names of the secrets that a backup of the folder does not have. */
const secretsElsewhere = ({ masterKeys, given }: Config["secretSources"]): readonly string[] => [
  ...(masterKeys === undefined ? [] : ["The master key, which opens the secrets in the registry,"]),
  ...Object.entries(given).flatMap(([document, source]) =>
    source === undefined
      ? []
      : [
          "file" in source
            ? source.file
            : `What ${secretDocuments[document as keyof typeof given].setting} gives`,
        ],
  ),
];

/** @throws {CommandRefused} if the databases are not files */
function requireFiles({ postgres }: Pick<Config, "postgres">): void {
  if (postgres !== undefined)
    throw new CommandRefused(
      "The databases are in PostgreSQL (CADASTRE_DATABASE_URL): copy them with pg_dump, put them back with pg_restore, and copy the data folder beside them.",
    );
}

type RestoreOutput = { readonly json?: true; readonly replace?: true };

/** `cadastre restore <folder>` */
export const restoreCommand = (): Command =>
  new Command("restore")
    .description("Restore the data folder from a backup, while no service runs. Nothing is deleted.")
    .addArgument(folder("the backup"))
    .option(
      "--replace",
      "move existing data aside, to folders `replaced-<time>` in the data folder and in the folder of parts",
    )
    .addOption(json())
    .action((source: string, { replace, ...output }: RestoreOutput) => {
      const config = readConfig(process.env);
      return withDataFolder(config.dataFolder, async () => {
        requireFiles(config);
        const progress = showItemProgress(undefined, "files restored");
        const { manifest, replaced, replacedParts } = await restoreBackup(source, config, {
          replace,
          progress: progress.at,
        }).finally(progress.end);
        const { made, files, missing } = manifest;
        if (output.json)
          return printResult(
            JSON.stringify(
              { made, files, missing, replaced: replaced ?? null, replacedParts: replacedParts ?? null },
              null,
              2,
            ),
          );
        printMessage(`Restored ${number(files)} files of the backup of ${made} to ${config.dataFolder}.`);
        if (replaced !== undefined) printMessage(`The data from before is in ${replaced}.`);
        if (replacedParts !== undefined) printMessage(`The parts from before are in ${replacedParts}.`);
        if (missing > 0)
          printMessage(
            `The backup lacks ${number(missing)} parts of deliveries: \`cadastre check\` lists them.`,
          );
      });
    });

type CheckOutput = { readonly json?: true; readonly backup?: string; readonly builds?: true };

/** `cadastre check` */
export const checkCommand = (): Command =>
  new Command("check")
    .description("Read everything in the data folder, and list what is damaged or missing. Changes nothing.")
    .addOption(new Option("--backup <folder>", "check a backup instead").conflicts("builds"))
    .option("--builds", "compare every dataset with what was published instead")
    .addOption(json())
    .action(({ backup, builds, json: forMachines }: CheckOutput) => {
      const config = readConfig(process.env);
      return withDataFolder(config.dataFolder, async () => {
        if (backup !== undefined) {
          const { made, files } = await verifyBackup(backup);
          return printMessage(`All ${number(files)} files are as they were backed up at ${made}.`);
        }
        if (config.postgres === undefined && !existsSync(config.dataFolder))
          throw new CommandRefused(
            `${config.dataFolder} does not exist: set CADASTRE_DATA to the folder of a service`,
          );
        const source = configuredFolder(config);
        const findings: Finding[] = [];
        const progress = showItemProgress(undefined, "parts read");
        let found = 0;
        for await (const finding of builds ? checkBuilds(source) : checkFolder(source, config, progress.at)) {
          found++;
          if (forMachines) findings.push(finding);
          else printResult(lineOf(finding));
        }
        progress.end();
        if (forMachines)
          printResult(
            JSON.stringify(
              findings.map((one) => ({ ...one, remedy: findingCodes[one.code] })),
              null,
              2,
            ),
          );
        if (found > 0)
          throw new CommandRefused(
            `${number(found)} ${found === 1 ? "fault" : "faults"} in ${config.dataFolder}: each line above names the remedy.`,
          );
        printMessage(
          builds
            ? `Every dataset in ${config.dataFolder} is as it was published.`
            : `Nothing is damaged or missing in ${config.dataFolder}.`,
        );
      });
    });

const lineOf = ({ code, subject, detail }: Finding): string =>
  `${code}  ${subject}: ${detail}: ${findingCodes[code]}`;

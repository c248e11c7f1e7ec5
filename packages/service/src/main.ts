import { asTyped } from "@cadastre/client/terminal";
import { readIssuer } from "./access/demo-issuer.ts";
import { useFolder } from "./backup/folder-use.ts";
import { takeWholeStop } from "./check/whole-stop.ts";
import { audited, auditOf } from "./cli/audited.ts";
import { nextSignal } from "./cli/next-signal.ts";
import { type Config, ConfigError, readConfig, withSettingPlaces } from "./config.ts";
import { currentCatalog } from "./data/catalogs.ts";
import { DataError, withDataFolder } from "./data/data-error.ts";
import { type DataFolder, openConfiguredFolder } from "./data/data-folder.ts";
import type { PreparationProgress } from "./data/fill-listings.ts";
import { migrateFolder } from "./data/migrate-folder.ts";
import { withDatabaseLock } from "./data/postgres-databases.ts";
import { PrepareError } from "./data/prepare-error.ts";
import { prepareListings } from "./data/prepare-listings.ts";
import { refuseLostRegistry, withRegistry } from "./data/registry.ts";
import { readSecretsOf } from "./data/secrets.ts";
import { hasSampleSystems } from "./demo/customers.ts";
import { prepareDemoAccess, withoutKey } from "./demo/demo-access.ts";
import { type DemoKey, readDemo, writeDemo } from "./demo/demo-file.ts";
import { DemoSignIn, offersSignIn } from "./demo/sign-in.ts";
import { isLoopback } from "./http/request-head.ts";
import { ListenError, tryEndpoint } from "./http/server.ts";
import { createLog } from "./log.ts";
import { ProcessError, startProcesses } from "./processes/primary.ts";
import { isServingProcess, serve } from "./processes/serving-process.ts";
import type { StartedService } from "./running-service.ts";
import { startService, wholeService } from "./service.ts";
import { settingsFileName } from "./settings/find-settings-file.ts";
import { startText } from "./start-text.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const number = (value: number) => value.toLocaleString("en-US");

const progress: PreparationProgress = {
  started: (listings) => say(`Preparing ${number(listings)} sample listings …`),
  loaded: (listings, of) => say(`  ${number(listings)} of ${number(of)}`),
  done: (listings, seconds) =>
    say(`Prepared ${number(listings)} sample listings in ${seconds.toFixed(1)} s.`),
  kept: (listings, asked, folder) =>
    say(
      `Serving the ${number(listings)} sample listings of ${folder}, not ${number(asked)}: for others, set CADASTRE_DATA to an empty folder`,
    ),
};

type Prepared = {
  readonly folder: DataFolder;
  readonly keys: readonly DemoKey[];
  /** True if the demo's customers have access: the folder's own issuer is trusted, and the catalog has the sample's systems. */
  readonly isDemo: boolean;
  /** Time when the databases were made or checked, if they are as they were then. */
  readonly lastCheck: number | undefined;
};

/** Creates the data folder, its databases, the sample listings and the demo customers, except for those that exist. */
async function prepare(config: Config): Promise<Prepared> {
  const folder = await openConfiguredFolder(config);
  // Locks the folder against a restore until the process ends, and finishes a restore that was interrupted.
  await useFolder(folder, config);
  const noted = await takeWholeStop(folder);
  // A database that several nodes may use is migrated by the operator alone.
  if (folder.postgres === undefined) await migrateFolder(folder, (step) => say(`Migrating: ${step}`));
  await refuseLostRegistry(folder);
  const lastCheck = (await prepareListings(folder, config.listings, progress)) ? Date.now() : noted;
  // The registry is opened before the secrets are read: secrets without a registry mean that the registry was lost, which is refused.
  return withRegistry(folder, async (registry) => {
    const secrets = await readSecretsOf(folder, registry);
    const { catalog } = await currentCatalog(registry.catalogs);
    // Customers without an issuer of their own are given entitlements by that of the folder, see `cadastre customer add`.
    if (config.trust === undefined) await readIssuer(folder, registry);
    const isDemo = config.trust === undefined && hasSampleSystems(catalog);
    if (!isDemo) return { folder, keys: [], isDemo, lastCheck };
    const prepareDemo = () =>
      audited({ action: "demo.prepare", ...auditOf(folder, config) }, () =>
        prepareDemoAccess(folder, registry, secrets, Date.now()),
      );
    // Nodes that start at once would give the same customers different keys.
    const keys = await (folder.postgres === undefined
      ? prepareDemo()
      : withDatabaseLock(folder.postgres.url, "cadastre demo", prepareDemo));
    return { folder, keys, isDemo, lastCheck };
  });
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  await tryEndpoint(config);
  const { service, stopped } = await withDataFolder(config.dataFolder, async () => {
    const { folder, keys, isDemo, lastCheck } = await prepare(config);
    const signIn = isDemo && offersSignIn(config) ? new DemoSignIn(keys) : undefined;
    let stopped: Promise<void> | undefined;
    const onReady = () => {
      stopped ??= nextSignal(["SIGINT", "SIGTERM"]);
    };
    const started =
      config.processes === 1
        ? await startService(config, folder, createLog(config.logLevel), {
            ...wholeService,
            signIn,
            lastCheck,
            onReady,
          })
        : await startProcesses(config, folder, lastCheck);
    onReady();
    try {
      await tellStart(config, started, { folder, keys, isDemo }, signIn);
    } catch (error) {
      await started.stop();
      throw error;
    }
    return { service: started, stopped };
  });
  if (config.baseUrl === undefined && !isLoopback(config.host)) say(hostWarning);
  await stopped;
  say("Stopping …");
  await service.stop();
}

/** Writes `demo.json` and prints the text that a start ends with. */
async function tellStart(
  config: Config,
  started: StartedService,
  { folder, keys, isDemo }: Omit<Prepared, "lastCheck">,
  signIn: DemoSignIn | undefined,
): Promise<void> {
  const { baseUrl } = started;
  // With an external issuer the demo keys do not work, but they stay in the file for a later start with the folder's own issuer.
  const kept = isDemo ? keys : (await readDemo(folder))?.keys;
  if (kept !== undefined) await writeDemo(folder, { baseUrl, keys: [...kept] });
  const file = process.env["CADASTRE_CONFIG"] || settingsFileName;
  const access = {
    lost: isDemo ? withoutKey(keys) : [],
    hasExternalIssuer: config.trust !== undefined,
    settingsFile: file === settingsFileName ? undefined : file,
    page: config.explorer ? `${baseUrl}/${signIn === undefined ? "" : `#sign-in=${signIn.code}`}` : undefined,
  };
  say(startText({ baseUrl, keys: [...keys] }, started, folder.demo, access));
}

const hostWarning =
  "Warning: links repeat the Host of each request; set CADASTRE_BASE_URL to the address that clients use.";

/** Errors that the operator can fix, of which only the message is printed. Any other error is a bug and is printed with its stack. */
const expected = [ConfigError, DataError, ListenError, PrepareError, ProcessError];

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (!expected.some((kind) => error instanceof kind)) return error.stack ?? error.message;
  return error instanceof ConfigError ? error.message : withSettingPlaces(error.message, process.env);
};

try {
  if (isServingProcess()) await serve(readConfig(process.env), messageOf);
  else {
    await main();
    process.exitCode = 0;
  }
} catch (error) {
  console.error(expected.some((kind) => error instanceof kind) ? asTyped(messageOf(error)) : error);
  process.exitCode = 1;
}

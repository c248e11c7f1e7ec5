import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { type Config, readConfig } from "../../src/config.ts";
import { type DataFolder, openDataFolder } from "../../src/data/data-folder.ts";
import { withRegistry } from "../../src/data/registry.ts";
import { readSecrets } from "../../src/data/secrets.ts";
import { prepareDemoAccess } from "../../src/demo/demo-access.ts";
import type { RunningService } from "../../src/running-service.ts";
import { startService } from "../../src/service.ts";
import { knowCustomer, plantCanaries, requireNoCanary, requireNoCanaryFile } from "./canaries.ts";
import { createSampleDatabase, prepareSample } from "./sample-database.ts";

/** A service on a real socket with its own data folder, which contains canaries: texts that no answer or log may contain. */
export type Running = {
  readonly service: RunningService;
  readonly folder: DataFolder;
  readonly config: Config;
  /** Returns everything that the service has logged. */
  readonly log: () => string;
  /** Returns the API key of a demo customer. */
  readonly key: (name: string) => string;
  readonly stop: () => Promise<void>;
};

/** Starts a service with new secrets in a new folder. */
export async function run(environment: Readonly<Record<string, string>> = {}): Promise<Running> {
  const path = await mkdtemp(join(tmpdir(), "cadastre-service-"));
  const databaseUrl = await createSampleDatabase(path, Number(environment["CADASTRE_LISTINGS"] ?? 600));
  const config = readConfig({
    PORT: "0",
    ...(databaseUrl === undefined ? {} : { CADASTRE_DATABASE_URL: databaseUrl }),
    CADASTRE_DATA: path,
    CADASTRE_LISTINGS: "600",
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_CHECK_HOURS: "0",
    CADASTRE_SCAN_SECONDS: "3600",
    // Tests send requests as fast as they can.
    CADASTRE_REQUESTS_PER_SECOND: "0",
    CADASTRE_REFUSALS_PER_SECOND: "0",
    ...environment,
  });
  const folder = await openDataFolder(path, config.postgres);
  if (databaseUrl === undefined) await prepareSample(folder, config.listings);
  const secrets = await readSecrets(folder);
  const keys = await withRegistry(folder, (registry) =>
    prepareDemoAccess(folder, registry, secrets, Date.now()),
  );
  await plantCanaries(folder, config.listings);
  for (const { name, apiKey } of keys) knowCustomer(apiKey, name);
  const lines: string[] = [];
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const service = await startService(config, folder, pino({ level: "debug" }, into));
  return {
    service,
    folder,
    config,
    log: () => lines.join(""),
    key: (name) => {
      const found = keys.find((key) => key.name === name);
      if (found === undefined) throw new RangeError(`no demo key \`${name}\``);
      return found.apiKey;
    },
    stop: async () => {
      await service.stop();
      requireNoCanary(lines.join(""), "the log");
      await requireNoCanaryFile(folder);
      await rm(path, { recursive: true, force: true });
    },
  };
}

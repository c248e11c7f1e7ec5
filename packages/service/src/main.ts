import { ConfigError, readConfig } from "./config.ts";
import { openDataFolder } from "./data/data-folder.ts";
import { PrepareError, type Progress, prepareListings } from "./data/prepare-listings.ts";
import { readSecrets } from "./data/secrets.ts";
import { banner } from "./demo/banner.ts";
import { prepareDemoAccess } from "./demo/demo-access.ts";
import { writeDemo } from "./demo/demo-file.ts";
import { ListenError, tryEndpoint } from "./http/server.ts";
import { startService } from "./service.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const number = (value: number) => value.toLocaleString("en-US");

const progress: Progress = {
  started: (listings) => say(`Preparing ${number(listings)} sample listings …`),
  loaded: (listings, of) => say(`  ${number(listings)} of ${number(of)}`),
  done: (listings, seconds) =>
    say(`Prepared ${number(listings)} sample listings in ${seconds.toFixed(1)} s.`),
};

async function main(): Promise<void> {
  const config = readConfig(process.env);
  await tryEndpoint(config);
  const folder = await openDataFolder(config.dataFolder);
  await prepareListings(folder, config.listings, progress);
  const keys = await prepareDemoAccess(folder, await readSecrets(folder), Date.now() / 1000);
  const service = await startService(config, folder);
  const demo = { baseUrl: service.baseUrl, keys: [...keys] };
  await writeDemo(folder, demo);
  say(banner(demo, service.examples, folder.demo));
  await signalled(["SIGINT", "SIGTERM"]);
  say("Stopping …");
  await service.stop();
}

/** The first of the signals. A second one ends the process at once, as it would without a handler. */
const signalled = (signals: readonly NodeJS.Signals[]): Promise<void> =>
  new Promise((resolve) => {
    const heard = () => {
      for (const signal of signals) process.off(signal, heard);
      resolve();
    };
    for (const signal of signals) process.on(signal, heard);
  });

/** What the person who starts the service can put right; everything else is a fault of ours, with its stack. */
const expected = [ConfigError, ListenError, PrepareError];

try {
  await main();
  process.exitCode = 0;
} catch (error) {
  if (expected.some((kind) => error instanceof kind)) console.error((error as Error).message);
  else console.error(error);
  process.exitCode = 1;
}

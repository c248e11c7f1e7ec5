import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordNames } from "@cadastre/reso";
import { databasesOf } from "../../data/databases.ts";
import { partsRoot } from "../../delivery/parts-place.ts";
import { counted } from "../progress.ts";
import { type Diagnosis, type DoctorCheck, type FolderContext, mend, sound, warn } from "./diagnosis.ts";

/** Checks of the settings and of what they name. */
export const folderChecks: readonly DoctorCheck[] = [
  { name: "data folder", needs: "folder", run: checkRights },
  { name: "files of secrets", needs: "folder", run: checkSecretFiles },
  { name: "issuer key", needs: "folder", run: checkIssuerKey },
  { name: "clock", needs: "folder", run: checkClock },
  { name: "address", needs: "folder", run: checkAddress },
  { name: "production", needs: "folder", run: checkProduction },
  { name: "space for parts", needs: "folder", run: checkParts },
  { name: "listings", needs: "folder", run: checkListings },
];

const modeOf = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0");

function* checkRights({ folder: { path } }: FolderContext): Generator<Diagnosis> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    yield mend(`${path} does not exist`, "`cadastre init`, or correct `data` in the settings");
    return;
  }
  if (!found.isDirectory()) {
    yield mend(`${path} is not a folder`, "correct `data` in the settings");
    return;
  }
  const user = process.getuid?.();
  if (user !== undefined && user !== found.uid)
    yield mend(`${path} belongs to user ${found.uid}, not to ${user}`, `\`chown -R ${user} ${path}\``);
  if ((found.mode & 0o077) !== 0)
    yield mend(
      `others than its owner may enter ${path} (mode ${modeOf(found.mode)})`,
      `\`chmod 700 ${path}\``,
    );
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    yield sound(path);
  } catch {
    yield mend(`${path} cannot be read and written`, `\`chmod 700 ${path}\``);
  }
}

function* checkSecretFiles({ environment, folder }: FolderContext): Generator<Diagnosis> {
  const masterKeyFile = environment["CADASTRE_MASTER_KEY_FILE"];
  const files = [folder.secrets, folder.signingKeys, folder.issuer, folder.registry, folder.demo];
  const found = [...files, ...(masterKeyFile ? [masterKeyFile] : [])].filter(existsSync);
  const open = found.filter((file) => (statSync(file).mode & 0o077) !== 0);
  for (const file of open)
    yield mend(
      `others than its owner may read ${file} (mode ${modeOf(statSync(file).mode)})`,
      `\`chmod 600 ${file}\``,
    );
  if (open.length === 0) yield sound(`${counted(found.length, "file")}, for their owner alone`);
}

/** Looks for private keys of an issuer beside the settings and the data: who serves should not be able to sign. */
function* checkIssuerKey({ config, environment, folder }: FolderContext): Generator<Diagnosis> {
  const settingsFolder = dirname(environment["CADASTRE_CONFIG"] || ".");
  const near = [settingsFolder, join(settingsFolder, "issuer"), folder.path];
  const keys = near.filter(existsSync).flatMap((place) =>
    readdirSync(place)
      .filter((name) => /^(?:private-key|issuer(?:-key)?)\.json$/.test(name))
      .map((name) => join(place, name)),
  );
  const isDemo = config.trust === undefined;
  for (const key of new Set(keys))
    yield isDemo && key === folder.issuer
      ? warn(
          `${key} signs the entitlements of the demo`,
          "for customers, `cadastre entitlement keygen` on another machine, and the section `trust`",
        )
      : mend(
          `${key}, which signs what customers may see, is on the machine that serves`,
          `move ${key} to the machine where you run \`cadastre entitlement sign\``,
        );
  if (keys.length === 0) yield sound("no private key of an issuer is here");
}

/** Longest time that a file may be ahead of the clock, in milliseconds. */
const clockTolerance = 300_000;

function* checkClock({ folder, now }: FolderContext): Generator<Diagnosis> {
  const times = [folder.database, folder.registry, folder.secrets]
    .filter(existsSync)
    .map((file) => statSync(file).mtimeMs);
  const ahead = Math.max(0, ...times) - now;
  yield ahead > clockTolerance
    ? mend(
        `files of the data folder are ${Math.round(ahead / 1000)} s newer than the clock`,
        "set the clock: `timedatectl set-ntp true`",
      )
    : sound(new Date(now).toISOString());
}

/** True if a host or an address is reached from this machine alone. */
const isThisMachine = (host: string) => /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);

function* checkAddress({ config: { baseUrl, host, trustProxy } }: FolderContext): Generator<Diagnosis> {
  const isPublic = !isThisMachine(host);
  if (baseUrl === undefined && isPublic)
    yield mend(
      `the service listens on ${host}, and links repeat what clients send as Host`,
      "set `base_url` to the address that clients use",
    );
  else if (baseUrl === undefined && trustProxy !== undefined)
    yield warn(
      "behind a proxy, links are built from its headers",
      "set `base_url` to the address that clients use",
    );
  else if (baseUrl?.startsWith("http:") && !isThisMachine(new URL(baseUrl).hostname))
    yield mend(
      `${baseUrl} is not encrypted: keys and records can be read on the way`,
      "terminate TLS at a proxy, and set `base_url` to its https address",
    );
  else yield sound(`${host}, for clients ${baseUrl ?? "as they ask"}`);
}

function* checkProduction({ config, environment }: FolderContext): Generator<Diagnosis> {
  if (config.webhookLoopback)
    yield warn("webhooks may go to this machine", "set `webhooks.loopback` to false");
  if (config.grants === "direct_https")
    yield warn("parts are granted by their addresses", "set `deliveries.grants` to logical");
  if (environment["NODE_ENV"] !== "production" && config.baseUrl?.startsWith("https:"))
    yield warn("NODE_ENV is not `production`", "set NODE_ENV=production where the service starts");
  else yield sound(`NODE_ENV is ${environment["NODE_ENV"] ?? "not set"}`);
}

/** Least free space for parts and databases, in bytes. */
const leastSpace = 1024 ** 3;

function* checkParts({ config, folder }: FolderContext): Generator<Diagnosis> {
  let place = partsRoot(config, folder);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    accessSync(place, constants.W_OK);
  } catch {
    yield mend(
      `${place} cannot be written`,
      "give the user of the service the rights, or correct `parts.folder`",
    );
    return;
  }
  const { bavail, bsize } = statfsSync(place);
  const free = `${Math.floor((bavail * bsize) / 1024 ** 2).toLocaleString("en-US")} MB are free at ${place}`;
  yield bavail * bsize < leastSpace
    ? mend(free, "make room, or set `parts.folder` to another disk")
    : sound(free);
}

async function* checkListings({ folder }: FolderContext): AsyncGenerator<Diagnosis> {
  const { listingsName, hasListings, openListings } = databasesOf(folder);
  if (!(await hasListings())) {
    yield mend(
      `${listingsName} does not exist`,
      "`cadastre init`; for PostgreSQL `cadastre migrate` as the owner of its tables",
    );
    return;
  }
  const store = await openListings({ threads: 0 });
  try {
    yield sound(`${listingsName} has the schema of this version`);
    const builds = await Promise.all(recordNames.map((name) => store.builds.current(name)));
    const published = recordNames.filter((_, i) => builds[i] !== undefined);
    yield published.includes("Property")
      ? sound(`builds of ${published.join(", ")} are published`)
      : warn(
          "no build of Property is published, so no listing is served",
          "`cadastre feed add`, or `cadastre ingest` and `cadastre publish Property`",
        );
  } finally {
    await store.close();
  }
}

import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { CertifiedKey } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import { type ServerOptions, startProcess } from "./server-process.ts";

/** A server of its own, with an empty database in UTF-8 and UTC. */
export type PostgresServer = {
  readonly url: string;
  /** A new pool of connections; the caller ends it. */
  readonly connect: (connections?: number) => pg.Pool;
  /** Creates another empty database, and returns its URL. */
  readonly createDatabase: () => Promise<string>;
  /** Runs a program of the server's installation, such as `pg_dump`. Throws if it fails. */
  readonly run: (program: string, ...input: readonly string[]) => void;
  /** Starts a standby that follows this server by streaming replication. The caller stops it. */
  readonly startStandby: () => Promise<PostgresServer>;
  /** Ends the server as a crash does: without a word to its clients and standbys. */
  readonly crash: () => Promise<void>;
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>;
};

const installations = "/usr/lib/postgresql";

/** Folder of the newest installed server programs, or null. `POSTGRES_BIN` names another. */
function findPrograms(): string | null {
  const given = process.env["POSTGRES_BIN"];
  if (given !== undefined) return existsSync(join(given, "initdb")) ? given : null;
  if (!existsSync(installations)) return null;
  const [newest] = readdirSync(installations)
    .filter((version) => existsSync(join(installations, version, "bin", "initdb")))
    .toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? null : join(installations, newest, "bin");
}

export const isRoot: boolean = process.getuid?.() === 0;

/** Returns the user that servers run as if this process is root, which they refuse: `postgres`, if there is one. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout),
  );
  return isRoot && uid && gid ? { uid, gid } : undefined;
}

/** True if {@link startPostgres} has a server to start. */
export const hasPostgres: boolean = findPrograms() !== null && (!isRoot || serverUser() !== undefined);

const initOptions = [
  "-U",
  "postgres",
  "-E",
  "UTF8",
  "--locale=C",
  "--auth=trust",
  "--no-sync",
  "--no-instructions",
];

const cache = fileURLToPath(new URL("../../../../node_modules/.cache/postgres/", import.meta.url));

/** Creates `data` in the folder. The result of `initdb` is kept: to unpack it takes a fifth of the time. */
function createData(programs: string, options: ServerOptions): void {
  const initdb = join(programs, "initdb");
  const made = createHash("sha256").update([initdb, statSync(initdb).mtimeMs, ...initOptions].join("\0"));
  const kept = join(cache, `${made.digest("hex")}.tar`);
  if (existsSync(kept)) {
    const archive = openSync(kept, "r");
    try {
      runProgram("tar", ["-xpf", "-"], { ...options, stdio: [archive, "ignore", "pipe"] });
    } finally {
      closeSync(archive);
    }
    return;
  }
  runProgram(initdb, ["-D", join(options.cwd, "data"), ...initOptions], { ...options, stdio: "pipe" });
  mkdirSync(cache, { recursive: true });
  // Another process may keep the same: whoever is last replaces a file with its equal.
  const beside = `${kept}.${process.pid}`;
  runProgram("tar", ["-cf", beside, "-C", options.cwd, "data"], { stdio: "pipe" });
  renameSync(beside, kept);
}

function runProgram(program: string, input: readonly string[], options: SpawnSyncOptions): void {
  const { status, stderr, error } = spawnSync(program, input, options);
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? String(stderr)}`);
}

/** Runs a program of the server's installation, such as `pg_dump`. Throws if it fails. */
export function runPostgresProgram(program: string, ...input: readonly string[]): void {
  runProgram(join(findPrograms() ?? "", program), input, { stdio: "pipe" });
}

/** How a server encrypts connections. */
export type PostgresTls = CertifiedKey & {
  /** Certificate of the authority of users' certificates, in PEM. */
  readonly authority: string;
  /** Users who must show a certificate with their name. All others connect as they like. */
  readonly users: readonly string[];
};

/**
 * Starts a server on a free loopback port. Its files are removed when it stops.
 *
 * @param tls by default connections cannot be encrypted
 * @param parameters of the server, beside those that every one has
 * @param parent folder in which its files are; by default memory if there are 4 GiB of it, because a disk that others keep busy stalls every
 * connection
 */
export const startPostgres = (
  tls?: PostgresTls,
  parameters?: Readonly<Record<string, string>>,
  parent?: string,
): Promise<PostgresServer> => startServer(createData, tls, parameters, parent);

/** Writes the keys to the server's folder, and returns the parameters that it starts with. */
function setUpTls({ key, certificate, authority, users }: PostgresTls, { cwd, uid, gid }: ServerOptions) {
  const files = { ssl_key_file: key, ssl_cert_file: certificate, ssl_ca_file: authority };
  for (const [name, text] of Object.entries(files)) {
    const file = join(cwd, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  }
  const rules = join(cwd, "data", "pg_hba.conf");
  const certified = users.map((user) => `hostssl all ${user} all cert\nhostnossl all ${user} all reject\n`);
  writeFileSync(rules, `${certified.join("")}${readFileSync(rules, "utf8")}`);
  return { ssl: "on", ...Object.fromEntries(Object.keys(files).map((name) => [name, join(cwd, name)])) };
}

/** @param prepare creates the folder `data` in the server's folder */
async function startServer(
  prepare: (programs: string, options: ServerOptions) => void,
  tls?: PostgresTls,
  parameters: Readonly<Record<string, string>> = {},
  parent = scratch(),
): Promise<PostgresServer> {
  const programs = findPrograms();
  if (programs === null) throw new Error("no PostgreSQL server is installed");
  const user = serverUser();
  const folder = mkdtempSync(join(parent, "postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = {
    cwd: folder,
    env: { PATH: process.env["PATH"], TZ: "UTC", LC_ALL: "C" },
    ...user,
  } as const;
  prepare(programs, options);

  const port = await freePort();
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    jit: "off",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    timezone: "UTC",
    ...(tls === undefined ? {} : setUpTls(tls, options)),
    ...parameters,
  };
  const { child, log, crash, stop } = startProcess(
    join(programs, "postgres"),
    [
      "-D",
      join(folder, "data"),
      "-p",
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    options,
    "SIGINT",
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(url, () => child.exitCode !== null);
  } catch {
    await stop();
    throw new Error(`postgres does not start: ${log()}`);
  }
  let created = 0;
  return {
    url,
    connect: (connections = 2) => connect(url, connections),
    createDatabase: () => createDatabase(url, `database_${++created}`),
    run: runPostgresProgram,
    startStandby: () =>
      startServer((_, standby) => {
        const copy = [
          "-D",
          join(standby.cwd, "data"),
          "-R",
          "-X",
          "stream",
          "-c",
          "fast",
          "--no-sync",
          "-d",
          url,
        ];
        runProgram(join(programs, "pg_basebackup"), copy, { ...standby, stdio: "pipe" });
      }),
    // Its other processes end by themselves when this one is gone.
    crash,
    stop,
  };
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name} template template0`);
  await client.end();
  return url.replace(/[^/]*$/, name);
}

function connect(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  // A connection that is being closed when the server stops says so here.
  pool.on("error", () => {});
  return pool;
}

const sharedMemory = "/dev/shm";

function scratch(): string {
  if (!existsSync(sharedMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(sharedMemory);
  return bavail * bsize < 4 * 2 ** 30 ? tmpdir() : sharedMemory;
}

export async function untilReady(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (hasEnded() || Date.now() > deadline) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
  }
}

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type PostgresServer, startPostgres, startTcpProxy } from "@cadastre/odata/testing";
import { type DataFolder, openDataFolder } from "../../src/data/data-folder.ts";
import { databasesOf } from "../../src/data/databases.ts";
import type { Listings } from "../../src/listings.ts";
import { prepareDemo } from "../support/prepare-demo.ts";
import { end, type Program, runProgram, says, startProgram } from "../support/program.ts";

/** A service that runs in a process of its own, and what its operator does. */
export type MonthService = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly folder: DataFolder;
  /** Calls `work` with the opened listings, as a command of another process does. */
  readonly withListings: <T>(work: (store: Listings) => Promise<T>) => Promise<T>;
  /** Runs `cadastre`. @throws {Error} if it fails */
  readonly cadastre: (...args: readonly string[]) => Promise<void>;
  readonly restart: (signal: NodeJS.Signals) => Promise<void>;
  readonly backUp: () => Promise<void>;
  /** Brings the databases back to the backup, while the service is stopped. */
  readonly restore: () => Promise<void>;
  /** Kills the primary and promotes its standby. Undefined on SQLite. */
  readonly failOver: (() => Promise<void>) | undefined;
  /** A database for the copy. */
  readonly copyTarget: string;
  readonly stop: () => Promise<void>;
};

type Backups = Pick<MonthService, "backUp" | "restore" | "failOver" | "copyTarget"> & {
  readonly close: () => Promise<void>;
};

/** Starts a service over the sample. */
export async function startMonthService(
  database: "SQLite" | "PostgreSQL",
  listings: number,
): Promise<MonthService> {
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-month-"));
  const path = join(scratch, "data");
  const port = await freePort();
  const primary = database === "PostgreSQL" ? await startPostgres() : undefined;
  const front = primary && (await startTcpProxy(primary.url));
  const url = primary && front?.through(primary.url);
  const folder = await openDataFolder(path, url === undefined ? undefined : { url });
  const keys = await prepareDemo(folder, listings);
  const environment = {
    CADASTRE_DATA: path,
    ...(url === undefined ? {} : { CADASTRE_DATABASE_URL: url }),
    PORT: String(port),
    CADASTRE_REQUESTS_PER_SECOND: "0",
    CADASTRE_SCAN_SECONDS: "3600",
    CADASTRE_CHECK_HOURS: "0",
    CADASTRE_LOG_LEVEL: "warn",
  };
  const start = async (): Promise<Program> => {
    const started = await startProgram("main.ts", [], environment);
    await says(started, "Stop with Ctrl-C.");
    return started;
  };
  const cadastre = async (...args: readonly string[]) => {
    const { code, stderr } = await runProgram("cli/main.ts", args, environment);
    if (code !== 0) throw new Error(`cadastre ${args.join(" ")}: ${code} ${stderr}`);
  };
  let program = await start();
  const whileStopped = async (signal: NodeJS.Signals, work: () => Promise<unknown>) => {
    await end(program, signal);
    await work();
    program = await start();
  };
  const backups =
    primary === undefined || front === undefined
      ? fileBackups(scratch, cadastre)
      : await serverBackups(scratch, primary, front.lead);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: keys.find(({ name }) => name === "national")?.apiKey ?? "",
    folder,
    withListings: async (work) => {
      const store = await databasesOf(folder).openListings({ threads: 0 });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
    cadastre,
    restart: (signal) => whileStopped(signal, async () => {}),
    ...backups,
    restore: () => whileStopped("SIGTERM", backups.restore),
    stop: async () => {
      await end(program, "SIGTERM");
      await front?.stop();
      await backups.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

function fileBackups(scratch: string, cadastre: MonthService["cadastre"]): Backups {
  let backup = "";
  return {
    backUp: async () => {
      backup = join(scratch, `backup-${randomBytes(4).toString("hex")}`);
      await cadastre("backup", backup);
    },
    restore: () => cadastre("restore", backup, "--replace"),
    failOver: undefined,
    copyTarget: `sqlite:${join(scratch, "copy.sqlite")}`,
    close: async () => {},
  };
}

/** Dumps of a PostgreSQL server, which has a standby that loses no acknowledged commit. */
async function serverBackups(
  scratch: string,
  primary: PostgresServer,
  lead: (url?: string) => void,
): Promise<Backups> {
  const copies = await startPostgres();
  const standby = await primary.startStandby();
  const control = primary.connect(1);
  for (const statement of [
    "alter role postgres set synchronous_commit = 'on'",
    "alter system set synchronous_standby_names = '*'",
    "select pg_reload_conf()",
  ])
    await control.query(statement);
  await control.end();
  const dump = join(scratch, "dump");
  return {
    // Not through the proxy: it is in this process, which waits for the program.
    backUp: async () => primary.run("pg_dump", "-Fc", "-f", dump, primary.url),
    restore: async () => primary.run("pg_restore", "--clean", "--if-exists", "-d", primary.url, dump),
    failOver: async () => {
      await primary.crash();
      lead();
      const promoting = standby.connect(1);
      await promoting.query("select pg_promote()");
      await promoting.query("alter system set synchronous_standby_names = ''");
      await promoting.query("select pg_reload_conf()");
      await promoting.end();
      lead(standby.url);
    },
    copyTarget: copies.url,
    close: async () => {
      await Promise.all([primary, standby, copies].map((server) => server.stop()));
    },
  };
}

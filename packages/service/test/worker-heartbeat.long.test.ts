import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { withRegistry, withRegistryAudit } from "../src/data/registry.ts";
import { release } from "../src/release.ts";
import { longestSilence } from "../src/worker-heartbeat.ts";
import { cadastre } from "./support/cli.ts";
import { end, type Program, says, startProgram } from "./support/program.ts";
import { runSql } from "./support/sql.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its heartbeats of workers are not tested");

describe.each(["sqlite", "postgres"] as const)("heartbeats of workers in %s", (engine) => {
  const isLeftOut = engine === "postgres" && !hasPostgres;
  let server: PostgresServer | undefined;
  let scratch: string;
  let url: string | undefined;
  let folder: DataFolder;
  beforeAll(async () => {
    if (engine === "postgres" && hasPostgres) server = await startPostgres();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), "cadastre-heartbeat-"));
    onTestFinished(() => rm(scratch, { recursive: true, force: true }));
    url = await server?.createDatabase();
    folder = await openDataFolder(join(scratch, "data"), url === undefined ? undefined : { url });
    const database = url === undefined ? [] : ["--database-url", url];
    const place = ["--data", folder.path, "--issuer-key", join(scratch, "elsewhere", "key.json")];
    const init = ["init", ...config(), "--yes", ...place, ...database, "--systems", "mymls:My MLS:TX"];
    const { code, stderr } = await cadastre(init);
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  });

  const config = () => ["--config", join(scratch, "cadastre.yaml")];
  const environment = { CADASTRE_LOG_LEVEL: "info", CADASTRE_CHECK_HOURS: "0", PORT: "0" };

  async function start(file: string, ...args: readonly string[]): Promise<Program> {
    const program = await startProgram(file, [...args, ...config()], environment);
    onTestFinished(async () => void (await end(program, "SIGKILL")));
    return program;
  }
  async function startWorker(): Promise<Program> {
    const worker = await start("cli/main.ts", "worker");
    await says(worker, "Building deliveries");
    return worker;
  }
  const nameOf = ({ child }: Program) => `${hostname()}:${child.pid}`;
  const findings = async () => {
    const { stdout } = await cadastre(["doctor", ...config(), "--json"], { environment });
    const all = JSON.parse(stdout) as readonly Readonly<
      Record<"check" | "state" | "says" | "remedy", string>
    >[];
    return all
      .filter(({ check }) => check === "workers")
      .map(({ state, says: text, remedy }) => ({ state, says: text, ...(remedy && { remedy }) }));
  };
  const workers = async () => (await withRegistryAudit(folder, (audit) => audit.workers())) ?? [];

  test.skipIf(isLeftOut)("a worker that is killed is told of when work waits, with the command", async () => {
    expect(await findings()).toEqual([{ state: "ok", says: "none runs, and no work waits" }]);
    const worker = await startWorker();
    const alive = { state: "ok", says: `${nameOf(worker)} works on deliveries, feeds` };
    expect(await findings()).toEqual([alive]);
    const [first] = await workers();
    expect(first).toMatchObject({
      name: nameOf(worker),
      host: hostname(),
      process: worker.child.pid,
      release,
      work: ["deliveries", "feeds"],
    });
    // It goes on to beat by itself.
    await pause(22_000);
    expect((await workers())[0]?.silence).toBeLessThan(20_000);
    expect((await workers())[0]?.started).toBe(first?.started);
    await end(worker, "SIGKILL");
    // The row is still there, and is believed until the worker has been silent for too long.
    expect(await findings()).toEqual([alive]);
    await runSql(folder, "registry", "update cadastre_worker set seen = seen - ?", longestSilence);
    expect(await findings()).toEqual([{ state: "ok", says: "none runs, and no work waits" }]);
    await withRegistry(folder, ({ feeds }) => feeds.add("late", "{}", Date.now() - 60_000));
    const says = `^no worker runs, and 1 feed waits; ${nameOf(worker)} was last seen \\d+ s ago$`;
    const remedy = "start the service, or `cadastre worker`";
    const matching = expect.stringMatching(says) as string;
    expect(await findings()).toEqual([{ state: "mend", says: matching, remedy }]);
  });

  test.skipIf(isLeftOut)(
    "the service beats where its worker is on, and is removed when it stops",
    async () => {
      const service = await start("cli/main.ts", "serve");
      await says(service, "Ctrl-C");
      await expect.poll(async () => (await workers()).map(({ name }) => name)).toEqual([nameOf(service)]);
      expect(await end(service, "SIGTERM")).toBe(0);
      expect(await workers()).toEqual([]);
    },
  );

  test.skipIf(isLeftOut)("another release, and work that no worker does, are told", async () => {
    const others = { id: "a", name: "other:1", host: "other", process: 1, release: "9.9.9" };
    await withRegistry(folder, async ({ workers: heartbeats, feeds }) => {
      await heartbeats.beat({ ...others, work: ["deliveries"] });
      await feeds.add("late", "{}", Date.now() - 60_000);
      await feeds.add("later", "{}", Date.now() - 60_000);
    });
    expect(await findings()).toEqual([
      {
        state: "warn",
        says: `other:1 works on deliveries, with release 9.9.9: this is ${release}`,
        remedy: "install the same release for all, and start the worker again",
      },
      {
        state: "mend",
        says: "no worker that runs works on feeds, and 2 feeds wait",
        remedy: "start the service, or `cadastre worker`",
      },
    ]);
  });
});

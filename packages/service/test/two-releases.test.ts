import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort, hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDataFolder } from "../src/data/data-folder.ts";
import { toMasterKeys } from "../src/data/master-key.ts";
import { withRegistry } from "../src/data/registry.ts";
import { openSigningKeys } from "../src/delivery/signing-keys.ts";
import { takesEffectWithin } from "../src/takes-effect.ts";
import { ask, query } from "./support/ask.ts";
import { customerOf } from "./support/deliveries.ts";
import { makeNextRelease } from "./support/next-release.ts";
import { prepareDemo } from "./support/prepare-demo.ts";
import { end, type Program, says, startProgram } from "./support/program.ts";
import { type BegunWalk, beginWalks, walkFrom } from "./support/walks.ts";

/** A copy of the packages takes a minute on two cores. */
const isAsked = process.env["UPGRADE"] === "nodes";
if (!isAsked) console.info("without UPGRADE=nodes, nodes of two releases on one PostgreSQL are not tested");
else if (!hasPostgres) throw new Error("UPGRADE=nodes needs a PostgreSQL server");

const masterKey = Buffer.alloc(32, 9).toString("base64");
const customer = "national";

/** A node that runs. */
type Node = { readonly program: Program; readonly baseUrl: string; readonly apiKey: string };

/** Waits until a program ends by itself. Returns its exit code. */
async function ended({ child }: Program): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return child.exitCode;
}

/** Steps of docs/deployment.md#upgrade, in their order. */
describe.runIf(isAsked)("a live database that a later release migrates", () => {
  let server: PostgresServer;
  let scratch: string;
  let url: string;
  let nextRelease: string;
  let apiKey: string;
  let old: Node;
  let next: Node;
  let walks: readonly BegunWalk[];
  let delivery: string;
  const load = { isOver: false, statuses: new Set<number>(), asking: Promise.resolve() };

  const environmentOf = (name: string) => ({
    CADASTRE_DATA: join(scratch, name),
    CADASTRE_DATABASE_URL: url,
    CADASTRE_MASTER_KEY: masterKey,
    CADASTRE_PARTS: join(scratch, "parts"),
    CADASTRE_REQUESTS_PER_SECOND: "0",
    CADASTRE_CHECK_HOURS: "0",
  });
  const startNode = async (name: string, worker: boolean, compiled?: string): Promise<Node> => {
    const port = await freePort();
    const environment = {
      ...environmentOf(name),
      PORT: String(port),
      CADASTRE_WORKER: String(worker),
      CADASTRE_LOG_LEVEL: "warn",
    };
    const program = await startProgram(
      "main.ts",
      [],
      environment,
      compiled === undefined ? {} : { compiled },
    );
    return { program, baseUrl: `http://127.0.0.1:${port}`, apiKey };
  };
  /** Runs a command of a release, and returns its exit code and output. */
  const run = async (args: readonly string[], compiled?: string) => {
    const start = compiled === undefined ? {} : { compiled };
    const program = await startProgram("cli/main.ts", args, environmentOf("operator"), start);
    return [await ended(program), program.output()] as const;
  };
  const get = ({ baseUrl }: Node, target: string, key = apiKey) => ask(baseUrl, target, { "x-api-key": key });
  const customerAt = ({ baseUrl }: Node) => customerOf({ service: { baseUrl }, key: () => apiKey });
  const restsOf = (node: Node, begun: readonly BegunWalk[]) =>
    Promise.all(begun.map((walk) => walkFrom(node, walk)));
  const restOf = ({ rest }: BegunWalk) => rest;

  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-releases-"));
    url = await server.createDatabase();
    const folder = await openDataFolder(
      join(scratch, "operator"),
      { url },
      { masterKeys: toMasterKeys(masterKey), given: {} },
    );
    const keys = await prepareDemo(folder, 300);
    await withRegistry(folder, (registry) => openSigningKeys(folder, registry));
    apiKey = keys.find(({ name }) => name === customer)?.apiKey ?? "";
    nextRelease = await makeNextRelease(join(scratch, "next-release"));
    old = await startNode("old", false);
    await says(old.program, "Stop with Ctrl-C.");
    walks = await beginWalks(old);
    delivery = await customerAt(old).created();
    load.asking = (async () => {
      while (!load.isOver) {
        load.statuses.add((await get(old, "/reso/odata/Office?$top=5")).status);
        await setTimeout(20);
      }
    })();
  }, 120_000);
  afterAll(async () => {
    load.isOver = true;
    for (const node of [old, next]) if (node !== undefined) await end(node.program, "SIGKILL");
    await server?.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  test("is migrated by its command while a node of the old release answers", async () => {
    const [code, output] = await run(["migrate"], nextRelease);
    expect([code, output]).toEqual([0, expect.stringContaining("Office: building index")]);
    expect(await restsOf(old, walks)).toEqual(walks.map(restOf));
  });

  test("is served by nodes of both, which go on with each other's walks and answer alike", async () => {
    next = await startNode("next", true, nextRelease);
    await says(next.program, "Stop with Ctrl-C.");
    expect(await restsOf(next, walks)).toEqual(walks.map(restOf));
    const begun = await beginWalks(next);
    expect(await restsOf(old, begun)).toEqual(begun.map(restOf));
    const targets = [
      "/reso/odata/$metadata",
      "/v1/mls-profiles",
      `/reso/odata/Media${query({ $orderby: "MediaKey desc", $count: true })}`,
      ...["contains(OfficeName,'Realty')", "startswith(OfficeName,'A')"].map(
        ($filter) => `/reso/odata/Office${query({ $filter, $count: true, $orderby: "OfficeName" })}`,
      ),
      `/reso/odata/Property${query({ $filter: "City ge 'M'", $count: true, $top: 200 })}`,
    ];
    for (const target of targets) {
      const [one, other] = await Promise.all([get(old, target), get(next, target)]);
      expect([one.status, other.status]).toEqual([200, 200]);
      const textOf = (text: string, { baseUrl }: Node) =>
        text.replaceAll(baseUrl, "").replaceAll(/\$skiptoken=[\w%-]+/g, "");
      expect(textOf(other.text, next)).toEqual(textOf(one.text, old));
    }
  });

  test("takes changes of the new release alone, and nodes of both show them", async () => {
    const file = join(scratch, "offices.jsonl");
    const record = {
      OfficeKey: "own-office",
      OriginatingSystemName: "Lone Star MLS",
      ModificationTimestamp: "2026-01-02T03:04:05Z",
      OfficeName: "Two Releases",
      OfficeStatus: "Active",
    };
    await writeFile(file, `${JSON.stringify(record)}\n`);
    const ingest = ["ingest", "--resource", "Office", "--source", "lonestar", file];
    const [code, output] = await run(ingest);
    expect([code, output]).toEqual([1, expect.stringContaining("was migrated by a later version")]);
    expect(await run(ingest, nextRelease)).toEqual([0, expect.any(String)]);
    expect(await run(["publish", "Office"], nextRelease)).toEqual([0, expect.any(String)]);
    await setTimeout(takesEffectWithin);
    const target = `/reso/odata/Office${query({ $filter: "OfficeName eq 'Two Releases'", $select: "OfficeName" })}`;
    for (const node of [old, next]) expect((await get(node, target)).text).toContain("Two Releases");
  });

  test("keeps its deliveries: one that was asked for before is built by the new release and fetched from both", async () => {
    const [here, there] = [customerAt(old), customerAt(next)];
    expect(await there.finished(delivery)).toBe("complete");
    const { data } = await here.manifest(delivery);
    expect(data).toEqual((await there.manifest(delivery)).data);
    for (const { number, sha256 } of data.parts)
      for (const at of [here, there])
        expect(
          createHash("sha256")
            .update(await at.fetched(delivery, number))
            .digest("hex"),
        ).toBe(sha256);
  });

  test("refuses a revoked key on nodes of both", async () => {
    const [code, output] = await run(["key", "create", `demo-${customer}`, "--json"], nextRelease);
    expect(code).toBe(0);
    const made = JSON.parse(output) as { readonly id: string; readonly apiKey: string };
    for (const node of [old, next]) expect((await get(node, "/reso/odata", made.apiKey)).status).toBe(200);
    expect((await run(["key", "revoke", made.id, "--yes"]))[0]).toBe(0);
    await setTimeout(takesEffectWithin);
    for (const node of [old, next]) expect((await get(node, "/reso/odata", made.apiKey)).status).toBe(401);
  });

  test("lets the old node drain, having refused nothing, and refuses its release a new start", async () => {
    load.isOver = true;
    await load.asking;
    expect([...load.statuses]).toEqual([200]);
    expect(await end(old.program, "SIGTERM")).toBe(0);
    const again = await startNode("old", false);
    expect([await ended(again.program), again.program.output()]).toEqual([
      1,
      expect.stringContaining("was migrated by a later version"),
    ]);
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import { ask, query, walk } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { end, says, startProgram } from "./support/program.ts";
import { type Running, run } from "./support/running.ts";

const [system] = sampleSystems;
const ofSystem = `OriginatingSystemName eq '${system.name}'`;

/** The service that is pulled from, which has more listings, and the one that pulls. */
let feed: Running;
let own: Running;
let faults: FeedServer;
let environment: Readonly<Record<string, string>>;

/** An answer that never comes, after a page that did. */
let isStuck = true;

beforeAll(async () => {
  feed = await run({ CADASTRE_LISTINGS: "300" });
  own = await run({ CADASTRE_LISTINGS: "60" });
  environment = { CADASTRE_DATA: own.folder.path, FEED_KEY: feed.key("national") };
  const ModificationTimestamp = "2024-05-01T10:00:00.000Z";
  const offices = ["1", "2"].map((OfficeKey) => ({
    OfficeKey: `stuck-${OfficeKey}`,
    OriginatingSystemName: system.name,
    ModificationTimestamp,
  }));
  faults = await startFeeds({
    plain: (request, response) =>
      request.url?.includes("EntityEvent")
        ? void response.writeHead(404).end()
        : sendJson(response, { value: offices }),
    stuck: (request, response) => {
      const isSecond = (request.url ?? "").includes("skiptoken");
      if (isSecond && isStuck) return;
      const link = isSecond ? {} : { "@odata.nextLink": "Office?$skiptoken=2" };
      sendJson(response, { value: offices.slice(isSecond ? 1 : 0), ...link });
    },
  });
});
afterAll(() => Promise.all([feed.stop(), own.stop(), faults.stop()]));

const get = (running: Running, target: string) =>
  ask(running.service.baseUrl, `/reso/odata${target}`, { "x-api-key": running.key("national") });

/** Every record of the system, by key. */
async function recordsOf(running: Running, set: string): Promise<ReadonlyMap<unknown, unknown>> {
  const target = `/reso/odata/${set}${query({ $filter: ofSystem, $top: 1000 })}`;
  const pages = await walk(running.service.baseUrl, target, { "x-api-key": running.key("national") });
  return new Map(pages.flatMap(({ value }) => value).map((record) => [record[`${keyNames[set]}`], record]));
}
const keyNames: Readonly<Record<string, string>> = {
  Property: "ListingKey",
  Media: "MediaKey",
  Office: "OfficeKey",
};

const replicate = (resource: string, ...more: readonly string[]) => {
  const of = ["--resource", resource, "--source", system.id, "--filter", ofSystem];
  const rejects = ["--rejects", join(own.folder.path, "rejects.jsonl")];
  const address = `${feed.service.baseUrl}/reso/odata`;
  const args = ["replicate", ...of, ...rejects, "--key-env", "FEED_KEY", "--json", address, ...more];
  return cadastre(args, { environment });
};
const publish = (resource: string) => cadastre(["publish", resource], { environment });

type Report = Readonly<Record<"read" | "staged" | "rejected" | "removed", number>> & {
  readonly deletions: string;
  readonly since: string | null;
};
const report = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => {
  // The first one ends the sample.
  expect(stderr).toMatch(/^(?:\S+ holds sample listings, [^\n]*)?$/);
  return JSON.parse(stdout) as Report;
};

// Programs are started again and again.
const patient = { timeout: 120_000 };

describe("another service", patient, () => {
  test.each(["Property", "Media"])("is copied whole: %s", async (set) => {
    const theirs = await recordsOf(feed, set);
    const told = report(await replicate(set));
    expect(told).toMatchObject({ read: theirs.size, staged: theirs.size, rejected: 0, removed: 0 });
    expect((await publish(set)).code).toBe(0);
    const ours = await recordsOf(own, set);
    for (const [key, record] of theirs) expect(ours.get(key)).toEqual(record);
  });

  test("is asked for what it has changed since", async () => {
    const before = report(await replicate("Property"));
    expect(before.staged).toBeLessThan(5);
    const [key = "", record] = [...(await recordsOf(feed, "Property"))].at(0) ?? [];
    const ModificationTimestamp = new Date().toISOString();
    await change(feed, { ...(record as object), City: "Changed", ModificationTimestamp });
    const { staged, since } = report(await replicate("Property"));
    expect([staged, since]).toEqual([before.staged + 1, ModificationTimestamp]);
    expect((await publish("Property")).code).toBe(0);
    expect((await get(own, `/Property('${String(key)}')/City/$value`)).text).toBe("Changed");
  });

  test("has its keys compared by --full, and what it has no more is deleted", async () => {
    const theirs = await recordsOf(feed, "Property");
    const [gone = ""] = [...theirs.keys()];
    await change(feed, { removed: gone });
    expect(report(await replicate("Property"))).toMatchObject({ removed: 0 });
    const { removed } = report(await replicate("Property", "--full"));
    // The service that pulls had listings that the feed never had.
    expect(removed).toBeGreaterThanOrEqual(1);
    expect((await publish("Property")).code).toBe(0);
    const ours = await recordsOf(own, "Property");
    const left = [...theirs.keys()].filter((key) => key !== gone);
    expect(new Set(ours.keys())).toEqual(new Set(left));
    expect(report(await replicate("Property", "--full"))).toMatchObject({ removed: 0 });
  });

  test.each([
    ["auto", "delta"],
    ["delta", "delta"],
    ["keys", "keys"],
  ])("tells of what it has deleted: --deletions %s", async (choice, deletions) => {
    const option = ["--deletions", choice];
    expect(report(await replicate("Property", ...option))).toMatchObject({ removed: 0, deletions });
    const [gone = ""] = [...(await recordsOf(feed, "Property")).keys()];
    await change(feed, { removed: gone });
    expect(report(await replicate("Property"))).toMatchObject({ removed: 0, deletions: "none" });
    const removed = { removed: 1, deletions };
    expect(report(await replicate("Property", ...option))).toMatchObject(removed);
    expect((await publish("Property")).code).toBe(0);
    expect((await recordsOf(own, "Property")).has(gone)).toBe(false);
    expect(report(await replicate("Property", ...option))).toMatchObject({ ...removed, removed: 0 });
  });

  test("has its keys compared where it has neither delta links nor events", async () => {
    const args = ["replicate", "--resource", "Office", "--source", system.id, `${faults.origin}/plain`];
    const rejects = ["--rejects", join(own.folder.path, "plain.jsonl"), "--deletions", "auto"];
    const { stderr } = await cadastre([...args, ...rejects, "--allow-shrink"], { environment });
    expect(stderr).toMatch(/ Deletions are found by comparing all keys\.$/m);
    expect(stderr).not.toContain("is not seen");
  });

  test("has the command say at its start that deletions are not seen, unless that is asked for", async () => {
    const args = ["replicate", "--resource", "Office", "--source", system.id, `${faults.origin}/plain`];
    const rejects = ["--rejects", join(own.folder.path, "unseen.jsonl")];
    const first = await cadastre([...args, ...rejects], { environment });
    expect(first.stderr).toMatch(
      /^What the source deletes is not seen, and stays here: `--deletions auto`.*\nRead /,
    );
    const second = await cadastre([...args, ...rejects, "--deletions", "none"], { environment });
    expect(second.stderr).toMatch(/^Read /);
  });
});

/** Change a listing of a service behind its back. */
async function change({ folder }: Running, changed: object | { readonly removed: unknown }): Promise<void> {
  const store = await databasesOf(folder).openListings({ threads: 0 });
  const resource = "Property";
  const { datasetId } = system;
  await store.commit([
    "removed" in changed
      ? { resource, datasetId, removed: [changed.removed] }
      : { resource, datasetId, record: { ...changed }, source: system.id },
  ]);
  await store.close();
}

test("a run that is killed is completed by running it again", patient, async () => {
  const args = ["replicate", "--resource", "Office", "--source", system.id, `${faults.origin}/stuck`];
  const rejects = ["--rejects", join(own.folder.path, "killed.jsonl"), "--timeout", "1"];
  const first = await startProgram("cli/main.ts", [...args, ...rejects], environment);
  await says(first, "gave no answer in time: again in");
  await end(first, "SIGKILL");
  isStuck = false;
  const { code, stderr } = await cadastre([...args, ...rejects, "--deletions", "none"], { environment });
  expect([code, stderr]).toEqual([
    0,
    "Read 3 records; staged 3. The next time begins at 2024-05-01T10:00:00.000Z.",
  ]);
});

describe("the key", patient, () => {
  test("is read from a file", async () => {
    const file = join(own.folder.path, "feed-key");
    await writeFile(file, `${feed.key("national")}\n`);
    const args = ["--resource", "Office", "--source", system.id, `${feed.service.baseUrl}/reso/odata/`];
    args.push("--deletions", "none");
    const { code, stderr } = await cadastre(
      ["replicate", ...args, "--key-file", file, "--filter", "false", "--rejects", `${file}.rejects`],
      { environment },
    );
    expect([code, stderr]).toEqual([0, "Read 0 records; staged 0."]);
  });

  test.each<[string, readonly string[], number, string]>([
    ["of another service", ["--key-env", "OWN_KEY"], 1, "Office gave 401: give a key that may read it"],
    ["that is missing", ["--key-env", "NO_KEY"], 1, "the variable NO_KEY must hold a key"],
    ["that is none", ["--key-env", "BAD_KEY"], 1, "the variable BAD_KEY must hold a key"],
    [
      "without its file",
      ["--key-file", "/nowhere"],
      1,
      "/nowhere cannot be read: there is no such file or folder (ENOENT)",
    ],
    ["in two places", ["--key-env", "OWN_KEY", "--key-file", "x"], 2, "give one of --key-file and --key-env"],
    ["as an argument", ["--key", "secret"], 2, "unknown option '--key'"],
  ])("%s is refused", async (_, options, exit, sentence) => {
    const keys = { OWN_KEY: own.key("national"), BAD_KEY: "two\nlines" };
    const args = ["--resource", "Office", "--source", system.id, `${feed.service.baseUrl}/reso/odata`];
    const { code, stdout, stderr } = await cadastre(["replicate", ...args, ...options], {
      environment: { ...environment, ...keys },
    });
    expect([code, stdout]).toEqual([exit, ""]);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n +at |lines/);
    expect(stderr).not.toContain(keys.OWN_KEY);
  });
});

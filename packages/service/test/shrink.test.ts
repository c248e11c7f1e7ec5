import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { Build } from "@cadastre/store";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import type { GateResult } from "../src/gates/gate.ts";
import { gatesOf } from "../src/gates/gates.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { type Running, run } from "./support/running.ts";

const [system] = sampleSystems;
const ofSource = `OriginatingSystemName eq '${system.name}'`;

let running: Running;
let feeds: FeedServer;
/** Records that the feed gives, whatever it is asked. */
let fed: readonly object[] = [];
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
  feeds = await startFeeds({ feed: (_request, response) => sendJson(response, { value: fed }) });
  expect((await tell("publish", "OpenHouse")).code).toBe(0);
  await vi.waitFor(async () => expect((await get("/OpenHouse")).status).toBe(200), { timeout: 10_000 });
});
afterAll(() => Promise.all([running.stop(), feeds.stop()]));

const get = (target: string) =>
  ask(running.service.baseUrl, `/reso/odata${target}`, { "x-api-key": running.key("national") });
const tellWith = (environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: running.folder.path, ...environment } });
const tell = (...args: readonly string[]) => tellWith({}, ...args);
const ingest = (resource: string, file: string, ...more: readonly string[]) =>
  tell("ingest", "--resource", resource, "--source", system.id, file, "--json", ...more);

async function fileOf(name: string, lines: readonly unknown[]): Promise<string> {
  const file = join(running.folder.path, name);
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await writeFile(file, texts.join("\n"));
  return file;
}

/** The records of the source that are served. */
const servedOf = async (set: string) =>
  toCollection(await get(`/${set}${query({ $filter: ofSource, $top: 1000 })}`)).value;
const keysOf = async (set: string, key: string) => (await servedOf(set)).map((row) => String(row[key]));

/** What is staged of a set, as the database has it. */
async function stagedOf(set: string) {
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  try {
    return {
      cursor: await store.builds.cursor(set, system.id),
      keys: await store.builds.keys(set, system.id),
    };
  } finally {
    await store.close();
  }
}

const buildsOf = async (set: string) =>
  JSON.parse((await tell("builds", set, "--json")).stdout) as readonly Build[];

describe("a full load of one record of many", () => {
  test("is stopped before anything is staged, and says how it is done", async () => {
    const served = await servedOf("OpenHouse");
    const [one, other] = served;
    expect(served.length).toBeGreaterThan(10);
    const changed = await fileOf("changed.jsonl", [{ ...other, OpenHouseRemarks: "staged before" }]);
    expect((await ingest("OpenHouse", changed)).code).toBe(0);
    const staged = await stagedOf("OpenHouse");

    const file = await fileOf("one.jsonl", [one]);
    const { code, stdout, stderr } = await ingest("OpenHouse", file, "--full");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`OpenHouse of ${system.id}: ${served.length - 1} of ${served.length} records`);
    expect(stderr).toContain("CADASTRE_MAX_SHRINK");
    expect(stderr).toContain("--allow-shrink");
    expect(await stagedOf("OpenHouse")).toEqual(staged);

    expect((await tell("publish", "OpenHouse")).code).toBe(0);
    const after = await servedOf("OpenHouse");
    expect(after).toHaveLength(served.length);
    expect(after.filter((row) => row["OpenHouseRemarks"] === "staged before")).toHaveLength(1);
  });

  test("that is allowed is staged, and is allowed again where it is published", async () => {
    const before = await keysOf("OpenHouse", "OpenHouseKey");
    const file = join(running.folder.path, "one.jsonl");
    expect((await ingest("OpenHouse", file, "--full", "--allow-shrink")).code).toBe(0);

    for (const command of ["gates", "publish"]) {
      const { code, stdout, stderr } = await tell(command, "OpenHouse");
      // The table counts the sentences, which are on standard error.
      expect(stdout).toMatch(/ shrink +failed .*excessive=[1-9]/);
      expect(stdout).not.toContain("would be removed");
      expect(code).toBe(1);
      expect(stderr).toContain(`OpenHouse of ${system.id}: ${before.length - 1} of ${before.length} records`);
      expect(stderr).toContain("`cadastre publish OpenHouse --allow-shrink`");
      expect(await keysOf("OpenHouse", "OpenHouseKey")).toHaveLength(before.length);
    }

    const { code, stdout } = await tell("publish", "OpenHouse", "--allow-shrink", "--json");
    expect(code).toBe(0);
    const { gates } = JSON.parse(stdout) as { gates: Record<string, readonly GateResult[]> };
    const evidenceOf = (name: string) => gates["OpenHouse"]?.find(({ gate }) => gate === name)?.evidence;
    expect(evidenceOf("shrink")).toMatchObject({ removed: before.length - 1, limit: 20, allowed: true });
    expect(evidenceOf("deletion")).toMatchObject({ removed: before.length - 1, seen: 0 });
    expect(await keysOf("OpenHouse", "OpenHouseKey")).toHaveLength(1);
    expect((await tell("rollback", "OpenHouse", "--yes")).code).toBe(0);
    expect(await keysOf("OpenHouse", "OpenHouseKey")).toHaveLength(before.length);
  });

  test("of which every record is named needs no leave", async () => {
    const file = await fileOf("whole.jsonl", await servedOf("OpenHouse"));
    expect((await ingest("OpenHouse", file, "--full")).code).toBe(0);
    expect((await tell("publish", "OpenHouse")).code).toBe(0);
  });
});

describe("a publication that removes a third of the listings", () => {
  const third = <T>(all: readonly T[]) => all.slice(0, Math.ceil(all.length / 3));

  test("is stopped, keeps what is staged, and is carried out once it is allowed", async () => {
    const keys = await keysOf("Property", "ListingKey");
    const gone = third(keys);
    const builds = await buildsOf("Property");
    expect((await ingest("Property", await fileOf("gone.txt", gone), "--delete")).code).toBe(0);
    const staged = await stagedOf("Property");

    const { code, stderr } = await tell("publish", "Property");
    expect(code).toBe(1);
    expect(stderr).toContain(`Property of ${system.id}: ${gone.length} of ${keys.length} records`);
    expect(stderr).toContain("`cadastre publish Property --allow-shrink`");
    expect(await keysOf("Property", "ListingKey")).toEqual(keys);
    expect(await stagedOf("Property")).toEqual(staged);
    expect(await buildsOf("Property")).toEqual(builds);

    const environment = { CADASTRE_MAX_SHRINK: "50" };
    expect((await tellWith(environment, "gates", "Property")).code).toBe(0);
    expect((await tell("publish", "Property", "--allow-shrink")).code).toBe(0);
    expect(await keysOf("Property", "ListingKey")).toHaveLength(keys.length - gone.length);
  });

  test("is rolled back, and a rollback that removes as many is asked about as well", async () => {
    const before = (await buildsOf("Property"))[0];
    expect((await tell("rollback", "Property", "--yes")).code).toBe(0);
    const { code, stderr } = await tell("rollback", "Property", "--to", String(before?.id), "--yes");
    expect([code, stderr]).toEqual([1, expect.stringContaining("--allow-shrink")]);
    expect(
      (await tell("rollback", "Property", "--to", String(before?.id), "--allow-shrink", "--yes")).code,
    ).toBe(0);
    expect((await buildsOf("Property"))[0]?.records).toBe(before?.records);
    expect((await tell("rollback", "Property", "--yes")).code).toBe(0);
  });
});

describe("a feed that has lost most of its records", () => {
  const replicate = (...more: readonly string[]) => {
    const rejects = ["--rejects", join(running.folder.path, "feed.rejects.jsonl")];
    const of = ["--resource", "Office", "--source", system.id, "--full"];
    return tell("replicate", ...of, ...rejects, `${feeds.origin}/feed`, "--json", ...more);
  };

  test("removes nothing, and keeps what it has changed, until it is allowed", async () => {
    const offices = await servedOf("Office");
    expect(offices.length).toBeGreaterThan(2);
    fed = [{ ...offices[0], OfficeName: "Changed" }];
    const { code, stderr } = await replicate();
    expect(code).toBe(1);
    expect(stderr).toContain(`Office of ${system.id}: ${offices.length - 1} of ${offices.length} records`);
    expect(stderr).toContain("--allow-shrink");
    expect((await stagedOf("Office")).keys).toHaveLength(offices.length);

    const { stdout } = await replicate("--allow-shrink");
    expect(JSON.parse(stdout)).toMatchObject({ removed: offices.length - 1 });
    expect((await stagedOf("Office")).keys).toHaveLength(1);
    expect((await tell("publish", "Office")).code).toBe(1);
    expect(await servedOf("Office")).toHaveLength(offices.length);
  });
});

test("one record may always go: of a set of four it is a fourth", async () => {
  const [member] = await servedOf("Member");
  const own = ["a", "b", "c", "d"].map((key) => ({ ...member, MemberKey: `few-${key}` }));
  const few = sampleSystems[1];
  const rows = own.map((row) => ({ ...row, OriginatingSystemName: few.name }));
  const stage = async (name: string, lines: readonly unknown[], ...more: readonly string[]) =>
    tell("ingest", "--resource", "Member", "--source", few.id, await fileOf(name, lines), ...more);
  const theirs = toCollection(
    await get(`/Member${query({ $filter: `OriginatingSystemName eq '${few.name}'`, $top: 1000 })}`),
  ).value.map((row) => String(row["MemberKey"]));
  expect((await stage("few.jsonl", rows)).code).toBe(0);
  expect((await stage("others.txt", theirs, "--delete")).code).toBe(0);
  expect((await tell("publish", "Member", "--allow-shrink")).code).toBe(0);
  expect((await stage("three.jsonl", rows.slice(1), "--full")).code).toBe(0);
  expect((await tell("publish", "Member")).code).toBe(0);
  expect((await stage("one-left.jsonl", rows.slice(3), "--full")).stderr).toContain("2 of 3 records");
});

test("the setting and the gate are documented", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  for (const { name } of gatesOf({ name: "Property" } as never)) expect(readme).toContain(`| \`${name}\` |`);
  expect(readme).toContain("CADASTRE_MAX_SHRINK");
});

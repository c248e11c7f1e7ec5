import type { IncomingMessage } from "node:http";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ask, query } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { type Running, run } from "./support/running.ts";

const [system] = sampleSystems;
const patient = { timeout: 120_000 };

/** An office of the source. */
type Office = { readonly OfficeKey: string; readonly OfficeName: string };

let running: Running;
let sources: FeedServer;
/** Offices that the source has now. */
let offices: readonly Office[];
/** Keys of its events: the number of an event is its place, beginning with 1. */
let events: string[];
/** Changes since the delta link in use, as entries of a delta. */
let delta: readonly unknown[];
let isExpired: boolean;

const officesOf = (...keys: readonly string[]): readonly Office[] =>
  keys.map((key) => ({
    OfficeKey: key,
    OfficeName: `Office ${key}`,
    OriginatingSystemName: system.name,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  }));

/** Offices that pass the filters of feeds, in the order of their keys. */
function answered(request: IncomingMessage): readonly Office[] {
  const filter = new URL(request.url ?? "", "http://localhost").searchParams.get("$filter") ?? "";
  const [, list] = /OfficeKey in \((.*)\)/.exec(filter) ?? [];
  const asked = list?.split(",").map((text) => text.slice(1, -1).replaceAll("''", "'"));
  return offices.filter(({ OfficeKey: key }) => asked === undefined || asked.includes(key));
}

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_FEEDS: "false" });
  sources = await startFeeds({
    events: (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      if (pathname.endsWith("/Office")) {
        const value = answered(request);
        // Few records of a list of keys, and no next link.
        return sendJson(response, { value: request.url?.includes("%20in%20") ? value.slice(0, 1) : value });
      }
      const [, after] = /EntityEventSequence gt (\d+)/.exec(searchParams.get("$filter") ?? "") ?? [];
      const all = events.map((key, i) => ({
        EntityEventSequence: i + 1,
        ResourceName: "Office",
        ResourceRecordKey: key,
      }));
      const found = after === undefined ? all.slice(-1) : all.slice(Number(after));
      sendJson(response, { value: found.slice(0, 2) });
    },
    delta: (request, response) => {
      const url = request.url ?? "";
      const links = { "@odata.deltaLink": `http://${request.headers.host}/delta/Office?$deltatoken=1` };
      const isTracked = String(request.headers["prefer"]).includes("odata.track-changes");
      if (!url.includes("$deltatoken"))
        return sendJson(response, { value: answered(request), ...(isTracked ? links : {}) });
      if (isExpired) return void response.writeHead(410).end();
      sendJson(response, { value: delta, ...links });
    },
    silent: (request, response) => {
      if (request.url?.includes("EntityEvent")) response.writeHead(404).end();
      else sendJson(response, { value: answered(request) });
    },
  });
}, 120_000);
afterAll(() => Promise.all([running.stop(), sources.stop()]));

beforeEach(() => {
  offices = officesOf("del-1", "del-2", "del-'3'");
  events = ["del-1"];
  delta = [];
  isExpired = false;
});

const feed = (...args: readonly string[]) =>
  cadastre(["feed", ...args], {
    environment: { CADASTRE_DATA: running.folder.path, CADASTRE_MAX_SHRINK: "100" },
  });
const office = ["--source", system.id, "--resource", "Office"];

function add(name: string, from: string, deletions: string) {
  const place = ["--replicate", `${sources.origin}/${from}`, "--paging", "next"];
  return feed("add", name, ...office, ...place, "--deletions", deletions);
}

async function removedBy(name: string): Promise<unknown> {
  const { stdout } = await feed("run", name, "--json");
  const { removed, error } = JSON.parse(stdout) as Record<string, unknown>;
  expect(error).toBeNull();
  return removed;
}

/** Keys of the feed's offices that are served. */
async function served(): Promise<readonly string[]> {
  const target = `/reso/odata/Office${query({ $filter: "startswith(OfficeKey,'del-')", $select: "OfficeKey" })}`;
  const { text } = await ask(running.service.baseUrl, target, { "x-api-key": running.key("national") });
  return (JSON.parse(text) as { value: readonly Office[] }).value.map(({ OfficeKey }) => OfficeKey).sort();
}

/** Runs a feed for the first time, which removes what the sample and other tests have of the system. */
const runFirst = async (name: string) => {
  await feed("run", name, "--json");
  await expect.poll(served).toEqual(["del-'3'", "del-1", "del-2"]);
};

test("events tell of deleted records, and those of others remove nothing", patient, async () => {
  expect((await add("events", "events", "events")).stderr).toMatch(/Added the feed/);
  expect((await feed("try", "events")).code).toBe(0);
  await runFirst("events");
  offices = officesOf("del-1", "del-2");
  events.push("del-2", "del-'3'", "del-'3'", "del-1", "del-unknown");
  expect(await removedBy("events")).toBe(1);
  await expect.poll(served).toEqual(["del-1", "del-2"]);
  const before = sources.asked.length;
  expect(await removedBy("events")).toBe(0);
  // The records, and the events after the last one.
  expect(sources.asked.length - before).toBe(2);
});

test.each([
  ["delta", { Office: "delta" }],
  ["events", { Office: "events" }],
  ["silent", {}],
])("a source with %s is found to tell of deletions by it", patient, async (from, found) => {
  const name = `auto-${from}`;
  await add(name, from, "auto");
  expect((await feed("try", name)).code).toBe(0);
  await feed("run", name, ...(from === "silent" ? ["--full"] : []), "--json");
  await expect.poll(served).toEqual(["del-'3'", "del-1", "del-2"]);
  expect(JSON.parse((await feed("show", name)).stdout)).toMatchObject({
    deletions: "auto",
    deletionsFrom: found,
  });
  offices = officesOf("del-1", "del-2");
  events.push("del-'3'");
  delta = [{ "@removed": { reason: "deleted" }, OfficeKey: "del-'3'" }];
  expect(await removedBy(name)).toBe(from === "silent" ? 0 : 1);
});

test("a first run compares the keys once, though --full-every is due too", patient, async () => {
  await add("once", "events", "events");
  await feed("change", "once", "--full-every", "1d");
  const before = sources.asked.length;
  await runFirst("once");
  // The records, the last event, and the keys.
  expect(sources.asked.length - before).toBe(3);
  expect(await removedBy("once")).toBe(0);
});

test("a run with --full compares the keys of a feed that never does", patient, async () => {
  await add("asked", "events", "none");
  // The first one removes what the sample has of the system.
  await feed("run", "asked", "--full", "--json");
  await expect.poll(served).toEqual(["del-'3'", "del-1", "del-2"]);
  offices = officesOf("del-1");
  expect(await removedBy("asked")).toBe(0);
  expect(JSON.parse((await feed("run", "asked", "--full", "--json")).stdout)).toMatchObject({
    removed: 2,
    error: null,
  });
  await expect.poll(served).toEqual(["del-1"]);
  expect(JSON.parse((await feed("show", "asked")).stdout)).not.toHaveProperty("fullEvery");
  expect(await removedBy("asked")).toBe(0);
});

test.each<[string, unknown, unknown]>([
  [
    "OData 4.0",
    {
      "@odata.context": "https://x/$metadata#Office/$deletedEntity",
      id: "Office('del-1')",
      reason: "deleted",
    },
    {
      "@odata.context": "https://x/$metadata#Office/$deletedEntity",
      id: "Office('del-2')",
      reason: "changed",
    },
  ],
  [
    "OData 4.01",
    { "@removed": { reason: "deleted" }, "@id": "https://x/Office(OfficeKey='del-1')" },
    { "@removed": { reason: "deleted" }, OfficeKey: "del-2" },
  ],
])("delta links of %s tell of deleted records", patient, async (form, first, second) => {
  const name = form.replace("OData ", "delta").replaceAll(".", "");
  await add(name, "delta", "delta");
  expect((await feed("try", name)).code).toBe(0);
  await runFirst(name);
  offices = officesOf("del-2", "del-'3'");
  // The second one was deleted, and made again.
  delta = [first, second, { OfficeKey: "del-2" }];
  expect(await removedBy(name)).toBe(1);
  await expect.poll(served).toEqual(["del-'3'", "del-2"]);

  delta = [];
  offices = officesOf("del-2");
  isExpired = true;
  expect(await removedBy(name)).toBe(1);
  await expect.poll(served).toEqual(["del-2"]);
});

test.each([
  ["events", /EntityEvent gave 404/],
  ["delta", /gave no delta link: take `--deletions events`/],
])("a source without %s is told by a trial, and by a run", patient, async (from, words) => {
  await add(`silent-${from}`, "silent", from);
  for (const how of ["try", "run"]) {
    const { code, stderr } = await feed(how, `silent-${from}`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  }
});

test("the way of deletions is an option of a Web API, and can be taken back", patient, async () => {
  const unseen = "What the source deletes is not seen, and stays here";
  expect((await add("changed", "silent", "delta")).stderr).not.toContain(unseen);
  const taken = await feed("change", "changed", "--deletions", "none");
  expect([taken.code, taken.stderr]).toEqual([0, "Changed the feed changed."]);
  expect((await feed("change", "changed", "--every", "1h")).stderr).toContain(
    `${unseen}: \`--full-every 1d\``,
  );
  expect((await feed("change", "changed", "--deletions", "auto")).stderr).toContain(
    `If the source has neither delta links nor EntityEvent: ${unseen}`,
  );
  expect((await feed("change", "changed", "--full-every", "1d")).stderr).toBe("Changed the feed changed.");
  expect((await feed("change", "changed", "--deletions", "none")).code).toBe(0);
  expect((await feed("try", "changed")).code).toBe(0);
  expect(
    (await feed("add", "files", ...office, "--files", "office-*.csv", "--deletions", "events")).stderr,
  ).toMatch(/a feed by --files has no --deletions/);
});

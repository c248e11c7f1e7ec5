import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storedResources } from "../src/catalog.ts";
import { rejectLimit } from "../src/ingest/reject-limit.ts";
import { roundingOf } from "../src/ingest/rounding.ts";
import { sourceBySystem } from "../src/ingest/sources.ts";
import { feedOf } from "../src/replicate/feed.ts";
import { type Replication, replicateFeed } from "../src/replicate/replicate.ts";
import { bearer, type FeedAnswer, type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";

const apiKey = "secret-of-the-feed";
const OriginatingSystemName = "Lone Star MLS";
const time = (second: number) => `2024-05-01T10:00:${String(second).padStart(2, "0")}.000Z`;

/** An office that was changed at a second. */
const office = (second: number, more: object = {}) => ({
  "@odata.etag": 'W/"1"',
  OfficeKey: `office-${second}`,
  OfficeName: `Office ${second}`,
  OriginatingSystemName,
  ModificationTimestamp: time(second),
  ...more,
});

/** What is wrong with all but the first of these: a type, a name, a key. */
const faulty = [
  office(1, { ListOffice: null, "OfficeName@odata.type": "#String" }),
  office(2, { OfficeName: 7 }),
  office(3, { Nope: "x" }),
  office(4, { OfficeKey: 8 }),
];

/** The one page of a feed, after some answers that fail. */
const failing =
  (times: number, fail: FeedAnswer): FeedAnswer =>
  (request, response, turn) => {
    if (turn < times) fail(request, response, turn);
    else sendJson(response, { value: [office(1), office(2)] });
  };

const always = (fail: FeedAnswer): FeedAnswer => failing(Number.POSITIVE_INFINITY, fail);

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): FeedAnswer =>
  (_request, response) =>
    void response.writeHead(code, headers).end("nothing that is read");

/** Announces more than it sends. */
const cutOff: FeedAnswer = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"value":[');
  setTimeout(() => response.destroy(), 20);
};

const json =
  (body: unknown): FeedAnswer =>
  (_request, response) =>
    sendJson(response, body);

const html: FeedAnswer = (_request, response) => {
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end("<html>Log in</html>");
};

const inTwoSeconds: FeedAnswer = (request, response, turn) =>
  status(429, { "retry-after": new Date(Date.now() + 2000).toUTCString() })(request, response, turn);

const bomb = gzipSync(Buffer.alloc(70_000_000, " "));
const large: FeedAnswer = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
  response.end(bomb);
};

/** Two pages; whoever asks for the second before `healed` gets nothing whole. */
let healed = false;
const twoPages: FeedAnswer = (request, response, turn) => {
  const { searchParams } = new URL(request.url ?? "", "http://feed");
  const next = { "@odata.nextLink": "Office?$skiptoken=2" };
  const first = searchParams.get("$filter") === null ? [office(1), office(2)] : [office(2)];
  if (searchParams.get("$skiptoken") === null) sendJson(response, { value: first, ...next });
  else if (healed) sendJson(response, { value: [office(3)] });
  else cutOff(request, response, turn);
};

let store: WritableStore;
let folder: string;
let feeds: FeedServer;
let elsewhere: FeedServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-feed-"));
  store = await openSqliteStore({
    file: join(folder, "x.sqlite"),
    resources: storedResources(sampleCatalog),
    threads: 0,
  });
  elsewhere = await startFeeds({ stolen: json({ value: [] }) });
  const away = `${elsewhere.origin}/stolen/Office`;
  feeds = await startFeeds({
    "busy-seconds": failing(1, status(429, { "retry-after": "1" })),
    "busy-date": failing(1, inTwoSeconds),
    unavailable: failing(2, status(503)),
    gateway: failing(1, status(504)),
    cut: failing(1, cutOff),
    slow: failing(1, () => {}),
    down: always(status(503)),
    patient: always(status(429, { "retry-after": "7200" })),
    never: always(() => {}),
    html: always(html),
    "no-json": always(json("{")),
    "no-page": always(json({ value: {} })),
    "no-records": always(json({ value: [1] })),
    "no-link": always(json({ value: [], "@odata.nextLink": 1 })),
    circle: json({ value: [], "@odata.nextLink": "Office?$skiptoken=1" }),
    empty: (_request, response, turn) =>
      sendJson(response, { value: [], "@odata.nextLink": `Office?$skiptoken=${turn}` }),
    away: always(json({ value: [office(1)], "@odata.nextLink": away })),
    "away-user": always(json({ value: [], "@odata.nextLink": away.replace("//", "//user@") })),
    "away-scheme": always(json({ value: [], "@odata.nextLink": "https://127.0.0.1/x" })),
    redirected: (request, response, turn) =>
      turn === 0
        ? status(307, { location: "/redirected/v2/Office" })(request, response, turn)
        : sendJson(response, { value: [office(1), office(2)] }),
    "redirected-away": always(status(302, { location: away })),
    "redirected-on": always(status(308, { location: "Office" })),
    locked: always(status(401)),
    missing: always(status(404)),
    large: always(large),
    disorder: always(json({ value: [office(2), office(1)] })),
    "two-pages": twoPages,
    future: json({ value: [office(1), office(2, { ModificationTimestamp: "2999-01-01T00:00:00Z" })] }),
    long: always(json({ value: [], "@odata.nextLink": `Office?${"x".repeat(65_536)}` })),
    rejected: always(json({ value: faulty })),
    "rejected-too": always(json({ value: faulty })),
    twice: always(json({ value: [office(1, { OfficeName: "older" }), office(2), office(2), office(2)] })),
    newest: (request, response) => {
      const since = /ge (\S+Z)/.exec(decodeURIComponent(request.url ?? ""))?.[1] ?? "";
      sendJson(response, {
        value: [office(1), office(2)].filter((one) => one.ModificationTimestamp >= since),
      });
    },
    "no-keys": (request, response) =>
      sendJson(response, { value: (request.url ?? "").includes("select=OfficeKey") ? [] : [office(1)] }),
  });
});
afterAll(async () => {
  await Promise.all([store.close(), feeds.stop(), elsewhere.stop()]);
  await rm(folder, { recursive: true });
});

const source = sourceBySystem(sampleCatalog, OriginatingSystemName) ?? expect.unreachable();
const rejectsFile = (name: string) => join(folder, `${name}.jsonl`);

type PullOptions = { full?: boolean; maxRejects?: number; tries?: number; timeout?: number } & Pick<
  Replication,
  "latest"
>;

/** Replicate a feed, and tell the pauses that were made. */
async function pull(
  name: string,
  { full = false, maxRejects = 100, tries = 3, timeout = 700, latest }: PullOptions = {},
) {
  const pauses: number[] = [];
  const report = await replicateFeed({
    store: Object.assign(store, { catalog: sampleCatalog }),
    crosswalk: { assigned: async () => new Map() },
    rounding: roundingOf(sampleCatalog, "Office"),
    resource: "Office",
    source,
    asking: {
      feed: feedOf(`${feeds.origin}/${name}/`, "Office", { filter: undefined, select: undefined }, true),
      authorization: bearer(apiKey),
      retryPolicy: { tries, timeout, pause: 20 },
      pageSize: 1000,
      onRetry: (_reason, pause) => pauses.push(pause),
    },
    full,
    latest,
    rejects: rejectsFile(name),
    rejectLimit: rejectLimit(maxRejects),
    maxShrink: 100,
    onProgress: () => {},
  });
  return { ...report, pauses };
}

const askedOf = (name: string) => feeds.asked.filter((target) => target.startsWith(`/${name}/`));

describe("what passes is asked again", () => {
  test.each<[string, number, number]>([
    ["busy-seconds", 1, 1000],
    ["busy-date", 1, 500],
    ["unavailable", 2, 0],
    ["gateway", 1, 0],
    ["cut", 1, 0],
    ["slow", 1, 0],
  ])("%s", async (name, retries, least) => {
    const { staged, pauses, since } = await pull(name);
    expect([staged, since]).toEqual([2, time(2)]);
    expect(pauses.length).toBe(retries);
    // Jitter is anything up to 20 ms, and twice that after the second try.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(least === 0 ? 40 : 2020);
    expect(askedOf(name).length).toBe(retries + 1);
  });
});

describe("refused, without the key and without what the feed says", () => {
  test.each<[string, string, number]>([
    ["down", "gave 503, 3 times: start again later", 3],
    ["never", "gave no answer in time, 3 times", 3],
    ["patient", "gave 429, and asks for a pause of 120 minutes", 1],
    ["html", "gave `text/html; charset=utf-8` and no JSON", 1],
    ["no-json", "gave JSON that is no page of an OData collection", 1],
    ["no-page", "gave JSON that is no page", 1],
    ["no-records", "gave JSON that is no page", 1],
    ["no-link", "gave JSON that is no page", 1],
    ["circle", "gives next links that lead in a circle", 2],
    ["empty", "gives empty pages without an end", 101],
    ["away", "names a next address outside of http://127.0.0.1:", 1],
    ["away-user", "names a next address outside of", 1],
    ["away-scheme", "names a next address outside of", 1],
    ["redirected-away", "names a next address outside of", 1],
    ["redirected-on", "redirects again and again", 6],
    ["long", "names a next address that is too long", 1],
    ["locked", "gave 401: give a key that may read it", 1],
    ["missing", "gave 404", 1],
    ["disorder", "does not keep to `$filter` and `$orderby` by ModificationTimestamp", 1],
  ])("%s", async (name, sentence, requests) => {
    const error = await pull(name).then(() => expect.unreachable(), String);
    expect(error).toMatch(/^FeedError: http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/Office /);
    expect(error).toContain(sentence);
    expect(error).not.toMatch(/secret|skiptoken|filter=|Log in|nothing that is read/);
    expect(askedOf(name).length).toBe(requests);
    expect(elsewhere.asked).toEqual([]);
  });

  test("an answer that is too large once it is unpacked", async () => {
    await expect(pull("large", { timeout: 20_000 })).rejects.toThrow("gave more than 67108864 bytes");
  });

  test("an answer that is still being unpacked when its time is up", async () => {
    await expect(pull("large", { timeout: 20 })).rejects.toThrow("gave no answer in time, 3 times");
  });

  test.each<[string, string]>([
    ["ftp://feed.example", "must begin with https://"],
    ["feed.example", "must begin with https://"],
    ["https://me:secret@feed.example/", "must have no user, no query and no fragment"],
    ["https://feed.example/?key=secret", "must have no user, no query and no fragment"],
    ["http://feed.example/odata", "a key is sent over https alone"],
  ])("the address %s", (address, sentence) => {
    const make = () => feedOf(address, "Office", { filter: undefined, select: undefined }, true);
    expect(make).toThrow(sentence);
    expect(make).not.toThrow("secret");
  });
});

test("a redirection within the origin is followed", async () => {
  expect(await pull("redirected")).toMatchObject({ staged: 2 });
  expect(askedOf("redirected").at(-1)).toBe("/redirected/v2/Office");
});

test("a run that was cut off goes on where it stood", async () => {
  await expect(pull("two-pages")).rejects.toThrow("could not be read");
  healed = true;
  expect(await pull("two-pages")).toMatchObject({ staged: 2, since: time(3) });
  const [first, again] = askedOf("two-pages").filter((target) => !target.includes("skiptoken"));
  expect(decodeURIComponent(first ?? "")).toBe("/two-pages/Office?$orderby=ModificationTimestamp,OfficeKey");
  expect(decodeURIComponent(again ?? "")).toBe(
    `/two-pages/Office?$filter=ModificationTimestamp ge ${time(2)}&$orderby=ModificationTimestamp,OfficeKey`,
  );
});

test("a record that is rejected is told by key, field and code, and the others are taken", async () => {
  expect(await pull("rejected")).toMatchObject({ read: 4, staged: 1, rejected: 3, since: time(4) });
  const lines = (await readFile(rejectsFile("rejected"), "utf8")).trim().split("\n");
  const told = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string | null>>);
  expect(told.map(({ key, field, code }) => [key, field, code])).toEqual([
    ["office-2", "OfficeName", "wrong_type"],
    ["office-3", "Nope", "unknown_field"],
    [null, "OfficeKey", "wrong_type"],
  ]);
});

test("a record from the future does not put off what is changed until then", async () => {
  const { staged, since } = await pull("future");
  expect(staged).toBe(2);
  expect(Date.parse(since ?? "")).toBeLessThanOrEqual(Date.now());
});

test("too many rejects end the run", async () => {
  const before = await store.builds.cursor("Office", source.name);
  await expect(pull("rejected-too", { maxRejects: 2 })).rejects.toThrow(
    /^3 records .* than 2, most often for wrong_type of OfficeName, see .*jsonl/,
  );
  expect(await store.builds.cursor("Office", source.name)).toBe(before);
});

test("a record that comes twice counts as it came last", async () => {
  expect(await pull("twice")).toMatchObject({ read: 4, staged: 2, rejected: 0 });
});

test("the newest records are skipped only while the cursor is at their time", async () => {
  const { latest } = await pull("newest");
  expect(await pull("newest", { latest })).toMatchObject({ read: 1, staged: 0 });
  const cursor = (await store.builds.cursor("Office", source.name)) ?? expect.unreachable();
  // Another run has set the cursor back.
  await store.builds.stage("Office", source.name, [], { cursor: cursor.replace(time(2), time(1)) });
  expect(await pull("newest", { latest })).toMatchObject({ read: 2, staged: 2 });
});

test("a feed without keys removes nothing", async () => {
  await expect(pull("no-keys", { full: true })).rejects.toThrow("gave no key: nothing is removed");
});

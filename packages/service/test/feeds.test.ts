import { mkdir, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import { withRegistry } from "../src/data/registry.ts";
import { startFeedWorker } from "../src/feeds/feed-worker.ts";
import { ask, query } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { type Running, run } from "./support/running.ts";
import { runSql } from "./support/sql.ts";
import { zipOf } from "./support/zip-writer.ts";

const [system] = sampleSystems;
const other = sampleSystems[4];
const patient = { timeout: 120_000 };

/** Offices of the source, of which three were modified at the same time. */
const offices = Array.from({ length: 7 }, (_, i) => ({
  OfficeKey: `feed-${i}`,
  OfficeName: `Office ${i}`,
  OriginatingSystemName: system.name,
  ModificationTimestamp: `2024-05-0${i < 3 ? 1 : i}T10:00:00.000Z`,
}));
type Office = (typeof offices)[number];

let running: Running;
let sources: FeedServer;
let environment: Readonly<Record<string, string>>;
let tokens = 0;
const seen: { authorization?: string | undefined; key?: string | undefined }[] = [];

/** Answers by `$filter` and `$orderby` of the forms that the feeds send, at most 3 records a page, without next links. */
function answerFiltered(request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  const filter = searchParams.get("$filter") ?? "";
  const isByKey = searchParams.get("$orderby") === "OfficeKey";
  const since = /ModificationTimestamp ge (\S+)/.exec(filter)?.[1] ?? "";
  const [, after = "", key = ""] = /ModificationTimestamp gt (\S+) or .* gt '(.*)'/.exec(filter) ?? [];
  const [, keyAfter = ""] = after === "" ? (/OfficeKey gt '(.*?)'/.exec(filter) ?? []) : [];
  const order = isByKey
    ? (one: Office) => one.OfficeKey
    : (one: Office) => one.ModificationTimestamp + one.OfficeKey;
  const value = offices
    .filter((one) => one.ModificationTimestamp >= since && one.OfficeKey > keyAfter)
    .filter(
      (one) =>
        one.ModificationTimestamp > after || (one.ModificationTimestamp === after && one.OfficeKey > key),
    )
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .slice(0, 3);
  sendJson(response, { value });
}

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_FEEDS: "false", CADASTRE_ADMIN_PORT: "0" });
  environment = { CADASTRE_DATA: running.folder.path, TOKEN: "token-of-test", SECRET: "s3cret" };
  sources = await startFeeds({
    filtered: answerFiltered,
    bearer: (request, response) => {
      seen.push({ authorization: request.headers.authorization, key: String(request.headers["x-api-key"]) });
      answerFiltered(request, response);
    },
    token: (request, response) => {
      tokens++;
      const isAllowed =
        request.headers.authorization === `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
      if (isAllowed) sendJson(response, { access_token: `token-${tokens}`, expires_in: 3600 });
      else response.writeHead(401).end();
    },
    // Refuses the first token, as if it was revoked.
    oauth: (request, response) => {
      if (request.headers.authorization === "Bearer token-1") response.writeHead(401).end();
      else answerFiltered(request, response);
    },
    // Gives all records at once, and refuses `or` with words that repeat the key.
    "no-or": (request, response) => {
      const filter = new URL(request.url ?? "", "http://localhost").searchParams.get("$filter") ?? "";
      const [, since = ""] = /^ModificationTimestamp ge (\S+)$/.exec(filter) ?? [];
      if (!filter.includes(" or "))
        return sendJson(response, { value: offices.filter((one) => one.ModificationTimestamp >= since) });
      const message = `no or\u001b[2J here for ${request.headers.authorization}, ${"x".repeat(2000)}`;
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message } }));
    },
    busy: (_request, response) => response.writeHead(503, { "retry-after": "7200" }).end(),
    document: (_request, response) =>
      sendJson(response, { "@reso.context": "urn:reso:metadata:2.0:resource:office", value: offices }),
  });
}, 120_000);
afterAll(() => Promise.all([running.stop(), sources.stop()]));

const feed = (...args: readonly string[]) => cadastre(["feed", ...args], { environment });
const shown = async (name: string) =>
  JSON.parse((await feed("show", name)).stdout) as Readonly<Record<string, unknown>>;
const office = ["--source", system.id, "--resource", "Office"];

/** Offices of the feed that are served. */
async function served(prefix = "feed-"): Promise<number> {
  const $filter = `startswith(OfficeKey,'${prefix}')`;
  const target = `/reso/odata/Office${query({ $filter, $top: 100 })}`;
  const { text } = await ask(running.service.baseUrl, target, { "x-api-key": running.key("national") });
  return (JSON.parse(text) as { value: readonly unknown[] }).value.length;
}

describe("a RESO Web API", patient, () => {
  test.each(["auto", "timestamp", "key"])(
    "is read whole by %s, and then what has changed",
    async (paging) => {
      const name = `paging-${paging}`;
      const added = await feed(
        "add",
        name,
        ...office,
        "--replicate",
        `${sources.origin}/filtered/${paging}`,
        "--paging",
        paging,
      );
      expect([added.code, added.stderr]).toEqual([0, expect.stringContaining("feed try")]);
      const first = await feed("run", name, "--json");
      expect(first.stderr).not.toContain("gate");
      expect(JSON.parse(first.stdout)).toMatchObject({ read: 7, rejected: 0, error: null });
      expect(await served()).toBe(7);
      // The last record is read again, because others may have been modified in the same millisecond. It is not published again.
      const build = async () => (await cadastre(["builds", "Office", "--json"], { environment })).stdout;
      const before = await build();
      const again = JSON.parse((await feed("run", name, "--json")).stdout) as object;
      expect(again).toMatchObject({ read: 1, staged: 0, rejected: 0 });
      expect(await build()).toBe(before);
      expect(await shown(name)).toMatchObject({
        state: "waiting",
        failures: 0,
        lastError: null,
        newest: "2024-05-06T10:00:00.000Z",
      });
      expect((await feed("list")).stdout).toMatch(
        /waiting +just now +in 15 minutes +1 +0 +0 +\d+ \w+ ago +0/,
      );
      expect((await feed("remove", name)).code).toBe(0);
    },
  );

  test("gets a token, or a key in a header, whose values are kept nowhere", async () => {
    const place = ["--replicate", `${sources.origin}/bearer`];
    await feed("add", "bearer", ...office, ...place, "--token-env", "TOKEN");
    const file = join(running.folder.path, "key.txt");
    await writeFile(file, "key-of-test\n");
    await feed("add", "header", ...office, ...place, "--header-name", "X-Api-Key", "--key-file", file);
    expect((await feed("run", "bearer")).code).toBe(0);
    expect(seen.at(-1)?.authorization).toBe("Bearer token-of-test");
    expect((await feed("run", "header")).code).toBe(0);
    expect(seen.at(-1)).toEqual({ authorization: undefined, key: "key-of-test" });
    const stored = await runSql(running.folder, "registry", "select * from cadastre_feed");
    const told = (await feed("list", "--json")).stdout + JSON.stringify(stored);
    expect(told).not.toMatch(/token-of-test|key-of-test/);
    for (const name of ["bearer", "header"]) await feed("remove", name);
  });

  test("gets OAuth tokens, which are fetched again once they are refused", async () => {
    const credentials = [
      "--token-url",
      `${sources.origin}/token`,
      "--client-id",
      "me",
      "--client-secret-env",
      "SECRET",
    ];
    await feed("add", "oauth", ...office, "--replicate", `${sources.origin}/oauth`, ...credentials);
    const { code, stderr } = await feed("run", "oauth");
    expect([code, stderr, tokens]).toEqual([0, expect.stringContaining("Read 7 records"), 2]);
    await feed("remove", "oauth");
  });

  test("that refuses `or` is told with the query, its words and the cure, by a trial too", async () => {
    const place = ["--replicate", `${sources.origin}/no-or`, "--token-env", "TOKEN"];
    await feed("add", "no-or", ...office, ...place);
    const trials = [
      await feed("try", "no-or", "--limit", "3"),
      await feed("try", "no-or"),
      await feed("run", "no-or"),
    ];
    for (const { code, stderr } of trials) {
      expect(code).toBe(1);
      expect(stderr).toContain(
        "/no-or/Office gave 400 to `$filter=(ModificationTimestamp gt 2024-05-06T10:00:00.000Z or (",
      );
      expect(stderr).toContain("and says `no or?[2J here for …, xxx");
      expect(stderr).toContain("`--paging next`");
      expect(stderr).not.toMatch(/token-of-test|x{500}|\n/);
    }
    await feed("change", "no-or", "--paging", "next");
    expect((await feed("try", "no-or", "--limit", "3")).stdout).toMatch(/Office +3 +3 +0\n/);
    // The failed run has staged the first page.
    const { code, stderr } = await feed("run", "no-or");
    expect([code, stderr]).toEqual([0, expect.stringContaining("Read 1 record")]);
    await feed("remove", "no-or");
  });

  test("that asks for a long pause gets it", async () => {
    await feed("add", "busy", ...office, "--replicate", `${sources.origin}/busy`);
    const { code, stderr } = await feed("run", "busy");
    expect([code, stderr]).toEqual([1, expect.stringContaining("asks for a pause of 120 minutes")]);
    const { state, failures, nextRun, lastError } = await shown("busy");
    expect([state, failures, lastError]).toEqual(["failing", 1, stderr]);
    expect(Date.parse(String(nextRun))).toBeGreaterThan(Date.now() + 7_000_000);
    const metrics = await ask(`http://127.0.0.1:${running.service.adminPort}`, "/metrics");
    expect(metrics.text).toContain('cadastre_feed_failures{feed="busy"} 1');
    await feed("remove", "busy");
  });
});

describe("a trial", patient, () => {
  test("does not call records faulty whose listings the run publishes first, and writes long numbers", async () => {
    const folder = join(running.folder.path, "trial");
    await mkdir(folder);
    const place = { OriginatingSystemName: system.name, ModificationTimestamp: "2024-05-01T10:00:00.000Z" };
    const listing = { ListingKey: "try-1", ...place, ListPrice: "1" };
    const media = (i: number) => ({ MediaKey: `try-${i}`, ResourceRecordKey: "try-1", ...place });
    await writeFile(
      join(folder, "Property.jsonl"),
      JSON.stringify(listing).replace('"1"', "9007199254740993"),
    );
    await writeFile(
      join(folder, "Media.jsonl"),
      [media(1), media(2), { ...media(3), Order: "x" }].map((one) => JSON.stringify(one)).join("\n"),
    );
    const files = ["--files", join(folder, "{resource}.jsonl")];
    await feed("add", "trial", "--source", system.id, "--resource", "Property,Media", ...files);
    const { resources } = JSON.parse((await feed("try", "trial", "--json")).stdout) as {
      resources: readonly unknown[];
    };
    expect(resources).toMatchObject([
      { resource: "Property", records: [{ ListPrice: "9007199254740993" }] },
      { resource: "Media", read: 3, stored: 0, rejected: 1, waiting: 2, faults: [{ code: "wrong_type" }] },
    ]);
    const { stdout } = await feed("try", "trial");
    expect(stdout).toContain(
      "2 records of Media belong to listings that are not served yet. A run publishes",
    );
    expect(stdout).toMatch(/ListPrice +"9007199254740993"/);
    await feed("remove", "trial");
  });
});

describe("files", patient, () => {
  test("are tried, mapped, read once each, and published", async () => {
    const folder = join(running.folder.path, "drop");
    await mkdir(folder);
    const csv = (key: string, state: string) =>
      `Id,Name,Changed,State,Odd\n${key},Office ${key},01/31/2024 10:00:00,${state},x\n`;
    await writeFile(join(folder, "Office-1.csv"), csv("file-1", "Texas"));
    await writeFile(join(folder, "ignored.txt"), "x");
    const mapping = join(folder, "mapping.yaml");
    await writeFile(mapping, "resources:\n  Office:\n    rename: { Id: OfficeKey, Name: OfficeName }\n");
    await feed("add", "files", ...office, "--files", join(folder, "Office-*.csv"), "--mapping", mapping);
    const bad = JSON.parse((await feed("try", "files", "--json")).stdout) as {
      resources: readonly unknown[];
    };
    expect(bad.resources).toMatchObject([{ read: 1, stored: 0, rejected: 1 }]);
    expect((await feed("try", "files")).stdout).toMatch(/unknown_field +Changed +1 +"01\/31\/2024 10:00:00"/);
    const better = [
      "resources:",
      "  Office:",
      "    rename: { Id: OfficeKey, Name: OfficeName, Changed: ModificationTimestamp, State: OfficeStateOrProvince }",
      "    dates: { ModificationTimestamp: MM/DD/YYYY HH:mm:ss }",
      "    values: { OfficeStateOrProvince: { Texas: TX } }",
      `    constants: { OriginatingSystemName: ${system.name} }`,
      "    unknownFields: drop",
    ];
    await writeFile(mapping, better.join("\n"));
    const good = await feed("try", "files", "--mapping", mapping);
    expect(good.stdout).toMatch(/Office +1 +1 +0\n/);
    expect(await served("file-")).toBe(0);
    expect((await feed("change", "files", "--mapping", mapping)).code).toBe(0);
    expect((await feed("run", "files")).stderr).toContain(
      "Read 1 record; staged and published 1; removed 0; rejected 0.",
    );
    expect(await served("file-")).toBe(1);
    await writeFile(join(folder, "Office-2.csv"), csv("file-2", "Texas"));
    expect(JSON.parse((await feed("run", "files", "--json")).stdout)).toMatchObject({ read: 1, staged: 1 });
    expect(JSON.parse((await feed("run", "files", "--json")).stdout)).toMatchObject({ read: 0, staged: 0 });
    expect(await served("file-")).toBe(2);
    await feed("remove", "files");
  });

  test("are read from a zip archive, and a full set tells what it removes", async () => {
    const file = join(running.folder.path, "offices.zip");
    const put = (keys: readonly string[]) =>
      writeFile(
        file,
        zipOf(
          keys.map((key) => ({
            name: `${key}.csv`,
            content: Buffer.from(
              `OfficeKey,OfficeName,OriginatingSystemName,ModificationTimestamp\n${key},Office,${other.name},2024-05-01T10:00:00Z\n`,
            ),
          })),
        ),
      );
    const records = Array.from({ length: 12 }, (_, i) => `zip-${i}`);
    await put(records);
    const gulfsun = ["--source", other.id, "--resource", "Office"];
    await feed("add", "zipped", ...gulfsun, "--files", file, "--full");
    expect((await feed("try", "zipped")).stdout).toMatch(/Office +12 +12 +0\n/);
    // The first set replaces all of the sample's offices of the system.
    const first = await cadastre(["feed", "run", "zipped", "--json"], {
      environment: { ...environment, CADASTRE_MAX_SHRINK: "100" },
    });
    expect(JSON.parse(first.stdout)).toMatchObject({ read: 12, staged: 12, rejected: 0, error: null });
    expect((JSON.parse(first.stdout) as { removed: number }).removed).toBeGreaterThan(0);
    expect(await served("zip-")).toBe(12);
    await put(records.slice(1));
    const second = await feed("run", "zipped");
    expect([second.code, second.stderr]).toEqual([
      0,
      "Read 11 records; staged and published 11; removed 1; rejected 0.",
    ]);
    expect(await served("zip-")).toBe(11);
    await feed("remove", "zipped");
  });

  test("with very many faulty records end the run, so that their rejects do not fill the disk", async () => {
    const file = join(running.folder.path, "faulty.jsonl");
    await writeFile(file, "{}\n".repeat(101_000));
    await feed("add", "faulty", ...office, "--files", file);
    const { code, stderr } = await feed("run", "faulty");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/1000 of the first 1000 records are rejected, most often for missing_field/),
    ]);
    expect(stderr).toMatch(/Office:\nRECORDS +CODE +FIELD.*\n1,000 +missing_field +ModificationTimestamp/);
    expect(await shown("faulty")).toMatchObject({ state: "failing", failures: 1 });
    await feed("change", "faulty", "--max-rejects", "200000");
    const allowed = await feed("run", "faulty", "--json");
    expect(JSON.parse(allowed.stdout)).toMatchObject({
      read: 101_000,
      staged: 0,
      rejected: 101_000,
      reasons: { Office: [{ records: 101_000, code: "missing_field" }, {}, {}] },
    });
    await feed("remove", "faulty");
  });

  test("of Common Format come from an address", async () => {
    await feed("add", "document", ...office, "--common-format", `${sources.origin}/document`);
    expect((await feed("try", "document")).stdout).toMatch(/Office +7 +7 +0\n/);
    expect((await feed("run", "document")).stderr).toContain("Read 7 records");
    await feed("remove", "document");
  });
});

test.each<[string, readonly string[], string]>([
  ["nothing", [], "the feed needs --source <source>, --resource <resources>, one of --replicate"],
  [
    "mixed credentials",
    [...office, "--replicate", "https://x.example", "--token-env", "A", "--header-name", "B"],
    "one kind of credentials",
  ],
  [
    "half of a client",
    [...office, "--replicate", "https://x.example", "--client-id", "A"],
    "client credentials need --token-url",
  ],
  [
    "a secret over http",
    [...office, "--replicate", "http://x.example", "--token-env", "A"],
    "over https alone",
  ],
  [
    "paging of files",
    [...office, "--files", "/x/*.csv", "--paging", "key"],
    "a feed by --files has no --paging",
  ],
  [
    "one place for two resources",
    ["--source", system.id, "--resource", "Office,Member", "--files", "/x/*.csv"],
    "{resource}",
  ],
])("a feed with %s is refused", async (_, args, message) => {
  const { code, stderr } = await feed("add", "wrong", ...args);
  expect([code, stderr]).toEqual([
    message.startsWith("over https") ? 1 : 2,
    expect.stringContaining(message),
  ]);
});

describe("workers", patient, () => {
  type Options = Parameters<typeof startFeedWorker>[0];
  const start = async (
    registry: Parameters<Parameters<typeof withRegistry>[1]>[0],
    more: Partial<Options> = {},
  ) => {
    const store = await databasesOf(running.folder).openListings({ threads: 0 });
    const worker = startFeedWorker({
      store,
      feeds: registry.feeds,
      crosswalk: registry.identities,
      folder: running.folder,
      maxShrink: 20,
      lease: 3000,
      interval: 20,
      log: { info: () => {}, error: () => {} },
      now: Date.now,
      ...more,
    });
    return async () => {
      await worker.stop();
      await store.close();
    };
  };

  test("several run a due feed once, and one takes over from a dead one", async () => {
    await withRegistry(running.folder, async (registry) => {
      await feed("add", "shared", ...office, "--replicate", `${sources.origin}/filtered/shared`);
      // A worker that died.
      const dead = await registry.feeds.claim(Date.now(), { worker: "dead", lease: 1000 });
      const stops = [await start(registry), await start(registry)];
      await expect
        .poll(async () => (await shown("shared"))["lastSuccess"], { timeout: 30_000 })
        .not.toBeNull();
      for (const stop of stops) await stop();
      expect(sources.asked.filter((target) => target.startsWith("/filtered/shared/Office?")).length).toBe(4);
      expect(dead && (await registry.feeds.renew(dead, Date.now() + 1000))).toBe(false);
      await feed("remove", "shared");
    });
  });

  test("a stop ends a run that waits for its source, and the feed is due again", async () => {
    await withRegistry(running.folder, async (registry) => {
      const silent = await startFeeds({ silent: () => {} });
      await feed("add", "silent", ...office, "--replicate", `${silent.origin}/silent`);
      const stop = await start(registry);
      await expect.poll(() => silent.asked.length, { timeout: 30_000 }).toBe(1);
      const before = Date.now();
      await stop();
      expect(Date.now() - before).toBeLessThan(3000);
      expect(await shown("silent")).toMatchObject({ state: "waiting", failures: 0 });
      await feed("remove", "silent");
      await silent.stop();
    });
  });

  test("a source that says nothing keeps no other feed waiting, and a stop ends all runs", async () => {
    await withRegistry(running.folder, async (registry) => {
      const silent = await startFeeds({ silent: () => {} });
      const lastRun = async (name: string) => (await shown(name))["lastRun"];
      const dictionary = ["--source", "dictionary", "--resource", "Office"];
      const addQuick = (name: string) =>
        feed("add", name, ...dictionary, "--replicate", `${sources.origin}/filtered/${name}`);
      await feed("add", "silent", ...office, "--replicate", `${silent.origin}/silent`);
      const stop = await start(registry, { runs: 2 });
      await expect.poll(() => silent.asked.length, { timeout: 30_000 }).toBe(1);
      await addQuick("quick");
      await expect.poll(() => lastRun("quick"), { timeout: 30_000 }).not.toBeNull();
      // Another feed of the same source waits for the first. Then two run, and no third one is begun.
      await feed("add", "second", ...office, "--replicate", `${silent.origin}/silent`);
      await expect.poll(async () => (await shown("second"))["state"], { timeout: 30_000 }).toBe("running");
      await addQuick("third");
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect([silent.asked.length, await lastRun("third")]).toEqual([1, null]);
      const before = Date.now();
      await stop();
      expect(Date.now() - before).toBeLessThan(3000);
      for (const name of ["silent", "second"])
        expect(await shown(name)).toMatchObject({ state: "waiting", failures: 0 });
      for (const name of ["silent", "quick", "second", "third"]) await feed("remove", name);
      await silent.stop();
    });
  });

  test("a feed whose lease has ended is not run twice by one worker", async () => {
    await withRegistry(running.folder, async (registry) => {
      const silent = await startFeeds({ silent: () => {} });
      await feed("add", "stalled", ...office, "--replicate", `${silent.origin}/silent`);
      // The clock of the worker jumps past the end of the lease, as after a pause of the machine.
      let skipped = 0;
      const stop = await start(registry, { lease: 600_000, now: () => Date.now() + skipped });
      await expect.poll(() => silent.asked.length, { timeout: 30_000 }).toBe(1);
      const begun = await registry.feeds.find("stalled");
      skipped = 1_200_000;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await registry.feeds.find("stalled")).toEqual(begun);
      await stop();
      await feed("remove", "stalled");
      await silent.stop();
    });
  });

  test("a registry that cannot be asked is logged once", async () => {
    await withRegistry(running.folder, async (registry) => {
      let claims = 0;
      const logged: string[] = [];
      const claim: Options["feeds"]["claim"] = () => {
        claims++;
        throw new Error("no registry");
      };
      const stop = await start(registry, {
        feeds: { ...registry.feeds, claim },
        log: { info: () => {}, error: (_: unknown, text?: string) => void logged.push(text ?? "") },
      });
      await expect.poll(() => claims).toBeGreaterThan(3);
      await stop();
      expect(logged).toEqual(["could not look for due feeds"]);
    });
  });

  test("a gate that fails leaves what is served, and is told", async () => {
    const file = join(running.folder.path, "offices.jsonl");
    await writeFile(file, `${JSON.stringify({ ...offices[0], OfficeKey: "gate-1" })}\n`);
    await feed("add", "gated", ...office, "--files", file);
    const before = await served();
    // Staged by hand: the removal of all other offices.
    const staged = await cadastre(["ingest", file, ...office, "--full", "--allow-shrink"], { environment });
    expect(staged.code).toBe(0);
    const { code, stderr } = await feed("run", "gated");
    expect([code, stderr]).toEqual([1, expect.stringContaining("the gate shrink is not passed")]);
    expect([await served(), await served("gate-")]).toEqual([before, 0]);
    expect(await shown("gated")).toMatchObject({ state: "failing", failures: 1, lastError: stderr });
    await feed("remove", "gated");
  });
});

test("the service runs feeds by itself", patient, async () => {
  const own = await run({ CADASTRE_LISTINGS: "20" });
  try {
    const of = { environment: { CADASTRE_DATA: own.folder.path } };
    const place = ["--replicate", `${sources.origin}/filtered/own`];
    expect((await cadastre(["feed", "add", "own", ...office, ...place], of)).code).toBe(0);
    await expect
      .poll(async () => (await cadastre(["feed", "list", "--json"], of)).stdout, { timeout: 60_000 })
      .toContain('"newest": "2024-05-06T10:00:00.000Z"');
    expect(own.log()).toContain("ran a feed");
  } finally {
    await own.stop();
  }
});

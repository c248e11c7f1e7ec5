import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { createOwnIssuer } from "./support/own-issuer.ts";

let folder: string;
let environment: Readonly<Record<string, string>>;
let sources: FeedServer;
const records = [1, 2].map((i) => ({
  ListingKey: `BR_${i}`,
  OriginatingSystemName: "Blue Ridge MLS",
  ModificationTimestamp: `2026-01-02T03:04:0${i}.000Z`,
  StateOrProvince: "VA",
  BR_Well: i,
}));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-rejected-"));
  environment = await createOwnIssuer(folder);
  await command("sample", "--listings", "0");
  await command("system", "add", "blueridge", "--name", "Blue Ridge MLS", "--states", "VA");
  sources = await startFeeds({
    odata: (request, response) => {
      const filter = new URL(request.url ?? "", "http://localhost").searchParams.get("$filter") ?? "";
      const since = /ModificationTimestamp ge (\S+)/.exec(filter)?.[1] ?? "";
      sendJson(response, { value: records.filter((one) => one.ModificationTimestamp >= since) });
    },
  });
  await writeFile(
    join(folder, "Property-1.jsonl"),
    records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  );
}, 120_000);
afterAll(async () => {
  await sources.stop();
  await rm(folder, { recursive: true });
});

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout + stderr;
}

const listing = ["--source", "blueridge", "--resource", "Property"];

async function counts(name: string): Promise<unknown> {
  const { stdout } = await cadastre(["feed", "run", name, "--json"], { environment });
  const { read, staged, rejected } = JSON.parse(stdout) as Record<string, unknown>;
  return { read, staged, rejected };
}

test("records that a catalog does not allow are read again when it does, by files, feeds of files and feeds of a Web API", {
  timeout: 180_000,
}, async () => {
  const file = join(folder, "Property-1.jsonl");
  const ingested = () => command("ingest", ...listing, file);
  await command("feed", "add", "files", ...listing, "--files", join(folder, "Property-*.jsonl"));
  const webApi = ["--replicate", `${sources.origin}/odata`, "--paging", "next"];
  await command("feed", "add", "api", ...listing, ...webApi);
  const rejected = { read: 2, staged: 0, rejected: 2 };
  expect(await ingested()).toMatch(/Rejected 2\b/);
  expect(await counts("api")).toEqual(rejected);
  expect(await counts("files")).toEqual(rejected);
  expect(await ingested()).toMatch(/2 of them by an earlier run/);

  await command("field", "add", "blueridge", "BR_Well", "--type", "integer");
  expect(await ingested()).not.toMatch(/earlier run|Rejected/);
  expect(await counts("api")).toMatchObject({ read: 2, rejected: 0 });
  expect(await counts("files")).toMatchObject({ read: 2, rejected: 0 });
  // What was taken under this catalog is not read again.
  expect(await counts("files")).toMatchObject({ read: 0 });
  expect(await ingested()).toMatch(/2 of them by an earlier run/);
});

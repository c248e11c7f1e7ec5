import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cadastre } from "./support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "./support/feed-server.ts";
import { type Running, run } from "./support/running.ts";

const [system] = sampleSystems;
const page = readFileSync(new URL("../../../docs/feeds.md", import.meta.url), "utf8");
const mapping = new URL("./ingest/feed-mapping.yaml", import.meta.url).pathname;

/** Commands of the guide, in its order. */
const commands = [...page.matchAll(/^npm run cadastre -- (.*)$/gm)].map(([, command = ""]) => command);

let running: Running;
let source: FeedServer;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "20", CADASTRE_FEEDS: "false" });
  await mkdir(join(running.folder.path, "mls"));
  const row = "office-2,Office,01/31/2024 10:00:00,Texas,x";
  await writeFile(join(running.folder.path, "mls/Office-1.csv"), `OfficeID,Name,Changed,State,Odd\n${row}\n`);
  const office = {
    OfficeKey: "office-1",
    OfficeName: "Office",
    OriginatingSystemName: system.name,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  };
  source = await startFeeds({
    reso: (request, response) => {
      const isFirst = !(request.url ?? "").includes("%20gt%20");
      sendJson(response, { value: isFirst ? [office] : [] });
    },
    "office.json": (_request, response) =>
      sendJson(response, { "@reso.context": "urn:reso:metadata:2.0:resource:office", value: [office] }),
  });
}, 120_000);
afterAll(() => Promise.all([running.stop(), source.stop()]));

test("every command of the guide does what it says", { timeout: 120_000 }, async () => {
  const environment = { CADASTRE_DATA: running.folder.path, FEED_TOKEN: "token" };
  const told: string[] = [];
  for (const command of commands) {
    const args = command
      .replaceAll("https://feed.example", source.origin)
      .replaceAll("/srv/mls", join(running.folder.path, "mls"))
      .replaceAll("mapping.yaml", mapping)
      .split(" ");
    // The full comparison of the guide would remove the sample, which the operator does not have.
    const { code, stdout, stderr } = await cadastre(
      args.filter((arg) => !["--full-every", "1d"].includes(arg) || args.includes("document")),
      { environment },
    );
    expect([command, code, stderr]).toEqual([command, 0, expect.any(String)]);
    told.push(`${command}\n${stdout}${stderr}`);
  }
  expect(commands.length).toBe(10);
  expect(told.find((one) => one.startsWith("feed try web"))).toMatch(/Office +1 +1 +0\n/);
  expect(told.find((one) => one.startsWith("feed run web"))).toContain(
    "staged and published 1; removed 0; rejected 0.",
  );
  expect(told.find((one) => one.startsWith("feed try files"))).toMatch(/Office +1 +1 +0\n/);
  expect(told.find((one) => one.startsWith("feed list"))).toMatch(/^web +waiting/m);
});

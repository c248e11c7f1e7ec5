import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type Running, run } from "./support/running.ts";
import { house, listing, provisional, tower } from "./v1/property-service.ts";

let running: Running;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  environment = { CADASTRE_DATA: running.folder.path };
});
afterAll(() => running.stop());

const [{ id: source }] = sampleSystems;
const command = (...args: readonly string[]) => cadastre(args, { environment });
const done = async (...args: readonly string[]) => {
  const outcome = await command(...args);
  expect([args[1], outcome.code, outcome.stderr]).toEqual([args[1], 0, expect.any(String)]);
  return outcome;
};

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(running.folder.path, name);
  await writeFile(file, text);
  return file;
}

let files = 0;
async function ingest(...rows: readonly ReturnType<typeof listing>[]): Promise<void> {
  const lines = rows.map(({ record }) => JSON.stringify(record)).join("\n");
  const file = await fileOf(`listings-${++files}.jsonl`, lines);
  await done("ingest", "--resource", "Property", "--source", source, file);
  await done("publish", "Property");
}

const get = (id: string) =>
  ask(running.service.baseUrl, `/v1/properties/${id}`, { "x-api-key": running.key("national") });
/** The property's id and listings, when the running service knows of what was resolved. */
const settled = async (id: string, expected: readonly unknown[]) =>
  expect
    .poll(
      async () => {
        const { status, text } = await get(id);
        if (status !== 200) return [status];
        const { data } = JSON.parse(text) as { data: { id: string; attributes: Record<string, unknown> } };
        return [data.id, data.attributes["listing_keys"]];
      },
      { timeout: 10_000, interval: 200 },
    )
    .toEqual(expected);

test("listings are given identities as they are ingested, and an operator says what is one property", async () => {
  const [one, other] = [listing("one"), listing("other", { StreetNumber: "14" })];
  const own = provisional(one);
  await ingest(one, other, listing("known", { Placekey: house, StreetNumber: "16" }));
  await settled(own, [own, ["one"]]);
  await settled(house, [house, ["known"]]);

  await done("identity", "resolve", own, house);
  await settled(own, [house, ["known", "one"]]);
  const { stdout } = await done("identity", "show", own, "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    id: house,
    resolved: [own],
    attributes: { listing_keys: ["known", "one"] },
  });
  // The same listings once more: nothing of it is undone.
  await ingest(listing("one", { ListPrice: 1 }));
  await settled(own, [house, ["known", "one"]]);

  await done("identity", "release", own);
  await settled(own, [own, ["one"]]);

  const crosswalk = await fileOf("crosswalk.csv", `ListingKey,Placekey\none,${tower}\n`);
  await done("identity", "crosswalk", crosswalk, "--source", source);
  await ingest(listing("one", { ListPrice: 2, Placekey: house }));
  await settled(tower, [tower, ["one"]]);
  // It answers on, as what its listing has become.
  await settled(own, [tower, ["one"]]);
}, 180_000);

test("what names no property is refused", async () => {
  const wrong: readonly (readonly [number, ...string[]])[] = [
    [2, "resolve", "one", house],
    [2, "resolve", house, "222-222@aaa"],
    [1, "resolve", house, house],
    [1, "release", tower],
    [1, "crosswalk", "nowhere.csv", "--source", source],
    [1, "crosswalk", await fileOf("bad.csv", "ListingKey,Placekey\none,Austin\n"), "--source", source],
    [1, "crosswalk", await fileOf("lacking.csv", "Placekey\nx\n"), "--source", source],
  ];
  for (const [code, ...args] of wrong)
    expect([args, (await command("identity", ...args)).code]).toEqual([args, code]);
  const file = await fileOf(
    "bad-placekey.jsonl",
    JSON.stringify(listing("bad", { Placekey: "Austin" }).record),
  );
  const { stdout } = await done("ingest", "--resource", "Property", "--source", source, file, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ staged: 0, rejected: 1 });
}, 120_000);

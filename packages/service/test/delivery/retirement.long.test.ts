import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, follow, openTarget, serviceFeed } from "@cadastre/client";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { query, toCollection } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
import { openCopies, requireView } from "../support/copies.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot as root } from "../support/subscriptions.ts";

const id = "cascade";
const { name, datasetId } = sampleSystems.find((system) => system.id === id) ?? sampleSystems[0];
const profileId = "listing-jsonl";

let running: Running;
let national: ReturnType<typeof customerOf>;
let scratch: string;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150" });
  national = customerOf(running);
  scratch = await mkdtemp(join(tmpdir(), "cadastre-retirement-"));
});
afterAll(async () => {
  await running.stop();
  await rm(scratch, { recursive: true });
});

const command = (...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: running.folder.path } });

const system = (...args: readonly string[]) => command("system", ...args);

async function countOf(set: string, filter?: string): Promise<number> {
  const options = { $top: 0, $count: true, ...(filter === undefined ? {} : { $filter: filter }) };
  return toCollection(await national.get(`/reso/odata/${set}${query(options)}`))["@odata.count"] ?? -1;
}

const ofSystem = `OriginatingSystemName eq '${name}'`;

const delivered = (id: string, sequence: number) => completeAt(national, id, { sequence });

test("nobody sees a record of a retired system, copies lose them by a delta, and both have them again", async () => {
  const copies = await openCopies.sqlite();
  onTestFinished(() => copies.close());
  const connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
  const body = { name: "copy", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400, profileId };
  const subscription = dataOf<{ id: string }>(await national.post(root, body)).id;
  const feed = serviceFeed(connection, subscription, { trust: "published", reference: "test" });
  const followed = async () => {
    const target = await openTarget(await copies.target("copy"));
    try {
      await follow(feed, { target, staging: join(scratch, "staging"), once: true });
    } finally {
      await target.close();
    }
    await requireView(connection, copies, { copy: "copy", domain: "listing", profileId });
    const rows = (await copies.rows("copy", "listing")) as readonly {
      readonly OriginatingSystemName: string;
    }[];
    return rows.filter(({ OriginatingSystemName }) => OriginatingSystemName === name).length;
  };
  await delivered(subscription, 0);
  const before = await countOf("Property", ofSystem);
  expect(before).toBeGreaterThan(0);
  expect(await followed()).toBe(before);
  const [all, media] = [await countOf("Property"), await countOf("Media")];
  const others = await countOf("Property", `not (${ofSystem})`);

  const unconfirmed = await system("retire", id);
  expect(unconfirmed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`removes all records of ${name}: .*\\b${before} of Property, .*give \`--yes\`$`, "s"),
    ) as string,
  });
  expect(await countOf("Property")).toBe(all);

  expect(await system("retire", id, "--yes")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(`^Removed [\\d ,]+ records of ${name}\\.`) as string,
  });
  expect([await countOf("Property"), await countOf("Property", ofSystem)]).toEqual([others, 0]);
  expect(await countOf("Media")).toBeLessThan(media);
  for (const set of ["Member", "Office"]) expect([set, await countOf(set, ofSystem)]).toEqual([set, 0]);
  await hurry(national, subscription);
  await delivered(subscription, 1);
  expect(await followed()).toBe(0);
  expect((await command("check", "--builds")).code).toBe(0);
  expect((await system("list")).stdout).toMatch(new RegExp(`^${id} .* ${datasetId} +retired \\d{4}-`, "m"));
  expect(await system("retire", id, "--yes")).toMatchObject({
    code: 1,
    stderr: `${name} is retired already`,
  });

  const file = join(scratch, "offices.jsonl");
  const office = {
    OfficeKey: "new",
    OriginatingSystemName: name,
    ModificationTimestamp: "2026-01-01T00:00:00Z",
  };
  await writeFile(file, `${JSON.stringify(office)}\n`);
  const ingest = () =>
    command("ingest", "--resource", "Office", "--source", id, file, "--rejects", join(scratch, "rejects"));
  expect(await ingest()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${id} is retired, and nothing of it is taken`) as string,
  });
  const rolledBack = await command("rollback", "Property", "--yes");
  expect(rolledBack).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the dataset is retired") as string,
  });
  expect(await countOf("Property", ofSystem)).toBe(0);
  const dropped = await system("retire", id, "--drop", "--yes");
  expect(dropped).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("may still read its records") as string,
  });

  expect((await system("restore", id)).stderr).toMatch(`${name} is served again, with `);
  expect([await countOf("Property"), await countOf("Media")]).toEqual([all, media]);
  expect(await system("restore", id)).toMatchObject({ code: 1, stderr: `${name} is not retired` });
  await hurry(national, subscription);
  await delivered(subscription, 2);
  expect(await followed()).toBe(before);
  expect((await ingest()).code).toBe(0);
  const audit = (await readFile(running.folder.audit, "utf8")).trimEnd().split("\n");
  const actions = audit.map((line) => JSON.parse(line) as { action: string; outcome: string });
  expect(
    actions.filter(({ action }) => action.startsWith("system.")).map((one) => [one.action, one.outcome]),
  ).toEqual([
    ["system.retire", "refused"],
    ["system.retire", "done"],
    ["system.retire", "refused"],
    ["system.drop", "refused"],
    ["system.restore", "done"],
    ["system.restore", "refused"],
  ]);
});

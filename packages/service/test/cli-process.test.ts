import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cadastre, cadastreProcess } from "./support/cli.ts";
import { type Running, run } from "./support/running.ts";

const [system] = sampleSystems;

let running: Running;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  environment = { CADASTRE_DATA: running.folder.path };
});
afterAll(() => running.stop());

// The other tests run commands in their own process.
test.each(
  [
    "key list",
    "entitlement list --json",
    "profile list",
    "builds Property --json",
    "gates Office --json",
    "coverage",
    "rollback Nope",
    "identity show",
  ].map((line) => [line]),
)("a process with `cadastre %s` ends, and writes what the command writes in this process", async (line) => {
  const args = line.split(" ");
  const outcome = await cadastreProcess(args, { environment });
  expect(outcome).toEqual(await cadastre(args, { environment }));
  expect(outcome.stdout + outcome.stderr).not.toBe("");
});

test("a process reads standard input, writes files, and publishes what it read", async () => {
  const office = { OfficeKey: "piped", OriginatingSystemName: system.name };
  const records = [{ ...office, ModificationTimestamp: "2026-01-01T00:00:00Z" }, office];
  const rejects = join(running.folder.path, "rejects");
  const ingested = await cadastreProcess(
    ["ingest", "--resource", "Office", "--source", system.id, "-", "--rejects", rejects, "--json"],
    { environment, input: records.map((record) => JSON.stringify(record)).join("\n") },
  );
  expect(ingested.code).toBe(0);
  expect(JSON.parse(ingested.stdout)).toMatchObject({ read: 2, staged: 1, rejected: 1 });
  expect(await readFile(rejects, "utf8")).toContain("ModificationTimestamp");
  expect((await cadastreProcess(["publish", "Office"], { environment })).code).toBe(0);
});

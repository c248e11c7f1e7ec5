import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seedAfter, subscription } from "./support/chain.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { run, start } from "./support/program.ts";
import { followOnce, startServer, type TestServer } from "./support/server.ts";

const delivery = await seedAfter(undefined, {});
const { deliveryId: id, parts } = delivery.manifest;
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const followed = (into: string, ...flags: readonly string[]) => [
  ...followOnce(server, subscription, into),
  ...flags,
];
const pulled = (into: string) => ["pull", id, "--url", server.url, "--into", into];

/** Holds the first part that is asked for. Returns when it is asked for, and a function that lets it go. */
function holdFirst() {
  let [tell, release] = [() => {}, () => {}];
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isFirst = true;
  server.trick = async ({ url }) => {
    if (!isFirst || !url.startsWith("/v1/file-downloads")) return false;
    isFirst = false;
    tell();
    await released;
    return false;
  };
  return { asked, release: () => release() };
}

test.each([
  ["databases", "sqlite:a.sqlite", "sqlite:b.sqlite"],
  ["prefixes", "sqlite:a.sqlite", "sqlite:a.sqlite"],
])("runs into different %s from one folder do not disturb each other", async (what, one, other) => {
  const cwd = emptyFolder();
  const held = holdFirst();
  const first = start(followed(one), { cwd });
  await held.asked;
  const more = what === "prefixes" ? ["--prefix", "other_"] : [];
  expect(await run(followed(other, ...more), { cwd })).toMatchObject({ code: 0 });
  held.release();
  expect(await first.outcome).toMatchObject({ code: 0 });
  for (const [file, table] of [
    [one, "listing"],
    [other, `${more[1] ?? ""}listing`],
  ] as const)
    expect(
      new Database(join(cwd, file.replace("sqlite:", "")))
        .prepare(`select count(*) from ${table}`)
        .pluck()
        .get(),
    ).toBe(250);
  expect(filesIn(join(cwd, ".cadastre"))).toEqual([]);
});

test.each([
  ["a database", "sqlite:copy.sqlite", followed],
  ["a folder", "data", pulled],
])("a second run of a delivery into %s is refused until the first has ended", async (_, into, command) => {
  const cwd = emptyFolder();
  const held = holdFirst();
  const first = start(command(into), { cwd });
  await held.asked;
  const { code, stderr } = await run(command(into), { cwd });
  expect(stderr).toMatch(/^staging_in_use: another run \(process \d+\) .* `--staging`$/m);
  expect(code).toBe(4);
  held.release();
  expect(await first.outcome).toMatchObject({ code: 0 });
  expect(await run(command(into), { cwd })).toMatchObject({ code: 0 });
});

test("a killed run does not keep its place", async () => {
  const cwd = emptyFolder();
  const held = holdFirst();
  const first = start(followed("sqlite:copy.sqlite"), { cwd });
  await held.asked;
  first.kill("SIGKILL");
  await first.outcome;
  held.release();
  expect(await run(followed("sqlite:copy.sqlite"), { cwd })).toMatchObject({ code: 0 });
  expect(filesIn(join(cwd, ".cadastre"))).toEqual([]);
});

test("what an earlier version has staged beside each other is used, and cleared", async () => {
  const cwd = emptyFolder();
  const [first] = parts;
  const before = join(cwd, ".cadastre", id);
  mkdirSync(before, { recursive: true });
  writeFileSync(join(before, first?.name ?? ""), delivery.parts.get(first?.number ?? 0) ?? "");
  expect(await run(followed("sqlite:copy.sqlite"), { cwd })).toMatchObject({ code: 0 });
  expect(server.requests.filter(({ url }) => url.includes("/download"))).toHaveLength(parts.length - 1);
  expect(existsSync(before)).toBe(false);
});

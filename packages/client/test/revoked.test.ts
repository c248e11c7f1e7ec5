import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "@cadastre/client";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { pricesIn, pricesOf } from "./support/copies.ts";
import { listings } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { json, startServer, type TestServer } from "./support/server.ts";

const seed = await seedAfter(undefined, { datasets: { listing: listings(10) } });
const delta = await deltaAfter(seed, { datasets: { listing: listings(3, 20) } });
const rows = pricesOf([...listings(10), ...listings(3, 20)]);

let server: TestServer;
/** The refusal of all other requests about the subscription; undefined if they are answered. */
let refused: string | undefined;
let refusedStatus = 403;
let isRevoked = false;
beforeEach(async () => {
  server = await startServer(seed, delta);
  [refused, refusedStatus, isRevoked] = [undefined, 403, false];
  server.trick = ({ url }, response) => {
    const path = `/v1/file-export-subscriptions/${subscription}`;
    const status = isRevoked ? "suspended" : "active";
    if (url === path && refusedStatus !== 401)
      return json(response, 200, { data: { status, failure: null, purge_required: isRevoked }, meta: {} });
    return refused !== undefined && url.startsWith(path) && json(response, refusedStatus, { error: refused });
  };
});
afterEach(() => server.close());

function begin(intoOf: (folder: string) => string = (folder) => `sqlite:${join(folder, "copy.sqlite")}`) {
  const [folder, staging] = [emptyFolder(), emptyFolder()];
  const receipt = join(emptyFolder(), "receipt.json");
  const args = ["follow", "--subscription", subscription, "--url", server.url, "--once"];
  return {
    file: join(folder, "copy.sqlite"),
    folder,
    staging,
    receipt,
    args: [...args, "--into", intoOf(folder), "--staging", staging],
    purging: ["--on-revoke", "purge", "--purge-receipt", receipt],
  };
}

const receiptIn = (file: string) =>
  JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
const last = {
  deliveryId: delta.manifest.deliveryId,
  generation: 1,
  sequence: 1,
  manifestSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  asOf: delta.manifest.window.asOf,
};

describe("a revoked entitlement", () => {
  test("keeps the copy by default, and says that it must be deleted", async () => {
    const { args, file, receipt } = begin();
    await runHere(args);
    isRevoked = true;
    const { code, stderr } = await runHere(args);
    expect(code).toBe(exitCodes.done);
    expect(stderr).toContain("the copy must be deleted. It is kept; `--on-revoke purge` deletes it.");
    expect(pricesIn(file)).toEqual(rows);
    expect(existsSync(receipt)).toBe(false);
  });

  test.each([undefined, "channel_not_entitled"])(
    "has a copy in SQLite deleted, with a receipt, where other requests are refused as %s",
    async (refusal) => {
      const { args, purging, file, receipt } = begin();
      await runHere(args);
      // A table of the user's own, in the same file.
      const database = new Database(file);
      database.exec("create table mine (note text); insert into mine values ('kept')");
      database.close();
      isRevoked = true;
      refused = refusal;
      const { code, stderr } = await runHere([...args, ...purging]);
      expect(code).toBe(exitCodes.refused);
      expect(stderr).toContain(
        "copy_purged: the entitlement of the subscription was revoked, and the copy is deleted",
      );
      expect(pricesIn(file)).toEqual(pricesOf([]));
      // Not left in free pages of the file either.
      expect(readFileSync(file, "latin1")).not.toContain("LSM_000001");
      const after = new Database(file, { readonly: true });
      expect(after.prepare("select note from mine").all()).toEqual([{ note: "kept" }]);
      after.close();
      expect(receiptIn(receipt)).toMatchObject({
        subscription,
        target: `sqlite:${file}`,
        state: "done",
        last,
        deleted: [{ name: "listing", rows: 13 }],
        left: [],
      });
      const again = await runHere([...args, ...purging]);
      expect(again.stderr).toContain("nothing of it is loaded here");
    },
  );

  test("has a copy deleted when the keys have ended with it, and is kept by default or if the keys alone have", async () => {
    const { args, purging, file, receipt } = begin();
    await runHere(args);
    refused = "unauthorized";
    refusedStatus = 401;
    const ended = await runHere([...args, ...purging]);
    expect([ended.code, ended.stderr]).toEqual([exitCodes.refused, expect.stringContaining("unauthorized")]);
    refused = "access_removed";
    const kept = await runHere(args);
    expect([kept.code, kept.stderr]).toEqual([
      exitCodes.refused,
      expect.stringContaining("access_removed: the operator has removed your access"),
    ]);
    expect(pricesIn(file)).toEqual(rows);
    expect(existsSync(receipt)).toBe(false);
    const { code, stderr } = await runHere([...args, ...purging]);
    expect([code, stderr]).toEqual([exitCodes.refused, expect.stringContaining("copy_purged")]);
    expect(pricesIn(file)).toEqual(pricesOf([]));
    expect(receiptIn(receipt)).toMatchObject({ subscription, state: "done", last });
  });

  test("has a copy in a folder deleted, and what was staged of it, and nothing else", async () => {
    const { args, purging, folder, staging, receipt } = begin((path) => path);
    await runHere(args);
    writeFileSync(join(folder, "mine.txt"), "kept");
    const { deliveryId } = seed.manifest;
    mkdirSync(join(staging, deliveryId));
    cpSync(join(folder, deliveryId, "manifest.json"), join(staging, deliveryId, "manifest.json"));
    isRevoked = true;
    expect((await runHere([...args, ...purging])).code).toBe(exitCodes.refused);
    expect(readdirSync(folder).filter((one) => !one.startsWith("."))).toEqual(["mine.txt"]);
    expect(readdirSync(staging)).toEqual([]);
    const { deleted } = receiptIn(receipt) as { deleted: readonly { rows: number }[] };
    expect(deleted.map(({ rows: count }) => count).toSorted((a, b) => a - b)).toEqual([3, 10, 10]);
  });

  test("deletes nothing where the receipt cannot be written, or another refusal says nothing of it", async () => {
    const { args, file } = begin();
    await runHere(args);
    isRevoked = true;
    const nowhere = [
      "--on-revoke",
      "purge",
      "--purge-receipt",
      join(emptyFolder(), "absent", "receipt.json"),
    ];
    expect((await runHere([...args, ...nowhere])).code).toBe(exitCodes.local);
    expect(pricesIn(file)).toEqual(rows);
    isRevoked = false;
    refused = "channel_not_entitled";
    expect((await runHere([...args, "--on-revoke", "purge"])).code).toBe(exitCodes.refused);
    expect(pricesIn(file)).toEqual(rows);
  });
});

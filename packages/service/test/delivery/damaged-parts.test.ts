import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { rmSync, truncateSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, type Collection } from "../support/ask.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, exportsRoot, type ManifestReply, refusal } from "../support/deliveries.ts";
import { flipBit } from "../support/flip-bit.ts";
import { removalsOf } from "../support/removals.ts";
import { type Running, run } from "../support/running.ts";
import { runSql } from "../support/sql.ts";

/** Random damage in all. */
const cases = Number(process.env["CASES"] ?? 3);

let running: Running;
let national: ReturnType<typeof customerOf>;
/** A delivery whose largest part has megabytes, and one of several short parts. */
let long: Delivered;
let short: Delivered;
const profiles = join(tmpdir(), `cadastre-profiles-${process.pid}.json`);
beforeAll(async () => {
  const plain = { version: 1, domain: "listing", format: "jsonl", compression: "none" };
  const brief = { ...plain, id: "short", fields: { listing: ["City", "PublicRemarks"] }, partBytes: 65_536 };
  await writeFile(
    profiles,
    JSON.stringify({ profiles: [{ ...plain, id: "long" }, brief], defaults: { listing: "long" } }),
  );
  running = await run({
    CADASTRE_LISTINGS: "1000",
    CADASTRE_EXPORT_PROFILES: profiles,
    CADASTRE_ADMIN_PORT: "0",
  });
  national = customerOf(running);
  long = await delivered({ profileId: "long" });
  short = await delivered({ profileId: "short" });
}, 60_000);
afterAll(async () => {
  await rm(profiles);
  await running.stop();
});

type Delivered = Awaited<ReturnType<typeof delivered>>;
type Part = ManifestReply["data"]["parts"][number];

const fileOf = ({ sha256 }: Part) => join(running.folder.exports, "parts", sha256.slice(0, 2), sha256);

const sha256Of = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** The answer to a grant and its redemption: a code, or the hash of the bytes; `broken`: the transfer was broken off. */
async function outcomeOf(id: string, part: number): Promise<string> {
  const granted = await national.get(`${exportsRoot}/${id}/download?part=${part}`);
  if (granted.status !== 200) return String(refusal(granted)[1]);
  return redeemed((JSON.parse(granted.text) as { data: { bearer_token: string } }).data.bearer_token);
}

async function redeemed(token: string): Promise<string> {
  // A part that was sent several times before is broken off before its damaged piece, which may be the first.
  const reply = await national.redeem(token).catch(() => undefined);
  const bytes = await reply?.arrayBuffer().catch(() => undefined);
  if (reply === undefined || bytes === undefined) return "broken";
  if (reply.status === 200) return sha256Of(new Uint8Array(bytes));
  return (JSON.parse(Buffer.from(bytes).toString()) as { error: string }).error;
}

const registrySql = (statement: string, ...values: readonly unknown[]) =>
  runSql(running.folder, "registry", statement, ...values);

const damagedCount = async () => {
  const { text } = await ask(`http://127.0.0.1:${running.service.adminPort}`, "/metrics");
  return Number(/^cadastre_parts_damaged_total (\d+)$/m.exec(text)?.[1]);
};

async function delivered(body: Readonly<Record<string, unknown>>) {
  const id = await national.complete(body);
  const { data, meta } = await national.manifest(id);
  const [part] = data.parts.toSorted((a, b) => b.byteLength - a.byteLength);
  if (part === undefined) throw new Error("the delivery has no part");
  return { id, parts: data.parts, part, manifestSha256: meta.manifest_sha256 };
}

const rebuilt = (id: string, { number, sha256 }: Part) =>
  expect.poll(() => outcomeOf(id, number), { timeout: 20_000, interval: 50 }).toBe(sha256);

test("a flipped byte of a long part breaks its transfer off, is told to the operator, and is rebuilt", async () => {
  const { id, parts, part } = long;
  expect(part.byteLength).toBeGreaterThan(1_000_000);
  const token = await national.grant(id, part.number);
  const before = await damagedCount();
  await flipBit(fileOf(part), part.byteLength >> 1);
  expect(await redeemed(token)).toBe("broken");
  // It is noted after the transfer has broken off.
  await expect.poll(damagedCount, { interval: 20 }).toBe(before + 1);
  expect(running.log()).toContain(`"delivery":"${id}","part":${part.number},`);
  expect(running.log()).toContain('"code":"part_damaged"');
  const refused = await national.get(`${exportsRoot}/${id}/download?part=${part.number}`);
  if (refused.status !== 200) {
    expect(refusal(refused)).toEqual([503, "part_rebuilding"]);
    expect(refused.headers["retry-after"]).toBe("10");
  }
  const other = parts.find(({ number }) => number !== part.number);
  if (other !== undefined) expect(await outcomeOf(id, other.number)).toBe(other.sha256);
  await rebuilt(id, part);
  expect(await redeemed(token)).toBe(part.sha256);
}, 60_000);

test("on a connection of several requests nothing follows a part that is broken off", async () => {
  const { id, part } = long;
  const token = await national.grant(id, part.number);
  await flipBit(fileOf(part), part.byteLength - 1);
  const { hostname, port } = new URL(running.service.baseUrl);
  const socket = connect(Number(port), hostname);
  const request = [
    "GET /v1/file-downloads/redeem HTTP/1.1",
    `host: ${hostname}`,
    `x-api-key: ${national.headers["x-api-key"]}`,
    `authorization: Bearer ${token}`,
    "\r\n",
  ].join("\r\n");
  socket.write(`${request}GET /health/live HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("error", () => {});
  await once(socket, "close");
  const got = Buffer.concat(pieces);
  expect(got.subarray(0, 15).toString()).toBe("HTTP/1.1 200 OK");
  expect(got.length).toBeLessThan(part.byteLength);
  expect(got.includes('{"status":"live"}')).toBe(false);
  await rebuilt(id, part);
}, 60_000);

test.each<[string, (file: string) => void]>([
  ["missing", (file) => rmSync(file)],
  ["truncated", (file) => truncateSync(file, 100)],
])(
  "a %s part is refused by a code that says so, and rebuilt",
  async (_, damage) => {
    const { id, part } = short;
    const token = await national.grant(id, part.number);
    damage(fileOf(part));
    expect(await redeemed(token)).toBe("part_rebuilding");
    await rebuilt(id, part);
  },
  60_000,
);

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["with a filter and selected fields", { filter: "ListPrice ge 300000", select: ["City", "ListPrice"] }],
  // Its bytes are of no other delivery, so they can be had of it alone.
  ["of an earlier state", { asOf: "before", select: ["City", "PostalCode"] }],
])(
  "parts of a delivery %s are rebuilt with the same hashes, damaged or gone",
  async (_, { asOf, ...asked }) => {
    const before = new Date().toISOString();
    const page = await national.get("/reso/odata/Property?$select=ListingKey&$top=200");
    const keys = (JSON.parse(page.text) as Collection).value.map((row) => String(row["ListingKey"]));
    const gone = keys.splice(-20);
    if (asOf !== undefined)
      await commitTo(
        running,
        gone.flatMap((key) => removalsOf("Property", key)),
      );
    const body = { profileId: "long", ...asked };
    const { id, parts, manifestSha256 } = await delivered(
      asOf === undefined ? body : { ...body, asOf: before },
    );
    if (asOf !== undefined) {
      const present = await delivered(body);
      expect(present.parts.map(({ sha256 }) => sha256)).not.toEqual(parts.map(({ sha256 }) => sha256));
    }
    // What is read for them now has changed since.
    await commitTo(
      running,
      keys.slice(0, 20).flatMap((key) => removalsOf("Property", key)),
    );
    for (const [nth, part] of parts.entries()) {
      if (part.dataset !== "listing") continue;
      if (nth % 2 === 0) await flipBit(fileOf(part), part.byteLength >> 1);
      else rmSync(fileOf(part));
      expect(await outcomeOf(id, part.number)).toMatch(/^(?:broken|part_rebuilding)$/);
      await rebuilt(id, part);
      rmSync(fileOf(part));
      expect(await outcomeOf(id, part.number)).toBe("part_rebuilding");
      await rebuilt(id, part);
    }
    const { meta } = await national.manifest(id);
    expect(meta.manifest_sha256).toBe(manifestSha256);
  },
  60_000,
);

test(
  "of random flips in parts and manifests none is served as good",
  async () => {
    const columns = ["text", "sha256", "signature"] as const;
    for (let nth = 0; nth < cases; nth++) {
      const { id, parts, manifestSha256 } = nth % 2 === 0 ? short : long;
      const part = parts[randomInt(parts.length)];
      if (nth % 3 === 0 || part === undefined) {
        const column = columns[randomInt(columns.length)] ?? "text";
        const [row] = await registrySql("select * from cadastre_manifest where delivery = ?", id);
        const bytes = Buffer.from(String(row?.[column]), "latin1");
        const index = randomInt(bytes.length);
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        const damaged = bytes.toString("latin1");
        await registrySql(`update cadastre_manifest set ${column} = ? where delivery = ?`, damaged, id);
        const refused = await national.get(`${exportsRoot}/${id}/manifest`);
        expect([column, index, ...refusal(refused)]).toEqual([column, index, 503, "part_rebuilding"]);
        const whole = () => outcomeOf(id, 0);
        await expect.poll(whole, { timeout: 20_000, interval: 50 }).toBe(manifestSha256);
      } else {
        const index = randomInt(part.byteLength);
        await flipBit(fileOf(part), index, index % 8);
        const outcome = await outcomeOf(id, part.number);
        expect([index, outcome]).toEqual([index, expect.stringMatching(/^(?:broken|part_rebuilding)$/)]);
        await rebuilt(id, part);
      }
    }
  },
  120_000 + cases * 10_000,
);

test("a part that cannot be rebuilt fails its delivery: 410 `part_lost`, and the list does not have it", async () => {
  const { id, part } = await delivered({ profileId: "short" });
  const other = await delivered({ profileId: "short" });
  // As after an entitlement that grants more than the one that the delivery was built for.
  await registrySql("update cadastre_delivery set scope_sha256 = '0' where id = ?", id);
  // Equal parts of deliveries are one file: what cannot be rebuilt for one is rebuilt for another.
  expect(part.sha256).toBe(other.part.sha256);
  const token = await national.grant(id, part.number);
  rmSync(fileOf(part));
  expect(await redeemed(token)).toBe("part_rebuilding");
  await rebuilt(other.id, part);
  await registrySql("update cadastre_delivery set scope_sha256 = '0' where state = 'complete'");
  rmSync(fileOf(part));
  expect(await outcomeOf(id, part.number)).toBe("part_rebuilding");
  await expect.poll(() => redeemed(token), { timeout: 20_000 }).toBe("part_lost");
  for (const target of ["/manifest", `/download?part=${part.number}`, "/download?part=0"])
    expect(refusal(await national.get(`${exportsRoot}/${id}${target}`))).toEqual([410, "part_lost"]);
  expect(JSON.parse((await national.get(`${exportsRoot}/${id}`)).text)).toMatchObject({
    data: { status: "failed", failure: { code: "part_lost" } },
  });
  expect((await national.get(exportsRoot)).text).not.toContain(id);
}, 60_000);

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { type ByteRange, folderParts, partPath } from "../../src/index.ts";
import type { Digest } from "../../src/parts/digest.ts";
import { asStorageFault } from "../../src/parts/fault.ts";
import { pieceLength } from "../../src/parts/verified-parts.ts";
import { scratchFolder } from "../support/scratch.ts";
import { sending } from "../support/sending.ts";
import { partStoreConformance } from "./conformance.ts";

const folder = scratchFolder();
let stores = 0;
const claim = { id: "0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b", fence: 1 };

function newStore() {
  const own = join(folder, String(++stores));
  return { own, store: folderParts(own) };
}

async function put(store: ReturnType<typeof folderParts>, bytes: Uint8Array, own = claim) {
  const file = join(await store.stage(own), "0");
  writeFileSync(file, bytes);
  const { ino } = statSync(file);
  const part = { sha256: createHash("sha256").update(bytes).digest("hex"), byteLength: bytes.length };
  await store.put(file, part);
  return { ...part, ino };
}

partStoreConformance("a folder", () => newStore().store);

/** Files that this process has open below a folder. */
const openBelow = (own: string) =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).startsWith(own);
    } catch {
      return false;
    }
  });

test("a part is read as it was put, by its hash, for its owner alone", async () => {
  const { own, store } = newStore();
  const bytes = randomBytes(700_000);
  const part = await put(store, bytes);
  const again = await put(store, bytes);
  const { stream, byteLength } = await store.open(part);
  expect(byteLength).toBe(700_000);
  expect(bytes.equals(await buffer(stream()))).toBe(true);
  const place = join(own, "parts", part.sha256.slice(0, 2), part.sha256);
  expect(bytes.equals(readFileSync(place))).toBe(true);
  // The file that was written, not a copy that could be half there.
  expect(statSync(place).ino).toBe(again.ino);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(own, "staging", `${claim.id}.1`))).toEqual([]);
});

test("a part that is not whole is not served", async () => {
  const { own, store } = newStore();
  const part = await put(store, randomBytes(1000));
  writeFileSync(join(own, "parts", part.sha256.slice(0, 2), part.sha256), "half");
  await expect(store.open(part)).rejects.toMatchObject({ code: "part_missing" });
  expect(openBelow(own)).toEqual([]);
});

test("a transfer that is broken off leaves no file open", async () => {
  const { own, store } = newStore();
  const part = await put(store, randomBytes(4_000_000));
  const stream = (await store.open(part)).stream();
  await once(stream, "readable");
  expect(openBelow(own)).toHaveLength(1);
  stream.destroy();
  await once(stream, "close");
  expect(openBelow(own)).toEqual([]);
  const opened = await store.open(part);
  await sending(opened, async (socket) => {
    await once(socket, "readable");
    socket.destroy();
  });
  expect(openBelow(own)).toEqual([]);
});

test("a transfer that waits for its turn on a connection ends when its client goes", async () => {
  const { own, store } = newStore();
  const part = await put(store, randomBytes(4_000_000));
  const sendings: Promise<void>[] = [];
  const server = createServer((request, response) => {
    const gone = new AbortController();
    request.once("close", () => gone.abort());
    sendings.push(
      store
        .open(part)
        .then(({ byteLength: end, sendTo }) => sendTo(response, { start: 0, end }, gone.signal)),
    );
    if (sendings.length === 2) socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(2));
  await once(socket, "close");
  await Promise.all(sendings);
  server.close();
  expect([sendings.length, openBelow(own)]).toEqual([2, []]);
});

test("a part that is shorter than it was is no part", async () => {
  const { own, store } = newStore();
  const part = await put(store, randomBytes(4_000_000));
  const opened = await store.open(part);
  truncateSync(join(own, "parts", part.sha256.slice(0, 2), part.sha256), 1_000_000);
  const sent = sending(opened, async (socket) => {
    await once(socket.resume(), "close");
  });
  await expect(sent).rejects.toMatchObject({ code: "part_missing" });
  expect(openBelow(own)).toEqual([]);
});

/** Sends a part, or a range of it, and returns what arrives. @param pieces is given what arrives */
async function sent(
  store: ReturnType<typeof folderParts>,
  part: Digest,
  range?: ByteRange,
  pieces: Buffer[] = [],
): Promise<Buffer> {
  const take = async (socket: Socket) => {
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    await once(socket, "close");
  };
  await sending(await store.open(part), take, range);
  return Buffer.concat(pieces);
}

test("however often a part is sent, it is sent as it was put, and in ranges", async () => {
  const { own, store } = newStore();
  const bytes = randomBytes(1_700_000);
  const part = await put(store, bytes);
  for (let times = 0; times < 4; times++) expect(bytes.equals(await sent(store, part))).toBe(true);
  for (const start of [0, 1, pieceLength - 1, pieceLength, 1_699_999])
    for (const end of [start + 1, pieceLength + 1, 2 * pieceLength, 1_700_000].filter((one) => one > start))
      expect(bytes.subarray(start, end).equals(await sent(store, part, { start, end }))).toBe(true);
  expect(openBelow(own)).toEqual([]);
});

test("a part that is damaged after it was sent several times is broken off before its damaged piece", async () => {
  for (const sendings of [0, 1, 2, 3]) {
    const { own, store } = newStore();
    const bytes = randomBytes(1_700_000);
    const part = await put(store, bytes);
    for (let times = 0; times < sendings; times++) await sent(store, part);
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(pieceLength + 5) ^ 1, pieceLength + 5);
    writeFileSync(join(own, partPath(part.sha256)), damaged);
    const got: Buffer[] = [];
    await expect(sent(store, part, undefined, got)).rejects.toMatchObject({ code: "part_damaged" });
    expect(Buffer.concat(got).length).toBeLessThan(part.byteLength);
    // Tags tell each piece by itself, the hash only the last one.
    if (sendings > 1) expect(Buffer.concat(got).length).toBeLessThanOrEqual(pieceLength);
    const range = { start: pieceLength, end: pieceLength + 1 };
    await expect(sent(store, part, range)).rejects.toMatchObject({ code: "part_damaged" });
    expect(openBelow(own)).toEqual([]);
  }
});

test("what is staged under claims that are gone is swept, whatever claims come meanwhile", async () => {
  const { own, store } = newStore();
  expect(await store.sweep(async () => [])).toBe(0);
  const [gone, held, next] = [1, 2, 3].map((fence) => ({ ...claim, fence }));
  for (const one of [gone, held]) writeFileSync(join(await store.stage(one ?? claim), "0"), "half");
  const swept = await store.sweep(async () => {
    // Claimed after the claims were asked for.
    await store.stage(next ?? claim);
    return [held ?? claim];
  });
  expect(swept).toBe(1);
  expect(readdirSync(join(own, "staging"))).toEqual([`${claim.id}.2`, `${claim.id}.3`]);
});

test("a folder of somebody else is not swept", async () => {
  const { own, store } = newStore();
  const kept = join(own, "staging", "site.2");
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, "index.html"), "mine");
  await store.stage(claim);
  expect(await store.sweep(async () => [])).toBe(1);
  expect(readdirSync(join(own, "staging"))).toEqual(["site.2"]);
});

test("a folder that cannot be written says so", async () => {
  const store = folderParts("/sys/cadastre-parts");
  await expect(store.stage(claim)).rejects.toMatchObject({ code: "parts_not_writable" });
  expect(existsSync("/sys/cadastre-parts")).toBe(false);
});

test("a folder that is none is not to be reached", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  await expect(folderParts(file).stage(claim)).rejects.toMatchObject({ code: "parts_unavailable" });
});

test.each([
  ["ENOSPC", "parts_full"],
  ["EDQUOT", "parts_full"],
  ["EFBIG", "parts_full"],
  ["EROFS", "parts_not_writable"],
  ["EACCES", "parts_not_writable"],
  ["EIO", "parts_unavailable"],
])("%s is %s, and its path is not told", (code, expected) => {
  const error = Object.assign(new Error(`${code}: write '/secret'`), { code, syscall: "write" });
  const fault = asStorageFault(error, "parts_unavailable");
  expect(fault).toMatchObject({ code: expected, cause: error });
  expect((fault as Error).message).not.toContain("secret");
});

test("what is no fault of files stays as it is", () => {
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
  expect(asStorageFault(reset)).toBe(reset);
  const error = Object.assign(new TypeError("x"), { code: "ENOSPC" });
  expect(asStorageFault(error, "parts_unavailable")).toBe(error);
});

import { createHash, randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { PartStore } from "../../src/index.ts";
import { sending } from "../support/sending.ts";

const claim = { id: "0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b", fence: 1 };

let staged = 0;

async function put(store: PartStore, bytes: Uint8Array) {
  const file = join(await store.stage(claim), String(++staged));
  writeFileSync(file, bytes);
  const part = { sha256: createHash("sha256").update(bytes).digest("hex"), byteLength: bytes.length };
  await store.put(file, part);
  expect(existsSync(file)).toBe(false);
  return part;
}

/** Tests that every store of parts must pass. */
export function partStoreConformance(name: string, open: () => PartStore): void {
  describe(`parts in ${name}`, () => {
    test("a part is read as it was put, however often", async () => {
      const store = open();
      const bytes = randomBytes(700_000);
      const part = await put(store, bytes);
      expect(await put(store, bytes)).toEqual(part);
      for (let i = 0; i < 2; i++) {
        const { stream, byteLength } = await store.open(part);
        expect(byteLength).toBe(700_000);
        expect(bytes.equals(await buffer(stream()))).toBe(true);
      }
    });

    test("a part is sent as it was put, to its end", async () => {
      const store = open();
      // The longest one needs several reads, the last of them short.
      for (const length of [0, 1, 1_700_000]) {
        const bytes = randomBytes(length);
        const opened = await store.open(await put(store, bytes));
        let got: Buffer | undefined;
        await sending(opened, async (socket) => {
          got = await buffer(socket);
        });
        expect(got && bytes.equals(got)).toBe(true);
      }
    });

    test("a range of a part is sent as it was put, whichever reads it begins and ends in", async () => {
      const store = open();
      for (const length of [1000, 1_700_000]) {
        const bytes = randomBytes(length);
        const part = await put(store, bytes);
        const ends = [0, 1, length >> 1, (1 << 19) % length, length - 1, length];
        for (const start of ends.slice(0, -1)) {
          for (const end of ends.filter((one) => one > start)) {
            let got: Buffer | undefined;
            const take = async (socket: Socket) => {
              got = await buffer(socket);
            };
            await sending(await store.open(part), take, { start, end });
            expect(got && bytes.subarray(start, end).equals(got), `${start} to ${end}`).toBe(true);
          }
        }
      }
    });

    test("of many that put the same at once each one has put it", async () => {
      const store = open();
      const bytes = randomBytes(100_000);
      const [part] = await Promise.all(Array.from({ length: 8 }, () => put(store, bytes)));
      const opened = part && (await store.open(part));
      expect(opened && bytes.equals(await buffer(opened.stream()))).toBe(true);
    });

    test("a part that is removed is missing, and is read to its end by who had begun", async () => {
      const store = open();
      const bytes = randomBytes(2_000_000);
      const part = await put(store, bytes);
      const { stream } = await store.open(part);
      await store.remove(part.sha256);
      await store.remove(part.sha256);
      expect(bytes.equals(await buffer(stream()))).toBe(true);
      await expect(store.open(part)).rejects.toMatchObject({ code: "part_missing" });
      expect(await put(store, bytes)).toEqual(part);
    });

    test("a part of another length is not served", async () => {
      const store = open();
      const { sha256 } = await put(store, randomBytes(1000));
      const opening = store.open({ sha256, byteLength: 1001 });
      await expect(opening).rejects.toMatchObject({ code: "part_missing" });
    });

    test("a part that was put again in place of other bytes, or of none, is read as it was", async () => {
      const store = open();
      const bytes = randomBytes(100_000);
      const part = await put(store, bytes);
      for (let times = 0; times < 2; times++) {
        const file = join(await store.stage(claim), String(++staged));
        writeFileSync(file, bytes);
        await store.replace(file, part);
        expect(existsSync(file)).toBe(false);
        expect(bytes.equals(await buffer((await store.open(part)).stream()))).toBe(true);
        await store.remove(part.sha256);
      }
    });

    test("bytes that are not those of their hash are not given to their end, short or long", async () => {
      const store = open();
      for (const length of [1000, 1_700_000]) {
        const [bytes, other] = [randomBytes(length), randomBytes(length)];
        const file = join(await store.stage(claim), String(++staged));
        writeFileSync(file, bytes);
        const sha256 = createHash("sha256").update(other).digest("hex");
        const isPut = await store.put(file, { sha256, byteLength: length }).then(
          () => true,
          () => false,
        );
        // A bucket verifies the hash when the part is put.
        if (!isPut) continue;
        const read = async () => buffer((await store.open({ sha256, byteLength: length })).stream());
        await expect(read()).rejects.toMatchObject({ code: "part_damaged" });
      }
    });

    test("a place that can be written says so, and nothing of that is left", async () => {
      const store = open();
      await store.probe();
      expect(await store.sweep(async () => [])).toBe(0);
    });

    test("only a hash names a part", async () => {
      const store = open();
      const outside = { sha256: "../../etc/passwd", byteLength: 1 };
      await expect(store.open(outside)).rejects.toThrow(RangeError);
      await expect(store.remove(outside.sha256)).rejects.toThrow(RangeError);
    });

    test("what is staged under a claim stays until the claim is gone", async () => {
      const store = open();
      const file = join(await store.stage(claim), "half");
      writeFileSync(file, "half");
      expect(await store.sweep(async () => [claim])).toBe(0);
      expect(existsSync(file)).toBe(true);
      expect(await store.sweep(async () => [])).toBe(1);
      expect(existsSync(file)).toBe(false);
    });
  });
}

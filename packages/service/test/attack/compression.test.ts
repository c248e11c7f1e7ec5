import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect } from "vitest";
import { ask } from "../support/ask.ts";
import { type Attacked, attack, send, startUnderAttack, strength } from "./under-attack.ts";
import { requireUnharmed } from "./unharmed.ts";

let service: Attacked;
beforeAll(async () => {
  service = await startUnderAttack({ CADASTRE_REQUESTS_PER_SECOND: "0" });
}, 120_000);
afterAll(() => service.stop());

/** Whitespace, which a JSON text may begin with. It compresses to a thousandth. */
const blanks = Buffer.alloc(100_000_000, " ");
const packed = gzipSync(blanks);

const bombs: readonly (readonly [coding: string, body: Buffer])[] = [
  ["gzip", packed],
  ["x-gzip", packed],
  ["gzip, gzip", gzipSync(packed)],
  ["deflate", deflateSync(blanks)],
  ["br", brotliCompressSync(blanks)],
  ["identity, gzip", packed],
  ["identity, identity", Buffer.from("{}")],
];

const bodies: readonly (readonly [path: string, type: string])[] = [
  ["/reso/odata/$batch", "application/json"],
  ["/reso/odata/$batch", "multipart/mixed;boundary=b"],
  ["/reso/odata/Property/$query", "text/plain"],
  ["/v1/file-exports", "application/json"],
  ["/v1/webhooks", "application/json"],
];

attack(
  "a body that is compressed is refused on every route, and not unpacked",
  async () => {
    const statuses = new Map<string, number>();
    const seen = await service.during(async () => {
      for (let turn = 0; turn < 5 * strength; turn += 1)
        await Promise.all(
          bodies.flatMap(([path, type]) =>
            bombs.map(async ([coding, body]) => {
              const headers = {
                "x-api-key": service.attacker,
                "content-type": type,
                "content-encoding": coding,
              };
              const { status } = await ask(service.baseUrl, path, headers, "POST", body);
              statuses.set(`${path} ${coding}`, status);
            }),
          ),
        );
    });
    expect([...statuses].filter(([, status]) => status !== 415)).toEqual([]);
    // Unpacking one of these bodies would use a fifth of the memory that an attack may add.
    expect(seen.peak).toBeLessThan(seen.rest + 100);
    requireUnharmed(seen);
  },
  120_000,
);

attack.each(["gzip, chunked", "deflate, chunked", "br", "chunked, gzip"])(
  "a transfer coding of `%s` is refused",
  async (coding) => {
    const headers = {
      "x-api-key": service.attacker,
      "content-type": "application/json",
      "transfer-encoding": coding,
    };
    const { status } = await ask(service.baseUrl, "/reso/odata/$batch", headers, "POST", packed).catch(
      // The server closes the connection as soon as it has read the head.
      () => ({ status: 400 }),
    );
    expect(status).toBe(400);
  },
);

attack.each([
  ["every coding there is", "br, gzip, deflate, zstd, compress, identity, *"],
  ["codings again and again", Array.from({ length: 8000 }, () => "br;q=0.5").join()],
  ["qualities of many digits", `gzip;q=0.${"9".repeat(30_000)}, br;q=0.${"0".repeat(30_000)}1`],
  ["stars", "*,".repeat(30_000)],
])(
  "pages for clients that accept %s are answered",
  async (_what, accepted) => {
    const headers = { "x-api-key": service.attacker, "accept-encoding": accepted };
    const statuses: number[] = [];
    const seen = await service.during(async () => {
      for (let turn = 0; turn < 20 * strength; turn += 1) {
        const sent = send(service.baseUrl, "/reso/odata/Property?$top=100", headers, true);
        statuses.push((await sent.closed).status);
      }
    });
    expect(new Set(statuses)).toEqual(new Set([200]));
    requireUnharmed(seen);
  },
  60_000,
);

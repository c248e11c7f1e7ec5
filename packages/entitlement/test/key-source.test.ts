import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EntitlementError,
  type EntitlementErrorCode,
  generateKeyPair,
  type KeySource,
  type KeySourceOptions,
  openKeySource,
  signEntitlement,
  verifyEntitlement,
} from "@cadastre/entitlement";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { entitlement } from "./support/documents.ts";

const [first, second] = [await generateKeyPair(), await generateKeyPair()];
const setOf = (...pairs: readonly { publicKey: object }[]) =>
  JSON.stringify({ keys: pairs.map(({ publicKey }) => publicKey) });

const folder = mkdtempSync(join(tmpdir(), "key-source-"));
const file = join(folder, "public-keys.json");
/** As an operator should: the set is never half there. */
const publish = (text: string) => {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
};

const closers: (() => void)[] = [];
const open = async (location: string | URL, options: KeySourceOptions = {}): Promise<KeySource> => {
  const source = await openKeySource(location, options);
  closers.push(source.close);
  return source;
};

/** Answers every request; `asked` counts them. */
async function serve(listener: RequestListener) {
  const server = createServer((req, res) => {
    served.asked += 1;
    listener(req, res);
  });
  const served = { asked: 0, url: "" };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return served;
}

const documents = await Promise.all(
  [first, second].map((pair) => signEntitlement(entitlement({ nbf: 1, exp: 2_000_000_000 }), pair)),
);
const verify = (keys: KeySource, document = 0) =>
  verifyEntitlement(documents[document] ?? "", {
    keys,
    issuer: "https://issuer.example",
    audience: "https://listings.example",
    now: () => new Date("2026-01-01"),
  });
/** The customer of the verified document, or the code of the refusal. */
const answer = (keys: KeySource, document = 0): Promise<string> =>
  verify(keys, document).then(
    ({ sub }) => sub,
    (error: unknown) => (error instanceof EntitlementError ? error.code : String(error)),
  );
/** However busy the machine is. */
const eventually = (observe: () => unknown) => expect.poll(observe, { timeout: 10_000, interval: 10 });
const code = (expected: EntitlementErrorCode): unknown => expect.objectContaining({ code: expected });
const refused = (promise: Promise<unknown>, expected: EntitlementErrorCode) =>
  expect(promise).rejects.toThrow(code(expected));

beforeEach(() => publish(setOf(first)));
afterEach(() => {
  vi.useRealTimers();
  for (const close of closers.splice(0)) close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a key set in a file", () => {
  test("is rotated without a restart: a key that appears verifies, one that is gone does not", async () => {
    const keys = await open(file, { maxAge: 0.02 });
    const revision = keys.revision();
    await expect(verify(keys)).resolves.toEqual(expect.objectContaining({ sub: "cust_1" }));
    await refused(verify(keys, 1), "entitlement_unknown_key");

    publish(setOf(first, second));
    await eventually(() => answer(keys, 1)).toBe("cust_1");
    expect(keys.revision()).toBeGreaterThan(revision);

    publish(setOf(second));
    await eventually(() => answer(keys, 0)).toBe("entitlement_unknown_key");
    await expect(verify(keys, 1)).resolves.toBeDefined();
  });

  test("may be emptied: then nothing verifies", async () => {
    const keys = await open(file, { maxAge: 0.02 });
    publish(setOf());
    await eventually(() => answer(keys)).toBe("entitlement_unknown_key");
  });

  test("that is read again and the same keeps its revision and its keys", async () => {
    const keys = await open(file, { maxAge: 0.01 });
    const before = [keys.revision(), await keys.find(first.kid)];
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([keys.revision(), await keys.find(first.kid)]).toEqual(before);
  });

  test("may be named by a file address", async () => {
    const keys = await open(new URL(`file://${file}`));
    await expect(verify(keys)).resolves.toBeDefined();
  });

  test("that a reading finds broken leaves the last good one, and says so", async () => {
    const failures: unknown[] = [];
    const keys = await open(file, { maxAge: 0.01, onFailure: (error) => failures.push(error) });
    publish(setOf(second).slice(0, -1));
    await eventually(() => failures[0]).toEqual(code("key_set_malformed"));
    await expect(verify(keys)).resolves.toBeDefined();
    publish(setOf(second));
    await eventually(() => answer(keys, 1)).toBe("cust_1");
  });

  test("that cannot be read for too long verifies nothing, until it can", async () => {
    const keys = await open(file, { maxAge: 0.02, maxStaleness: 0.25 });
    rmSync(file);
    await eventually(() => answer(keys)).toBe("key_set_stale");
    expect(() => keys.revision()).toThrow(code("key_set_stale"));
    publish(setOf(first));
    await eventually(() => answer(keys)).toBe("cust_1");
  });
});

const keyWith = (changes: object) => ({ publicKey: { ...first.publicKey, ...changes } });

describe("a source does not open on a key set", () => {
  test.each<readonly [string, string, EntitlementErrorCode]>([
    ["that is not JSON", "{", "key_set_malformed"],
    ["that is empty", "", "key_set_malformed"],
    ["that is a key", JSON.stringify(first.publicKey), "key_set_malformed"],
    ["with a key without an id", setOf(keyWith({ kid: undefined })), "key_set_malformed"],
    ["with a private key", setOf(second, { publicKey: first.privateKey }), "key_set_private_key"],
    ["with a shared secret", setOf(keyWith({ kty: "oct", k: "AAAA" })), "key_set_private_key"],
    ["with an RSA key", setOf(keyWith({ kty: "RSA", n: "AA", e: "AQAB" })), "key_set_foreign_key"],
    ["with a key on another curve", setOf(keyWith({ crv: "X25519" })), "key_set_foreign_key"],
    ["with a key for encryption", setOf(keyWith({ use: "enc" })), "key_set_foreign_key"],
    ["with a key of another length", setOf(keyWith({ x: "AAAA" })), "key_set_foreign_key"],
    ["with two keys of one id", setOf(first, keyWith({})), "key_set_duplicate"],
    ["of too many keys", setOf(...Array.from({ length: 65 }, () => first)), "key_set_malformed"],
    ["that is too long", `${setOf(first)}${" ".repeat(65_536)}`, "key_set_unreadable"],
  ])("%s", async (_, text, expected) => {
    publish(text);
    await refused(openKeySource(file), expected);
  });

  test("that is not there, and says why without the path", async () => {
    rmSync(file);
    await expect(openKeySource(file)).rejects.toThrow("the key set cannot be read: ENOENT");
  });

  test.each([
    "http://issuer.example/jwks.json",
    "http://127.0.0.1.example.com/",
    "http://localhost.example/",
    "https://user:secret@issuer.example/",
    "ftp://127.0.0.1/",
    "file://elsewhere/etc/keys.json",
    "https://",
  ])("at %s", async (location) => {
    await expect(openKeySource(location)).rejects.toEqual(code("key_set_location"));
    await expect(openKeySource(location)).rejects.not.toThrow("secret");
  });
});

describe("a key set at an address", () => {
  test("is asked for without being sent elsewhere", async () => {
    const elsewhere = await serve((_, res) => res.end(setOf(first)));
    const { url } = await serve((_, res) => res.writeHead(302, { location: elsewhere.url }).end());
    await expect(openKeySource(url)).rejects.toThrow("status 302");
    expect(elsewhere.asked).toBe(0);
  });

  test("is read for an unknown key id, once for all who ask, and not again at once", async () => {
    let published = setOf(first);
    const served = await serve((_, res) => void setTimeout(() => res.end(published), 20));
    const keys = await open(served.url, { minInterval: 3 });
    published = setOf(first, second);
    await refused(verify(keys, 1), "entitlement_unknown_key");
    expect(served.asked).toBe(1);

    await new Promise((resolve) => setTimeout(resolve, 3050));
    await Promise.all([verify(keys, 1), verify(keys, 1), verify(keys, 1)]);
    expect(served.asked).toBe(2);
    await expect(Promise.all([keys.find("a"), keys.find("b")])).resolves.toEqual([undefined, undefined]);
    expect(served.asked).toBe(2);
  });

  test.each<readonly [string, RequestListener, number, string]>([
    ["fails", (_, res) => res.writeHead(500).end(setOf(first)), 5, "status 500"],
    ["does not answer", () => {}, 0.2, "no answer within 0.2 s"],
    ["stops within its answer", (_, res) => void res.write(setOf(first)), 0.2, "no answer within 0.2 s"],
    ["never ends", (_, res) => void endless(res), 5, "more than 65536 bytes"],
    ["hangs up", (req) => req.socket.destroy(), 5, "UND_ERR_SOCKET"],
  ])("is not taken from a server that %s", async (_, listener, timeout, reason) => {
    const { url } = await serve(listener);
    await expect(openKeySource(url, { timeout })).rejects.toThrow(`cannot be read: ${reason}`);
  });

  test("is taken over https as fetch gives it, every minute and stale after an hour", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    let up = true;
    const fetch = vi.fn(async () => new Response(up ? setOf(first) : null, { status: up ? 200 : 503 }));
    const keys = await open("https://issuer.example/jwks.json", { fetch });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(fetch).toHaveBeenCalledTimes(2);
    up = false;
    await vi.advanceTimersByTimeAsync(3_590_000);
    await expect(verify(keys)).resolves.toBeDefined();
    await vi.advanceTimersByTimeAsync(20_000);
    await refused(verify(keys), "key_set_stale");
    up = true;
    await vi.advanceTimersByTimeAsync(5000);
    await expect(verify(keys)).resolves.toBeDefined();
    keys.close();
    const asked = fetch.mock.calls.length;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(fetch).toHaveBeenCalledTimes(asked);
  });

  test("counts for less than its staleness, and is asked for after its interval, to the millisecond", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const fetch = vi.fn(async () => new Response(setOf(first)));
    const options = { fetch, maxAge: 1000, maxStaleness: 64, minInterval: 8 };
    const keys = await open("https://issuer.example/jwks.json", options);
    await vi.advanceTimersByTimeAsync(7999);
    await keys.find("unknown");
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await keys.find("unknown");
    expect(fetch).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(63_999);
    await expect(keys.find(first.kid)).resolves.toBeDefined();
    await vi.advanceTimersByTimeAsync(1);
    await refused(keys.find(first.kid), "key_set_stale");
  });

  test("is not read again once it is closed, not even after a reading that was under way", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    let answerLast = () => {};
    const fetch = vi
      .fn<typeof globalThis.fetch>(async () => new Response(setOf(first)))
      .mockImplementationOnce(async () => new Response(setOf(first)))
      .mockImplementationOnce(
        () =>
          new Promise((resolve) => {
            answerLast = () => resolve(new Response(setOf(first)));
          }),
      );
    const keys = await open("https://issuer.example/jwks.json", { fetch, minInterval: 0 });
    const unknown = keys.find("unknown");
    keys.close();
    answerLast();
    await unknown;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

/** Writes until the other side has had enough. */
async function endless(res: Parameters<RequestListener>[1]): Promise<void> {
  while (!res.destroyed) {
    res.write(" ".repeat(16_384));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { isRemote, locationReader } from "../src/key-location.ts";

const folder = mkdtempSync(join(tmpdir(), "key-location-"));
afterAll(() => rmSync(folder, { recursive: true }));

const reader = (location: string | URL, fetch: typeof globalThis.fetch = globalThis.fetch) =>
  locationReader(location, { timeout: 5, fetch });
const answering = (response: () => Response | Promise<Response>) =>
  vi.fn<typeof globalThis.fetch>(async () => response());

describe("a location is", () => {
  test.each([
    "https://issuer.example/",
    "HTTPS://issuer.example/",
    "http://localhost:8080/",
    "http://127.0.0.1/",
    "http://127.10.200.30/",
    "http://[::1]/",
    new URL("https://issuer.example/"),
  ])("the address `%s`", (location) => {
    expect(isRemote(location)).toBe(true);
  });

  test.each([
    "keys.json",
    "/etc/keys.json",
    "./https://issuer.example/",
    "c://keys.json",
    "file:///etc/keys.json",
    pathToFileURL("/etc/keys.json"),
  ])("the file `%s`", (location) => {
    expect(isRemote(location)).toBe(false);
  });

  test.each([
    "http://issuer.example/",
    "http://not-localhost/",
    "http://localhost.example/",
    "https://user@issuer.example/",
    "https://:secret@issuer.example/",
    "file://elsewhere/etc/keys.json",
    "s3://keys/keys.json",
    "data:///etc/keys.json",
    new URL("data:application/json,%7B%7D"),
  ])("not `%s`", (location) => {
    expect(() => isRemote(location)).toThrow(expect.objectContaining({ code: "key_set_location" }));
  });
});

test("a file is read whole, of at most 65,536 bytes", async () => {
  const file = join(folder, "keys.json");
  const longest = `ключ${" ".repeat(65_536 - 8)}`;
  writeFileSync(file, longest);
  await expect(reader(file)()).resolves.toBe(longest);
  writeFileSync(file, `${longest} `);
  await expect(reader(file)()).rejects.toThrow("cannot be read: more than 65536 bytes");
});

test("what is no file is refused at once, a pipe that nobody writes to as well", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of [folder, pipe])
    await expect(reader(path)()).rejects.toThrow("cannot be read: not a file");
});

test("an address is asked for a key set that no cache holds, from where it is alone", async () => {
  const fetch = answering(() => new Response("keys"));
  await expect(reader("https://issuer.example/", fetch)()).resolves.toBe("keys");
  expect(fetch).toHaveBeenCalledWith(new URL("https://issuer.example/"), {
    headers: { accept: "application/jwk-set+json, application/json", "cache-control": "no-cache" },
    redirect: "manual",
    signal: expect.any(AbortSignal) as unknown,
  });
});

const failing = (cause: unknown) => Promise.reject(new TypeError("secret", { cause }));
const coded = (code: unknown) => Object.assign(new Error("secret"), { code });

test.each<readonly [string, () => Response | Promise<Response>, string]>([
  ["without a body", () => new Response(null), "status 200"],
  ["of another status without a body", () => new Response(null, { status: 204 }), "status 204"],
  ["of another status", () => new Response("keys", { status: 404 }), "status 404"],
  ["that fails with a code", () => Promise.reject(coded("ENOENT")), "ENOENT"],
  ["that fails for a cause with a code", () => failing(coded("ECONNREFUSED")), "ECONNREFUSED"],
  ["that fails for a cause without one", () => failing(new Error("secret")), "no answer"],
  ["that fails for a cause with a number", () => failing(coded(23)), "no answer"],
  ["that fails for a cause that is no error", () => failing("secret"), "no answer"],
  ["that fails with what is no error", () => Promise.reject(null), "no answer"],
])("an answer %s is none, for the reason alone", async (_, response, reason) => {
  await expect(reader("https://issuer.example/", answering(response))()).rejects.toMatchObject({
    code: "key_set_unreadable",
    details: { reason },
  });
});

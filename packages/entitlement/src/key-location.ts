import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { EntitlementError } from "./errors.ts";

/** Longest key set that is read, in bytes. */
const maxBytes = 65_536;

/** Host names of this machine, the only ones that plain http may be used for. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export type KeyReading = {
  /** Time limit for the whole answer of an address, in seconds. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
};

/** Reads the present content of a key set's location. */
export type ReadLocation = () => Promise<string>;

/** Place of a key set: path of a file, an address, or a function that reads it. */
export type KeyLocation = string | URL | ReadLocation;

/**
 * Returns a function that reads a file or an address. Redirects are not followed: the keys come from where the operator said.
 *
 * @param location path of a file, or an address: `https`, `http` to this machine, `file`
 * @throws {EntitlementError} `key_set_location` for any other address; each reading may throw `key_set_unreadable`, or what a given function throws
 */
export function locationReader(location: KeyLocation, { timeout, fetch }: KeyReading): ReadLocation {
  if (typeof location === "function") return location;
  const url = addressOf(location);
  return async () => {
    const signal = AbortSignal.timeout(timeout * 1000);
    try {
      return await collect(await (url instanceof URL ? openAddress(url, fetch, signal) : openFile(url)));
    } catch (error) {
      throw new EntitlementError("key_set_unreadable", {
        reason: signal.aborted ? `no answer within ${timeout} s` : reasonOf(error),
      });
    }
  };
}

/** True if the location is read over the network. */
export const isRemote = (location: KeyLocation): boolean =>
  typeof location !== "function" && addressOf(location) instanceof URL;

/** Returns an allowed address, or the path of a file. */
function addressOf(location: string | URL): URL | string {
  if (typeof location === "string" && !/^[a-z][a-z\d+.-]+:\/\//i.test(location)) return location;
  if (!URL.canParse(String(location))) throw new EntitlementError("key_set_location");
  const url = new URL(location);
  if (url.protocol === "file:" && url.host === "") return fileURLToPath(url);
  const trusted = url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname));
  if (!trusted || url.username !== "" || url.password !== "") throw new EntitlementError("key_set_location");
  return url;
}

/** Opens a regular file only, without blocking: a pipe would block the reader until someone writes. */
async function openFile(path: string) {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file.createReadStream();
  await file.close();
  throw new Refusal("not a file");
}

async function openAddress(url: URL, fetch: typeof globalThis.fetch, signal: AbortSignal) {
  const headers = { accept: "application/jwk-set+json, application/json", "cache-control": "no-cache" };
  const response = await fetch(url, { headers, redirect: "manual", signal });
  if (response.status === 200 && response.body !== null) return response.body;
  await response.body?.cancel();
  throw new Refusal(`status ${response.status}`);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Refusal(`more than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** An error whose message contains no foreign text, so that it may be reported. */
class Refusal extends Error {}

/** Returns the message of a {@link Refusal}. For a system error, returns only its code, such as `ENOENT`. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const causes = [error, error instanceof Error ? error.cause : undefined];
  const codes = causes.map((cause) => (cause instanceof Error && "code" in cause ? cause.code : undefined));
  return String(codes.find((code) => typeof code === "string") ?? "no answer");
}

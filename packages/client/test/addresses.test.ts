import { createServer } from "node:net";
import { join } from "node:path";
import { openTarget } from "@cadastre/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asUnreachable } from "../src/http/unreachable.ts";
import { makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { startServer, type TestServer } from "./support/server.ts";

const delivery = await makeDelivery();
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const listed = (url: string, ...flags: readonly string[]) =>
  runHere(["subscriptions", "list", "--url", url, ...flags]);

test.each([
  ["127.0.0.1:8290", "write http://127.0.0.1:8290"],
  ["localhost:8290", "write http://localhost:8290"],
  ["listings.example", "write https://listings.example"],
])("%s is told with its scheme: %s", async (url, words) => {
  const { code, stderr } = await listed(url);
  expect(stderr).toContain(`url_invalid: `);
  expect(stderr).toContain(words);
  expect(code).toBe(2);
});

test("TLS against a plain port is told at once", async () => {
  const { code, stderr } = await listed(server.url.replace("http:", "https:"));
  expect(stderr).toMatch(
    /^url_unreachable: https:\/\/127\.0\.0\.1:\d+ cannot be reached: it does not speak TLS there.*: check `--url`$/m,
  );
  expect(stderr).not.toContain("again in");
  expect(code).toBe(2);
});

test("a port where something else answers is told at once", async () => {
  const other = createServer((socket) => void socket.end("SSH-2.0-x\r\n")).listen(0, "127.0.0.1");
  await new Promise((resolve) => void other.once("listening", resolve));
  const { port } = other.address() as { readonly port: number };
  try {
    const { code, stderr } = await listed(`http://127.0.0.1:${port}`);
    expect(stderr).toContain("url_unreachable: ");
    expect(code).toBe(2);
  } finally {
    other.close();
  }
});

const failed = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

test("an unknown host ends a run that was never connected, and is retried by one that was", () => {
  const { origin } = new URL("https://listings.example");
  expect(asUnreachable(failed("ENOTFOUND"), origin, false)).toMatchObject({
    code: "url_unreachable",
    message:
      "https://listings.example cannot be reached: there is no host of this name (ENOTFOUND): check `--url`",
  });
  expect(asUnreachable(failed("ENOTFOUND"), origin, true)).toMatchObject({
    name: "TransientError",
    finalError: { code: "server_unreachable", exitCode: 4 },
  });
  expect(asUnreachable(failed("EAI_AGAIN"), origin, false)).toMatchObject({ name: "TransientError" });
  const other = failed("constructor");
  expect(asUnreachable(other, origin, false)).toBe(other);
});

test("a refused connection is retried, and says at first how often and how long, and then what to check", async () => {
  await server.close();
  const { code, stderr } = await listed(server.url, "--tries", "3");
  const [first, second, last] = stderr.trimEnd().split("\n");
  expect(first).toMatch(/nothing listens there \(ECONNREFUSED\); again in .* s, 3 times within about 3 s$/);
  expect(second).toMatch(/again in [\d.]+ s$/);
  expect(last).toMatch(
    /^server_unreachable: http:.* \(ECONNREFUSED\): check `--url`, or run this again later$/,
  );
  expect(code).toBe(4);
});

test.each([
  ["copy.sqlite", "write `sqlite:copy.sqlite` for a database, or `folder:copy.sqlite`"],
  ["data/copy.db", "write `sqlite:data/copy.db`"],
  ["copy.duckdb", "write `duckdb:copy.duckdb`"],
  ["postgresql://localhost/x", "write `postgres:` in the place of `postgresql:`"],
  ["SQLITE:copy", "write `sqlite:` in the place of `SQLITE:`"],
  ["s3://bucket/x", "`s3:` is none of them"],
  ["sqlite:", "nothing follows `sqlite:`"],
  ["postgres://u:secret@host/db", "PGPASSWORD or the file ~/.pgpass"],
])("%s is no target, and the message says what to write: %s", async (text, words) => {
  await expect(openTarget(text)).rejects.toThrow(words);
  await expect(openTarget(text)).rejects.toMatchObject({ code: "target_invalid", exitCode: 2 });
  await expect(openTarget(text)).rejects.not.toThrow("secret");
});

test("a folder may have the name of a database's file, if it says that it is a folder", async () => {
  const folder = join(emptyFolder(), "copy.sqlite");
  const pulled = ["pull", delivery.manifest.deliveryId, "--url", server.url, "--into", `folder:${folder}`];
  expect(await runHere(pulled)).toMatchObject({ code: 0 });
  expect(filesIn(folder).length).toBeGreaterThan(2);
});

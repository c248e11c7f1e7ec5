import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, textIn } from "./support/folders.ts";
import { apiKey, json, sendManifest, startServer, type TestServer, type Trick } from "./support/server.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/verify-a-delivery.md", import.meta.url)),
  "utf8",
);
const script = [...page.matchAll(/^```sh step\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block).join("\n");

const tools = ["curl", "jq", "sha256sum", "openssl"];
const installed = tools.every((tool) => spawnSync(tool, ["--version"]).error === undefined);

const delivery = await makeDelivery();
const [part] = delivery.manifest.parts;
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

/** Run the page's blocks in order, in one shell and an empty folder. */
function follow(): Promise<{ readonly code: number | null; readonly said: string; readonly folder: string }> {
  const folder = emptyFolder();
  const env = { PATH: process.env["PATH"], URL: server.url, KEY: apiKey };
  const shell = spawn("bash", ["--norc", "-c", script], { cwd: folder, env });
  const said: string[] = [];
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (text: Buffer) => said.push(text.toString()));
  return new Promise(
    (resolve) => void shell.once("close", (code) => resolve({ code, said: said.join(""), folder })),
  );
}

describe.runIf(installed)("the page", () => {
  test("proves a delivery to whoever follows it", async () => {
    const { code, said, folder } = await follow();
    expect(said).toContain("manifest.json: OK");
    expect(said).toContain("Signature Verified Successfully");
    expect(said).toContain(`${part?.name}: OK`);
    expect(code).toBe(0);
    expect(server.requests.at(-1)?.url).toMatch(/acknowledge$/);
    for (const secret of [...server.tokens, apiKey]) expect(said + textIn(folder)).not.toContain(secret);
  });

  test.each<readonly [string, Trick, string]>([
    [
      "the manifest is another",
      ({ url }, response) =>
        url.endsWith("/manifest") &&
        sendManifest(response, delivery, {
          data: (text) => text.replace('"rowCount":250', '"rowCount":251'),
        }),
      "manifest.json: FAILED",
    ],
    [
      "nobody has signed the manifest",
      ({ url }, response) =>
        url.endsWith("/manifest") &&
        sendManifest(response, delivery, {
          meta: { signature: { ...delivery.signature, signature: "A".repeat(86) } },
        }),
      "Signature Verification Failure",
    ],
    [
      "a grant leads elsewhere",
      ({ url }, response) =>
        url.includes("/download?") &&
        json(response, 200, { data: { kind: "logical", url: "//thief.example/", bearer_token: "x" } }),
      "Signature Verified Successfully\n",
    ],
    [
      "a part is another",
      ({ url }, response) => url.endsWith("/redeem") && !!response.end("another"),
      `${part?.name}: FAILED`,
    ],
  ])("ends where %s", async (_, trick, last) => {
    server.trick = trick;
    const { code, said } = await follow();
    expect(said).toContain(last);
    expect(code).not.toBe(0);
    expect(server.requests.some(({ url }) => url.endsWith("/acknowledge"))).toBe(false);
    if (last.startsWith("Signature")) expect(server.tokens.size).toBe(0);
  });
});

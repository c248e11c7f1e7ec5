import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePackages } from "@cadastre/odata/testing";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../docs/guides/serve-your-mls.md", import.meta.url), "utf8");
const program = new URL("../dist/cli/main.js", import.meta.url).pathname;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });

test("the guide leads from an empty folder to the first answer to a customer", async () => {
  await compilePackages();
  const scratch = mkdtempSync(join(tmpdir(), "cadastre-own-mls-"));
  const port = String(await freePort());
  const blocks = [...page.matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, commands = ""]) => commands);
  const script = [
    // As it is published, in the folder of the test.
    `npm() { node '${program}' "\${@:5}"; }`,
    "trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT",
    ...blocks,
  ].join("\n");
  try {
    const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      cwd: scratch,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: join(scratch, "home"), PORT: port },
      timeout: 240_000,
    });
    expect([status, stderr]).toEqual([0, expect.stringContaining("Property serves the build")]);
    for (const [, told = ""] of page.matchAll(/^```text\n([\s\S]*?)^```$/gm)) expect(stdout).toContain(told);
    expect(stdout).toContain("no private key of an issuer is here");
    const [, answer = ""] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const given = stdout.slice(stdout.indexOf('{"@odata.context"')).replaceAll(`:${port}/`, ":8080/");
    expect(JSON.parse(given)).toEqual(JSON.parse(answer));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}, 600_000);

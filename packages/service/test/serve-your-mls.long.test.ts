import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePackages, freePort } from "@cadastre/odata/testing";
import { expect, test } from "vitest";

const guides = new URL("../../../docs/guides/", import.meta.url);
const compiled = new URL("../dist/", import.meta.url).pathname;

/** Runs the blocks of a guide in an empty folder, with the programs as they are published. */
async function runGuide(page: string, ports: Readonly<Record<string, number>>) {
  await compilePackages();
  const scratch = mkdtempSync(join(tmpdir(), "cadastre-own-mls-"));
  const blocks = [...page.matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, commands = ""]) => commands);
  const script = [
    `npm() { if [ "$1" = start ]; then node '${compiled}start.js'; else node '${compiled}cli/main.js' "\${@:5}"; fi; }`,
    // Each job is a process group of its own, so that the programs end with it.
    "set -m",
    "trap 'for job in $(jobs -p); do kill -- -$job; done; wait' EXIT",
    ...blocks,
  ].join("\n");
  try {
    return spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      cwd: scratch,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: join(scratch, "home"),
        ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      },
      timeout: 240_000,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

test("the guide leads from an empty folder to the first answer to a customer", async () => {
  const page = readFileSync(new URL("serve-your-mls.md", guides), "utf8");
  const port = await freePort();
  const { status, stdout, stderr } = await runGuide(page, { PORT: port });
  expect([status, stderr]).toEqual([0, expect.stringContaining("Property serves the build")]);
  for (const [, told = ""] of page.matchAll(/^```text\n([\s\S]*?)^```$/gm)) expect(stdout).toContain(told);
  expect(stdout).toContain("no private key of an issuer is here");
  const [, answer = ""] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const given = stdout.slice(stdout.indexOf('{"@odata.context"')).replaceAll(`:${port}/`, ":8080/");
  expect(JSON.parse(given)).toEqual(JSON.parse(answer));
}, 600_000);

test("the guide for a RESO Web API leads from a second demo to what a customer sees of it", async () => {
  const page = readFileSync(new URL("from-a-web-api.md", guides), "utf8");
  const { status, stdout, stderr } = await runGuide(page, {
    PORT: await freePort(),
    SOURCE_PORT: await freePort(),
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("acme")]);
  const given = stdout.slice(stdout.indexOf('{"@odata.context"'));
  const { "@odata.count": count } = JSON.parse(given) as { readonly "@odata.count": number };
  const [, staged = ""] = /Property +(\d+) +(\d+)/.exec(stdout) ?? [];
  expect([count > 10, staged]).toEqual([true, String(count)]);
}, 600_000);

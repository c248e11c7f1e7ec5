import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { expect, test } from "vitest";
import { cadastre } from "./support/cli.ts";

const page = fileURLToPath(new URL("../../../docs/systems.md", import.meta.url));
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Runs `cadastre` as it is published. */
const compiledCommands = `npm() { node '${program}' "\${@:5}"; }`;

test("the commands of docs/systems.md lead from an empty folder to listings with local fields", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-systems-"));
  await compilePackages();
  const blocks = [...(await readFile(page, "utf8")).matchAll(/^```sh run\n([\s\S]*?)^```$/gm)];
  const script = [compiledCommands, ...blocks.map(([, commands]) => commands)].join("\n");
  const environment = { ...process.env, CADASTRE_DATA: folder };
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
    encoding: "utf8",
    env: environment,
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("Property serves the build")]);
  expect(stderr).toContain("Read 2 records; staged 2 changes.");
  expect(stdout).toMatch(/^Property +PoolFeatures .* served$/m);
  expect(stderr).toContain("Property serves PoolFeatures, SpaFeatures already");
  const listed = await cadastre(["field", "list", "northshore"], { environment: { CADASTRE_DATA: folder } });
  expect(listed.stdout).toMatch(/^Property +NSM_Zoning +Edm.String +NSM_Zoning +Zoning$/m);
  const texts = [...(await readFile(page, "utf8")).matchAll(/^```text\n([\s\S]*?)^```$/gm)];
  expect(texts.length).toBeGreaterThan(1);
  for (const [, told = ""] of texts) expect(stdout).toContain(told);
  expect(stderr).toContain("Read 8 records; staged 7 changes.");
  expect(listed.stdout).toMatch(/^Property +NSM_Shoreline +Edm.String +NSM_Shoreline +Shoreline$/m);
  await rm(folder, { recursive: true });
}, 240_000);

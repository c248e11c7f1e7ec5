import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Demo } from "../src/demo/demo-file.ts";
import { ask } from "./support/ask.ts";
import { end, says, startProgram } from "./support/program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-heap-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(environment: Readonly<Record<string, string>>) {
  const settings = { CADASTRE_DATA: folder, CADASTRE_LISTINGS: "50", PORT: "0", ...environment };
  const program = await startProgram("start.ts", [], settings, { execArgv: [] });
  onTestFinished(() => void program.child.kill("SIGKILL"));
  return program;
}

/** Returns the command lines of a process's children. Source: proc(5). */
async function childrenOf(pid = 0): Promise<readonly string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const ids = children.split(" ").filter((id) => id !== "");
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8")));
}

const isServing = async () => {
  const { baseUrl } = JSON.parse(await readFile(join(folder, "demo.json"), "utf8")) as Demo;
  return ask(baseUrl, "/health/live").then(
    ({ status }) => status === 200,
    () => false,
  );
};

test("the heap follows from the memory, signals reach the service, and its exit code comes back", async () => {
  const program = await start({ CADASTRE_MEMORY: "512" });
  await says(program, "Stop with Ctrl-C.");
  expect(await childrenOf(program.child.pid)).toEqual([
    expect.stringContaining("\u0000--max-old-space-size=160\u0000"),
  ]);
  expect(await isServing()).toBe(true);
  expect(await end(program, "SIGTERM")).toBe(0);
  expect(await isServing()).toBe(false);
  expect(program.output()).toContain("Stopping");
}, 60_000);

test("the service stops when the process that has started it is killed", async () => {
  const program = await start({});
  await says(program, "Stop with Ctrl-C.");
  program.child.kill("SIGKILL");
  await expect.poll(isServing, { timeout: 20_000 }).toBe(false);
  await says(program, "Stopping");
}, 60_000);

test("a heap that the operator has set is kept, and settings that are wrong end with 1", async () => {
  const program = await start({ NODE_OPTIONS: "--max-old-space-size=300" });
  await says(program, "Stop with Ctrl-C.");
  expect(await childrenOf(program.child.pid)).toEqual([]);
  expect(await end(program, "SIGINT")).toBe(0);
  const wrong = await start({ CADASTRE_MEMORY: "little" });
  await says(wrong, "CADASTRE_MEMORY must be").catch(() => {});
  expect(wrong.output()).toContain("CADASTRE_MEMORY must be a whole number");
}, 60_000);

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemo } from "../../../scripts/demo-service.mjs";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const fromSource = ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];

/**
 * Start the service over sample listings of its own, as a user would.
 *
 * @returns {Promise<{ root: string, headers: { "x-api-key": string }, stop: () => void }>}
 */
export async function startService() {
  const data = mkdtempSync(join(tmpdir(), "cadastre-clients-"));
  const demo = await startDemo(data, { CADASTRE_LISTINGS: "600", CADASTRE_CORS_ORIGINS: "*" });
  return {
    root: demo.root,
    headers: { "x-api-key": demo.key },
    stop: () => void demo.stop().then(() => rmSync(data, { recursive: true, force: true })),
  };
}

/**
 * Starts a server of 600 listings that has been made with `@cadastre/server`.
 *
 * @returns {Promise<{ root: string, headers: {}, stop: () => void }>}
 */
export async function startOwnServer() {
  const program = [...fromSource, "packages/server/test/support/listings-server.ts"];
  const server = spawn(process.execPath, program, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  const { port } = await new Promise((resolve, reject) => {
    server.stdout.once("data", (text) => resolve(JSON.parse(String(text))));
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { root: `http://127.0.0.1:${port}/odata`, headers: {}, stop: () => server.kill("SIGTERM") };
}

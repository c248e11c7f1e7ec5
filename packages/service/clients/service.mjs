import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const fromSource = ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];

/**
 * Start the service over sample listings of its own, as a user would.
 *
 * @returns {Promise<{ root: string, headers: { "x-api-key": string }, stop: () => void }>}
 */
export async function startService() {
  const data = mkdtempSync(join(tmpdir(), "cadastre-clients-"));
  const service = spawn(process.execPath, [...fromSource, "packages/service/src/main.ts"], {
    cwd: repository,
    env: {
      ...process.env,
      PORT: "0",
      CADASTRE_DATA: data,
      CADASTRE_LISTINGS: "600",
      CADASTRE_CORS_ORIGINS: "*",
      CADASTRE_REQUESTS_PER_SECOND: "0",
      CADASTRE_LOG_LEVEL: "silent",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    service.stdout.on("data", (text) => String(text).includes("demo.json") && resolve());
    service.on("exit", (code) => reject(new Error(`the service ended with ${code}`)));
  });
  const { baseUrl, keys } = JSON.parse(readFileSync(join(data, "demo.json"), "utf8"));
  return {
    root: `${baseUrl}/reso/odata`,
    headers: { "x-api-key": keys.find(({ name }) => name === "national").apiKey },
    stop: () => {
      service.removeAllListeners("exit");
      service.on("exit", () => rmSync(data, { recursive: true, force: true }));
      service.kill("SIGTERM");
    },
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

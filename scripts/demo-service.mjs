import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));

/**
 * Starts the service over sample listings of its own, as a user would.
 *
 * @param {string} data folder of its data
 * @param {Record<string, string>} env further settings
 * @returns {Promise<{ root: string, key: string, stop: () => Promise<void> }>} root of its OData service, and the key that sees everything
 */
export async function startDemo(data, env) {
  const fromSource = ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];
  const service = spawn(process.execPath, [...fromSource, "packages/service/src/main.ts"], {
    cwd: repository,
    env: {
      ...process.env,
      PORT: "0",
      CADASTRE_DATA: data,
      CADASTRE_REQUESTS_PER_SECOND: "0",
      CADASTRE_LOG_LEVEL: "silent",
      ...env,
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
    key: keys.find(({ name }) => name === "national").apiKey,
    stop: () =>
      new Promise((resolve) => {
        service.removeAllListeners("exit");
        service.on("exit", () => resolve());
        service.kill("SIGTERM");
      }),
  };
}

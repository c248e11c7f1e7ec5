import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));

/** A demo that was started as a newcomer starts it. */
export type DemoService = {
  /** Address of the page, with the code that signs in. */
  readonly signInAddress: string;
  readonly origin: string;
  /** Keys of the demo by name. */
  readonly keys: ReadonlyMap<string, string>;
  readonly stop: () => Promise<void>;
};

type DemoFile = { readonly keys: readonly { readonly name: string; readonly apiKey: string }[] };

/** Resolves to the address that the start prints. */
function printedAddress(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    service.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\S+#sign-in=\S+/.exec(text)?.[0];
      if (found !== undefined && text.includes("Stop with")) resolve(found);
    });
    service.stderr?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    service.once("exit", () => reject(new Error(`the service did not start: ${text}`)));
  });
}

/** Builds the page if it is not current, and starts a demo with some listings on a free port. */
export async function startDemo(listings: number): Promise<DemoService> {
  await promisify(execFile)("node", ["scripts/build-explorer.mjs"], { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), "cadastre-page-"));
  const program = [
    "--conditions=@cadastre/source",
    "--import",
    "./scripts/source.mjs",
    "packages/service/src/start.ts",
  ];
  const service = spawn("node", program, {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      CADASTRE_DATA: folder,
      CADASTRE_LISTINGS: String(listings),
      CADASTRE_LOG_LEVEL: "silent",
      CADASTRE_CHECK_HOURS: "0",
      // A test clicks faster than people do.
      CADASTRE_REQUESTS_PER_SECOND: "0",
      CADASTRE_SCAN_SECONDS: "3600",
    },
  });
  const signInAddress = await printedAddress(service);
  const { keys } = JSON.parse(await readFile(join(folder, "demo.json"), "utf8")) as DemoFile;
  return {
    signInAddress,
    origin: new URL(signInAddress).origin,
    keys: new Map(keys.map(({ name, apiKey }) => [name, apiKey])),
    stop: async () => {
      const ended = once(service, "exit");
      service.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

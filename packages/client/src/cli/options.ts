import { type Command, InvalidArgumentError, Option } from "commander";
import { type KeyPlace, readApiKey } from "../api-key.ts";
import { type Connection, connect } from "../http/connection.ts";
import { usualPatience } from "../http/patience.ts";
import { say } from "./outcome.ts";

/** How a server is reached. */
export type ConnectionFlags = {
  readonly url: string;
  readonly keyEnv: string;
  readonly keyFile?: string;
  readonly keyStdin?: true;
  readonly tries: number;
  readonly timeout: number;
};

export const withConnection = (command: Command): Command =>
  command
    .requiredOption("--url <origin>", "address of the service, such as https://listings.example")
    .option("--key-env <name>", "variable that holds the API key", "CADASTRE_API_KEY")
    .option("--key-file <file>", "file that holds the API key")
    .addOption(new Option("--key-stdin", "read the API key from standard input").conflicts("keyFile"))
    .option("--tries <count>", "times that one thing is asked for", parseCount, usualPatience.tries)
    .option(
      "--timeout <seconds>",
      "how long the server may be silent",
      parseCount,
      usualPatience.timeout / 1000,
    );

/** Run with a connection that ends with the first SIGINT or SIGTERM. */
export async function connected<T>(
  flags: ConnectionFlags,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const apiKey = await readApiKey(keyPlaceOf(flags));
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work(
      connect({
        url: flags.url,
        apiKey,
        patience: { tries: flags.tries, timeout: flags.timeout * 1000 },
        signal: controller.signal,
        onRetry: (reason, pause) => say(`  the server: ${reason}; again in ${(pause / 1000).toFixed(1)} s`),
      }),
    );
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, stop);
  }
}

function keyPlaceOf({ keyEnv, keyFile, keyStdin }: ConnectionFlags): KeyPlace {
  if (keyStdin) return { stdin: process.stdin };
  return keyFile === undefined ? { env: keyEnv } : { file: keyFile };
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above zero.");
  return Number(text);
}

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const jsonOption = (): Option => new Option("--json", "write the result for machines");

/** Who may have signed. */
export type TrustFlags = {
  readonly keys?: string;
  readonly unsigned?: true;
  readonly pin?: readonly string[];
};

export const withTrust = (command: Command, keys: string): Command =>
  command
    .option("--keys <file>", keys)
    .addOption(new Option("--unsigned", "do not ask for a signature").conflicts("keys"))
    .option("--pin <pin>", "refuse another schema=…, profile=… or entitlement=… (repeatable)", collect);

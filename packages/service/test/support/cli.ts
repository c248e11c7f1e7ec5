import { Readable } from "node:stream";
import { format } from "node:util";
import { runOperatorProgram as runInThisProcess } from "../../src/cli/program.ts";
import { type Outcome, runProgram } from "./program.ts";
import { withDatabase } from "./test-database.ts";

type Given = {
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Runs `cadastre` in a child process. The output is returned without trailing line breaks. */
export async function cadastreProcess(
  args: readonly string[],
  { input, environment = {} }: Given = {},
): Promise<Outcome> {
  return trimmed(await runProgram("cli/main.ts", args, environment, input));
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `cadastre` in this process, which saves the second that a process takes to start. Commands share the streams and variables of this
 * process, so they run one after another: use `cadastreProcess` to run two at the same time, or if the process itself matters.
 */
export function cadastre(args: readonly string[], given: Given = {}): Promise<Outcome> {
  const outcome = last.then(() => runHere(args, given));
  last = outcome.catch(() => {});
  return outcome;
}

async function runHere(args: readonly string[], { input = "", environment = {} }: Given): Promise<Outcome> {
  const { env } = process;
  const written = { stdout: "", stderr: "" };
  const restore = [
    replace(process, "env", { ...env, ...withDatabase(environment) }),
    replace(process, "stdin", Readable.from([Buffer.from(input)])),
    ...(["stdout", "stderr"] as const).map((name) =>
      replace(process[name], "write", (text: string, done?: () => void) => {
        written[name] += text;
        done?.();
        return true;
      }),
    ),
    // Unexpected errors are written with `console`, which does not use the stream in a test.
    replace(console, "error", (...values: unknown[]) => {
      written.stderr += `${format(...values)}\n`;
    }),
  ];
  try {
    return trimmed({ code: await runInThisProcess(args), ...written });
  } finally {
    for (const put of restore) put();
  }
}

/** Replaces a property until the returned function is called. */
function replace<T extends object>(object: T, name: keyof T, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, writable: true, value });
  return () => {
    if (before === undefined) delete object[name];
    else Object.defineProperty(object, name, before);
  };
}

const trimmed = ({ code, stdout, stderr }: Outcome): Outcome => ({
  code,
  stdout: stdout.trimEnd(),
  stderr: stderr.trimEnd(),
});

import { type Outcome, runProgram } from "./program.ts";

type Given = { readonly input?: string; readonly environment?: Readonly<Record<string, string>> };

/** Run `cadastre` in a process of its own, and give what it wrote, less the end of the last line. */
export async function cadastre(
  args: readonly string[],
  { input, environment = {} }: Given = {},
): Promise<Outcome> {
  const { code, stdout, stderr } = await runProgram("cli/main.ts", args, environment, input);
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

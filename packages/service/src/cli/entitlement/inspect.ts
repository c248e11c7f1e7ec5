import { inspectEntitlement } from "@cadastre/entitlement";
import { Command } from "commander";
import { printResult } from "../outcome.ts";
import { describeEntitlement } from "./describe.ts";
import { namingInputs, readInput } from "./files.ts";
import { refusalJson, verdictOf } from "./verification.ts";

type Options = { readonly jwks?: string; readonly json?: true };

export const inspectCommand = (): Command =>
  new Command("inspect")
    .description("Say what an entitlement grants.")
    .argument("<entitlement>", "file of the entitlement, or - for standard input")
    .option("--jwks <file|address>", "verify it with this key set as well")
    .option("--json", "print JSON")
    .action((file: string, options: Options) =>
      namingInputs({ entitlement: file, jwks: options.jwks }, () => inspect(file, options)),
    );

async function inspect(file: string, { jwks, json }: Options): Promise<void> {
  const jws = await readInput(file);
  const { kid, document } = inspectEntitlement(jws);
  const verdict = jwks === undefined ? undefined : await verdictOf(jws, { jwks });
  const verified = verdict?.verified ?? false;
  const error = verdict?.verified === false ? verdict.error : undefined;
  if (json) {
    const refusal = error === undefined ? {} : { refusal: refusalJson(error) };
    printResult(JSON.stringify({ verified, ...refusal, kid, document }));
  } else {
    printResult(verified ? "verified with the key set" : "NOT VERIFIED: anyone may have written this");
    printResult(describeEntitlement(document, kid));
  }
  if (error !== undefined) throw error;
}

import { Command } from "commander";
import { printMessage, printResult } from "../outcome.ts";
import { instantText } from "./describe.ts";
import { namingInputs, readInput } from "./files.ts";
import { readInstant } from "./option-values.ts";
import { refusalJson, type VerificationKeys, verdictOf } from "./verification.ts";

type Options = VerificationKeys & { readonly json?: true };

export const verifyEntitlementCommand = (): Command =>
  new Command("verify")
    .description("Verify an entitlement as a service would.")
    .argument("<entitlement>", "file of the entitlement, or - for standard input")
    .requiredOption("--jwks <file|address>", "the key set to verify with")
    .option("--issuer <text>", "who must have signed it")
    .option("--audience <text>", "the service that it must be for")
    .option(
      "--at <time>",
      "the time to verify it for, such as 2026-01-31T00:00:00Z; now, if left out",
      readInstant,
    )
    .option("--json", "print JSON")
    .action((file: string, options: Options) =>
      namingInputs({ entitlement: file, jwks: options.jwks }, () => verify(file, options)),
    );

async function verify(file: string, { json, ...trust }: Options): Promise<void> {
  const verdict = await verdictOf(await readInput(file), trust);
  if (!verdict.verified) {
    if (json) printResult(JSON.stringify({ verified: false, ...refusalJson(verdict.error) }));
    throw verdict.error;
  }
  const { kid, document } = verdict;
  const { sub, ver, exp } = document;
  const unchecked = [
    trust.issuer === undefined ? ["the issuer, --issuer"] : [],
    trust.audience === undefined ? ["the audience, --audience"] : [],
  ].flat();
  if (unchecked.length > 0) printMessage(`Not compared: ${unchecked.join("; ")}.`);
  printResult(
    json
      ? JSON.stringify({ verified: true, kid, document })
      : `verified: version ${ver} for ${sub}, signed with key ${kid}, until ${instantText(exp)}`,
  );
}

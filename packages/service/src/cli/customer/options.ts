import { Option } from "commander";
import { templateOptions } from "../entitlement/new.ts";
import { parseTimeToCome } from "../times.ts";
import type { DraftOptions } from "./draft.ts";

/** Options of the commands that sign a customer's entitlement. */
export type SigningOptions = DraftOptions & {
  readonly issuerKey?: string;
  readonly dryRun?: true;
  readonly json?: true;
};

/** Returns the options of the commands that sign a customer's entitlement. */
export function signingOptions(): readonly Option[] {
  const { template, systems, regions } = templateOptions();
  return [
    template,
    systems,
    regions,
    new Option("--edit <file>", "a document in place of a template, such as one from --dry-run, edited"),
    new Option(
      "--expires <time>",
      "when the entitlement ends: a date, or how long from now; 90d, if nothing says it",
    ).argParser((text) => parseTimeToCome(text, Date.now())),
    new Option("--issuer-key <file>", "the private key of the issuer, from `entitlement keygen`"),
    new Option("--dry-run", "print the document, and change nothing"),
    json(),
  ];
}

/** Returns the option for output as JSON. */
export const json = (): Option => new Option("--json", "print JSON");

import { Command } from "commander";
import { catalogOption } from "../catalog.ts";
import { printMessage, printResult } from "../outcome.ts";
import { differenceOf } from "./difference.ts";
import { differenceLines } from "./difference-text.ts";
import { readDocument } from "./document-source.ts";
import { readGrantCatalog } from "./grant-catalog.ts";

type Options = { readonly catalog?: string; readonly json?: true };

const sources = "file of a document or of a signed entitlement, - for standard input, or customer:<name>";

export const diffCommand = (): Command =>
  new Command("diff")
    .description("Say what a customer gains and loses from one entitlement to another.")
    .argument("<before>", sources)
    .argument("<after>", sources)
    .addOption(catalogOption())
    .option("--json", "print JSON")
    .action(diff);

async function diff(before: string, after: string, { catalog: given, json }: Options): Promise<void> {
  const catalog = await readGrantCatalog(given);
  const difference = differenceOf(
    await readDocument(before, catalog),
    await readDocument(after, catalog),
    catalog,
  );
  if (json) return printResult(JSON.stringify(difference));
  const lines = differenceLines(difference, catalog);
  for (const line of lines) printResult(line);
  if (lines.length === 0) printMessage("Nothing changes for the customer.");
}

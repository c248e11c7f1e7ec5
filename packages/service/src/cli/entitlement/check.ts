import { Command } from "commander";
import { catalogOption } from "../catalog.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { checkDocument, findingLine } from "./document-check.ts";
import { readText } from "./files.ts";
import { readGrantCatalog } from "./grant-catalog.ts";
import { formatGrants } from "./grant-table.ts";
import { tellDisclosures } from "./sign.ts";

type Options = { readonly catalog?: string; readonly json?: true };

export const checkDocumentCommand = (): Command =>
  new Command("check")
    .description("Find all faults of a document before it is signed, each with its line and what is allowed.")
    .argument("<document>", "file of the JSON document, or - for standard input")
    .addOption(catalogOption())
    .option("--json", "print JSON")
    .action(check);

async function check(file: string, { catalog: given, json }: Options): Promise<void> {
  const text = await readText(file);
  if (/^\s*[\w-]+\.[\w-]+\.[\w-]+\s*$/.test(text))
    throw new CommandRefused(
      `\`${file}\` is a signed entitlement: \`cadastre entitlement inspect\` shows its document, and \`verify\` verifies it`,
    );
  const catalog = await readGrantCatalog(given);
  const { findings, document } = await checkDocument(text, catalog, Date.now());
  const faults = findings.filter(({ severity }) => severity === "fault").length;
  const disclosures = document === undefined ? [] : tellDisclosures(document, catalog.catalog);
  if (json) printResult(JSON.stringify({ file, faults, findings, disclosures }));
  else for (const finding of findings) printResult(findingLine(file, finding));
  if (document === undefined)
    throw new CommandRefused(
      `${file} has ${faults} ${faults === 1 ? "fault" : "faults"}: nothing could be signed`,
    );
  printMessage(formatGrants(document, catalog));
  if (catalog.systems.length === 0)
    printMessage(
      "Systems and local fields were not checked, since no service is here: give its `cadastre system export` with --catalog.",
    );
  printMessage(`${file} can be signed.`);
}

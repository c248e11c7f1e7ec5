import { Command } from "commander";
import { printMessage, printResult } from "../outcome.ts";
import { number } from "../progress.ts";
import { table } from "../table.ts";
import { readDocument } from "./document-source.ts";
import { readGrantCatalog } from "./grant-catalog.ts";

type Options = { readonly json?: true };

export const simulateCommand = (): Command =>
  new Command("simulate")
    .description("Count what a customer would see of each set and system, before the document is signed.")
    .argument(
      "<document>",
      "file of a document or of a signed entitlement, - for standard input, or customer:<name>",
    )
    .option("--json", "print JSON")
    .action(simulate);

async function simulate(source: string, { json }: Options): Promise<void> {
  const catalog = await readGrantCatalog();
  const document = await readDocument(source, catalog);
  const { withServiceStore } = await import("../data.ts");
  const { countVisible } = await import("./visible-counts.ts");
  await withServiceStore(async (store) => {
    const counts = await countVisible(store, document, catalog);
    if (json) return printResult(JSON.stringify(counts));
    const rows = counts.map(({ resource, system, visible, stored, fields }) => [
      resource,
      system,
      number(visible),
      number(stored),
      String(fields),
    ]);
    printResult(table(["RESOURCE", "SYSTEM", "VISIBLE", "STORED", "FIELDS"], rows));
    const { channels } = document;
    const open = Object.entries(channels).flatMap(([name, isOpen]) => (isOpen ? [name] : []));
    printMessage(`Channels: ${open.join(", ") || "none, so the customer can fetch nothing"}.`);
  });
}

import type { Entitlement } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { nearest } from "@cadastre/odata/tree";
import { isInForce } from "@cadastre/store/registry";
import { Command } from "commander";
import { CommandRefused, printMessage, printResult, WrongUsage } from "../outcome.ts";
import { readable } from "../times.ts";
import { installedOf, readDocument, stateOfInstalled } from "./document-source.ts";
import { explainField, type FieldExplanation } from "./field-explanation.ts";
import { type GrantCatalog, readGrantCatalog } from "./grant-catalog.ts";
import type { RecordExplanation } from "./record-explanation.ts";

type Options = {
  readonly customer?: string;
  readonly document?: string;
  readonly resource?: string;
  readonly json?: true;
};

export const explainCommand = (): Command =>
  new Command("explain")
    .description("Say why a customer sees, or does not see, a field or a record.")
    .argument("<target>", "name of a field, such as ListPrice or Member/MemberEmail, or key of a record")
    .option("--customer <name>", "the customer, by the entitlement that is installed")
    .option("--document <file>", "a document in place of what is installed")
    .option("--resource <name>", "resource of the field or record; all, if left out")
    .option("--json", "print JSON")
    .action(explain);

/** The document that is explained, and why it is without effect, as sentences. */
type Explained = { readonly document: Entitlement; readonly obstacles: readonly string[] };

async function explain(target: string, options: Options): Promise<void> {
  const catalog = await readGrantCatalog();
  const sets = setsOf(options.resource, catalog);
  const { document, obstacles } = await explainedBy(options, catalog);
  const [path, ...rest] = target.split("/").toReversed();
  const fieldSets = sets.filter(
    ({ name, type }) => type.properties.has(path ?? "") && rest.every((one) => one === name),
  );
  const fields = fieldSets.flatMap(({ name }) => explainField(document, name, path ?? "", catalog));
  const records = fields.length > 0 ? [] : await explainKey(target, sets, document, catalog);
  if (fields.length + records.length === 0) throw new CommandRefused(unknownTarget(target, sets));
  if (options.json) return printResult(JSON.stringify({ obstacles, fields, records }));
  for (const obstacle of obstacles) printResult(`Nothing is seen at all: ${obstacle}.`);
  for (const line of [...fields.map(fieldLine), ...records.flatMap(recordLines)]) printResult(line);
}

function setsOf(resource: string | undefined, { scopeOptions }: GrantCatalog): readonly EntitySet[] {
  if (resource === undefined) return scopeOptions.entitySets;
  const found = scopeOptions.entitySets.filter(({ name }) => name === resource);
  if (found.length > 0) return found;
  const names = scopeOptions.entitySets.map(({ name }) => name);
  const similar = nearest(resource, names);
  throw new WrongUsage(
    `--resource: there is no resource \`${resource}\`${similar === undefined ? "" : `, did you mean \`${similar}\`?`}: allowed are ${names.join(", ")}`,
  );
}

async function explainedBy({ customer, document }: Options, catalog: GrantCatalog): Promise<Explained> {
  if ((customer === undefined) === (document === undefined))
    throw new WrongUsage("name either --customer <name> or --document <file>");
  if (document !== undefined) return { document: await readDocument(document, catalog), obstacles: [] };
  const { withServiceRegistry } = await import("../data.ts");
  return withServiceRegistry(async (registry, folder, config) => {
    const at = Date.now();
    const installed = await installedOf(customer ?? "", registry);
    const state = await stateOfInstalled(installed, config, folder, at);
    const keys = await registry.keys.list(customer);
    const hasKey = keys.some((key) => isInForce(key, at));
    return {
      document: installed.document,
      obstacles: [
        ...(state.isInForce
          ? []
          : [`the entitlement of ${readable(installed.installed)} is ${state.sentence}`]),
        ...(hasKey ? [] : [`${customer} has no live API key: \`cadastre key create ${customer}\` makes one`]),
      ],
    };
  });
}

async function explainKey(
  key: string,
  sets: readonly EntitySet[],
  document: Entitlement,
  catalog: GrantCatalog,
): Promise<readonly RecordExplanation[]> {
  const { withServiceStore } = await import("../data.ts");
  const { explainRecord } = await import("./record-explanation.ts");
  return withServiceStore(async (store) => {
    const found = await explainRecord(store, sets, key, document, catalog);
    const retired = found.length > 0 ? [] : await store.builds.retired();
    for (const { datasetId } of retired) {
      const system = catalog.systems.find((one) => one.datasetId === datasetId);
      printMessage(`${system?.name ?? datasetId} is retired, and none of its records is stored.`);
    }
    return found;
  });
}

function unknownTarget(target: string, sets: readonly EntitySet[]): string {
  const similar = nearest(
    target,
    sets.flatMap(({ type }) => [...type.properties.keys()]),
  );
  return `no field is called \`${target}\`${similar === undefined ? "" : ` (did you mean \`${similar}\`?)`}, and no record with this key is stored: it was never ingested and published, was removed, or has no listing`;
}

const fieldLine = ({ resource, field, systems, outcome, reason }: FieldExplanation): string =>
  `${resource}/${field} of ${systems.join(", ")}: ${outcome === "null" ? "null in every row" : outcome}, because ${reason}`;

function recordLines({ resource, key, visible, systems, reasons }: RecordExplanation): readonly string[] {
  const head = `${resource} ${key} of ${systems.join(", ")}: ${visible ? "visible" : "not visible"}`;
  return visible ? [head] : [`${head}, because`, ...reasons.map((reason) => `  ${reason}`)];
}

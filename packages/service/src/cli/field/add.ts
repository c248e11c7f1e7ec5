import {
  type LocalField,
  type LocalResource,
  type LookupStatus,
  legacyValueOf,
  localResources,
} from "@cadastre/reso";
import { Command, InvalidArgumentError, Option } from "commander";
import { wordsOfName } from "../../learn/field-names.ts";
import { editCatalog, printChange } from "../system/change-catalog.ts";
import { withAdditions } from "./add-fields.ts";

/** Types by the names that the command takes. */
const types = {
  string: "Edm.String",
  boolean: "Edm.Boolean",
  integer: "Edm.Int64",
  decimal: "Edm.Decimal",
  date: "Edm.Date",
  timestamp: "Edm.DateTimeOffset",
  time: "Edm.TimeOfDay",
} as const satisfies Record<string, LocalField["type"]>;

const statuses = {
  open: "Open",
  extensible: "Open with Enumerations",
  closed: "Locked with Enumerations",
} as const satisfies Record<string, LookupStatus>;

type Options = Pick<LocalField, "maxLength" | "precision" | "scale" | "group"> & {
  readonly resource: LocalResource;
  readonly type: keyof typeof types;
  readonly displayName?: string;
  readonly collection?: true;
  readonly lookup?: string;
  readonly lookupStatus?: keyof typeof statuses;
  readonly value?: readonly string[];
  readonly annotation?: NonNullable<LocalField["annotations"]>;
  readonly mayReveal?: readonly string[];
};

/** `cadastre field add <system> <field>` */
export const addFieldCommand = (): Command =>
  new Command("add")
    .description("Add a local field to a system, or change one, while the service runs.")
    .argument("<system>", "id of the system, as `system list` shows it")
    .argument("<field>", "name of the field, with the prefix of the system, such as NSM_DockLength")
    .addOption(
      new Option("--resource <resource>", "resource of the field")
        .choices(localResources)
        .default("Property"),
    )
    .addOption(
      new Option("--type <type>", "type of its values").choices(Object.keys(types)).makeOptionMandatory(),
    )
    .option("--collection", "a record has a list of values")
    .option("--display-name <name>", "name for people (default: that of the field, in words)")
    .option("--max-length <count>", "greatest number of characters of a text", readCount)
    .option("--precision <count>", "greatest number of digits of a decimal", readCount)
    .option("--scale <count>", "greatest number of digits behind the decimal point", readCount)
    .option("--lookup <name>", "lookup whose values the field has: a standard one, or one of the system")
    .option("--value <text>", "value of the lookup (repeatable)", collect)
    .addOption(
      new Option(
        "--lookup-status <status>",
        "closed: other values are rejected; extensible: the same, and more values are to be expected; open: any value is taken",
      ).choices(Object.keys(statuses)),
    )
    .option("--group <heading>", "heading under which the field is shown")
    .option("--annotation <term=text>", "annotation in $metadata (repeatable)", collectAnnotation)
    .option(
      "--may-reveal <fields>",
      "fields that its values may mention, separated by commas, such as an address in a free text",
      (text: string) => text.split(",").map((name) => name.trim()),
    )
    .action(async (id: string, name: string, options: Options) => {
      const changed = await editCatalog({
        action: "field.add",
        system: id,
        change: (definition) => withAdditions(definition, id, additionsOf(name, options)),
        faultsOf: (path) => path.replace(/^systems\[\d+\]\.(?:fields\.\w+\[\d+\]\.?)?/, `${name} `).trim(),
      });
      printChange(`${id} has the field ${name}. Who is granted all of its fields sees it.`, changed);
    });

function additionsOf(name: string, options: Options) {
  const { resource, type, displayName, collection, value = [], annotation, lookup, lookupStatus } = options;
  const { maxLength, precision, scale, group, mayReveal } = options;
  const isOwnLookup = lookup !== undefined && value.length > 0;
  const field = {
    name,
    displayName: displayName ?? wordsOfName(name),
    type: types[type],
    ...(collection && { collection }),
    ...defined({ maxLength, precision, scale, group, mayReveal, lookup, annotations: annotation }),
    ...(lookup === undefined
      ? defined({ lookupStatus: lookupStatus && statuses[lookupStatus] })
      : { lookupStatus: statuses[lookupStatus ?? (isOwnLookup ? "closed" : "extensible")] }),
  } satisfies LocalField;
  return {
    fields: { [resource]: [field] },
    lookups: isOwnLookup ? { [lookup]: value.map((text) => [text, legacyValueOf(text)] as const) } : {},
  };
}

/** Leaves out the members without a value. */
const defined = <T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };

function readCount(text: string): number {
  if (!/^\d{1,5}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number of at most 5 digits.");
  return Number(text);
}

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

function collectAnnotation(text: string, before: NonNullable<LocalField["annotations"]> = []) {
  const [, term, value] = /^([\w.]+)=(.*)$/s.exec(text) ?? [];
  if (term === undefined || value === undefined)
    throw new InvalidArgumentError(
      "It must be a term, = and a text, such as Org.OData.Core.V1.Description=Length.",
    );
  return [...before, { term, value }];
}

import { datasetProperty, type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import {
  bindFilter,
  bindQuery,
  compareRows,
  matches,
  parseFilter,
  parseOrderBy,
  parseSelect,
  type Row,
} from "@cadastre/odata";
import type { Field, ResourceName } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";
import { systemScope } from "../../../src/identity/system-scope.ts";
import { ExactNumber, parseJson } from "../../../src/ingest/exact-json.ts";
import { bare, ingestText, source, system } from "../../support/ingesting.ts";
import { type Random, randomOf } from "../../support/random.ts";
import { testCatalog } from "../../support/test-catalog.ts";
import type { LawEngine } from "./engines.ts";
import { violations } from "./metadata.ts";
import { valueText } from "./random-values.ts";

const { entitySet, resource } = testCatalog;

/** Records of a batch. They have the same keys in each, so the stores do not grow. */
export const batchSize = 1000;

/** Fields that the records of a batch have values of, and those of one record. */
const [batchFields, recordFields] = [20, 8];

/** Comparisons of a key and a value in one query. */
const pairsAtOnce = 125;

const names: readonly ResourceName[] = ["Property", "Property", "Property", "Property", "Member", "Office"];

type Served = { readonly key: string; readonly text: string; readonly row: Row };

export type BatchFindings = {
  readonly staged: number;
  /** Comparisons of answers that were made. */
  readonly checks: number;
  readonly contradictions: readonly string[];
};

/** Ingests a batch of random records, and holds the answers of every engine to those of memory. */
export async function checkLaw(engines: readonly LawEngine[], seed: number): Promise<BatchFindings> {
  const random = randomOf(seed);
  const name = random.pick(names);
  const fields = fieldsOfBatch(random, name);
  const text = batchText(random, name, fields);
  const found = new Findings(`seed ${seed}, ${name}`);
  let staged = 0;
  const states: { readonly engine: LawEngine; readonly served: readonly Served[] }[] = [];
  for (const engine of engines) {
    ({ staged } = await ingestText(engine.store, name, text));
    await engine.store.builds.publish([name]);
    states.push({ engine, served: await servedRecords(engine.store, name) });
  }
  const [first] = states;
  if (first === undefined) return { staged, checks: 0, contradictions: [] };
  for (const { key, text: record } of first.served)
    for (const fault of violations(name, record)) found.add(`${key} is not of $metadata: ${fault}`);
  for (const { engine, served } of states) {
    found.compare(`${engine.name} serves`, textsOf(served), textsOf(first.served));
    await checkAnswers({ engine, name, served, found }, fields, randomOf(seed));
  }
  return { staged, checks: found.checks, contradictions: found.contradictions };
}

class Findings {
  checks = 0;
  readonly contradictions: string[] = [];
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(contradiction: string): void {
    this.contradictions.push(`${this.#prefix}: ${contradiction}`);
  }

  compare(name: string, actual: readonly string[], expected: readonly string[]): void {
    this.checks++;
    const at = expected.findIndex((one, i) => one !== actual[i]);
    if (at < 0 && actual.length === expected.length) return;
    const place = at < 0 ? expected.length : at;
    this.add(`${name}: ${actual[place]} instead of ${expected[place]} at ${place}`);
  }
}

const textsOf = (served: readonly Served[]): readonly string[] => served.map(({ text }) => text);

function fieldsOfBatch(random: Random, name: ResourceName): readonly Field[] {
  const fields = resource(name).fields.filter(
    (field) => !(field.name in bareRecord(name, "")) && (field.source ?? source.name) === source.name,
  );
  const types = [...new Set(fields.map(({ type, collection }) => `${type} ${collection}`))];
  const chosen = Array.from({ length: batchFields }, () => {
    const type = random.pick(types);
    return random.pick(fields.filter((field) => `${field.type} ${field.collection}` === type));
  });
  const places = fields.filter((field) => ["Latitude", "Longitude", "Coordinates"].includes(field.name));
  return [...new Set([...chosen, ...places])];
}

const bareRecord = (name: ResourceName, key: string): Row => {
  const { ListingKey, ...record } = bare(key);
  return { [resource(name).key]: ListingKey, ...record };
};

function batchText(random: Random, name: ResourceName, fields: readonly Field[]): string {
  const lines = Array.from({ length: batchSize }, (_, i) => {
    const members = Array.from({ length: recordFields }, () => random.pick(fields));
    const texts = [...new Set(members)].map((field) => `"${field.name}":${valueText(random, field)}`);
    return [JSON.stringify(bareRecord(name, `r${i}`)).slice(0, -1), ...texts].join().concat("}");
  });
  return lines.join("\n");
}

/** All records, by key. */
async function servedRecords(store: WritableStore, name: ResourceName): Promise<readonly Served[]> {
  const key = resource(name).key;
  const { records } = await store.page(queryOf(name, { orderBy: key }), { lines: true, nulls: false });
  return Buffer.from(records)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((text) => {
      const row = rowOf(text);
      return { key: String(row[key]), text, row };
    });
}

function rowOf(text: string): Row {
  const exact = (value: unknown) => (value instanceof ExactNumber ? BigInt(value.text) : value);
  const members = Object.entries(parseJson(text) as Row).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(exact) : exact(value),
  ]);
  return { ...Object.fromEntries(members), [datasetProperty.name]: system.datasetId } as Row;
}

function queryOf(
  name: ResourceName,
  {
    filter,
    orderBy,
    select,
  }: { readonly filter?: string; readonly orderBy?: string; readonly select?: string },
): RestrictedQuery {
  const parts = {
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
    ...(orderBy === undefined ? {} : { orderBy: parseOrderBy(orderBy) }),
    ...(select === undefined ? {} : { select: parseSelect(select) }),
    top: 2 * batchSize,
  };
  return restrict(
    bindQuery(parts, visibleEntitySet(entitySet(name), systemScope(testCatalog))),
    systemScope(testCatalog),
  );
}

/** The value as a literal of OData. */
function literalOf(value: unknown, { type }: Field): string {
  if (type === "Edm.String") return `'${String(value).replaceAll("'", "''")}'`;
  return String(value);
}

type Asking = {
  readonly engine: LawEngine;
  readonly name: ResourceName;
  readonly served: readonly Served[];
  readonly found: Findings;
};

async function checkAnswers(asking: Asking, fields: readonly Field[], random: Random): Promise<void> {
  const keyName = resource(asking.name).key;
  for (const field of fields) {
    const holders = asking.served.filter(({ row }) => row[field.name] !== undefined);
    if (field.type === "Edm.GeographyPoint" || holders.length === 0) continue;
    await checkEachValue(asking, field, holders);
    if (field.collection || random.chance(0.5)) continue;
    const literal = literalOf(random.pick(holders).row[field.name], field);
    await compareToMemory(asking, `${field.name} eq ${literal}`, keyName);
    await compareToMemory(asking, undefined, `${field.name} ${random.pick(["asc", "desc"])}`);
    const operator = random.pick(["gt", "ge", "lt", "le"]);
    if (field.type !== "Edm.Boolean")
      await compareToMemory(asking, `${field.name} ${operator} ${literal}`, keyName);
  }
}

/** `P eq v` for the value of each record, in the store and in memory. */
async function checkEachValue(
  { engine, name, found }: Asking,
  field: Field,
  holders: readonly Served[],
): Promise<void> {
  const keyName = resource(name).key;
  const conditions = holders.flatMap(({ key, row }): [string, string][] => {
    const [value] = [row[field.name]].flat();
    if (value === undefined) return [];
    const literal = literalOf(value, field);
    const condition = field.collection
      ? `${field.name}/any(x:x eq ${literal})`
      : `${field.name} eq ${literal}`;
    if (!matches(bindFilter(parseFilter(condition), entitySet(name)), row))
      found.add(`memory does not find ${key} by ${condition}`);
    return [[key, `(${keyName} eq '${key}' and ${condition})`]];
  });
  for (let start = 0; start < conditions.length; start += pairsAtOnce) {
    const some = conditions.slice(start, start + pairsAtOnce);
    const query = queryOf(name, {
      filter: some.map(([, condition]) => condition).join(" or "),
      select: keyName,
    });
    const keys = new Set(await keysOf(engine.store, query));
    found.compare(
      `${engine.name} by eq`,
      some.map(([key, condition]) => (keys.has(key) ? condition : "nothing")),
      some.map(([, condition]) => condition),
    );
  }
}

/** The keys that the store gives, and those that memory finds, in their order. */
async function compareToMemory(
  { engine, name, served, found }: Asking,
  filter: string | undefined,
  orderBy: string,
): Promise<void> {
  const keyName = resource(name).key;
  const query = queryOf(name, { ...(filter === undefined ? {} : { filter }), orderBy, select: keyName });
  const expected = served
    .map(({ row }) => row)
    .filter((row) => matches(query.filter, row))
    .toSorted((a, b) => compareRows(query.orderBy, a, b))
    .map((row) => String(row[keyName]));
  found.compare(
    `${engine.name} on ${filter ?? "all"} by ${orderBy}`,
    await keysOf(engine.store, query),
    expected,
  );
}

async function keysOf(store: WritableStore, query: RestrictedQuery): Promise<readonly string[]> {
  const { records } = await store.page(query, { lines: true });
  return [
    ...Buffer.from(records)
      .toString()
      .matchAll(/"(r\d+)"/g),
  ].map(([, key]) => key ?? "");
}

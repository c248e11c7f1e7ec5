import { type BoundNode, type BoundQuery, type EntitySet, QueryError } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import { conjuncts } from "@cadastre/odata/tree";
import { filter } from "@cadastre/server";
import { knexSource } from "@cadastre/server/knex";
import { bigInteger, type DeclaredModel, declareModel, entitySet, sql, text } from "@cadastre/server/model";
import type { RegistryDatabase } from "@cadastre/store/registry";
import { odataRoot } from "../http/odata-protocol.ts";
import type { OwnSetSource } from "../own-set.ts";

/** Name of the entity set. Source: RCP-27. */
export const entityEventName = "EntityEvent";

/** The customer of an event: no client sees it. */
const customerField = "Customer";

/** Declares the set over the table of the registry. @param root address that the addresses of records begin with */
function declare(root: string | undefined): DeclaredModel {
  const address = sql`${value(root ?? "")} || "resource" || '(''' || coalesce("key_in_address", "record_key") || ''')'`;
  const declaration = entitySet(entityEventName, {
    table: "cadastre_event",
    key: { EntityEventSequence: bigInteger().column("number") },
    properties: {
      ResourceName: text().column("resource"),
      ResourceRecordKey: text().column("record_key"),
      ResourceRecordUrl: text()
        .nullable()
        .column(root === undefined ? sql`cast(null as text)` : address),
      [customerField]: text().column("customer"),
    },
  });
  return declareModel("cadastre", "Events", [declaration]);
}

/** The set as clients see it. Source: RESO Data Dictionary 2.0, EntityEvent. */
export const entityEventSet: EntitySet = (() => {
  const [own] = declare(undefined).model.entitySets;
  if (own === undefined) throw new TypeError("the set is declared");
  const { structured: _, ...type } = own.type;
  const properties = new Map([...type.properties].filter(([name]) => name !== customerField));
  return { name: entityEventName, type: { ...type, properties } };
})();

/** Returns the function that creates the source of a customer. */
export function entityEventSource(
  { knex, background, guarded }: RegistryDatabase,
  baseUrl: string | undefined,
): (customer: string) => OwnSetSource {
  const declared = declare(baseUrl === undefined ? undefined : `${baseUrl}${odataRoot}/`);
  const unreported = { onMismatch: () => {}, onError: () => {} };
  const sourceUnder = knexSource(knex)(declared, unreported);
  // A count reads all that it finds. Most services are never asked for one.
  let counterUnder: ReturnType<ReturnType<typeof knexSource>> | undefined;
  return (customer) => {
    const own = filter(`${customerField} eq @customer`, { customer });
    const restrictions = new Map([[entityEventName, own]]);
    const source = sourceUnder(restrictions);
    const counter = () => {
      counterUnder ??= knexSource(background)(declared, unreported);
      return counterUnder(restrictions);
    };
    return guarded<OwnSetSource>(
      {
        page: async (query, read) => {
          const page = await source.page(served(query), { ...read, count: false });
          return read.count ? { ...page, count: await counter().count(query, read) } : page;
        },
        count: async (query, read) => counter().count(served(query), read),
        one: async (query, read) => source.one(query, read),
      },
      QueryError,
    );
  };
}

/**
 * Returns the query if an index serves it: a log may have millions of events, and its database has other work. On PostgreSQL, a condition on
 * the resource is compared with the customer's events one by one, 0.2 s a million.
 *
 * @throws {QueryError} `not_supported`
 */
function served(query: BoundQuery): BoundQuery {
  for (const condition of conjuncts(query.filter))
    if (!isServed(condition)) {
      const feature = `a filter of ${entityEventName} other than comparisons of EntityEventSequence, and \`ResourceName eq\` or \`ResourceRecordKey eq\`, joined by \`and\`,`;
      throw new QueryError("not_supported", null, { feature }, "$filter");
    }
  for (const { expression } of query.orderBy)
    if (propertyOf(expression) !== "EntityEventSequence") {
      const feature = `an order of ${entityEventName} other than by EntityEventSequence`;
      throw new QueryError("not_supported", null, { feature }, "$orderby");
    }
  return query;
}

const propertyOf = (node: BoundNode): string | undefined =>
  node.kind === "Property" && node.base === undefined ? node.property.name : undefined;

function isServed(node: BoundNode): boolean {
  if (node.kind === "Constant") return true;
  if (node.kind !== "Compare" || (node.left.kind !== "Constant" && node.right.kind !== "Constant"))
    return false;
  const name = propertyOf(node.left) ?? propertyOf(node.right);
  return (
    name === "EntityEventSequence" ||
    (node.comparator === "eq" && (name === "ResourceName" || name === "ResourceRecordKey"))
  );
}

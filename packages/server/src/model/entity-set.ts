import type { SqlFragment } from "@cadastre/odata";
import type { PropertyDeclaration } from "./property.ts";

type Properties = Readonly<Record<string, PropertyDeclaration>>;

/** Properties that identify an entity: none of them may be null. */
type KeyProperties = Readonly<Record<string, PropertyDeclaration<unknown, false>>>;

/** A navigation property: from an entity to those of another set, whose properties equal its own. */
export type Navigation = {
  /** Name of the other entity set. */
  readonly target: string;
  readonly collection: boolean;
  /** Own property → property of the other set. */
  readonly on: Readonly<Record<string, string>>;
};

/** Many entities of another set. @param on own property → property of the other set */
export const many = (target: string, on: Navigation["on"]): Navigation => ({ target, collection: true, on });

/** One entity of another set, or none. @param on own property → property of the other set */
export const one = (target: string, on: Navigation["on"]): Navigation => ({ target, collection: false, on });

/** Properties of an entity set, and the table of its entities. */
export type EntitySetFacts<Key extends KeyProperties, Others extends Properties> = {
  /** Name of the table or view, or an SQL expression for `from`. By default the name of the set. For a source in memory it has no meaning. */
  readonly table?: string | SqlFragment;
  /** Properties of the key, in order. */
  readonly key: Key;
  /** All other properties. */
  readonly properties: Others;
  readonly navigation?: Readonly<Record<string, Navigation>>;
  /** Names of the properties that entities are sorted by, ascending, unless a request states an order. By default the key. */
  readonly orderBy?: readonly Extract<keyof Key | keyof Others, string>[];
  /** Names of the properties that `$search` searches. By default none, and `$search` is refused. */
  readonly searchable?: readonly Extract<keyof Key | keyof Others, string>[];
};

/** A declared entity set: what clients see of it, and where it lies. */
export type EntitySetDeclaration<
  Name extends string = string,
  Key extends KeyProperties = KeyProperties,
  Others extends Properties = Properties,
> = {
  readonly name: Name;
  readonly table: string | SqlFragment;
  readonly key: Key;
  readonly properties: Others;
  readonly navigation: Readonly<Record<string, Navigation>>;
  readonly orderBy: readonly string[];
  readonly searchable: readonly string[];
};

/** The TypeScript type of an entity in an answer. */
export type EntityOf<Declaration> =
  Declaration extends EntitySetDeclaration<string, infer Key, infer Others>
    ? { readonly [P in keyof (Key & Others)]: ValueOf<(Key & Others)[P]> }
    : never;

type ValueOf<P> = P extends PropertyDeclaration<infer Value> ? Value : never;

/**
 * Declares an entity set. The entity type has the name of the set.
 *
 * @throws {TypeError} if a property has two declarations, a name is not valid, or an own property of a navigation is not declared
 */
export function entitySet<
  const Name extends string,
  const Key extends KeyProperties,
  const Others extends Properties,
>(name: Name, facts: EntitySetFacts<Key, Others>): EntitySetDeclaration<Name, Key, Others> {
  const { table = name, key, properties, navigation = {}, orderBy = [], searchable = [] } = facts;
  const names = [...Object.keys(key), ...Object.keys(properties), ...Object.keys(navigation)];
  const fault =
    Object.keys(key).length === 0
      ? "has no key: declare at least one property in `key`"
      : (faultOfNames([name, ...names]) ?? faultOfLinks(navigation, { ...key, ...properties }));
  if (fault !== undefined) throw new TypeError(`entity set \`${name}\` ${fault}`);
  return { name, table, key, properties, navigation, orderBy, searchable };
}

/** Source: OData CSDL 4.01, section 15.2. */
const identifierPattern = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

function faultOfNames([, ...names]: readonly string[]): string | undefined {
  const invalid = names.find((name) => !identifierPattern.test(name));
  if (invalid !== undefined)
    return `has a property \`${invalid}\`: a name has letters, digits and underscores, and begins with no digit`;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  return twice === undefined ? undefined : `declares \`${twice}\` twice`;
}

function faultOfLinks(navigation: Readonly<Record<string, Navigation>>, own: Properties): string | undefined {
  for (const [name, { on }] of Object.entries(navigation)) {
    const missing = Object.keys(on).find((property) => !Object.hasOwn(own, property));
    if (missing !== undefined) return `links \`${name}\` by \`${missing}\`, which is none of its properties`;
    if (Object.keys(on).length === 0) return `links \`${name}\` by no property`;
  }
  return undefined;
}

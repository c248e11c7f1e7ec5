import {
  type CsdlDocument,
  type CsdlEnumeration,
  type CsdlNavigation,
  type CsdlProperty,
  type CsdlType,
  readCsdl,
  withInherited,
} from "@cadastre/odata/csdl";
import { type PrintedMember, type PrintedSet, printModule, printPairs } from "../print/print-module.ts";

/** An entity set that can be declared. */
type DeclaredSet = {
  readonly name: string;
  readonly typeName: string;
  readonly type: CsdlType;
  readonly bindings: Readonly<Record<string, string>>;
};

/**
 * Returns declarations of the entity sets of a service as the text of a module, to start from: keys, types with their facets, enumerations,
 * collections, annotations, and navigation by referential constraints. The tables and columns have the names of the sets and properties. What
 * cannot be declared, such as complex values, is left out with a comment.
 *
 * @param metadata `$metadata` of the service, in XML or JSON
 * @throws {CsdlError} with line and column, or the name of what is missing, if it is not such a document
 */
export function declarationsOfCsdl(metadata: string): string {
  const document = readCsdl(metadata);
  const all = [...document.entitySets].map(([name, { type, bindings }]) => ({
    name,
    typeName: type,
    bindings,
    type: withInherited(document, type),
  }));
  const isDeclared = (set: (typeof all)[number]): set is DeclaredSet =>
    keyFault(set.type, document) === undefined;
  const sets = all.filter(isDeclared);
  const { container } = document;
  return printModule(
    `Made of the metadata of a service${container === undefined ? "" : `: namespace \`${container.namespace}\`, container \`${container.name}\``}. Name tables by \`table\`, and columns by \`.column(…)\`.`,
    [
      ...all
        .filter((set) => !isDeclared(set))
        .map(
          ({ name, typeName, type }) =>
            `Left out: the entity set \`${name}\`, ${keyFault(type, document) ?? ""} (\`${typeName}\`).`,
        ),
      ...[...document.otherChildren].map(
        ([name, kind]) => `Left out: \`${name}\`, because it is no entity set (\`${kind}\`).`,
      ),
      ...[...document.types].flatMap(([name, { kind, base }]) =>
        kind === "entity" &&
        base !== undefined &&
        !all.some(({ typeName }) => isOrInherits(typeName, name, document))
          ? [
              `Left out: the entity type \`${name}\`, because it is derived from \`${base}\`: a set has entities of one type.`,
            ]
          : [],
      ),
    ],
    sets.map((set) => printSetOf(set, sets, document)),
  );
}

/** True if a type is another one or is derived from it. */
function isOrInherits(type: string, other: string, { types }: CsdlDocument): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = type; at !== undefined && !seen.has(at); at = types.get(at)?.base) {
    if (at === other) return true;
    seen.add(at);
  }
  return false;
}

/** Returns why a set of a type cannot be declared. Undefined if it can. */
function keyFault(type: CsdlType | undefined, document: CsdlDocument): string | undefined {
  if (type === undefined) return "because its type is not in the document";
  if (type.key.length === 0) return "because its type has no key";
  for (const name of type.key) {
    const property = type.properties.find((one) => one.name === name);
    if (property === undefined) return `because \`${name}\` of its key is no property of its own`;
    if (property.collection || typeof declared(property, document) !== "string")
      return `because \`${name}\` of its key is of the type \`${property.type}\``;
  }
  return undefined;
}

function printSetOf(set: DeclaredSet, sets: readonly DeclaredSet[], document: CsdlDocument): PrintedSet {
  const { name, type } = set;
  const members = new Map(
    type.properties.map((property) => [property.name, printProperty(property, type, document)]),
  );
  const inKey = type.key.flatMap((own) => members.get(own) ?? []);
  return {
    name,
    key: inKey,
    properties: [...members.values()].filter((member) => !inKey.includes(member)),
    navigation: type.navigation.map((link) => printNavigation(link, set, sets, document)),
  };
}

/** Declarations of primitive types. */
const declarations: Readonly<Record<string, (property: CsdlProperty) => string>> = {
  "Edm.String": ({ maxLength }) => `text(${maxLength ?? ""})`,
  "Edm.Boolean": () => "boolean()",
  "Edm.Int16": () => "smallInteger()",
  "Edm.Int32": () => "integer()",
  "Edm.Int64": () => "bigInteger()",
  "Edm.Single": () => "single()",
  "Edm.Double": () => "double()",
  "Edm.Decimal": ({ precision, scale }) =>
    scale === undefined ? `decimal(${precision ?? ""})` : `decimal(${precision}, ${scale})`,
  "Edm.Date": () => "date()",
  "Edm.TimeOfDay": () => "timeOfDay()",
  "Edm.DateTimeOffset": () => "instant()",
  "Edm.Guid": () => "guid()",
  "Edm.GeographyPoint": () => "geographyPoint()",
};

/** Returns the declaration of a single value; or the reason why there is none. */
function declared(
  property: CsdlProperty,
  { definitions, enumerations, types }: CsdlDocument,
): string | { readonly reason: string } {
  const type = definitions.get(property.type) ?? property.type;
  const enumeration = enumerations.get(type);
  if (enumeration?.isFlags === true)
    return { reason: `its type \`${type}\` combines several members in one value` };
  if (enumeration !== undefined)
    return `enumeration(${JSON.stringify(type)}, [${enumeration.members.map(({ name }) => JSON.stringify(name)).join(", ")}])`;
  if (types.get(type)?.kind === "complex")
    return { reason: `its type \`${type}\` is complex: declare its members as properties of their own` };
  if (type === "Edm.GeographyPoint" && (property.srid ?? 4326) !== 4326)
    return { reason: `its coordinates are of the reference system ${property.srid}, and not of 4326` };
  return declarations[type]?.(property) ?? { reason: `its type \`${type}\` has no declaration` };
}

function printProperty(property: CsdlProperty, { key }: CsdlType, document: CsdlDocument): PrintedMember {
  const { name, collection, nullable, annotations } = property;
  const single = declared(property, document);
  if (typeof single !== "string") return { comment: `Left out: \`${name}\`, because ${single.reason}.` };
  const type = document.definitions.get(property.type) ?? property.type;
  const remark = otherNumbers(document.enumerations.get(type));
  const said = annotations.map(
    ({ term, value }) => `{ term: ${JSON.stringify(term)}, value: ${JSON.stringify(value)} }`,
  );
  return {
    name,
    text: [
      collection ? `collection(${single})` : single,
      nullable && !collection && !key.includes(name) ? ".nullable()" : "",
      said.length === 0 ? "" : `.annotated(${said.join(", ")})`,
    ].join(""),
    ...(remark === undefined ? {} : { remark }),
  };
}

/** Returns a remark on an enumeration whose members have numbers that a declaration does not say. */
function otherNumbers(enumeration: CsdlEnumeration | undefined): string | undefined {
  const others = (enumeration?.members ?? []).filter(
    ({ value }, i) => value !== undefined && value !== BigInt(i),
  );
  if (others.length === 0) return undefined;
  return `Its members have other numbers in that service: ${others.map(({ name, value }) => `${name} ${value}`).join(", ")}.`;
}

function printNavigation(
  link: CsdlNavigation,
  set: DeclaredSet,
  sets: readonly DeclaredSet[],
  document: CsdlDocument,
): PrintedMember {
  const omitted = (reason: string): PrintedMember => ({
    comment: `Left out: \`${link.name}\`, because ${reason}.`,
  });
  const target = targetOf(link, set, sets, document);
  if (target === undefined) return omitted(`no declared entity set has its entities (\`${link.type}\`)`);
  const pairs = pairsOf(link, set, target, document);
  if (pairs.length === 0)
    return omitted(
      `nothing says which properties are equal: add \`${link.collection ? "many" : "one"}(${JSON.stringify(target.name)}, { own: "other" })\``,
    );
  const isKnown = ({ type }: DeclaredSet, name: string): boolean =>
    type.properties.some(
      (one) => one.name === name && !one.collection && typeof declared(one, document) === "string",
    );
  const unknown = pairs.find(([own, other]) => !isKnown(set, own) || !isKnown(target, other));
  if (unknown !== undefined) return omitted(`\`${unknown.join("` or `")}\` is not declared`);
  return {
    name: link.name,
    text: `${link.collection ? "many" : "one"}(${JSON.stringify(target.name)}, ${printPairs(pairs)})`,
  };
}

/** Returns the set that a navigation property is bound to; without a binding, the only one of its type. */
function targetOf(
  link: CsdlNavigation,
  { bindings }: DeclaredSet,
  sets: readonly DeclaredSet[],
  document: CsdlDocument,
): DeclaredSet | undefined {
  const bound = bindings[link.name]?.replace(/^.*\//, "");
  if (bound !== undefined) return sets.find(({ name }) => name === bound);
  const [only, another] = sets.filter(({ typeName }) => isOrInherits(typeName, link.type, document));
  return another === undefined ? only : undefined;
}

/** Returns the properties that a navigation property compares: those of its constraints, or of the constraints of its partner. */
function pairsOf(
  { name, partner, constraints }: CsdlNavigation,
  set: DeclaredSet,
  target: DeclaredSet,
  document: CsdlDocument,
): readonly (readonly [own: string, other: string])[] {
  const own = Object.entries(constraints);
  if (own.length > 0) return own;
  const leadsBack = (back: CsdlNavigation): boolean =>
    back.name === partner || (back.partner === name && isOrInherits(set.typeName, back.type, document));
  const back = target.type.navigation.find(leadsBack);
  return Object.entries(back?.constraints ?? {}).map(([other, mine]) => [mine, other]);
}

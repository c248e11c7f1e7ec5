import { convert } from "xmlbuilder2";

/** A property as `$metadata` declares it. */
export type Declared = {
  readonly name: string;
  /** Without `Collection()`. */
  readonly type: string;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number;
  /** Annotation `RESO.OData.Metadata.LookupName`. */
  readonly lookupName?: string;
};

/** An entity set and its type, by name. */
export type DeclaredSet = {
  readonly name: string;
  readonly key: readonly string[];
  readonly properties: ReadonlyMap<string, Declared>;
};

/** `@` and the name of an attribute → its text, name of a child → all children of that name. */
type XmlElement = { readonly [name: string]: string | readonly XmlElement[] };

/**
 * The entity sets of a CSDL XML document.
 *
 * @throws {Error} for text that is not well formed
 */
export function readMetadata(text: string): ReadonlyMap<string, DeclaredSet> {
  const root = convert(text, { format: "object", verbose: true }) as XmlElement;
  const schemas = children(root, "edmx:Edmx", "edmx:DataServices", "Schema");
  const types = new Map(
    schemas.flatMap((schema) =>
      children(schema, "EntityType").map((type) => [
        `${attribute(schema, "Namespace")}.${attribute(type, "Name")}`,
        type,
      ]),
    ),
  );
  return new Map(
    schemas
      .flatMap((schema) => children(schema, "EntityContainer", "EntitySet"))
      .map((set) => {
        const name = attribute(set, "Name") ?? "";
        const type = types.get(attribute(set, "EntityType") ?? "");
        if (type === undefined) throw new Error(`the entity set \`${name}\` has no type`);
        return [name, declaredSet(name, type)];
      }),
  );
}

const declaredSet = (name: string, type: XmlElement): DeclaredSet => ({
  name,
  key: children(type, "Key", "PropertyRef").map((part) => attribute(part, "Name") ?? ""),
  properties: new Map(
    children(type, "Property")
      .map(declared)
      .map((property) => [property.name, property]),
  ),
});

function declared(property: XmlElement): Declared {
  const type = attribute(property, "Type") ?? "";
  const item = /^Collection\((.+)\)$/.exec(type)?.[1];
  const lookupName = children(property, "Annotation").find(
    (annotation) => attribute(annotation, "Term") === "RESO.OData.Metadata.LookupName",
  );
  return {
    name: attribute(property, "Name") ?? "",
    type: item ?? type,
    collection: item !== undefined,
    nullable: attribute(property, "Nullable") !== "false",
    ...facet("maxLength", attribute(property, "MaxLength")),
    ...facet("precision", attribute(property, "Precision")),
    ...facet("scale", attribute(property, "Scale")),
    ...(lookupName === undefined ? {} : { lookupName: attribute(lookupName, "String") ?? "" }),
  };
}

const facet = (name: string, text: string | undefined) =>
  text === undefined ? {} : { [name]: text === "variable" ? Number.POSITIVE_INFINITY : Number(text) };

function children(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  const [name, ...rest] = path;
  if (name === undefined) return [element];
  const found = element[name] ?? [];
  return typeof found === "string" ? [] : found.flatMap((child) => children(child, ...rest));
}

function attribute(element: XmlElement, name: string): string | undefined {
  const found = element[`@${name}`];
  return typeof found === "string" ? found : undefined;
}

import type { Annotation } from "../model/types.ts";

/** A property of a CSDL document. Its type is qualified by its namespace, such as `Edm.String` or `Sales.Status`. */
export type CsdlProperty = {
  readonly name: string;
  /** Type of a value; of a collection, that of its items. */
  readonly type: string;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly maxLength: number | undefined;
  readonly precision: number | undefined;
  /** Digits after the point. Undefined: any number of them. */
  readonly scale: number | undefined;
  readonly srid: number | undefined;
  readonly annotations: readonly Annotation[];
};

/** A navigation property of a CSDL document. */
export type CsdlNavigation = {
  readonly name: string;
  readonly type: string;
  readonly collection: boolean;
  /** Name of the navigation property of `type` that leads back. */
  readonly partner: string | undefined;
  /** Own property → property of `type` that has the same value. */
  readonly constraints: Readonly<Record<string, string>>;
};

/** An entity type or complex type of a CSDL document, without what it inherits. */
export type CsdlType = {
  readonly kind: "entity" | "complex";
  readonly base: string | undefined;
  /** Paths of the properties of the key. */
  readonly key: readonly string[];
  readonly properties: readonly CsdlProperty[];
  readonly navigation: readonly CsdlNavigation[];
};

/** A member of an enumeration, and its number if the document states one. */
export type CsdlMember = {
  readonly name: string;
  readonly value: bigint | undefined;
  readonly annotations: readonly Annotation[];
};

/** An enumeration type of a CSDL document. */
export type CsdlEnumeration = { readonly isFlags: boolean; readonly members: readonly CsdlMember[] };

/** An entity set of a CSDL document: its type, and the entity sets that its navigation properties lead to, by path. */
export type CsdlEntitySet = {
  readonly type: string;
  readonly bindings: Readonly<Record<string, string>>;
};

/** Declarations of a CSDL document, by qualified name. Aliases of namespaces are replaced by the namespaces. */
export type CsdlDocument = {
  /** Namespace and name of the entity container. Undefined without one. */
  readonly container: { readonly namespace: string; readonly name: string } | undefined;
  /** Entity sets by name. */
  readonly entitySets: ReadonlyMap<string, CsdlEntitySet>;
  /** Other children of the container by name, such as a singleton, with the name of their element or kind. */
  readonly otherChildren: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, CsdlType>;
  readonly enumerations: ReadonlyMap<string, CsdlEnumeration>;
  /** Underlying type by type definition. */
  readonly definitions: ReadonlyMap<string, string>;
};

/** Reasons why a text is no CSDL document, by their stable code. */
export type CsdlErrorCode = "invalid_xml" | "invalid_json" | "invalid_csdl";

/** A text that is no CSDL document. The message says where, and what was expected. */
export class CsdlError extends Error {
  override readonly name = "CsdlError";
  readonly code: CsdlErrorCode;

  constructor(code: CsdlErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Replaces the alias at the start of a qualified name. */
export type Qualify = (name: string) => string;

/** @param aliases namespaces by alias */
export const qualifierOf =
  (aliases: ReadonlyMap<string, string>): Qualify =>
  (name) => {
    const dot = name.lastIndexOf(".");
    return `${aliases.get(name.slice(0, dot)) ?? name.slice(0, dot)}${name.slice(dot)}`;
  };

/** Returns the properties and navigation properties of a type with what it inherits, and its key. A type that is its own base ends the chain. */
export function withInherited({ types }: Pick<CsdlDocument, "types">, name: string): CsdlType | undefined {
  const chain: CsdlType[] = [];
  for (
    let type = types.get(name);
    type !== undefined && !chain.includes(type);
    type = types.get(type.base ?? "")
  )
    chain.unshift(type);
  const own = chain.at(-1);
  return (
    own && {
      ...own,
      key: chain.find(({ key }) => key.length > 0)?.key ?? [],
      properties: chain.flatMap(({ properties }) => properties),
      navigation: chain.flatMap(({ navigation }) => navigation),
    }
  );
}

import { attributeOf, childrenOf, type XmlElement } from "./csdl-xml.ts";

type Members = Readonly<Record<string, unknown>>;

/** Converts a CSDL XML document to CSDL JSON. Source: OData CSDL JSON 4.01 and CSDL XML 4.01. */
export function toCsdlJson(edmx: XmlElement): Members {
  const [services = {}] = childrenOf(edmx, "edmx:DataServices");
  const [schema = {}, ...others] = childrenOf(services, "Schema");
  const [container = {}] = childrenOf(schema, "EntityContainer");
  const namespace = attributeOf(schema, "Namespace") ?? "";
  const references = childrenOf(edmx, "edmx:Reference").map((reference): [string, Members] => [
    (attributeOf(reference, "Uri") ?? "").replace(/xml$/, "json"),
    {
      $Include: childrenOf(reference, "edmx:Include").map((include) => ({
        $Namespace: attributeOf(include, "Namespace"),
      })),
    },
  ]);
  return {
    $Version: "4.01",
    ...(references.length === 0 ? {} : { $Reference: Object.fromEntries(references) }),
    $EntityContainer: `${namespace}.${attributeOf(container, "Name")}`,
    [namespace]: {
      ...named(childrenOf(schema, "EnumType"), toEnumType),
      ...named(childrenOf(schema, "EntityType"), toEntityType),
      ...named(childrenOf(schema, "ComplexType"), toComplexType),
      ...named([container], (inner) => ({
        $Kind: "EntityContainer",
        ...named(childrenOf(inner, "EntitySet"), toEntitySet),
      })),
    },
    ...Object.fromEntries(
      others.map((other) => [
        attributeOf(other, "Namespace") ?? "",
        named(childrenOf(other, "EnumType"), toEnumType),
      ]),
    ),
  };
}

const toEnumType = (element: XmlElement): Members => ({
  $Kind: "EnumType",
  ...(attributeOf(element, "IsFlags") === undefined ? {} : { $IsFlags: true }),
  ...Object.fromEntries(
    childrenOf(element, "Member").map((member) => [
      attributeOf(member, "Name") ?? "",
      Number(attributeOf(member, "Value")),
    ]),
  ),
});

const toComplexType = (element: XmlElement): Members => ({
  $Kind: "ComplexType",
  ...named(childrenOf(element, "Property"), toProperty),
  ...named(childrenOf(element, "NavigationProperty"), toNavigation),
});

const toNavigation = (element: XmlElement): Members => ({
  $Kind: "NavigationProperty",
  ...toProperty(element),
});

const named = (elements: readonly XmlElement[], write: (element: XmlElement) => Members): Members =>
  Object.fromEntries(
    elements.map((element): [string, Members] => [attributeOf(element, "Name") ?? "", write(element)]),
  );

const toEntityType = (element: XmlElement): Members => ({
  $Kind: "EntityType",
  $Key: childrenOf(element, "Key")
    .flatMap((key) => childrenOf(key, "PropertyRef"))
    .map((reference) => attributeOf(reference, "Name")),
  ...named(childrenOf(element, "Property"), toProperty),
  ...named(childrenOf(element, "NavigationProperty"), toNavigation),
  ...annotationsOf(element),
});

function toEntitySet(element: XmlElement): Members {
  const bindings = childrenOf(element, "NavigationPropertyBinding").map((binding) => [
    attributeOf(binding, "Path") ?? "",
    attributeOf(binding, "Target"),
  ]);
  return {
    $Collection: true,
    $Type: attributeOf(element, "EntityType"),
    ...(bindings.length === 0 ? {} : { $NavigationPropertyBinding: Object.fromEntries(bindings) as Members }),
    ...annotationsOf(element),
  };
}

function toProperty(element: XmlElement): Members {
  const text = (name: string) => attributeOf(element, name);
  const type = text("Type") ?? "";
  const item = /^Collection\((.+)\)$/.exec(type)?.[1];
  const scale = text("Scale");
  return Object.fromEntries(
    Object.entries({
      $Type: (item ?? type) === "Edm.String" ? undefined : (item ?? type),
      $Collection: item === undefined ? undefined : true,
      // A collection of structured values has no `Nullable`.
      $Nullable: text("Nullable") === "false" || isOfStructures(type) ? undefined : true,
      $MaxLength: numberOf(text("MaxLength")),
      $Precision: numberOf(text("Precision")),
      // Without the attribute, the scale is 0 in XML, but unrestricted in JSON.
      $Scale: scale === undefined && (item ?? type) === "Edm.Decimal" ? 0 : numberOf(scale),
      $SRID: text("SRID"),
      ...annotationsOf(element),
    }).filter(([, value]) => value !== undefined),
  );
}

const isOfStructures = (type: string): boolean => /^Collection\((?!Edm\.)(?!.*Enum\))/.test(type);

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || text === "variable" ? undefined : Number(text);

const annotationsOf = (element: XmlElement): Members =>
  Object.fromEntries(
    childrenOf(element, "Annotation").map((annotation) => {
      const [text, whole, truth] = ["String", "Int", "Bool"].map((name) => attributeOf(annotation, name));
      const value = text ?? (whole === undefined ? truth === "true" : Number(whole));
      return [`@${attributeOf(annotation, "Term")}`, value];
    }),
  );

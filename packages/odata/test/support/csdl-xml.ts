import { convert } from "xmlbuilder2";

/** An XML element. `@` and the name of an attribute → its text; name of a child → all children of that name. */
export type XmlElement = { readonly [name: string]: string | readonly XmlElement[] };

/** The attributes and children that an element may have. */
type Rule = {
  /** Name → pattern of the value. A question mark after the name marks an optional attribute. */
  readonly attributes: Readonly<Record<string, RegExp>>;
  /** Name → minimum and maximum number of occurrences. */
  readonly children: Readonly<Record<string, readonly [least: number, most: number]>>;
};

const identifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;
const dotted = /^[\p{L}_]\w*(?:\.[\p{L}_]\w*)*$/u;
const any = /^/;
const many = [0, Number.POSITIVE_INFINITY] as const;
const one = [1, 1] as const;

/** Source: OData CSDL XML 4.01, sections 3 to 14. */
const rules: Readonly<Record<string, Rule>> = {
  "edmx:Edmx": {
    attributes: { "xmlns:edmx": /^http:\/\/docs\.oasis-open\.org\/odata\/ns\/edmx$/, Version: /^4\.01?$/ },
    children: { "edmx:Reference": many, "edmx:DataServices": one },
  },
  "edmx:Reference": { attributes: { Uri: /^https:\/\/.+\.xml$/ }, children: { "edmx:Include": [1, 1] } },
  "edmx:Include": { attributes: { Namespace: dotted }, children: {} },
  "edmx:DataServices": { attributes: {}, children: { Schema: [1, many[1]] } },
  Schema: {
    attributes: { xmlns: /^http:\/\/docs\.oasis-open\.org\/odata\/ns\/edm$/, Namespace: dotted },
    children: { EnumType: many, EntityType: many, ComplexType: many, EntityContainer: [0, 1] },
  },
  EntityType: {
    attributes: { Name: identifier },
    children: { Key: one, Property: many, NavigationProperty: many, Annotation: many },
  },
  ComplexType: { attributes: { Name: identifier }, children: { Property: many, NavigationProperty: many } },
  EnumType: {
    attributes: { Name: identifier, "IsFlags?": /^true$/ },
    children: { Member: [1, many[1]] },
  },
  Member: { attributes: { Name: identifier, Value: /^-?\d+$/ }, children: {} },
  NavigationProperty: {
    attributes: { Name: identifier, Type: /^(?:[\w.]+|Collection\([\w.]+\))$/ },
    children: {},
  },
  NavigationPropertyBinding: { attributes: { Path: identifier, Target: identifier }, children: {} },
  Key: { attributes: {}, children: { PropertyRef: [1, many[1]] } },
  PropertyRef: { attributes: { Name: identifier }, children: {} },
  Property: {
    attributes: {
      Name: identifier,
      Type: /^(?:[\w.]+|Collection\([\w.]+\))$/,
      "Nullable?": /^(?:true|false)$/,
      "MaxLength?": /^[1-9]\d*$/,
      "Precision?": /^\d+$/,
      "Scale?": /^(?:\d+|variable)$/,
      "SRID?": /^(?:\d+|variable)$/,
    },
    children: { Annotation: many },
  },
  EntityContainer: { attributes: { Name: identifier }, children: { EntitySet: many } },
  EntitySet: {
    attributes: { Name: identifier, EntityType: dotted },
    children: { NavigationPropertyBinding: many, Annotation: many },
  },
  Annotation: {
    attributes: { Term: dotted, "String?": any, "Int?": /^-?\d+$/, "Bool?": /^(?:true|false)$/ },
    children: {},
  },
};

export const readXml = (text: string): XmlElement =>
  childrenOf(convert(text, { format: "object", verbose: true }) as XmlElement, "edmx:Edmx")[0] ?? {};

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  const found = element[name] ?? [];
  return typeof found === "string" ? [] : found;
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Decodes entities, which the XML reader leaves in attributes. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  const found = element[`@${name}`];
  if (typeof found !== "string") return undefined;
  return found.replace(/&(\w+);/g, (written, entity: string) => entities[entity] ?? written);
}

/** Describes the differences between an element and the standard's rules. */
export function faultsOf(element: XmlElement, name = "edmx:Edmx"): readonly string[] {
  const rule = rules[name];
  if (rule === undefined) return [`unknown element ${name}`];
  const { attributes, children } = rule;
  const known = new Set(Object.keys(attributes).map((attribute) => `@${attribute.replace("?", "")}`));
  const strange = Object.keys(element).filter((member) => !known.has(member) && !(member in children));
  const wrong = Object.entries(attributes).filter(([attribute, form]) => {
    const text = attributeOf(element, attribute.replace("?", ""));
    return text === undefined ? !attribute.endsWith("?") : !form.test(text);
  });
  const miscounted = Object.entries(children).filter(([child, [least, most]]) => {
    const count = childrenOf(element, child).length;
    return count < least || count > most;
  });
  return [
    ...[...strange, ...wrong.map(([attribute]) => attribute), ...miscounted.map(([child]) => child)].map(
      (member) => `${name} ${attributeOf(element, "Name") ?? ""}: ${member}`,
    ),
    ...Object.keys(children).flatMap((child) =>
      childrenOf(element, child).flatMap((inner) => faultsOf(inner, child)),
    ),
  ];
}

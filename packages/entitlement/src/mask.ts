import type { BoundNode, PrimitiveType, StructuralProperty } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { callNode, roundToNode } from "@cadastre/odata/tree";
import { lookupNamesOf } from "./lookup-name.ts";

/** A mask. `prefix3` shows at most the first three characters, `round2` rounds to two decimal places, half away from zero. */
export type Mask = "null" | `prefix${number}` | `round${number}`;

type MaskKind = {
  /** Pattern of the mask in a document. Its group is the number of characters or digits. */
  readonly form: RegExp;
  /** The masks of this kind, for a person. */
  readonly label: string;
  readonly fits: (property: StructuralProperty) => boolean;
  /** Returns the masked value, which has the property's type and is null where `value` is; null if it is always null. */
  readonly maskedValue: (value: BoundNode, type: PrimitiveType, count: number) => BoundNode | null;
};

const integers: readonly PrimitiveType[] = ["Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"];
const fractions: readonly PrimitiveType[] = ["Edm.Decimal", "Edm.Double", "Edm.Single"];

const maskKinds = {
  null: { form: /^null$/, label: "`null`", fits: () => true, maskedValue: () => null },
  prefix: {
    form: /^prefix([1-9]|[12]\d|3[0-2])$/,
    label: "`prefix1` to `prefix32`",
    fits: (property) => property.type === "Edm.String" && !property.collection && !isListed(property),
    maskedValue: (value, _type, count) =>
      callNode("substring", value, number("Edm.Int64", 0), number("Edm.Int64", count)),
  },
  round: {
    form: /^round([0-8])$/,
    label: "`round0` to `round8`",
    fits: ({ type, collection }) => !collection && [...integers, ...fractions].includes(type),
    maskedValue: (value, type, digits) => (integers.includes(type) ? value : rounded(value, type, digits)),
  },
} as const satisfies Record<string, MaskKind>;

type KindName = keyof typeof maskKinds;

const kindNames = Object.keys(maskKinds) as readonly KindName[];

/** All masks, for a person. @internal */
export const maskForms: string = `a mask: ${kindNames.map((name) => maskKinds[name].label).join(", ")}`;

/** Returns the masks that fit a property, for a person. @internal */
export const masksFor = (property: StructuralProperty): readonly string[] =>
  kindNames.filter((name) => maskKinds[name].fits(property)).map((name) => maskKinds[name].label);

export const isMask = (text: unknown): text is Mask =>
  typeof text === "string" && kindNames.some((name) => maskKinds[name].form.test(text));

/** Parses a mask. @throws {TypeError} if the text is not a mask, which the schema excludes */
function readMask(mask: Mask): { readonly kind: MaskKind; readonly count: number } {
  for (const name of kindNames) {
    const kind = maskKinds[name];
    const found = kind.form.exec(mask);
    if (found !== null) return { kind, count: Number(found[1] ?? 0) };
  }
  throw new TypeError("not a mask");
}

export const fitsMask = (mask: Mask, property: StructuralProperty): boolean =>
  readMask(mask).kind.fits(property);

/** Returns what the mask shows of `value`, the present value of the property; null if it shows nothing. */
export function maskedValue(mask: Mask, value: BoundNode, { type }: StructuralProperty): BoundNode | null {
  const { kind, count } = readMask(mask);
  return kind.maskedValue(value, type, count);
}

/** Returns how many characters or digits the mask leaves, -1 for `null`. The smaller number is the stricter mask. */
export function leftBy(mask: Mask): number {
  const { kind, count } = readMask(mask);
  return kind === maskKinds.null ? -1 : count;
}

/** True if the values are from a list, where a prefix of a value would not be a value. */
const isListed = (property: StructuralProperty): boolean =>
  property.enumType !== undefined || lookupNamesOf(property).length > 0;

const number = (type: PrimitiveType, value: number): BoundNode => ({
  kind: "Constant",
  type,
  value: codecOf(type).fromJson(value),
});

/** Rounds a value. For doubles and singles, as a double: `round(value mul 100) divby 100`. */
function rounded(value: BoundNode, type: PrimitiveType, digits: number): BoundNode {
  if (type === "Edm.Decimal") return roundToNode(value, digits);
  const power = number("Edm.Double", 10 ** digits);
  const scaled = callNode("round", arithmetic(cast(value, "Edm.Double"), "mul", power));
  return cast(arithmetic(scaled, "divby", power), type);
}

const arithmetic = (left: BoundNode, operator: "mul" | "divby", right: BoundNode): BoundNode => ({
  kind: "Arithmetic",
  type: "Edm.Double",
  operator,
  left,
  right,
});

const cast = (operand: BoundNode, type: PrimitiveType): BoundNode =>
  operand.type === type ? operand : { kind: "Cast", type, operand };

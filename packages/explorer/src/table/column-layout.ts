import type { StructuralProperty } from "@cadastre/odata";
import { isNumberField } from "../model/service-model.ts";

/** Places of columns side by side, in pixels. */
export type ColumnLayout = {
  /** Left edge of each column. */
  readonly left: readonly number[];
  readonly widths: readonly number[];
  readonly total: number;
};

const widthsByName: Readonly<Record<string, number>> = {
  UnparsedAddress: 290,
  PublicRemarks: 420,
  StandardStatus: 150,
  ListPrice: 112,
  ClosePrice: 112,
  City: 130,
  PostalCode: 92,
};

const smallest = 84;

/** Width of a column: of its name and of values of its type. */
export function widthOf(property: StructuralProperty, title: string): number {
  const known = widthsByName[property.name];
  if (known !== undefined) return known;
  const ofTitle = title.length * 7.4 + 44;
  if (isNumberField(property)) return Math.max(smallest, Math.min(ofTitle, 150));
  const ofType = property.type === "Edm.Boolean" ? smallest : property.collection ? 220 : 152;
  return Math.max(ofType, Math.min(ofTitle, 240));
}

export function layoutOf(widths: readonly number[]): ColumnLayout {
  const left: number[] = [];
  let total = 0;
  for (const width of widths) {
    left.push(total);
    total += width;
  }
  return { left, widths, total };
}

/** Half-open range of the columns that are visible between two edges, in pixels. */
export function visibleColumns(
  { left, widths }: ColumnLayout,
  from: number,
  to: number,
): readonly [number, number] {
  const first = left.findIndex((edge, index) => edge + (widths[index] ?? 0) > from);
  const after = left.findIndex((edge) => edge >= to);
  return [Math.max(first, 0), after < 0 ? left.length : after];
}

import type { PrimitiveType, Row, StructuralProperty } from "@cadastre/odata";

const column = (
  name: string,
  type: PrimitiveType,
  more: Pick<StructuralProperty, "precision" | "scale"> = {},
): StructuralProperty => ({ name, type, ...more, collection: false, nullable: true });

const required = (name: string): StructuralProperty => ({ ...column(name, "Edm.String"), nullable: false });

/** Amounts in dollars. The mean of two amounts in cents can have three decimal places. */
const amount = { precision: 15, scale: 3 };

/** The columns of a report. */
export const marketColumns: readonly StructuralProperty[] = [
  required("id"),
  required("period"),
  required("geography_type"),
  required("geography_id"),
  required("property_type"),
  column("new_listings", "Edm.Int64"),
  column("active_listings", "Edm.Int64"),
  column("closed_listings", "Edm.Int64"),
  column("median_list_price", "Edm.Decimal", amount),
  column("median_close_price", "Edm.Decimal", amount),
  column("median_days_on_market", "Edm.Decimal", { precision: 15, scale: 1 }),
  column("median_price_per_square_foot", "Edm.Decimal", amount),
  column("months_of_supply", "Edm.Decimal", { precision: 15, scale: 2 }),
];

/** A row in JSON form, without nulls. */
export type MarketRow = Row & { readonly id: string };

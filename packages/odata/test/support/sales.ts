import type {
  EntitySet,
  EntityType,
  Mapping,
  PrimitiveType,
  Row,
  StructuralProperty,
} from "../../src/index.ts";
import { relation, tableMapping } from "../../src/index.ts";
import type { StructuredProperty, StructuredType } from "../../src/run/index.ts";

/*
 * The sales of the standard. Source: OData Extension for Data Aggregation 4.0, section 2.
 */

const property = (
  name: string,
  type: PrimitiveType,
  more: Partial<StructuralProperty> = {},
): readonly [string, StructuralProperty] => [
  name,
  { name, type, collection: false, nullable: true, ...more },
];

const one = (name: string, target: () => StructuredType): readonly [string, StructuredProperty] => [
  name,
  { name, target, collection: false },
];

const entity = (
  name: string,
  properties: readonly (readonly [string, StructuralProperty])[],
  structured: readonly (readonly [string, StructuredProperty])[] = [],
): EntityType => ({
  name,
  key: ["ID"],
  properties: new Map([property("ID", "Edm.String", { nullable: false }), ...properties]),
  structured: new Map(structured),
});

const category = entity("Category", [property("Name", "Edm.String")]);
const product = entity(
  "Product",
  [
    property("Name", "Edm.String"),
    property("Color", "Edm.String"),
    property("TaxRate", "Edm.Decimal", { precision: 4, scale: 2 }),
  ],
  [one("Category", () => category)],
);
const customer = entity("Customer", [property("Name", "Edm.String"), property("Country", "Edm.String")]);
const sale = entity(
  "Sale",
  [
    property("Time", "Edm.Date"),
    property("Amount", "Edm.Decimal", { precision: 10, scale: 2 }),
    property("Pieces", "Edm.Int32"),
  ],
  [one("Customer", () => customer), one("Product", () => product)],
);

export const sales: EntitySet = { name: "Sales", type: sale };

type Cells = readonly (string | number | null)[];

/** Columns and rows of the tables. The standard has no numbers of pieces. */
const salesTables: Readonly<
  Record<string, { readonly columns: readonly string[]; readonly rows: readonly Cells[] }>
> = {
  Category: {
    columns: ["ID text", "Name text"],
    rows: [
      ["PG1", "Food"],
      ["PG2", "Non-Food"],
    ],
  },
  Product: {
    columns: ["ID text", "Name text", "Color text", "TaxRate numeric(4, 2)", "CategoryID text"],
    rows: [
      ["P1", "Sugar", "White", 0.06, "PG1"],
      ["P2", "Coffee", "Brown", 0.06, "PG1"],
      ["P3", "Paper", "White", 0.14, "PG2"],
      ["P4", "Pencil", "Black", 0.14, "PG2"],
    ],
  },
  Customer: {
    columns: ["ID text", "Name text", "Country text"],
    rows: [
      ["C1", "Joe", "USA"],
      ["C2", "Sue", "USA"],
      ["C3", "Sue", "Netherlands"],
      ["C4", "Luc", "France"],
    ],
  },
  Sale: {
    columns: [
      "ID text",
      "CustomerID text",
      "ProductID text",
      "Time date",
      "Amount numeric(10, 2)",
      "Pieces integer",
    ],
    rows: [
      ["1", "C1", "P3", "2022-01-03", 1, 3],
      ["2", "C1", "P1", "2022-04-10", 2, 1],
      ["3", "C1", "P2", "2022-08-07", 4, 2],
      ["4", "C2", "P2", "2022-01-03", 8, null],
      ["5", "C2", "P3", "2022-11-09", 4, 7],
      ["6", "C3", "P1", "2022-04-10", 2, null],
      ["7", "C3", "P3", "2022-08-07", 1, 2147483647],
      ["8", "C3", "P3", "2022-11-09", 2, 2147483647],
    ],
  },
};

const categories = tableMapping("Category");
const products: Mapping = tableMapping(
  "Product",
  {},
  { Category: relation(() => categories, { CategoryID: "ID" }) },
);
const customers = tableMapping("Customer");

/** Maps the sales to their table; prices are decimals. */
export const salesMapping: Mapping = tableMapping(
  "Sale",
  {},
  {
    Customer: relation(() => customers, { CustomerID: "ID" }),
    Product: relation(() => products, { ProductID: "ID" }),
  },
);

/** Statements that create and fill the tables. */
export const salesStatements: readonly string[] = Object.entries(salesTables).flatMap(
  ([name, { columns, rows }]) => [
    `create table "${name}" (${columns.map((column) => column.replace(/^\w+/, '"$&"')).join(", ")})`,
    ...rows.map(
      (cells) =>
        `insert into "${name}" values (${cells
          .map((cell) => (typeof cell === "string" ? `'${cell}'` : String(cell)))
          .join(", ")})`,
    ),
  ],
);

const rowsOf = (name: string): readonly Row[] => {
  const { columns = [], rows = [] } = salesTables[name] ?? {};
  return rows.map((cells) =>
    Object.fromEntries(cells.map((cell, i) => [columns[i]?.split(" ")[0] ?? "", cell])),
  );
};

const find = (name: string, id: unknown): Row | null => rowsOf(name).find((row) => row["ID"] === id) ?? null;

/** The sales in JSON form, with their customers and products. */
export const salesRows: readonly Row[] = rowsOf("Sale").map((row) => {
  const found = find("Product", row["ProductID"]);
  return {
    ...row,
    Customer: find("Customer", row["CustomerID"]),
    Product: found && { ...found, Category: find("Category", found["CategoryID"]) },
  };
});

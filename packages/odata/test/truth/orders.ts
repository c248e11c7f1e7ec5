import type { Home } from "./homes.ts";

/** A comparison function for sorting. */
type Order = (a: Home, b: Home) => number;

type Value = string | number | bigint | boolean | null;

function compare(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "string" && typeof b === "string") return compareText(Array.from(a), Array.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares by code point. */
function compareText(a: readonly string[], b: readonly string[]): number {
  const other = a.findIndex((character, i) => character !== b[i]);
  if (other < 0) return a.length - b.length;
  return (a[other]?.codePointAt(0) ?? 0) - (b[other]?.codePointAt(0) ?? -1);
}

const by =
  (value: (home: Home) => Value): Order =>
  (a, b) =>
    compare(value(a), value(b));
const descending =
  (order: Order): Order =>
  (a, b) =>
    -order(a, b);
const then =
  (...orders: readonly Order[]): Order =>
  (a, b) =>
    orders.map((order) => order(a, b)).find((result) => result !== 0) ?? 0;

const name = by((h) => h.Name);
const price = by((h) => h.Price);

/** Values of `$orderby`, each with the comparison it means. Ties are broken by the key. */
export const orders: readonly (readonly [string, Order])[] = [
  ["Name", name],
  ["Name asc", name],
  ["Name desc", descending(name)],
  ["Price", price],
  ["Price desc", descending(price)],
  ["Price desc,Name", then(descending(price), name)],
  ["Price,Name desc", then(price, descending(name))],
  [
    "Open desc,Built,Name desc",
    then(
      descending(by((h) => h.Open)),
      by((h) => h.Built),
      descending(name),
    ),
  ],
  ["Changed desc", descending(by((h) => h.Changed))],
  ["Big", by((h) => h.Big)],
  ["Score desc", descending(by((h) => h.Score))],
  ["Stay", by((h) => h.Stay)],
  ["Opens desc", descending(by((h) => h.Opens))],
  ["Id", by((h) => h.Id)],
  ["length(Name) desc", descending(by((h) => (h.Name === null ? null : Array.from(h.Name).length)))],
  ["Beds mul -2", by((h) => (h.Beds === null ? null : h.Beds * -2))],
  [
    "year(Built) desc,Key desc",
    then(descending(by((h) => h.Built && Number(h.Built.slice(0, 4)))), descending(by((h) => h.Key))),
  ],
  [
    "Tags/$count,Name",
    then(
      by((h) => h.Tags.length),
      name,
    ),
  ],
  ["Name eq Town desc", descending(by((h) => h.Name === h.Town))],
  ["contains(Name,'o')", by((h) => h.Name?.includes("o") ?? null)],
];

import type { StructuralProperty } from "@cadastre/odata";
import { isRecord } from "../api/json.ts";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6, useGrouping: false });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Names whose numbers are no amounts. */
const ungrouped = /Year|Id$|Key$|Number|Latitude|Longitude/;

export const formatCount = (count: number): string => grouped.format(count);

/** Returns an amount in few characters: `1.2M`. */
export const formatShort = (amount: number): string => compact.format(amount);

function formatNumber(value: number, name: string): string {
  return (ungrouped.test(name) ? plain : grouped).format(value);
}

/** Returns `2024-07-01 17:37` of a time in UTC; a date stays as it is. */
const formatTime = (text: string): string =>
  text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2").replace(/(\d\d:\d\d):\d\d.*$/, "$1");

const isTime = /^Edm\.(DateTimeOffset|TimeOfDay)$/;

const formatPosition = (coordinates: readonly unknown[]): string =>
  coordinates
    .slice(0, 2)
    .toReversed()
    .map((degrees) => Number(degrees).toFixed(5))
    .join(", ");

/** Returns the text that people read of a value. Empty for null and for an empty collection. */
export function formatValue(property: Pick<StructuralProperty, "name" | "type">, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((item) => formatValue(property, item)).join(", ");
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") return formatNumber(value, property.name);
  if (typeof value === "string") return isTime.test(property.type) ? formatTime(value) : value;
  if (isRecord(value) && Array.isArray(value["coordinates"])) return formatPosition(value["coordinates"]);
  return JSON.stringify(value);
}

/** Returns the class of a status for colours: open, pending, closed, or another one. */
export function statusClass(status: unknown): "open" | "pending" | "closed" | "other" {
  if (typeof status !== "string") return "other";
  if (/^(Active|Coming Soon)$/.test(status)) return "open";
  if (/Pending|Active Under Contract|Hold/.test(status)) return "pending";
  return status === "Closed" ? "closed" : "other";
}

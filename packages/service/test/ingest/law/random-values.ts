import type { Field } from "@cadastre/reso";
import type { Random } from "../../support/random.ts";
import { testCatalog } from "../../support/test-catalog.ts";

const { values: lookupValues } = testCatalog.lookups;

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10)).join("");

/** Number text of about as many digits as the field has room for, and now and then some more. */
function decimalText(random: Random, whole: number, scale: number): string {
  const sign = random.chance(0.15) ? "-" : "";
  const left = random.chance(0.02) ? whole + 1 : random.below(random.chance(0.2) ? whole + 1 : 5);
  const head = left === 0 ? "0" : `${1 + random.below(9)}${digits(random, left - 1)}`;
  const right = random.chance(0.04) ? scale + 1 + random.below(12) : random.below(scale + 1);
  const tail = right === 0 ? "" : `.${digits(random, right)}`;
  return `${sign}${head}${tail}${random.chance(0.02) ? `e${random.below(7) - 3}` : ""}`;
}

const oddNumbers = ["0", "-0", "0.1", "1e300", "1e400", "1e-400", "-1e-8", "12345678901234567890.12", '"12"'];
const oddIntegers = [
  "9223372036854775807",
  "-9223372036854775808",
  "9223372036854775000",
  "9007199254740993",
  "9223372036854775808",
  "1e3",
  "1.5",
  '"7"',
];
const pieces = [
  "",
  " ",
  "a",
  "A",
  "é",
  "e\u0301",
  "'",
  "''",
  '"',
  "\\",
  "%",
  "_",
  "🏠",
  "\uffff",
  "\u0001",
  "O'Fallon",
  "zz",
  "0",
];
const oddPieces = ["\0", "\ud800"];

function text(random: Random, maxLength = 40): string {
  const count = random.chance(0.02) ? maxLength + 1 : random.below(4);
  const parts = Array.from({ length: count }, () => random.pick(pieces));
  if (random.chance(0.005)) parts.push(random.pick(oddPieces));
  return parts.join("");
}

const two = (value: number): string => String(value).padStart(2, "0");

function date(random: Random): string {
  const year = random.chance(0.05)
    ? random.pick(["0001", "9999", "0000", "1582", "10000", "-0001"])
    : `${1990 + random.below(40)}`;
  return `${year}-${two(1 + random.below(12))}-${two(1 + random.below(random.chance(0.02) ? 31 : 28))}`;
}

function instant(random: Random): string {
  const fraction = random.pick([
    "",
    ".5",
    ".123",
    ".1234",
    ".999999",
    ".000000000001",
    `.${digits(random, 7)}`,
  ]);
  const zone = random.pick(["Z", "Z", "z", "+00:00", "-08:00", "+14:00", "-00:30"]);
  const time = `${two(random.below(24))}:${two(random.below(60))}`;
  return `${date(random)}T${time}:${two(random.below(60))}${fraction}${zone}`;
}

function timeOfDay(random: Random): string {
  const time = `${two(random.below(random.chance(0.02) ? 26 : 24))}:${two(random.below(60))}`;
  return `${time}${random.pick(["", ":00", `:${two(random.below(60))}`, ":07.5", ":59.120", `:01.${digits(random, 12)}`])}`;
}

/** JSON text of a value that a source might give for a field: most are values of it, and some are none. */
export function valueText(random: Random, field: Field): string {
  if (random.chance(0.02)) return "null";
  if (random.chance(0.002)) return random.pick(["true", "{}", "[]", "[1]", '"x"', "7"]);
  if (!field.collection) return itemText(random, field);
  return `[${Array.from({ length: random.below(4) }, () => itemText(random, field)).join()}]`;
}

function itemText(
  random: Random,
  { name, type, precision = 15, scale = 0, maxLength, lookup, lookupStatus }: Field,
): string {
  switch (type) {
    case "Edm.Decimal":
      if (random.chance(0.05)) return random.pick(oddNumbers);
      return decimalText(random, name.endsWith("itude") ? 2 : precision - scale, scale);
    case "Edm.Int64":
      return random.chance(0.05) ? random.pick(oddIntegers) : String(random.below(4000) - 1000);
    case "Edm.Boolean":
      return random.chance(0.01) ? '"true"' : String(random.chance(0.5));
    case "Edm.Date":
      return JSON.stringify(date(random));
    case "Edm.DateTimeOffset":
      return JSON.stringify(instant(random));
    case "Edm.TimeOfDay":
      return JSON.stringify(timeOfDay(random));
    case "Edm.GeographyPoint":
      return '{"type":"Point","coordinates":[-90,40]}';
    default: {
      const listed = lookup === undefined ? [] : lookupValues(lookup);
      const isListed = listed.length > 0 && !random.chance(lookupStatus === "Open" ? 0.3 : 0.005);
      return JSON.stringify(isListed ? random.pick(listed).value : text(random, maxLength));
    }
  }
}

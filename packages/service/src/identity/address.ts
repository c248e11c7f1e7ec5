import type { Row } from "@cadastre/odata";

/** Abbreviations of words in addresses. Source: USPS Publication 28, appendices B and C1. */
const shortened: ReadonlyMap<string, string> = new Map([
  ["north", "n"],
  ["south", "s"],
  ["east", "e"],
  ["west", "w"],
  ["northeast", "ne"],
  ["northwest", "nw"],
  ["southeast", "se"],
  ["southwest", "sw"],
  ["avenue", "ave"],
  ["boulevard", "blvd"],
  ["circle", "cir"],
  ["court", "ct"],
  ["cove", "cv"],
  ["drive", "dr"],
  ["highway", "hwy"],
  ["lane", "ln"],
  ["loop", "loop"],
  ["parkway", "pkwy"],
  ["place", "pl"],
  ["road", "rd"],
  ["square", "sq"],
  ["street", "st"],
  ["terrace", "ter"],
  ["trail", "trl"],
]);

/** Words before a unit number that do not distinguish units. */
const unitWords: ReadonlySet<string> = new Set(["apartment", "apt", "no", "number", "ste", "suite", "unit"]);

const wordsOf = (value: unknown): readonly string[] =>
  (typeof value === "string" ? value : "")
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const plain = (value: unknown) => wordsOf(value).join(" ");

const short = (value: unknown) =>
  wordsOf(value)
    .map((word) => shortened.get(word) ?? word)
    .join(" ");

const unit = (value: unknown) =>
  wordsOf(value)
    .filter((word) => !unitWords.has(word))
    .join(" ");

/** Functions that normalise the parts of an address: `North Main Street` and `N. MAIN ST` become `n main st`. */
const parts: Readonly<Record<string, (value: unknown) => string>> = {
  StreetNumber: plain,
  StreetDirPrefix: short,
  StreetName: short,
  StreetSuffix: short,
  StreetDirSuffix: short,
  UnitNumber: unit,
  City: plain,
  StateOrProvince: plain,
  // Without the +4 of a ZIP+4 code, which not every system knows.
  PostalCode: (value) => plain(value).slice(0, 5),
};

/** Returns the normalised parts of a listing's address. Undefined if it has no street number or street name. */
export function addressParts(listing: Row): readonly string[] | undefined {
  const address = new Map(Object.entries(parts).map(([name, write]) => [name, write(listing[name])]));
  const isWhole = address.get("StreetNumber") !== "" && address.get("StreetName") !== "";
  return isWhole ? [...address.values()] : undefined;
}

import type { Row } from "@cadastre/odata";

/** Words that an address may write out or shorten. Source: USPS Publication 28, appendices B and C1. */
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

/** What stands before the number of a unit and tells nothing. */
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

/** The parts of an address, and how each is written so that writings of one address are one. */
const parts: Readonly<Record<string, (value: unknown) => string>> = {
  StreetNumber: plain,
  StreetDirPrefix: short,
  StreetName: short,
  StreetSuffix: short,
  StreetDirSuffix: short,
  UnitNumber: unit,
  City: plain,
  StateOrProvince: plain,
  // A ZIP+4 code may be known to one system alone.
  PostalCode: (value) => plain(value).slice(0, 5),
};

/** The address of a listing in one writing; undefined without a number and a street. */
export function addressOf(listing: Row): readonly string[] | undefined {
  const address = new Map(Object.entries(parts).map(([name, write]) => [name, write(listing[name])]));
  const isWhole = address.get("StreetNumber") !== "" && address.get("StreetName") !== "";
  return isWhole ? [...address.values()] : undefined;
}

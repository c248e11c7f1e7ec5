import type { Row } from "@cadastre/odata";
import { type Field, type LocalField, localTypes } from "@cadastre/reso";
import { deviationOf } from "../ingest/check-value.ts";
import { parseDecimal, scaleOf, wholeDigitsOf } from "../ingest/decimal.ts";
import { ExactNumber } from "../ingest/exact-json.ts";
import { cellValue } from "../ingest/read-records.ts";

/** A type that the values of a column may have: that of one value, or of each value of a list. */
export type CandidateType = Pick<LocalField, "type"> & { readonly collection: boolean };

/** Types in the order of preference. Every text is an `Edm.String`, so it comes last. */
const preferred: readonly LocalField["type"][] = [
  ...localTypes.filter((type) => type !== "Edm.String"),
  "Edm.String",
];

/** The candidates, in the order of preference. */
export const candidateTypes: readonly CandidateType[] = [false, true].flatMap((collection) =>
  preferred.map((type) => ({ type, collection })),
);

const fields: ReadonlyMap<CandidateType, Field> = new Map(
  candidateTypes.map((candidate) => [
    candidate,
    {
      name: "candidate",
      displayName: "Candidate",
      ...candidate,
      ...(candidate.type === "Edm.Decimal" ? { precision: 38, scale: 15 } : {}),
      nullable: true,
      synonyms: [],
      source: null,
    },
  ]),
);

// Timestamps are cut to milliseconds by default, and other values are not rounded.
const rounds: ReadonlySet<string> = new Set(["candidate"]);
const exact: ReadonlySet<string> = new Set();

/** Forms of numbers in cells. Texts with leading zeros, such as postal codes, would lose them; those with `+` or `E` may be codes. */
const numberForms: Partial<Readonly<Record<LocalField["type"], RegExp>>> = {
  "Edm.Int64": /^-?(?:0|[1-9]\d*)$/,
  "Edm.Decimal": /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/,
};

/** Returns the value that a reader makes of a cell for a field. Other formats than CSV have typed values. */
export const readCell = (value: unknown, field: Field): unknown =>
  typeof value === "string" ? cellValue(value, field) : value;

/** Returns the items of a cell, read as a list. */
export function itemsOfCell(text: string): readonly unknown[] {
  const list = cellValue(text, { name: "candidate", type: "Edm.String", collection: true, nullable: false });
  return Array.isArray(list) ? list : [];
}

/** True if ingest accepts a value for a field of the type. */
export function isOfType(value: unknown, candidate: CandidateType, isCell: boolean): boolean {
  const field = fields.get(candidate) as Field;
  if (isCell && numberForms[candidate.type]?.test(value as string) === false && !candidate.collection)
    return false;
  const rounding = candidate.type === "Edm.DateTimeOffset" ? rounds : exact;
  const read = isCell ? readCell(value, field) : value;
  const found = deviationOf(read, field, { rounding, isListed: () => true });
  return found === undefined || !("fault" in found);
}

/** Facets that values need, as far as they have been seen. */
export class NeededFacets {
  #length = 0;
  #wholeDigits = 1;
  #scale = 0;

  /** Takes a value, or an item of a list. */
  add(value: unknown): void {
    if (typeof value === "string") this.#length = Math.max(this.#length, Array.from(value).length);
    const text = value instanceof ExactNumber ? value.text : String(value);
    const decimal = parseDecimal(text);
    if (decimal === undefined) return;
    // A cell such as `12.50` tells that cents are meant.
    const written = typeof value === "string" ? (/\.(\d+)$/.exec(text)?.[1]?.length ?? 0) : 0;
    this.#scale = Math.max(this.#scale, scaleOf(decimal), Math.min(written, mostScale));
    this.#wholeDigits = Math.max(this.#wholeDigits, wholeDigitsOf(decimal));
  }

  /** Returns the facets of a type, with room for values that the sample does not have. */
  of(type: LocalField["type"]): Pick<LocalField, "maxLength" | "precision" | "scale"> {
    if (type === "Edm.Decimal") {
      const scale = Math.min(this.#scale, mostScale);
      return { precision: Math.min(this.#wholeDigits + spareDigits + scale, mostPrecision), scale };
    }
    const maxLength = type === "Edm.String" ? lengths.find((one) => one >= this.#length) : undefined;
    return maxLength === undefined ? {} : { maxLength };
  }
}

const [mostPrecision, mostScale] = [38, 15];

/** Digits before the point that a decimal has beyond those of the sample. */
const spareDigits = 2;

/** Maximum lengths of texts. A text longer than all of them has none. */
const lengths = [16, 32, 64, 128, 255, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_535] as const;

/** Returns a value as JSON, cut to be quoted. */
export function quotedValue(value: unknown): string {
  const text =
    typeof value === "string"
      ? value
      : value instanceof ExactNumber
        ? value.text
        : JSON.stringify(value as Row);
  const line = text.replaceAll(/\p{Cc}|\p{Cs}/gu, " ");
  return `\`${line.length > 40 ? `${line.slice(0, 40)}…` : line}\``;
}

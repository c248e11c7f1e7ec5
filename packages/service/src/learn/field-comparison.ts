import type { Field, OriginatingSystem } from "@cadastre/reso";
import { deviationOf } from "../ingest/check-value.ts";
import type { ListedValues } from "../ingest/listed-values.ts";
import type { Rounding } from "../ingest/rounding.ts";
import { quotedValue, readCell } from "./candidate-types.ts";
import { DistinctValues } from "./distinct-values.ts";
import { typeText } from "./field-types.ts";

/** Conditions under which ingest would take the values of a sample. */
export type SampleRules = {
  readonly system: OriginatingSystem;
  readonly rounding: Rounding;
  readonly isListed: ListedValues;
  /** True if values are cells of a CSV file, which have no type. */
  readonly isCell: boolean;
  /** True if a lookup that lists its values is to have rare ones of the sample too. */
  readonly takesRareValues: boolean;
  /** Word for the position of a record: `line`, or `record` in Common Format. */
  readonly position: string;
};

/** Most values that a sample may add to a lookup that lists its values. */
const mostUnlisted = 100;

/** Share of the values up to which one that the lookup does not list is rare: it is more likely an error than missing in the lookup. */
const rareShare = 0.001;

const systemField = "OriginatingSystemName";

/** Comparison of the values of a column with a field that the service has. */
export class FieldComparison {
  readonly field: Field;
  readonly #rules: SampleRules;
  readonly #unlisted = new DistinctValues(mostUnlisted);
  #compared = 0;
  #misfits = 0;
  #example = "";
  /** Number of values that the lookup does not list, the first of them, and the first place of each distinct one. */
  #withUnlisted = 0;
  #unlistedExample = "";
  readonly #unlistedAt = new Map<string, string>();

  constructor(field: Field, rules: SampleRules) {
    this.field = field;
    this.#rules = rules;
  }

  /** Compares a value. A computed field ignores it. */
  add(value: unknown, line: number): void {
    const { field } = this;
    const { system, rounding, isListed, isCell, position } = this.#rules;
    if (field.computed) return;
    this.#compared++;
    const read = isCell ? readCell(value, field) : value;
    const at = `${quotedValue(value)} in ${position} ${line}`;
    if (field.name === systemField && read !== system.name) {
      this.#note(at);
      return;
    }
    const found = deviationOf(read, field, { rounding, isListed: () => true });
    if (found !== undefined && "fault" in found) {
      this.#note(`${at} (${found.fault})`);
      return;
    }
    const items: readonly unknown[] = Array.isArray(read) ? read : [read];
    const unlisted = items.filter(
      (item): item is string => typeof item === "string" && !isListed(item, field),
    );
    if (unlisted.length > 0 && this.#withUnlisted++ === 0) this.#unlistedExample = at;
    for (const item of unlisted) {
      this.#unlisted.add(item);
      if (this.#unlisted.countOf(item) === 1) this.#unlistedAt.set(item, at);
    }
  }

  /** Values that the lookup of the field does not list and could. Undefined if they are too many, or too long. */
  get unlisted(): readonly string[] | undefined {
    return this.#unlisted.values?.filter((value) => !this.#isRare(value));
  }

  #isRare(value: string): boolean {
    return !this.#rules.takesRareValues && this.#unlisted.countOf(value) < this.#compared * rareShare;
  }

  /** Reason why the field does not take all of the values. Undefined if it takes them. */
  get misfit(): string | undefined {
    const { values } = this.#unlisted;
    const rare = (values ?? []).filter((value) => this.#isRare(value));
    const unlisted =
      values === undefined
        ? this.#withUnlisted
        : rare.reduce((count, value) => count + this.#unlisted.countOf(value), 0);
    const misfits = this.#misfits + unlisted;
    if (misfits === 0) return undefined;
    const code = rare.length === 0 ? "unknown_lookup_value" : "unknown_lookup_value: --rare-values adds it";
    const example =
      this.#example || `${this.#unlistedAt.get(rare[0] ?? "") ?? this.#unlistedExample} (${code})`;
    const kind = this.field.source === null ? "standard field" : "field";
    const takes = this.field.name === systemField ? `\`${this.#rules.system.name}\`` : facetText(this.field);
    return `the ${kind} takes ${takes}, which ${misfits} of ${this.#compared} values are not, such as ${example}`;
  }

  #note(example: string): void {
    if (this.#misfits++ === 0) this.#example = example;
  }
}

/** Writes the type of a field with its facets: `Edm.Decimal(14,2)`. */
function facetText(field: Field): string {
  const { type, maxLength, precision, scale, lookup } = field;
  const facets = (type === "Edm.DateTimeOffset" ? [] : [maxLength ?? precision, scale]).filter(
    (facet) => facet !== undefined,
  );
  const listed = lookup === undefined ? "" : ` of lookup ${lookup}`;
  return `${typeText(field)}${facets.length === 0 ? "" : `(${facets.join()})`}${listed}`;
}

import { codecOf } from "@cadastre/odata/run";
import type { Field, LocalField } from "@cadastre/reso";
import { type DateForm, dateFormNames, isoDate } from "../ingest/date-forms.ts";
import {
  type CandidateType,
  candidateTypes,
  isOfType,
  itemsOfCell,
  NeededFacets,
  quotedValue,
} from "./candidate-types.ts";
import { DistinctValues } from "./distinct-values.ts";
import type { FeedField, FeedLookupValue, SampledFacts } from "./feed-schema.ts";
import { FieldComparison, type SampleRules } from "./field-comparison.ts";
import { typeText } from "./field-types.ts";

/** A field as the sample suggests it, and the values of lookups that it needs, by the name of the lookup. */
type ColumnSchema = {
  readonly field: FeedField;
  readonly lookups: ReadonlyMap<string, readonly FeedLookupValue[]>;
};

/** Most values of a suggested lookup. */
const mostListed = 64;

/** Needs of single values, or of the items of lists. */
class Measure {
  readonly facets = new NeededFacets();
  readonly texts = new DistinctValues(mostListed);
  count = 0;

  add(value: unknown): void {
    this.count++;
    this.facets.add(value);
    if (typeof value === "string") this.texts.add(value);
  }
}

/** Values of one member of the sample's records. It keeps only what their type tells. */
export class SampleColumn {
  readonly #name: string;
  readonly #rules: SampleRules;
  readonly #comparisons: readonly FieldComparison[];
  readonly #single = new Measure();
  readonly #listed = new Measure();
  #trials: readonly TypeTrial[] = candidateTypes.map((candidate) => ({ candidate, misfits: 0, example: "" }));
  #count = 0;
  #dateForms: readonly DateForm[] = dateFormNames;
  /** Cells that are JSON arrays, that have commas, and whose commas are those of a sentence or number. */
  readonly #cells = { arrays: 0, commas: 0, otherCommas: 0 };
  #first = "";
  #conflict = "";

  /** @param known fields of the service that the column may be: a standard one, or one of the system */
  constructor(name: string, known: readonly Field[], rules: SampleRules) {
    this.#name = name;
    this.#rules = rules;
    this.#comparisons = known.map((field) => new FieldComparison(field, rules));
  }

  /** Takes the value of a record. Null is none. */
  add(value: unknown, line: number): void {
    if (value === null) return;
    for (const comparison of this.#comparisons) comparison.add(value, line);
    const { isCell, position } = this.#rules;
    const at = () => `${quotedValue(value)} in ${position} ${line}`;
    this.#first ||= at();
    this.#count++;
    const misfitting = this.#trials.filter(({ candidate }) => !isOfType(value, candidate, isCell));
    for (const trial of misfitting) {
      trial.misfits++;
      trial.example ||= at();
    }
    if (misfitting.length > 0) {
      this.#trials = this.#trials.filter(
        ({ misfits }) => misfits <= usualMisfits + this.#count * mostMisfits,
      );
      if (this.#trials.every(({ misfits }) => misfits > 0)) this.#conflict ||= at();
    }
    if (!Array.isArray(value)) this.#single.add(value);
    const isText = isCell && typeof value === "string";
    for (const item of Array.isArray(value) ? value : isText ? this.#cellItems(value) : [])
      this.#listed.add(item);
    if (typeof value === "string") this.#dateForms = this.#dateForms.filter((form) => isDateOf(value, form));
  }

  #cellItems(text: string): readonly unknown[] {
    const isArray = text.startsWith("[");
    if (isArray) this.#cells.arrays++;
    else if (text.includes(",")) {
      this.#cells.commas++;
      // `Sand,Rock` is a list; `Austin, TX` and `1,250` are not.
      if (/,\s|^[\d,.+-]+$/.test(text)) this.#cells.otherCommas++;
    }
    return itemsOfCell(text);
  }

  /** True if the values are lists. Cells are, if all are JSON arrays, or if few texts between commas repeat. */
  get #isList(): boolean {
    const { arrays, commas, otherCommas } = this.#cells;
    if (!this.#rules.isCell) return this.#single.count === 0;
    if (arrays === this.#single.count) return true;
    return arrays === 0 && commas > 0 && otherCommas === 0 && this.#listed.texts.repeated !== undefined;
  }

  /** Returns the field that the values suggest. */
  schema(resource: string, lookupName: string): ColumnSchema {
    const misfits = new Map(
      this.#comparisons.flatMap(({ field, misfit }) => (misfit === undefined ? [] : [[field.name, misfit]])),
    );
    const unlisted = new Map(
      this.#comparisons.flatMap(({ field: { lookup }, unlisted: values = [] }) =>
        lookup === undefined || values.length === 0 ? [] : [[lookup, values] as const],
      ),
    );
    const isKnown = this.#comparisons.length > 0;
    const suggestion = this.#suggestion();
    const lookups =
      suggestion.lookupValues && !isKnown ? new Map([[lookupName, suggestion.lookupValues]]) : unlisted;
    const [lookup] = lookups.keys();
    const { type, collection, facets, untyped, remark } = suggestion;
    return {
      field: {
        resource,
        name: this.#name,
        type,
        collection,
        ...facets,
        ...(lookup === undefined ? {} : { lookup }),
        sampled: { misfits, ...(untyped && { untyped }), ...(remark !== undefined && { remark }) },
      },
      lookups: new Map([...lookups].map(([name, values]) => [name, values.map(toFeedValue)])),
    };
  }

  #suggestion(): Suggestion {
    const isList = this.#isList;
    const { count, facets, texts } = isList ? this.#listed : this.#single;
    if (this.#first === "" || (count === 0 && this.#conflict === ""))
      return untyped("undecided", "no record has a value of it, so nothing is proposed");
    const trials = this.#trials.filter(({ candidate }) => candidate.collection === isList);
    const chosen = trials.find(({ misfits }) => misfits === 0)?.candidate;
    const nearly = this.#nearlyRemark(trials);
    if (chosen === undefined)
      return untyped(
        "left-out",
        `no type of local fields takes all of its values: ${nearly ?? this.#examples}`,
      );
    const isText = chosen.type === "Edm.String";
    const isFlag = isText && !isList && isFlags(texts.values);
    return {
      ...chosen,
      facets: facets.of(chosen.type),
      lookupValues: isText && !isFlag ? texts.repeated : undefined,
      remark: isFlag
        ? flagRemark
        : ((isText ? nearly : undefined) ?? (isList ? undefined : (this.#dateRemark ?? this.#listRemark))),
    };
  }

  /** Remark if some cells of a text could be lists. */
  get #listRemark(): string | undefined {
    const { arrays, commas, otherCommas } = this.#cells;
    const lists = arrays + commas - otherCommas;
    if (lists < this.#single.count * mostMisfits || lists === 0) return undefined;
    return `${lists} of its ${this.#single.count} cells could be lists: if they are, add it with \`field add --type string --collection\``;
  }

  /** Remark if all but a few values are of a type that says more than `Edm.String`. */
  #nearlyRemark(trials: readonly TypeTrial[]): string | undefined {
    const [nearest] = trials
      .filter(
        ({ candidate, misfits }) =>
          candidate.type !== "Edm.String" && misfits > 0 && misfits <= this.#count * mostMisfits,
      )
      .toSorted((a, b) => a.misfits - b.misfits);
    if (nearest === undefined) return undefined;
    const { candidate, misfits, example } = nearest;
    return `all but ${misfits} of its ${this.#count} values are ${typeText(candidate)}, such as ${example} is not: map these values, and add it with that type by \`field add\``;
  }

  get #examples(): string {
    return this.#first === this.#conflict || this.#conflict === ""
      ? `such as ${this.#first}`
      : `such as ${this.#first} and ${this.#conflict}`;
  }

  /** Remark if a mapping could make dates of the values. */
  get #dateRemark(): string | undefined {
    const [form] = this.#dateForms;
    if (form === undefined || this.#single.count === 0) return undefined;
    const type = form.includes("H") ? "timestamp" : "date";
    return `its values are dates of the form ${form}: add it with \`field add --type ${type}\`, and name the form in \`dates\` of a mapping`;
  }
}

/** Number of values that are not of a type, and the first of them. */
type TypeTrial = { readonly candidate: CandidateType; misfits: number; example: string };

/** Greatest share of values that are not of the type that the others have. */
const mostMisfits = 0.05;

/** Values of another type that are forgiven at the beginning, before there is a share. */
const usualMisfits = 20;

/** Type that the values suggest, or the reason why they suggest none. */
type Suggestion = Pick<FeedField, "type" | "collection"> &
  Pick<SampledFacts, "untyped"> & {
    readonly facets?: Pick<LocalField, "maxLength" | "precision" | "scale">;
    readonly lookupValues?: readonly string[] | undefined;
    readonly remark?: string | undefined;
  };

const untyped = (verdict: "undecided" | "left-out", reason: string): Suggestion => ({
  type: "",
  collection: false,
  untyped: { verdict, reason },
});

const toFeedValue = (value: string): FeedLookupValue => [value, undefined];

/** Texts that sources write for true and false. */
const flags: readonly (readonly string[])[] = [
  ["Y", "N"],
  ["y", "n"],
  ["Yes", "No"],
  ["yes", "no"],
  ["YES", "NO"],
  ["T", "F"],
  ["True", "False"],
  ["true", "false"],
];

const isFlags = (values: readonly string[] = []): boolean =>
  values.length > 0 && flags.some((pair) => values.every((value) => pair.includes(value)));

const flagRemark =
  "its values are those of a boolean: add it with `field add --type boolean`, and say in `values` of a mapping which are true and false";

/** True if a text is a date or timestamp of the form. */
function isDateOf(text: string, form: DateForm): boolean {
  const iso = isoDate(text, form);
  const type = form.includes("H") ? "Edm.DateTimeOffset" : "Edm.Date";
  return iso !== text && codecOf(type).parse(iso) !== undefined;
}

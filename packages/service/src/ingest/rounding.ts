import { type Field, isRoundedByDefault, type RecordName, resource } from "@cadastre/reso";
import { IngestError } from "./ingest-error.ts";

/** The operator's choice of fields to round, different from the default. */
export type RoundingChoice = {
  /** Additional fields to round. */
  readonly round?: readonly string[] | undefined;
  /** Fields not to round: values with too many digits are rejected. */
  readonly exact?: readonly string[] | undefined;
};

/** Names of a resource's fields whose values are rounded if they have too many fractional digits. */
export type Rounding = ReadonlySet<string>;

const defaults = new Map<RecordName, Rounding>();

/**
 * Returns the fields to round.
 *
 * @throws {IngestError} for a field that the resource does not have, or whose values cannot be rounded
 */
export function roundingOf(name: RecordName, { round = [], exact = [] }: RoundingChoice = {}): Rounding {
  const { fields } = resource(name);
  const usual = defaults.get(name) ?? new Set(fields.filter(isRoundedByDefault).map((field) => field.name));
  defaults.set(name, usual);
  if (round.length + exact.length === 0) return usual;
  const roundable = new Set(fields.filter(canBeRounded).map((field) => field.name));
  for (const chosen of [...round, ...exact])
    if (!roundable.has(chosen))
      throw new IngestError(
        `${name} has no number or timestamp \`${chosen}\` that could be rounded: correct --round or --exact`,
      );
  const both = round.find((chosen) => exact.includes(chosen));
  if (both !== undefined)
    throw new IngestError(`\`${both}\` is in both --round and --exact: remove it from one`);
  return new Set([...usual, ...round].filter((chosen) => !exact.includes(chosen)));
}

const roundable: ReadonlySet<string> = new Set(["Edm.Decimal", "Edm.Int64", "Edm.DateTimeOffset"]);

const canBeRounded = ({ type, computed }: Field): boolean => roundable.has(type) && !computed;

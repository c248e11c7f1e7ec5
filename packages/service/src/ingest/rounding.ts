import { type Catalog, type Field, isRoundedByDefault, type RecordName, recordNames } from "@cadastre/reso";
import { perCatalog } from "../catalog.ts";
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

/** Fields that are rounded by default, by resource. */
const defaults = perCatalog(
  ({ fieldsOf }): ReadonlyMap<RecordName, Rounding> =>
    new Map(
      recordNames.map((name) => [
        name,
        new Set(
          fieldsOf(name)
            .filter(isRoundedByDefault)
            .map((field) => field.name),
        ),
      ]),
    ),
);

/**
 * Returns the fields to round.
 *
 * @throws {IngestError} for a field that the resource does not have, or whose values cannot be rounded
 */
export function roundingOf(
  catalog: Catalog,
  name: RecordName,
  { round = [], exact = [] }: RoundingChoice = {},
): Rounding {
  const fields = catalog.fieldsOf(name);
  const usual: Rounding = defaults(catalog).get(name) ?? new Set();
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

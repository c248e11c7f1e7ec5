import { CatalogError, type CatalogFault } from "./catalog-error.ts";
import type { FieldFacts } from "./data.ts";
import type { CatalogDefinition, OriginatingSystem } from "./definition.ts";

/**
 * Checks that a definition can replace another one while records are stored: systems and local fields stay, and a field keeps every value that
 * it may have.
 *
 * @throws {CatalogError} with all faults
 */
export function requireSuccessor(before: CatalogDefinition, after: CatalogDefinition): void {
  const faults = [
    ...lastingFields(before.dictionary?.fields, after.dictionary?.fields, ["dictionary", "fields"]),
    ...before.systems.flatMap((system) => [...systemFaults(system, after)]),
  ];
  if (faults.length > 0) throw new CatalogError(faults);
}

/** Members of a system that records and keys depend on. */
const lasting = ["datasetId", "prefix"] as const satisfies readonly (keyof OriginatingSystem)[];

function* systemFaults(before: OriginatingSystem, { systems }: CatalogDefinition): Generator<CatalogFault> {
  const index = systems.findIndex(({ id }) => id === before.id);
  const after = systems[index];
  if (after === undefined) {
    yield {
      path: ["systems"],
      message: `${before.id} is missing: a system is not removed, \`cadastre system retire ${before.id}\` ends it`,
    };
    return;
  }
  for (const member of lasting)
    if (after[member] !== before[member])
      yield {
        path: ["systems", index, member],
        message: `must stay \`${before[member]}\`, since records and keys have it`,
      };
  yield* lastingFields(before.fields, after.fields, ["systems", index, "fields"]);
}

type FieldsByResource = Readonly<Record<string, readonly FieldFacts[] | undefined>>;

/** Faults of fields that are left out, or keep not every value that they may have. */
function* lastingFields(
  before: FieldsByResource = {},
  after: FieldsByResource = {},
  at: CatalogFault["path"],
): Generator<CatalogFault> {
  for (const [resource, fields = []] of Object.entries(before))
    for (const field of fields) {
      const now = after[resource] ?? [];
      const index = now.findIndex(({ name }) => name === field.name);
      const path = [...at, resource];
      if (index < 0)
        yield {
          path,
          message: `\`${field.name}\` is missing: a field is not removed, since records may have values of it`,
        };
      else yield* fieldFaults(field, now[index] as FieldFacts, [...path, index]);
    }
}

/** Facets that may grow and not shrink. */
const growing = ["maxLength", "precision", "scale"] as const satisfies readonly (keyof FieldFacts)[];

function* fieldFaults(
  before: FieldFacts,
  after: FieldFacts,
  at: CatalogFault["path"],
): Generator<CatalogFault> {
  const isCollection = (field: FieldFacts) => field.collection === true;
  if (after.type !== before.type || isCollection(after) !== isCollection(before))
    yield {
      path: [...at, "type"],
      message: `\`${before.name}\` must stay ${typeText(before)}, since records have such values: add a field of another name`,
    };
  for (const facet of growing) {
    const [was, is] = [before[facet], after[facet]];
    if (was === is || is === undefined) continue;
    if (was === undefined || is < was)
      yield {
        path: [...at, facet],
        message: `of \`${before.name}\` must not become smaller than ${was ?? "unlimited"}`,
      };
  }
}

const typeText = ({ type, collection }: FieldFacts): string => (collection ? `Collection(${type})` : type);

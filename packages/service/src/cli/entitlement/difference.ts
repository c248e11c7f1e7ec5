import { type Entitlement, type FieldView, type Region, viewFields } from "@cadastre/entitlement";
import type { GrantCatalog } from "./grant-catalog.ts";
import { noEnd } from "./new-document.ts";

/** Names that a document has and another one lacks. */
export type GainsAndLosses = { readonly gained: readonly string[]; readonly lost: readonly string[] };

/** A field that is shown in another form. */
export type FieldChange = { readonly field: string; readonly before: FieldView; readonly after: FieldView };

/** Fields and rows that a customer gains and loses of one resource in one dataset. */
export type GrantDifference = {
  readonly dataset: string;
  readonly resource: string;
  /** Rows that appear or disappear as a whole. */
  readonly rows: "gained" | "lost" | "same";
  /** Private rows, of resources that have them. */
  readonly privateRows: "gained" | "lost" | "same";
  readonly fields: GainsAndLosses & { readonly changed: readonly FieldChange[] };
};

/** Difference of two documents, as the customer notices it. */
export type EntitlementDifference = {
  readonly products: GainsAndLosses;
  readonly channels: GainsAndLosses;
  readonly capabilities: GainsAndLosses;
  /** Regions that the other document's regions do not cover. */
  readonly regions: GainsAndLosses;
  /** Limits with another value, as `name: before → after`. */
  readonly limits: readonly string[];
  readonly grants: readonly GrantDifference[];
  /** End of validity, in seconds since 1970, where both have one and it differs. */
  readonly end?: { readonly before: number; readonly after: number };
};

/** Compares two documents. */
export function differenceOf(
  before: Entitlement,
  after: Entitlement,
  catalog: GrantCatalog,
): EntitlementDifference {
  const channelsOf = ({ channels }: Entitlement) =>
    Object.entries(channels).flatMap(([name, isOpen]) => (isOpen ? [name] : []));
  return {
    products: changesOf(before.products, after.products),
    channels: changesOf(channelsOf(before), channelsOf(after)),
    capabilities: changesOf(before.capabilities ?? [], after.capabilities ?? []),
    regions: {
      gained: uncovered(after.regions, before.regions),
      lost: uncovered(before.regions, after.regions),
    },
    limits: limitChanges(before.limits ?? {}, after.limits ?? {}),
    grants: grantDifferences(before, after, catalog),
    ...(before.exp !== after.exp &&
      ![before.exp, after.exp].includes(noEnd) && { end: { before: before.exp, after: after.exp } }),
  };
}

const changesOf = (before: readonly string[], after: readonly string[]): GainsAndLosses => ({
  gained: after.filter((name) => !before.includes(name)),
  lost: before.filter((name) => !after.includes(name)),
});

const uncovered = (regions: readonly Region[], by: readonly Region[]): readonly string[] =>
  regions
    .filter((region) => !by.some((other) => covers(other, region)))
    .map(({ kind, value }) => `${kind}:${value}`);

/** True if every row in `other` is certainly in `region`. */
const covers = (region: Region, other: Region): boolean =>
  region.kind === "national" ||
  (region.kind === other.kind && region.value === other.value) ||
  (region.kind === "state" && other.kind === "county" && other.value.startsWith(`${region.value}/`));

function limitChanges(before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old, now].map((limits) => String(limits.get(name) ?? "the service's own"));
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}

function grantDifferences(
  before: Entitlement,
  after: Entitlement,
  { systems, scopeOptions }: GrantCatalog,
): readonly GrantDifference[] {
  const [was, is] = [viewFields(before, scopeOptions), viewFields(after, scopeOptions)];
  const known = systems.map(({ datasetId }) => datasetId);
  return known.flatMap((dataset) =>
    scopeOptions.entitySets.flatMap(({ name: resource, type }): readonly GrantDifference[] => {
      const [old, now] = [before, after].map((document) => grantOf(document, dataset, resource));
      if (old === undefined && now === undefined) return [];
      const rows = gainOrLoss(old !== undefined, now !== undefined);
      const views = [...type.properties.keys()].map((field) => ({
        field,
        before: was(dataset, resource, field),
        after: is(dataset, resource, field),
      }));
      const fields = fieldDifferences(views);
      const privateRows = gainOrLoss(old?.private === true, now?.private === true);
      const isSame = [fields.gained, fields.lost, fields.changed].every(({ length }) => length === 0);
      return rows === "same" && privateRows === "same" && isSame
        ? []
        : [{ dataset, resource, rows, privateRows, fields }];
    }),
  );
}

const grantOf = ({ datasets }: Entitlement, dataset: string, resource: string) =>
  datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources[resource];

const gainOrLoss = (had: boolean, has: boolean) => (had === has ? "same" : has ? "gained" : "lost");

function fieldDifferences(views: readonly FieldChange[]): GrantDifference["fields"] {
  const names = (given: readonly FieldChange[]) => given.map(({ field }) => field);
  const isHidden = ({ outcome }: FieldView) => outcome === "hidden";
  const formOf = ({ outcome, mask }: FieldView) => `${outcome} ${mask ?? ""}`;
  return {
    gained: names(views.filter(({ before, after }) => isHidden(before) && !isHidden(after))),
    lost: names(views.filter(({ before, after }) => !isHidden(before) && isHidden(after))),
    changed: views.filter(
      ({ before, after }) => !isHidden(before) && !isHidden(after) && formOf(before) !== formOf(after),
    ),
  };
}

import type { EntitySet } from "@cadastre/odata";
import type { Annotation } from "@cadastre/odata/run";
import { maxSkip, maxTop, maxTopExpanded } from "../catalog.ts";
import type { Config } from "../config.ts";
import type { Extension } from "../extensions.ts";
import { isTracked } from "./affected-records.ts";
import { navigationLinkOf } from "./related-sets.ts";
import { searchableOf } from "./searchable.ts";
import { isStoredSet } from "./stored-set.ts";

/** Largest `$levels`, which is the depth of an expansion that is always answered. */
const expandLevels = 16;

/** Transformations of `$apply` that the service answers. */
const transformations = [
  "aggregate",
  "groupby",
  "filter",
  "search",
  "compute",
  "concat",
  "identity",
  "orderby",
  "top",
  "skip",
  "topcount",
  "bottomcount",
];

/** Returns the names of the navigation properties whose changes are tracked with `$expand`. */
const trackedNavigation = ({ type }: EntitySet): readonly string[] =>
  [...(type.structured?.values() ?? [])]
    .filter((navigation) => isTracked(navigationLinkOf(navigation)))
    .map(({ name }) => name);

/** Returns what a set supports, as annotations of `$metadata`. Source: OData Capabilities Vocabulary 4.0. */
function capabilitiesOf(
  entitySet: EntitySet,
  { extensions, deltaLife }: Pick<Config, "extensions" | "deltaLife">,
): readonly Annotation[] {
  const offers = (name: Extension) => extensions.includes(name);
  const isExpandable = offers("expand") && (entitySet.type.structured?.size ?? 0) > 0;
  const isTrackedSet = offers("delta") && isStoredSet(entitySet);
  const pages = `A page has at most ${maxTop} records${isExpandable ? `, ${maxTopExpanded} with $expand` : ""}`;
  const own = (term: string, value: Annotation["value"]): Annotation => ({
    term: `Org.OData.Capabilities.V1.${term}`,
    value,
  });
  const changes = isTrackedSet ? ` A delta link holds for ${deltaLife} seconds.` : "";
  const tracked = isExpandable && isTrackedSet ? trackedNavigation(entitySet) : [];
  return [
    { term: "Org.OData.Core.V1.LongDescription", value: `${pages}. $skip is at most ${maxSkip}.${changes}` },
    own("FilterRestrictions", { Filterable: true }),
    own("SortRestrictions", { Sortable: true }),
    own("CountRestrictions", { Countable: true }),
    own("TopSupported", true),
    own("SkipSupported", true),
    own("ComputeSupported", offers("compute")),
    own(
      "ExpandRestrictions",
      isExpandable ? { Expandable: true, MaxLevels: expandLevels } : { Expandable: false },
    ),
    own("SearchRestrictions", { Searchable: offers("search") && searchableOf(entitySet).length > 0 }),
    own("ChangeTracking", {
      Supported: isTrackedSet,
      // Without the list, all navigation properties would be tracked.
      ...(isExpandable && isTrackedSet ? { ExpandableProperties: tracked } : {}),
    }),
    own("InsertRestrictions", { Insertable: false }),
    own("UpdateRestrictions", { Updatable: false }),
    own("DeleteRestrictions", { Deletable: false }),
    ...(offers("apply") && isStoredSet(entitySet)
      ? [{ term: "Org.OData.Aggregation.V1.ApplySupported", value: { Transformations: transformations } }]
      : []),
  ];
}

/** Adds what a set supports to its annotations. */
export const withCapabilities = (
  entitySet: EntitySet,
  offers: Pick<Config, "extensions" | "deltaLife">,
): EntitySet => ({
  ...entitySet,
  annotations: [...(entitySet.annotations ?? []), ...capabilitiesOf(entitySet, offers)],
});

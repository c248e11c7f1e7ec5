import {
  type DatasetReader,
  type ExportSource,
  entitySetReader,
  marketReader,
  propertyReader,
  storeSource,
} from "@cadastre/delivery";
import type { EntitySet } from "@cadastre/odata";
import { entitySet } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";

export type ExportMeans = {
  readonly store: Store;
  readonly identities: Pick<IdentityRegister, "resolutions" | "revision">;
  /** The sets that have passed their gates, as of now. */
  readonly activeEntitySets: () => readonly EntitySet[];
};

/** What is delivered: by dataset, where its records come from. */
export function exportSource({ store, identities, activeEntitySets }: ExportMeans): ExportSource {
  const listings = entitySet("Property");
  const isActive = ({ name }: EntitySet) => activeEntitySets().some((active) => active.name === name);
  /** Nothing of what could not be proven to be filtered: its gates are not passed, or no rule restricts its rows. */
  const proven = (set: EntitySet, reader: DatasetReader): DatasetReader => ({
    ...reader,
    columns: (scope) => (isActive(set) && scope.restricts(set.name) ? reader.columns(scope) : undefined),
  });
  const rows = (set: EntitySet) => entitySetReader(store, set);
  return storeSource(store, {
    listing: proven(listings, rows(listings)),
    listing_media: proven(entitySet("Media"), rows(entitySet("Media"))),
    media_assets: proven(entitySet("Media"), rows(entitySet("MediaAsset"))),
    property: proven(listings, propertyReader({ store, entitySet: listings, identities })),
    market_report: proven(listings, marketReader(store, listings)),
    public_record: rows(entitySet("PublicRecord")),
  });
}

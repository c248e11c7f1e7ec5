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
import type { Config } from "../config.ts";
import type { Activation } from "../gates/activation.ts";

export type ExportMeans = {
  readonly store: Store;
  readonly identities: Pick<IdentityRegister, "resolutions" | "revision">;
  readonly activation: Pick<Activation, "has">;
  readonly config: Pick<Config, "minimumCellSize">;
};

/** What is delivered: by dataset, where its records come from. */
export function exportSource({ store, identities, activation, config }: ExportMeans): ExportSource {
  const listings = entitySet("Property");
  /** Nothing of what could not be proven to be filtered: its gates are not passed, or no rule restricts its rows. */
  const proven = (set: EntitySet, reader: DatasetReader): DatasetReader => ({
    ...reader,
    columns: (scope) =>
      activation.has(set.name) && scope.restricts(set.name) ? reader.columns(scope) : undefined,
  });
  const rows = (set: EntitySet) => entitySetReader(store, set);
  return storeSource(store, {
    listing: proven(listings, rows(listings)),
    listing_media: proven(entitySet("Media"), rows(entitySet("Media"))),
    media_assets: proven(entitySet("Media"), rows(entitySet("MediaAsset"))),
    property: proven(listings, propertyReader({ store, entitySet: listings, identities })),
    market_report: proven(
      listings,
      marketReader({ store, entitySet: listings, least: config.minimumCellSize }),
    ),
    public_record: proven(entitySet("PublicRecord"), rows(entitySet("PublicRecord"))),
  });
}

import {
  type DatasetReader,
  type ExportSource,
  entitySetReader,
  followingReader,
  marketReader,
  pinnedReader,
  propertyReader,
  selectedFollowing,
  selectedRecords,
  storeSource,
} from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import { inBackground, type Store } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import type { Activation } from "../gates/activation.ts";
import { lookupBasis } from "./lookup-basis.ts";

export type ExportMeans = {
  readonly store: Store & { readonly catalog: Catalog };
  readonly identities: Pick<IdentityRegister, "resolutions" | "revision">;
  readonly activation: Pick<Activation, "has">;
  readonly config: Pick<Config, "minimumCellSize">;
};

/** Creates the readers of the delivered datasets. */
export function exportSource({ identities, activation, config, ...means }: ExportMeans): ExportSource {
  const store = inBackground(means.store);
  const { entitySet, dictionary } = means.store.catalog;
  const [listings, media] = [entitySet("Property"), entitySet("Media")];
  const [mediaAssets, lookups] = [entitySet("MediaAsset"), entitySet("Lookup")];
  const isEnabled = ({ name }: EntitySet, scope: Scope) => activation.has(name) && scope.restricts(name);
  /** Makes a dataset unavailable unless the gates of its sets are passed and a rule restricts their rows, so that it is surely filtered. */
  const ifEnabled = (reader: DatasetReader, ...sets: readonly EntitySet[]): DatasetReader => ({
    ...reader,
    columns: (scope) => (sets.every((set) => isEnabled(set, scope)) ? reader.columns(scope) : undefined),
  });
  const rows = (set: EntitySet) => entitySetReader(store, set);
  const ofListing = {
    store,
    entitySet: media,
    link: "ResourceRecordKey",
    selected: selectedRecords(store, listings),
  };
  const ofMedia = {
    store,
    entitySet: mediaAssets,
    link: "MediaKey",
    selected: selectedFollowing(ofListing),
  };
  const ofSet = (name: RecordName) => ifEnabled(rows(entitySet(name)), entitySet(name));
  const source = storeSource(store, {
    listing: ifEnabled(rows(listings), listings),
    listing_media: ifEnabled(followingReader(ofListing), media),
    // The visibility of a file and its listing come from its media record.
    media_assets: ifEnabled(followingReader(ofMedia), mediaAssets, media),
    property: ifEnabled(propertyReader({ store, entitySet: listings, identities }), listings),
    market_report: ifEnabled(
      marketReader({ store, entitySet: listings, least: config.minimumCellSize }),
      listings,
    ),
    public_record: ofSet("PublicRecord"),
    member: ofSet("Member"),
    office: ofSet("Office"),
    open_house: ofSet("OpenHouse"),
    lookup: ifEnabled(pinnedReader(rows(lookups), lookupBasis(means.store.catalog)), lookups),
  });
  return { ...source, dictionaryVersion: dictionary.version };
}

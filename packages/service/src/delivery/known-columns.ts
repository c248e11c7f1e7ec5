import type { EntitySet } from "@cadastre/odata";
import { entitySet } from "@cadastre/reso";
import { marketColumns } from "@cadastre/store/market";
import { propertyColumns } from "@cadastre/store/property";

const fieldsOf = ({ type }: EntitySet): readonly string[] => [...type.properties.keys()];
const namesOf = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

/** Names of all columns of each dataset. */
export const knownColumns: Readonly<Record<string, readonly string[]>> = {
  listing: fieldsOf(entitySet("Property")),
  listing_media: fieldsOf(entitySet("Media")),
  media_assets: fieldsOf(entitySet("MediaAsset")),
  property: namesOf(propertyColumns(entitySet("Property"))),
  market_report: namesOf(marketColumns),
  public_record: fieldsOf(entitySet("PublicRecord")),
};

import type { Catalog } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";

/** The open listings, and the catalog that they were opened with. */
export type Listings = WritableStore & { readonly catalog: Catalog };

import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import type { DeliveryDocument } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import {
  type DeliveredDataset,
  deliveredDatasets,
  type OutputProfile,
  profileDocument,
  showsProfile,
} from "../profiles/profile.ts";
import { earlierSchemaDocuments, type SchemaDocument, schemaDocument } from "../profiles/schema-document.ts";
import type { ExportSource } from "../source/export-source.ts";
import { documentMediaType } from "./delivery-documents.ts";
import type { DeliveryCredits } from "./new-delivery.ts";
import { covers, type ScopeMembers } from "./pinned.ts";

/** An output profile that a customer may ask for, with what it would deliver now. */
export type OfferedProfile = {
  readonly profile: OutputProfile;
  /** True for the profile of a request that names none. */
  readonly isDefault: boolean;
  /** True if the document of the profile can be read. */
  readonly isShown: boolean;
  readonly datasets: readonly DeliveredDataset[];
  readonly schema: SchemaDocument;
};

/** A document by its hash, as it is served. */
export type ServedDocument = Pick<DeliveryDocument, "text" | "sha256"> & { readonly mediaType: string };

/**
 * The documents that manifests name by hash. A customer gets those that its deliveries name, as long as its entitlement covers the
 * deliveries, and those that a delivery would name now. Every other hash is `not_found`, whether or not such a document exists. Every method
 * throws {@link DeliveryError} and `StoreError` `registry_unavailable`.
 */
export type Documents = {
  /** Returns the profiles that the scope may ask for. */
  readonly profiles: (scope: Scope) => readonly OfferedProfile[];
  /** @param name id of a profile, or its hash. @throws {DeliveryError} `not_found` */
  readonly profile: (scope: Scope, name: string) => Promise<ServedDocument>;
  /** @throws {DeliveryError} `not_found` */
  readonly schema: (scope: Scope, sha256: string) => Promise<ServedDocument>;
  /** @throws {DeliveryError} `not_found` */
  readonly disclaimer: (scope: Scope, sha256: string) => Promise<ServedDocument>;
};

export type DocumentOptions = {
  readonly ledger: Pick<DeliveryLedger, "document">;
  readonly source: Pick<ExportSource, "columns">;
  /** Output profiles. The first one of each domain is its default. */
  readonly profiles: readonly OutputProfile[];
  readonly creditsOf: (scope: Scope) => Promise<DeliveryCredits> | DeliveryCredits;
};

export function createDocuments({ ledger, source, profiles, creditsOf }: DocumentOptions): Documents {
  // Both are made once for a scope, since a document of a thousand columns takes tens of milliseconds.
  const offered = onceForScope((scope) => offersOf({ source, profiles }, scope));
  const earlier = onceForScope((scope) => {
    const distinct = new Map(offered(scope).map((one) => [one.schema.sha256, one])).values();
    return [...distinct].flatMap(({ profile, datasets }) => earlierSchemaDocuments(profile, datasets));
  });

  /** Returns a document of the customer's deliveries. @throws {DeliveryError} `not_found` */
  const delivered = async (
    scope: Scope,
    kind: DeliveryDocument["kind"],
    sha256: string,
  ): Promise<ServedDocument> => {
    const found = isHash(sha256) ? await ledger.document(scope.customer, kind, sha256) : undefined;
    if (found === undefined || !covers(scope, JSON.parse(found.scope) as ScopeMembers))
      throw new DeliveryError("not_found");
    return served(kind, found.text, sha256);
  };

  return {
    profiles: offered,
    profile: async (scope, name) => {
      const present = offered(scope).find(({ profile: { id, sha256 } }) => id === name || sha256 === name);
      if (present?.isShown !== true) return delivered(scope, "profile", name);
      const { profile } = present;
      return served("profile", profileDocument(profile), profile.sha256);
    },
    schema: async (scope, sha256) => {
      const present =
        offered(scope).find(({ schema }) => schema.sha256 === sha256)?.schema ??
        earlier(scope).find((schema) => schema.sha256 === sha256);
      return present === undefined
        ? delivered(scope, "schema", sha256)
        : served("schema", present.text, sha256);
    },
    disclaimer: async (scope, sha256) => {
      const { disclaimers = [] } = await creditsOf(scope);
      const present = disclaimers.find((text) => hashOf(text) === sha256);
      return present === undefined
        ? delivered(scope, "disclaimer", sha256)
        : served("disclaimer", present, sha256);
    },
  };
}

function onceForScope<T extends object>(make: (scope: Scope) => T): (scope: Scope) => T {
  const made = new WeakMap<Scope, T>();
  return (scope) => {
    const known = made.get(scope) ?? make(scope);
    made.set(scope, known);
    return known;
  };
}

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const served = (kind: DeliveryDocument["kind"], text: string, sha256: string): ServedDocument => ({
  text,
  sha256,
  mediaType: documentMediaType(kind),
});

function offersOf(
  { source, profiles }: Pick<DocumentOptions, "source" | "profiles">,
  scope: Scope,
): readonly OfferedProfile[] {
  /** Schemas by domain and fields, of which most profiles have the same. */
  const schemas = new Map<string, SchemaDocument>();
  const defaults = new Map<string, OutputProfile>();
  for (const profile of profiles) if (!defaults.has(profile.domain)) defaults.set(profile.domain, profile);
  return profiles.flatMap((profile) => {
    if (!scope.products.includes(profile.domain)) return [];
    const datasets = deliveredDatasets(source, scope, profile);
    if (datasets.length === 0) return [];
    const content = JSON.stringify([profile.domain, profile.fields]);
    const schema = schemas.get(content) ?? schemaDocument(profile, datasets);
    schemas.set(content, schema);
    const isDefault = defaults.get(profile.domain) === profile;
    return [{ profile, isDefault, isShown: showsProfile(source, scope, profile), datasets, schema }];
  });
}

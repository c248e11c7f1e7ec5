import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import type { ManifestDocument } from "@cadastre/manifest";
import type { DeliveryDocument } from "../ledger/delivery.ts";
import { type OutputProfile, profileDocument } from "../profiles/profile.ts";
import type { SchemaDocument } from "../profiles/schema-document.ts";
import { membersOf } from "./pinned.ts";

type Kind = DeliveryDocument["kind"];

/** Names and media types of documents beside the parts of a delivery. */
const files: Readonly<
  Record<Kind, { readonly nameOf: (sha256: string) => string; readonly mediaType: string }>
> = {
  schema: { nameOf: () => "schema.json", mediaType: "application/json" },
  profile: { nameOf: () => "profile.json", mediaType: "application/json" },
  disclaimer: { nameOf: (sha256) => `disclaimer-${sha256}.txt`, mediaType: "text/plain;charset=utf-8" },
};

/** Returns the media type of a kind of document. */
export const documentMediaType = (kind: Kind): string => files[kind].mediaType;

export type DocumentContents = {
  readonly profile: OutputProfile;
  /** True if the customer may read the document of the profile. */
  readonly isProfileShown: boolean;
  readonly schema: SchemaDocument;
  /** Texts of the disclaimers that the manifest names by hash, each once. */
  readonly disclaimers: readonly string[];
};

/** Returns the documents that the manifest of a new delivery names. */
export function documentsOf(
  { profile, isProfileShown, schema, disclaimers }: DocumentContents,
  scope: Scope,
): readonly DeliveryDocument[] {
  const granted = JSON.stringify(membersOf(scope));
  return [
    { kind: "schema", ...schema, scope: granted },
    ...(isProfileShown
      ? [
          {
            kind: "profile",
            sha256: profile.sha256,
            text: profileDocument(profile),
            scope: granted,
          } as const,
        ]
      : []),
    ...disclaimers.map(
      (text) =>
        ({
          kind: "disclaimer",
          sha256: createHash("sha256").update(text).digest("hex"),
          text,
          scope: granted,
        }) as const,
    ),
  ];
}

/** Returns the entry of a document in a manifest. */
export const documentEntry = ({ kind, sha256, text }: DeliveryDocument): ManifestDocument => ({
  kind,
  name: files[kind].nameOf(sha256),
  mediaType: files[kind].mediaType,
  byteLength: Buffer.byteLength(text),
  sha256,
});

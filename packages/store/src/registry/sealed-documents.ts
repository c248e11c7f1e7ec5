import type { Knex } from "knex";
import type { Int64Column } from "./int64-column.ts";

/** An encrypted document, such as the peppers of the API keys. The registry cannot decrypt it. */
export type SealedDocument = {
  readonly sealed: string;
  /** Number that grows by 1 with each replacement. */
  readonly revision: number;
};

/** Encrypted documents by name. Every method throws {@link StoreError} `registry_unavailable`. */
export type SealedDocuments = {
  readonly find: (name: string) => Promise<SealedDocument | undefined>;
  /** Returns the revision of a document; undefined if there is none. */
  readonly revision: (name: string) => Promise<number | undefined>;
  /** Adds a document, unless one of this name exists. */
  readonly add: (name: string, sealed: string) => Promise<void>;
  /** Replaces a document that has the given revision. Returns false if it has another one. */
  readonly replace: (name: string, sealed: string, revision: number) => Promise<boolean>;
};

type SealedRow = { readonly name: string; readonly sealed: string; readonly revision: Int64Column };

/** Name of the table of sealed documents. */
export const sealedTable = "cadastre_sealed_document";

const sealedRows = (knex: Knex) => knex<SealedRow>(sealedTable);

export const createSealedDocuments = (knex: Knex): SealedDocuments => ({
  find: async (name) => {
    const row = await sealedRows(knex).where({ name }).first();
    return row && { sealed: row.sealed, revision: Number(row.revision) };
  },
  revision: async (name) => {
    const row = await sealedRows(knex).where({ name }).first("revision");
    return row && Number(row.revision);
  },
  add: async (name, sealed) => {
    await sealedRows(knex).insert({ name, sealed, revision: 1 }).onConflict("name").ignore();
  },
  replace: async (name, sealed, revision) =>
    (await sealedRows(knex)
      .where({ name, revision })
      .update({ sealed, revision: revision + 1 })) === 1,
});

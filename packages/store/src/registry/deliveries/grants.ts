import type { Knex } from "knex";
import type { PartGrant, PartGrants } from "./grant.ts";

type GrantRow = {
  readonly digest: string;
  readonly customer: string;
  readonly api_key: string;
  readonly delivery: string;
  /** PostgreSQL gives whole numbers of 64 bits as text. */
  readonly part: number | string;
  readonly scope_sha256: string;
  readonly expires: number | string;
};

/** The table of grants, to build a statement on. */
export const grantTable = (knex: Knex) => knex<GrantRow>("cadastre_part_grant");

/** The grants of parts in a database. */
export const createPartGrants = (knex: Knex): PartGrants => ({
  add: async ({ apiKey, scopeSha256, ...grant }) => {
    await grantTable(knex).insert({ ...grant, api_key: apiKey, scope_sha256: scopeSha256 });
  },
  find: async (digest) => {
    const rows: readonly GrantRow[] = await grantTable(knex).where({ digest });
    return rows.map(toGrant)[0];
  },
});

const toGrant = ({ api_key, scope_sha256, part, expires, ...row }: GrantRow): PartGrant => ({
  ...row,
  apiKey: api_key,
  part: Number(part),
  scopeSha256: scope_sha256,
  expires: Number(expires),
});

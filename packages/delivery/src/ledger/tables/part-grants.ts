import type { Int64Column, Knex, RegistryDatabase } from "@cadastre/store/registry";
import type { DeliveryMode, DeliveryState } from "../delivery.ts";
import type { FoundGrant, PartGrants } from "../part-grant.ts";

type GrantRow = {
  readonly digest: string;
  readonly customer: string;
  readonly api_key: string;
  readonly delivery: string;
  readonly part: Int64Column;
  readonly scope_sha256: string;
  readonly expires: Int64Column;
};

/** A grant joined with its delivery, and with its part if there is one. */
type FoundRow = GrantRow & {
  readonly mode: DeliveryMode;
  readonly state: DeliveryState;
  readonly delivery_expires: Int64Column;
  readonly delivery_scope: string;
  readonly sha256: string | null;
  readonly byte_length: Int64Column | null;
  readonly damaged: string | null;
};

/** Query builder for the table of grants. */
export const grantTable = (knex: Knex) => knex<GrantRow>("cadastre_part_grant");

/** Creates the grants of parts in a database. */
export function createPartGrants(knex: Knex, lookUps: RegistryDatabase["lookUps"]): PartGrants {
  const found = lookUps.of<FoundRow>(foundGrants(knex).where({ "g.digest": "" }));
  return {
    add: async ({ apiKey, scopeSha256, ...grant }) => {
      await grantTable(knex).insert({ ...grant, api_key: apiKey, scope_sha256: scopeSha256 });
    },
    find: async (digest) => (await found([digest])).map(toFound)[0],
  };
}

/** Selects grants with their delivery, their part, and a mark of damage. */
const foundGrants = (knex: Knex) =>
  knex("cadastre_part_grant as g")
    .join("cadastre_delivery as d", "d.id", "g.delivery")
    .leftJoin("cadastre_delivery_part as p", { "p.delivery": "g.delivery", "p.number": "g.part" })
    .leftJoin("cadastre_damage as b", (damage) => {
      damage.on("b.sha256", knex.raw("coalesce(??, ??)", ["p.sha256", "d.manifest_sha256"]));
    })
    .select(
      "g.*",
      "d.mode",
      "d.state",
      "d.expires as delivery_expires",
      "d.scope_sha256 as delivery_scope",
      "p.sha256",
      "p.byte_length",
      "b.sha256 as damaged",
    );

const toFound = (row: FoundRow): FoundGrant => ({
  grant: {
    digest: row.digest,
    customer: row.customer,
    apiKey: row.api_key,
    delivery: row.delivery,
    part: Number(row.part),
    scopeSha256: row.scope_sha256,
    expires: Number(row.expires),
  },
  delivery: {
    mode: row.mode,
    state: row.state,
    expires: Number(row.delivery_expires),
    scopeSha256: row.delivery_scope,
  },
  part: row.sha256 === null ? undefined : { sha256: row.sha256, byteLength: Number(row.byte_length) },
  isDamaged: row.damaged !== null,
});

import { relativeTime } from "@cadastre/client/terminal";
import { type ApiKeyRecord, isInForce } from "@cadastre/store/registry";
import { table } from "./table.ts";
import { readable } from "./times.ts";

const stateOf = (key: ApiKeyRecord, at: number): "live" | "revoked" | "expired" =>
  isInForce(key, at) ? "live" : key.revoked === null ? "expired" : "revoked";

const instant = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** Returns the JSON of a key, without its digest. */
export const keyJson = (key: ApiKeyRecord, at: number) => ({
  id: key.id,
  customer: key.customer,
  prefix: key.prefix,
  state: stateOf(key, at),
  created: instant(key.created),
  expires: instant(key.expires),
  revoked: instant(key.revoked),
  lastUsed: instant(key.lastUsed),
  pepper: key.pepper,
});

const heads = ["ID", "CUSTOMER", "KEY", "STATE", "CREATED", "ENDS", "LAST USED"] as const;

/** Returns a text table of keys. */
export function formatKeys(keys: readonly ApiKeyRecord[], at: number): string {
  const rows = keys.map((key) => {
    const end = key.revoked ?? key.expires;
    return [
      key.id,
      key.customer,
      `${key.prefix}…`,
      stateOf(key, at),
      relativeTime(key.created, at),
      end === null ? "–" : readable(end),
      key.lastUsed === null ? "never" : relativeTime(key.lastUsed, at),
    ];
  });
  return table(heads, rows);
}

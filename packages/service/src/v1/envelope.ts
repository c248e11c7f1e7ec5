import type { Scope } from "@cadastre/entitlement";
import { type Answer, ok } from "../http/answer.ts";
import { tagged } from "../http/entity-tag.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns a JSON answer `{data, meta}`. `meta` has the version of the entitlement that restricted the data. */
export const enveloped = (data: Json | readonly Json[], { version }: Scope, meta: Json = {}): Answer =>
  tagged(ok("application/json", JSON.stringify({ data, meta: { entitlement_version: version, ...meta } })));

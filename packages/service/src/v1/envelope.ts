import type { Scope } from "@cadastre/entitlement";
import { type Answer, found } from "../http/answer.ts";
import { tagged } from "../odata/entity-tag.ts";

type Json = Readonly<Record<string, unknown>>;

/** An answer in the envelope that all of them have, which says what entitlement it is restricted to. */
export const enveloped = (data: Json | readonly Json[], { version }: Scope, meta: Json = {}): Answer =>
  tagged(
    found("application/json", JSON.stringify({ data, meta: { entitlement_version: version, ...meta } })),
  );

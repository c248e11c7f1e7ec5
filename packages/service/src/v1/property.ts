import type { Row } from "@cadastre/odata";
import { isProvisionalId, readProperty } from "@cadastre/store/property";
import { z } from "zod";
import { defineEndpoint, toSchema } from "../endpoint/endpoint.ts";
import { pathKey, string } from "../endpoint/members.ts";
import { Refused } from "../errors.ts";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { requireFilteredListings } from "./proven-set.ts";
import type { V1Services } from "./services.ts";

/** True if the text has the form of a property id. */
export const isPropertyId = (id: string): boolean => isCanonicalPlacekey(id) || isProvisionalId(id);

const number = z.number().nullable();

/** The attributes that most properties have. Attributes of fields that the key may not see are left out. */
const attributes = z.looseObject({
  status: string.nullable(),
  list_price: number,
  bedrooms: number,
  bathrooms: number,
  osn: string,
});

/** A hidden property is `not_found`, like an absent one: the same SQL statements find neither. */
export const physicalProperty = defineEndpoint({
  method: "get",
  path: "/v1/properties/{id}",
  tag: "JSON",
  summary: "One physical property, from its listings that the key sees",
  channel: "api",
  params: { id: pathKey("invalid_property_id", "A Placekey, or `prov:<ULID>`", "222-222@5vg-82n-kzz") },
  answer: {
    data: z.object({
      id: string,
      domain: z.literal("listing"),
      version: string.meta({ pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$" }),
      attributes: z.custom<Row>().meta({ ...toSchema(attributes), required: undefined }),
    }),
  },
  errors: ["invalid_property_id", "not_found"],
  handle: async ({ caller: { scope }, params: { id }, stages, clientGone, reply }, services: V1Services) => {
    const entitySet = requireFilteredListings(scope, services);
    if (!isPropertyId(id)) throw new Refused("not_found");
    const { store } = services;
    const identities = await services.identities();
    const view = await stages.timeAsync("run", (within) =>
      readProperty(id, { store, entitySet, scope, identities }, { signal: clientGone(), stages: within }),
    );
    if (view === undefined) throw new Refused("not_found");
    return stages.time("render", () => reply(view));
  },
});

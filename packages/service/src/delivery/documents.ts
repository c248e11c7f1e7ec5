import type { OfferedProfile, ServedDocument } from "@cadastre/delivery";
import type { Answer } from "@cadastre/server/parts";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { oneOf, sha256Text, string, whole } from "../endpoint/members.ts";
import type { DeliveryServices } from "./services.ts";

const onDocuments = { method: "get", tag: "Delivery", channel: "file_delivery" } as const;

/** A document never changes under its hash, so a cache of the customer may keep it. */
const immutable = "private, max-age=31536000, immutable";

/** Returns the answer of a document: its bytes, whose SHA-256 is its name. */
const documentAnswer = ({ text, sha256, mediaType }: ServedDocument, isByHash = true): Answer => ({
  status: 200,
  contentType: mediaType,
  body: text,
  headers: { etag: `"sha256:${sha256}"`, ...(isByHash ? { "cache-control": immutable } : {}) },
});

const hashParam = (description: string) => ({ sha256: sha256Text.meta({ description }) });

const getSchema = defineEndpoint({
  ...onDocuments,
  path: "/v1/schemas/{sha256}",
  summary:
    "The columns of a delivery: canonical JSON whose SHA-256 is `schema.sha256` of its manifest. Of a hash that none of the caller's deliveries has it is not told whether it exists",
  params: hashParam("`schema.sha256` of a manifest, or `schema_sha256` of a profile"),
  answer: { content: { "application/json": { type: "object", required: ["datasets"] } } },
  errors: ["not_found"],
  handle: async ({ caller: { scope }, params }, { documents }: DeliveryServices) =>
    documentAnswer(await documents.schema(scope, params.sha256)),
});

const getDisclaimer = defineEndpoint({
  ...onDocuments,
  path: "/v1/disclaimers/{sha256}",
  summary: "The text of a disclaimer, whose SHA-256 is `disclaimerSha256` in the attribution of a manifest",
  params: hashParam("`disclaimerSha256` of a manifest"),
  answer: { content: { "text/plain": { type: "string" } } },
  errors: ["not_found"],
  handle: async ({ caller: { scope }, params }, { documents }: DeliveryServices) =>
    documentAnswer(await documents.disclaimer(scope, params.sha256)),
});

const offeredProfile = z.object({
  id: string,
  version: whole,
  domain: string,
  default: z.boolean().meta({ description: "True for the profile of a request without `profileId`" }),
  format: oneOf(["jsonl", "csv", "parquet"]),
  compression: oneOf(["gzip", "zstd", "none"]),
  removal_reason: z.boolean(),
  sha256: sha256Text,
  schema_sha256: sha256Text.meta({ description: "Schema of a delivery that is asked for now" }),
  datasets: z.array(z.object({ name: string, key: string, columns: whole })),
});

const offerView = ({ profile, isDefault, datasets, schema }: OfferedProfile) => ({
  id: profile.id,
  version: profile.version,
  domain: profile.domain,
  default: isDefault,
  format: profile.format,
  compression: profile.compression,
  removal_reason: profile.removalReason,
  sha256: profile.sha256,
  schema_sha256: schema.sha256,
  datasets: datasets.map(({ name, keyField, columns }) => ({ name, key: keyField, columns: columns.length })),
});

const listProfiles = defineEndpoint({
  ...onDocuments,
  path: "/v1/profiles",
  summary: "The output profiles that the key may ask for, with the default of each domain",
  answer: { data: z.array(offeredProfile), meta: { count: whole } },
  errors: [],
  handle: async ({ caller: { scope }, stages, reply }, { documents }: DeliveryServices) => {
    const data = stages.time("run", () => documents.profiles(scope).map(offerView));
    return reply(data, { meta: { count: data.length } });
  },
});

const getProfile = defineEndpoint({
  ...onDocuments,
  path: "/v1/profiles/{id}",
  summary:
    "An output profile: canonical JSON whose SHA-256 is `profile.sha256` of manifests. A profile that names fields which the key does not see is not found",
  params: { id: string.meta({ description: "`id` or `sha256` of a profile", example: "listing-jsonl" }) },
  answer: { content: { "application/json": { type: "object", required: ["id", "version", "domain"] } } },
  errors: ["not_found"],
  handle: async ({ caller: { scope }, params: { id } }, { documents }: DeliveryServices) => {
    const found = await documents.profile(scope, id);
    return documentAnswer(found, found.sha256 === id);
  },
});

/** Endpoints of the documents that manifests name by hash. */
export const documentEndpoints = [listProfiles, getProfile, getSchema, getDisclaimer];

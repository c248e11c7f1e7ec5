import { randomUUID } from "node:crypto";
import type { Domain, Manifest } from "@cadastre/manifest";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { type Looks, longer, pauseFor } from "../http/pause.ts";
import { askJson } from "../http/request.ts";

export type ExportRequest = {
  readonly domain: Domain;
  /** Output profile; by default the first one of the domain. */
  readonly profileId?: string | undefined;
  /** Condition on the records, in the language of `$filter`; by default all are delivered. */
  readonly filter?: string | undefined;
  /** Fields of the records; by default all of the profile. */
  readonly select?: readonly string[] | undefined;
  /** An earlier state: a time as in RFC 3339, or `window.toCheckpoint` of an earlier delivery; by default the present one. */
  readonly asOf?: string | undefined;
  /** Requests with the same key return the same export. */
  readonly idempotencyKey?: string | undefined;
};

/** Id of a delivery or a subscription. */
export const deliveryId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);
const created = z.object({ id: deliveryId });
const status = z.object({
  status: z.string().regex(/^[a-z_]{1,32}$/),
  failure: z.object({ code: z.string().regex(/^\w{1,64}$/) }).nullish(),
});

/** Final states other than `complete`. */
const ended: ReadonlySet<string> = new Set(["failed", "canceled", "expired", "purged"]);

/** Polling interval for the status of a delivery. */
const looks: Looks = [500, 10_000];

/** Returns the path of a delivery, or of a resource below it. */
export function deliveryPath(id: string, rest = ""): string {
  if (!deliveryId.safeParse(id).success) throw new ClientError("delivery_id_invalid");
  return `/v1/file-exports/${id}${rest}`;
}

/** Requests a snapshot. Returns the id of its delivery. */
export async function requestExport(connection: Connection, request: ExportRequest): Promise<string> {
  const { domain, profileId, filter, select, asOf, idempotencyKey = randomUUID() } = request;
  const body = {
    domain,
    deliveryMode: "pull",
    idempotencyKey,
    ...(profileId === undefined ? {} : { profileId }),
    ...(filter === undefined ? {} : { filter }),
    ...(select === undefined ? {} : { select }),
    ...(asOf === undefined ? {} : { asOf }),
  };
  const answer = await askJson(connection, { method: "POST", path: "/v1/file-exports", body }, "the request");
  return dataOf(answer, created, "the request").id;
}

/** Waits until a delivery is complete. */
export async function awaitExport(
  connection: Connection,
  id: string,
  { onStatus = () => {} }: { readonly onStatus?: (status: string) => void } = {},
): Promise<void> {
  const { signal } = connection;
  for (let pause = looks[0]; ; pause = longer(pause, looks)) {
    const answer = await askJson(connection, { path: deliveryPath(id) }, "the status");
    const state = dataOf(answer, status, "the status");
    onStatus(state.status);
    if (state.status === "complete") return;
    if (ended.has(state.status))
      throw new ClientError("delivery_failed", {
        status: state.status,
        ...(state.failure ? { code: state.failure.code } : {}),
      });
    await pauseFor(pause, signal);
  }
}

/** Acknowledges a loaded delivery. The acknowledgement is evidence, and has no other effect. */
export async function acknowledge(
  connection: Connection,
  { manifest, sha256 }: { readonly manifest: Manifest; readonly sha256: string },
  reference: string,
): Promise<void> {
  const body = {
    generation: manifest.generation,
    sequence: manifest.sequence,
    manifest_sha256: sha256,
    customer_reference: reference,
  };
  const path = deliveryPath(manifest.deliveryId, "/acknowledge");
  await askJson(connection, { method: "POST", path, body }, "the acknowledgement");
}

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ClientError, type ClientErrorCode } from "../errors.ts";
import { onDisk, unlessMissing, writeAtomically } from "../fetch/disk.ts";
import { awaitExport, type ExportRequest, requestExport } from "../fetch/exports.ts";
import type { Connection } from "../http/connection.ts";

const pending = z.object({ origin: z.string(), idempotencyKey: z.string() });

/** Errors after which an export cannot be fetched any more: the next run asks for a new one. */
const ends: ReadonlySet<ClientErrorCode> = new Set([
  "delivery_failed",
  "delivery_expired",
  "entitlement_changed",
  "part_lost",
]);

/** True if the error means that the export cannot be fetched any more. */
export const endsExport = (error: unknown): boolean => error instanceof ClientError && ends.has(error.code);

/** A requested export that has not been loaded yet. */
export type PendingExport = {
  readonly id: string;
  /** Forgets the request, so that the next one creates another export. */
  readonly done: () => Promise<void>;
};

/**
 * Requests a snapshot and waits until it is complete. The idempotency key is stored in the staging folder, so that a repeated call after an
 * interruption continues with the same export.
 */
export async function exportOnce(
  connection: Connection,
  request: Omit<ExportRequest, "idempotencyKey">,
  { staging, onStatus }: { readonly staging: string; readonly onStatus?: (status: string) => void },
): Promise<PendingExport> {
  const { domain, profileId = "default" } = request;
  const file = join(staging, `request-${domain}-${profileId.replaceAll(/[^\w-]/g, "_")}.json`);
  const done = () => onDisk(file, () => rm(file, { force: true }));
  const { origin } = connection;
  const before = await onDisk(file, () => readPending(file));
  const idempotencyKey = before?.origin === origin ? before.idempotencyKey : randomUUID();
  await onDisk(file, async () => {
    await mkdir(staging, { recursive: true });
    await writeAtomically(file, JSON.stringify({ origin, idempotencyKey }));
  });
  try {
    const id = await requestExport(connection, { ...request, idempotencyKey });
    await awaitExport(connection, id, onStatus === undefined ? {} : { onStatus });
    return { id, done };
  } catch (error) {
    if (endsExport(error)) await done();
    throw error;
  }
}

async function readPending(file: string) {
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text === undefined) return undefined;
  try {
    return pending.parse(JSON.parse(text));
  } catch {
    throw new ClientError("state_malformed", { file });
  }
}

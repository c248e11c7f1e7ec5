import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ClientError, type ClientErrorCode, exitCodeOf, exitCodes } from "../errors.ts";
import { onDisk, unlessMissing, writeAtomically } from "../fetch/disk.ts";
import { awaitExport, type ExportRequest, requestExport } from "../fetch/exports.ts";
import { withLock } from "../fetch/lock.ts";
import { databaseStaging } from "../fetch/staging.ts";
import type { Connection } from "../http/connection.ts";

const pending = z.object({ origin: z.string(), idempotencyKey: z.string() });

/** Requests of earlier versions have neither member, and are not continued. */
const resumable = pending.extend({ purpose: z.string(), askedAt: z.iso.datetime() });

/** Age up to which a request is continued, in milliseconds: it is for a run that was cut off, not for data of another day. */
const longestAge = 3_600_000;

/** Exit codes after which another attempt at the same export gives the same result, so the next run asks for a new one. */
const ends: ReadonlySet<number> = new Set([
  exitCodes.usage,
  exitCodes.refused,
  exitCodes.untrusted,
  exitCodes.conflict,
  exitCodes.occupied,
]);

/** Exceptions to `ends`: another key, a higher limit or a repeated transfer may help. */
const passing: ReadonlySet<string> = new Set<ClientErrorCode>([
  "unauthorized",
  "forbidden",
  "request_refused",
  "max_bytes_exceeded",
  "answer_malformed",
  "manifest_hash_differs",
  "part_hash_differs",
  "part_length_differs",
]);

/** True if another attempt at the same export cannot succeed after this error. */
export const endsExport = (error: unknown): boolean =>
  ends.has(exitCodeOf(error)) && !(error instanceof ClientError && passing.has(error.code));

/** A requested export that has not been loaded yet. */
export type PendingExport = {
  readonly id: string;
  /** Forgets the request, so that the next one creates another export. */
  readonly done: () => Promise<void>;
};

type PendingOptions = {
  readonly staging: string;
  /** Target and options of the run, as any text. Only a request of the same purpose is continued. */
  readonly purpose?: string;
  readonly onStatus?: (status: string) => void;
};

/**
 * Requests a snapshot and waits until it is complete. The idempotency key is stored in the staging folder for an hour, so that a repeated
 * call for the same purpose after an interruption continues with the same export.
 */
export async function exportOnce(
  connection: Connection,
  request: Omit<ExportRequest, "idempotencyKey">,
  { staging, purpose = "", onStatus }: PendingOptions,
): Promise<PendingExport> {
  const { domain, profileId = "default" } = request;
  const file = join(staging, `request-${domain}-${profileId.replaceAll(/[^\w-]/g, "_")}.json`);
  const done = () => onDisk(file, () => rm(file, { force: true }));
  const { origin } = connection;
  const id = await withLock(file, async () => {
    const idempotencyKey = await onDisk(file, () => keyOf(file, { origin, purpose }));
    const asked = await requestExport(connection, { ...request, idempotencyKey }).catch(
      async (error: unknown) => {
        // A refused request has created no export.
        if (ends.has(exitCodeOf(error))) await done();
        throw error;
      },
    );
    await awaitExport(connection, asked, onStatus === undefined ? {} : { onStatus }).catch(
      async (error: unknown) => {
        if (endsExport(error)) await done();
        throw error;
      },
    );
    return asked;
  });
  return { id, done };
}

/** Returns the idempotency key of the stored request if that is continued, else a new one, which it stores. */
async function keyOf(
  file: string,
  { origin, purpose }: { readonly origin: string; readonly purpose: string },
): Promise<string> {
  const before = await readPending(file);
  if (before?.origin === origin && before.purpose === purpose && isYoung(before.askedAt))
    return before.idempotencyKey;
  const idempotencyKey = randomUUID();
  await mkdir(dirname(file), { recursive: true });
  const askedAt = new Date().toISOString();
  await writeAtomically(file, JSON.stringify({ origin, idempotencyKey, purpose, askedAt }));
  // Earlier versions stored it there, for whatever database.
  if (dirname(dirname(file)) === databaseStaging)
    await rm(join(databaseStaging, basename(file)), { force: true });
  return idempotencyKey;
}

const isYoung = (askedAt: string): boolean => Math.abs(Date.now() - Date.parse(askedAt)) < longestAge;

async function readPending(file: string): Promise<z.output<typeof resumable> | undefined> {
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text === undefined) return undefined;
  try {
    const stored: unknown = JSON.parse(text);
    pending.parse(stored);
    return resumable.safeParse(stored).data;
  } catch {
    throw new ClientError("state_malformed", { file });
  }
}

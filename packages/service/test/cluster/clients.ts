import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect, exportOnce, fetchKeys, openTarget, pull } from "@cadastre/client";
import Database from "better-sqlite3";
import { isOwnKey, type Prices, type Writer } from "./writer.ts";

/** A service that a client reaches. */
export type Served = { readonly baseUrl: string; readonly apiKey: string };

/** Work of the clients, and what they found wrong. */
export type Findings = {
  readonly wrong: string[];
  /** Number of answers by outcome: a status, or the code of a broken connection. */
  readonly answers: Map<string, number>;
  walks: number;
  lookUps: number;
  deliveries: number;
};

export const createFindings = (): Findings => ({
  wrong: [],
  answers: new Map(),
  walks: 0,
  lookUps: 0,
  deliveries: 0,
});

type Page = {
  readonly value: readonly { readonly ListingKey: string; readonly ListPrice: number }[];
  readonly "@odata.nextLink"?: string;
};

/** Longest time until a client gives up, in milliseconds. */
const longest = 120_000;

/** Statuses after which a client asks again, as any client of a service behind a proxy must. */
const passing: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * Asks until there is an answer that is not a passing one. 500 is counted as wrong: a failing server is no error of the service.
 *
 * @param target address without that of the service
 * @returns the body of an answer without an error, else a text that describes the error
 */
async function get<T>(
  { baseUrl, apiKey }: Served,
  target: string,
  { answers, wrong }: Findings,
): Promise<T | string> {
  for (const deadline = Date.now() + longest; ; ) {
    let outcome: string;
    try {
      const response = await fetch(`${baseUrl}${target}`, {
        headers: { "x-api-key": apiKey, connection: "close" },
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      outcome = String(response.status);
      if (response.status === 500) wrong.push(`${target}: ${text.slice(0, 200)}`);
      if (!passing.has(response.status)) {
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
        return response.ok ? (JSON.parse(text) as T) : `${outcome} ${text}`;
      }
    } catch (error) {
      outcome = codeOf(error);
    }
    answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
    if (Date.now() > deadline) throw new Error(`${target} is not answered: ${outcome}`);
    await setTimeout(100);
  }
}

const codeOf = (error: unknown): string => {
  const { name, cause } = error as { readonly name: string; readonly cause?: { readonly code?: string } };
  return cause?.code ?? name;
};

/** Listings that a walk met: those of the writer by key, and the keys of the others. */
type Met = { readonly own: Map<string, number>; readonly others: readonly string[] };

/** Walks all listings page by page. */
export async function listOwn(served: Served, findings: Findings): Promise<Met> {
  const [own, others] = [new Map<string, number>(), new Set<string>()];
  let target: string | undefined = "/reso/odata/Property?$select=ListingKey,ListPrice";
  while (target !== undefined) {
    const page: Page | string = await get<Page>(served, target, findings);
    if (typeof page === "string") {
      findings.wrong.push(`a walk was answered ${page} at ${target}`);
      break;
    }
    for (const { ListingKey: key, ListPrice: price } of page.value) {
      if (own.has(key) || others.has(key)) findings.wrong.push(`a walk met ${key} twice`);
      if (isOwnKey(key)) own.set(key, price);
      else others.add(key);
    }
    const next: string | undefined = page["@odata.nextLink"];
    target = next === undefined ? undefined : next.slice(new URL(next).origin.length);
  }
  return { own, others: [...others] };
}

/** Walks all listings again and again until the signal, and compares what each walk met with what the writer has written. */
export async function walk(
  served: Served,
  writer: Writer,
  seeded: number,
  findings: Findings,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const { own, others } = await listOwn(served, findings);
    await writer.settled();
    const why = writer.whyNot(new Set(own.keys()));
    if (why !== undefined) findings.wrong.push(`a walk of ${own.size} own listings: ${why}`);
    if (others.length !== seeded)
      findings.wrong.push(`a walk met ${others.length} of ${seeded} other listings`);
    findings.walks++;
  }
}

/** Asks for single listings until the signal. Each must be there, and have a price that it had. */
export async function lookUp(
  served: Served,
  keys: readonly string[],
  findings: Findings,
  stop: AbortSignal,
): Promise<void> {
  for (let i = 0; !stop.aborted; i++) {
    const key = keys[(i * 7919) % keys.length] ?? "";
    const found = await get<{ ListingKey: string }>(
      served,
      `/reso/odata/Property('${encodeURIComponent(key)}')?$select=ListingKey`,
      findings,
    );
    if (typeof found === "string" || found.ListingKey !== key)
      findings.wrong.push(`${key} was answered ${JSON.stringify(found)}`);
    findings.lookUps++;
    await setTimeout(20);
  }
}

/**
 * Asks for deliveries until the signal, pulls and verifies each, and compares its listings with those that the writer had written at the
 * checkpoint of the delivery.
 *
 * @param checkpointOf returns the checkpoint that a delivery was asked for at
 */
export async function receive(
  { baseUrl, apiKey }: Served,
  writer: Writer,
  checkpointOf: (delivery: string) => Promise<number>,
  findings: Findings,
  stop: AbortSignal,
): Promise<void> {
  const connection = connect({
    url: baseUrl,
    apiKey,
    retryPolicy: { tries: 60, pause: 500, timeout: 30_000 },
  });
  while (!stop.aborted) {
    const folder = await mkdtemp(join(tmpdir(), "cadastre-cluster-"));
    try {
      const file = join(folder, "copy.sqlite");
      const { id } = await exportOnce(connection, { domain: "listing" }, { staging: folder });
      const target = await openTarget(`sqlite:${file}`);
      const trust = await fetchKeys(connection);
      await pull(connection, id, { target, staging: join(folder, "parts"), trust, reference: "cluster" });
      await target.close();
      const checkpoint = await checkpointOf(id);
      await writer.settled();
      const why = difference(writer.at(checkpoint), pricesIn(file));
      if (why !== undefined) findings.wrong.push(`delivery ${id} at checkpoint ${checkpoint}: ${why}`);
      findings.deliveries++;
    } catch (error) {
      findings.wrong.push(`a delivery failed: ${String(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function pricesIn(file: string): Prices {
  const database = new Database(file, { readonly: true });
  try {
    const rows = database
      .prepare<[], { readonly ListingKey: string; readonly ListPrice: number }>(
        "select ListingKey, ListPrice from listing",
      )
      .all();
    return new Map(
      rows.filter((row) => isOwnKey(row.ListingKey)).map((row) => [row.ListingKey, Number(row.ListPrice)]),
    );
  } finally {
    database.close();
  }
}

/** Returns the first difference between two sets of prices. */
export function difference(expected: Prices, actual: Prices): string | undefined {
  for (const [key, price] of expected)
    if (actual.get(key) !== price) return `${key} has ${actual.get(key)} in place of ${price}`;
  for (const key of actual.keys()) if (!expected.has(key)) return `${key} should not be there`;
  return undefined;
}

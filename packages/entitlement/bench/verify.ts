/*
 * What it costs to verify an entitlement and to compile it into a scope: once per document, not per request.
 * CPU time of the process, all threads, in microseconds a call.
 *
 *   node --conditions=@cadastre/source --import tsx packages/entitlement/bench/verify.ts
 */
import {
  compileScope,
  type Entitlement,
  generateKeyPair,
  openKeySource,
  signEntitlement,
  verifyEntitlement,
} from "@cadastre/entitlement";
import type { EntitySet, StructuralProperty } from "@cadastre/odata";
import { entitlement, nevada, oregon, texas } from "../test/support/documents.ts";

/** As many as RESO's Property and the service's own. */
const names = Array.from({ length: 946 }, (_, i) => `StandardProperty${i}`);
const property = (name: string): StructuralProperty => ({
  name,
  type: "Edm.String",
  collection: false,
  nullable: true,
});
const wideSet: EntitySet = {
  name: "Property",
  type: {
    name: "Property",
    key: ["ListingKey"],
    properties: new Map(["ListingKey", ...names].map((name) => [name, property(name)])),
  },
};

const regions = Array.from({ length: 100 }, (_, i) => ({ kind: "zip", value: String(78_000 + i) }) as const);
const granting = (...fields: readonly ("*" | readonly string[])[]): Entitlement =>
  entitlement({
    regions,
    datasets: [texas, oregon, nevada].map((dataset_id, i) => ({
      dataset_id,
      resources: { Property: { fields: fields[i] ?? "*" } },
    })),
  });

const documents = {
  "100 ZIP codes, every field": granting(),
  "100 ZIP codes, 30 fields of each dataset": granting(
    ...[0, 20, 40].map((from) => names.slice(from, from + 30)),
  ),
};

const calls = 2000;

/** Median and 99th percentile of the CPU time of a call, after three times as many calls to warm up. */
async function cost(call: () => unknown): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < 4 * calls; i += 1) {
    const before = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(before);
    if (i >= 3 * calls) times.push(user + system);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 0.99].map((share) => sorted[Math.floor(calls * share)] ?? 0);
}

const pair = await generateKeyPair();
const jwks = JSON.stringify({ keys: [pair.publicKey] });
const source = await openKeySource("https://issuer.example/", { fetch: async () => new Response(jwks) });
const trust = { issuer: "https://issuer.example", audience: "https://listings.example" };
const now = () => new Date("2025-01-01T00:00:00Z");

console.log("| document | kB | verify, median | verify, p99 | compile, median | compile, p99 |");
console.log("|---|--:|--:|--:|--:|--:|");
for (const [name, document] of Object.entries(documents)) {
  const jws = await signEntitlement(document, pair);
  const verified = await cost(() => verifyEntitlement(jws, { ...trust, keys: source, now }));
  const compiled = await cost(() => compileScope(document, { entitySets: [wideSet] }));
  const figures = [
    (jws.length / 1000).toFixed(1),
    ...[...verified, ...compiled].map((time) => time.toFixed(0)),
  ];
  console.log(`| ${[name, ...figures].join(" | ")} |`);
}
source.close();

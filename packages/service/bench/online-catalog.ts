/*
 * A system, local fields and records added while the service answers: no request may fail, and no byte may change for customers who do not
 * see them.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/online-catalog.ts [--listings 100000] [--records 2000] [--seconds 20] [--fields 8] [--database SQLite|PostgreSQL]
 *
 * The commands are run by `cadastre` in processes of their own, `seconds` after the first answers. The exit code is 1 if an answer failed or
 * changed, or if the new customer does not see what was added.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compilePackages, startPostgres } from "@cadastre/odata/testing";
import { openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { readDemo } from "../src/demo/demo-file.ts";
import { bodyOf, type Client, connect } from "./client.ts";
import { completeExport, contentOf } from "./export-content.ts";
import { moveToClientCore } from "./processes.ts";
import { recordsOf } from "./records.ts";
import { settingsOf } from "./settings.ts";
import { type Sample, SteadyAnswers, type SteadyCustomer } from "./steady-answers.ts";
import { head, line, number, percentile } from "./table.ts";
import { peakMemoryOf, startWhole } from "./whole-service.ts";

const given = settingsOf({
  listings: "100000",
  records: "2000",
  seconds: "20",
  fields: "8",
  database: "SQLite",
});

/** Returns the path of a program as it is published. */
const compiled = (file: string) => fileURLToPath(new URL(`../dist/${file}`, import.meta.url));

/** Listings of the sample with all their fields, media and people. The rest of the listings have 64 fields. */
const fullListings = Math.min(500, Number(given.listings));

/** The added system. */
const system = { id: "harbor", name: "Harbor MLS", state: "ME" };

/** Fields that are added to the system one by one: the options of `field add`, and the value of a record. */
const addedFields: Readonly<
  Record<string, { readonly options: readonly string[]; readonly sampleOf: (index: number) => unknown }>
> = {
  HBR_DockLength: {
    options: ["--type", "decimal", "--precision", "7", "--scale", "2"],
    sampleOf: (index) => index / 4,
  },
  HBR_Shoreline: {
    options: ["--type", "string", "--lookup", "HBR_Shoreline", "--value", "Sand", "--value", "Rock"],
    sampleOf: (index) => (index % 2 === 0 ? "Sand" : "Rock"),
  },
  HBR_Uses: {
    options:
      "--type string --collection --lookup HBR_Uses --lookup-status open --value Fishing --value Sailing".split(
        " ",
      ),
    sampleOf: (index) => ["Fishing", "Sailing", "Rowing"].slice(index % 3),
  },
  HBR_Pier: { options: ["--type", "boolean"], sampleOf: (index) => index % 3 === 0 },
  HBR_Berths: { options: ["--type", "integer"], sampleOf: (index) => index % 12 },
  HBR_Dredged: { options: ["--type", "date"], sampleOf: () => "2025-06-01" },
  HBR_Sounded: { options: ["--type", "timestamp"], sampleOf: () => "2025-06-01T12:00:00Z" },
  HBR_HighTide: { options: ["--type", "time"], sampleOf: () => "06:30:00" },
};

const fieldNames = Object.keys(addedFields).slice(0, Number(given.fields));

/** A field that is added to a system of the sample at last, which two of the demo's customers see. */
const laterField = { system: "evergreen", name: "EVG_Ferry", seenBy: ["national", "coarse"] };

/** Returns the requests of a customer, made of the first listings that it sees. */
async function targetsOf(client: Client): Promise<readonly string[]> {
  const page = await bodyOf(client, "/reso/odata/Property?$top=40&$select=ListingKey,City");
  const { value: listings } = JSON.parse(page.toString()) as {
    readonly value: readonly { readonly ListingKey: string; readonly City: string | null }[];
  };
  const [first] = listings;
  if (first === undefined) throw new Error("a customer sees no listing");
  const filtered = (filter: string, more = "") =>
    `/reso/odata/Property?$filter=${encodeURIComponent(filter)}${more}`;
  const inCity = `City eq '${(first.City ?? "Austin").replaceAll("'", "''")}'`;
  return [
    "/reso/odata",
    "/reso/odata/$metadata",
    "/reso/odata/$metadata?$format=json",
    "/reso/odata/Property?$top=20",
    "/reso/odata/Property/$count",
    "/reso/odata/Property?$orderby=ListingKey&$top=50&$select=ListingKey,ListPrice",
    filtered(inCity, "&$top=20&$count=true&$ignorenulls=true"),
    filtered("StandardStatus eq 'Active' and ListPrice gt 300000", "&$orderby=ListPrice%20desc&$top=20"),
    `/reso/odata/Media?$filter=${encodeURIComponent(`ResourceRecordKey eq '${first.ListingKey}'`)}`,
    "/reso/odata/Media?$top=20",
    "/reso/odata/Member?$top=20&$count=true",
    "/reso/odata/Office?$top=20",
    "/reso/odata/Lookup?$top=200&$count=true",
    "/reso/odata/Lookup?$filter=LookupName%20eq%20'StandardStatus'",
    "/v1/account/resources",
    "/v1/mls-profiles",
    "/v1/field-completeness",
    ...listings
      .slice(0, 20)
      .flatMap(({ ListingKey }) => [
        `/reso/odata/Property('${encodeURIComponent(ListingKey)}')`,
        `/v1/listings/${encodeURIComponent(ListingKey)}`,
      ]),
  ];
}

/** Duration and peak memory of a command. */
type Run = { readonly phase: string; readonly seconds: number; readonly megabytes: number };

/** Runs `cadastre`, and returns its standard output. @throws {Error} if it fails */
async function cadastre(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const start = performance.now();
  const child = spawn(process.execPath, [compiled("cli/main.js"), ...args], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      texts[name] += chunk.toString();
    });
  let megabytes = 0;
  const sampling = setInterval(() => {
    megabytes = Math.max(megabytes, peakMemoryOf(child.pid ?? 0));
  }, 20);
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(sampling);
  if (code !== 0) throw new Error(`cadastre ${args.join(" ")} gave ${code}: ${texts.stderr}`);
  return { stdout: texts.stdout, seconds: (performance.now() - start) / 1000, megabytes };
}

function report(samples: readonly Sample[], runs: readonly Run[], seen: ReadonlyMap<string, number>): void {
  console.log(
    head("while", "s", "MB", "seen after s", "answers", "failed", "changed", "p50 ms", "p99 ms", "worst ms"),
  );
  for (const phase of new Set(["before", ...runs.map((run) => run.phase), "after"])) {
    const own = samples.filter((sample) => sample.phase === phase);
    const times = own.map(({ duration }) => duration).toSorted((a, b) => a - b);
    const count = (outcome: Sample["outcome"]) => String(own.filter((one) => one.outcome === outcome).length);
    const run = runs.find((one) => one.phase === phase);
    console.log(
      line(
        phase,
        ...[run?.seconds, run?.megabytes, seen.get(phase)].map((value) =>
          value === undefined ? "" : number(value),
        ),
        String(own.length),
        count("failed"),
        count("changed"),
        ...[0.5, 0.99, 1].map((share) => number(percentile(times, share))),
      ),
    );
  }
}

/** Waits until a path gives a text. Returns the seconds that it took. */
async function untilSeen(client: Client, path: string, text: string): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { body } = await client.get(path);
    const seconds = (performance.now() - start) / 1000;
    if (body.includes(text)) return seconds;
    if (seconds > 30) throw new Error(`${path} does not show ${text}: ${body.toString("utf8", 0, 300)}`);
    await setTimeout(20);
  }
}

await compilePackages();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
const postgres = given.database === "PostgreSQL" ? await startPostgres() : undefined;
const environment = {
  CADASTRE_DATA: folder,
  ...(postgres === undefined ? {} : { CADASTRE_DATABASE_URL: postgres.url }),
};
await cadastre(["sample", "--listings", String(fullListings)], environment);
await addListings();
// Counts the added listings for field completeness.
await cadastre(["publish", "Property"], environment);
const service = await startWhole(compiled("main.js"), folder, fullListings, "0", {
  ...environment,
  CADASTRE_SCAN_SECONDS: "3600",
  CADASTRE_CHECK_HOURS: "0",
  // Other work on the machine must not decide if an answer fails.
  CADASTRE_QUERY_SECONDS: "60",
});
const clients: Client[] = [];
const connectAs = (apiKey: string) => {
  const client = connect({ port: Number(new URL(service.baseUrl).port) }, 4, apiKey);
  clients.push(client);
  return client;
};
try {
  const demo = await readDemo(await openDataFolder(folder));
  const customers: SteadyCustomer[] = [];
  const answers = new SteadyAnswers();
  for (const { name, apiKey } of demo?.keys ?? []) {
    const client = connectAs(apiKey);
    customers.push({ name, client, targets: await targetsOf(client) });
  }
  const exporting = {
    baseUrl: service.baseUrl,
    apiKey: demo?.keys.find(({ name }) => name === "state")?.apiKey ?? "",
  };
  const earlier = await completeExport(exporting);
  const contentBefore = await contentOf(exporting, earlier);
  const steady: SteadyCustomer[] = [];
  for (const customer of customers) {
    const manifest = customer.name === "state" ? [`/v1/file-exports/${earlier}/manifest`] : [];
    const whole = { ...customer, targets: [...customer.targets, ...manifest] };
    await answers.expect(whole);
    steady.push(whole);
  }
  for (const customer of steady) answers.start(customer, 2);
  await setTimeout(Number(given.seconds) * 1000);

  const runs: Run[] = [];
  const seen = new Map<string, number>();
  const run = async (...args: readonly string[]): Promise<string> => {
    answers.phase = [...args.slice(0, 2), ...(args[0] === "field" ? [args[3]] : [])].join(" ");
    const { stdout, seconds, megabytes } = await cadastre(args, environment);
    runs.push({ phase: answers.phase, seconds, megabytes });
    return stdout;
  };
  await run("system", "add", system.id, "--name", system.name, "--states", system.state, "--prefix", "HBR_");
  const order = `customer add newcomer --template backoffice --systems ${system.id} --regions state:${system.state}`;
  const added = JSON.parse(await run(...order.split(" "), "--json")) as { readonly apiKey: string };
  const newcomer = connectAs(added.apiKey);
  seen.set(answers.phase, await untilSeen(newcomer, "/reso/odata/$metadata", 'Name="ListPrice"'));
  for (const name of fieldNames) {
    await run("field", "add", system.id, name, ...(addedFields[name]?.options ?? []));
    seen.set(answers.phase, await untilSeen(newcomer, "/reso/odata/$metadata", `Name="${name}"`));
  }
  const file = join(folder, "harbor.jsonl");
  await writeFile(file, recordLines(Number(given.records)));
  await run("ingest", "--resource", "Property", "--source", system.id, file);
  await run("publish", "Property");
  const found =
    "/reso/odata/Property?$filter=HBR_Shoreline%20eq%20'Rock'&$count=true&$top=1&$select=HBR_DockLength";
  const half = Math.floor(Number(given.records) / 2);
  seen.set(answers.phase, await untilSeen(newcomer, found, `"@odata.count":${half}`));
  await run("system", "change", system.id, "--contact", "data@harbor.example");
  for (const name of laterField.seenBy) answers.release(name);
  await run("field", "add", laterField.system, laterField.name, "--type", "boolean");
  for (const { name, client } of customers)
    if (laterField.seenBy.includes(name))
      seen.set(answers.phase, await untilSeen(client, "/reso/odata/$metadata", `Name="${laterField.name}"`));
  answers.phase = "after";
  await setTimeout(Number(given.seconds) * 1000);
  const contentAfter = await contentOf(exporting, await completeExport(exporting));
  await answers.stop();

  report(answers.samples, runs, seen);
  const same = contentBefore === contentAfter;
  console.log(`\nPeak memory of the service: ${number(peakMemoryOf(service.pid))} MB.`);
  console.log(
    `A new export of \`state\` has ${same ? "the same" : "another"} schema, and files of ${same ? "the same" : "other"} hashes.`,
  );
  for (const fault of answers.faults) console.error(fault);
  if (!same) console.error(`${contentBefore}\n${contentAfter}`);
  if (!same || answers.faults.length > 0) process.exitCode = 1;
} finally {
  for (const client of clients) client.close();
  await service.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Adds listings of 64 fields to those of the sample, before the service starts. */
async function addListings(): Promise<void> {
  const store = await databasesOf(await openDataFolder(folder, postgres)).openListings({ threads: 0 });
  await store.commit(recordsOf("located", Number(given.listings) - fullListings));
  await store.close();
}

/** Returns listings of the added system as JSON lines. */
function recordLines(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const fields = fieldNames.map((name) => [name, addedFields[name]?.sampleOf(index)]);
    return `${JSON.stringify({
      ListingKey: `HBR-${index}`,
      OriginatingSystemName: system.name,
      ModificationTimestamp: "2026-01-02T03:04:05Z",
      StandardStatus: "Active",
      StateOrProvince: system.state,
      ListPrice: 200_000 + index,
      ...Object.fromEntries(fields),
    })}\n`;
  }).join("");
}

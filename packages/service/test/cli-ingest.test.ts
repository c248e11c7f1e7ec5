import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { generateMarket, type SampleResource } from "@cadastre/sample";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { Build } from "@cadastre/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import type { Reject } from "../src/ingest/rejects.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { says, startProgram } from "./support/program.ts";
import { type Running, run } from "./support/running.ts";
import { copyDataFolder } from "./support/test-database.ts";
import { zipOf } from "./support/zip-writer.ts";

const listings = 100;
const [system] = sampleSystems;
const source = system.id;
const market = generateMarket({ seed: 1, listings: 400 });

type Json = Readonly<Record<string, unknown>>;

/** Records of the source that a market of more listings has; JSON as a file would hold it. */
function recordsOf(resource: SampleResource): Json[] {
  const rows = [...market.rows(resource)].filter(({ datasetId }) => datasetId === system.datasetId);
  return rows.map(({ record }) => JSON.parse(JSON.stringify(record)) as Json);
}

let running: Running;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: String(listings) });
  environment = { CADASTRE_DATA: running.folder.path };
});
afterAll(() => running.stop());

const get = (target: string) =>
  ask(running.service.baseUrl, `/reso/odata${target}`, { "x-api-key": running.key("national") });
const countOf = async (set: string, $filter: string) => {
  const options = query({ $filter, $count: true, $top: 0 });
  const reply = await get(`/${set}${options}`);
  expect(reply.status, reply.text).toBe(200);
  return toCollection(reply)["@odata.count"] ?? -1;
};
const ofSource = `OriginatingSystemName eq '${system.name}'`;

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(running.folder.path, name);
  await writeFile(file, content);
  return file;
}
const jsonLines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

const ingest = (resource: string, file: string, ...more: readonly string[]) =>
  cadastre(["ingest", "--resource", resource, "--source", source, file, "--json", ...more], { environment });
const publish = async (resource: string, ...more: readonly string[]) =>
  (await cadastre(["publish", resource, ...more], { environment })).code;

/** Returns the message of an error that was printed as JSON. */
const messageIn = (stderr: string) => (JSON.parse(stderr) as { readonly message: string }).message;

type Report = Readonly<Record<"read" | "staged" | "rejected" | "resumed", number>>;
const report = ({ stdout }: { readonly stdout: string }) => {
  const { read, staged, rejected, resumed } = JSON.parse(stdout) as Report;
  return { read, staged, rejected, resumed };
};

describe("records", () => {
  test("in JSON lines are served once they are published, and taken once", async () => {
    const records = recordsOf("Property").slice(-20);
    const file = await fileOf("more.jsonl", jsonLines(records));
    const before = await countOf("Property", ofSource);
    expect(report(await ingest("Property", file))).toEqual({ read: 20, staged: 20, rejected: 0, resumed: 0 });
    expect(await countOf("Property", ofSource)).toBe(before);
    expect(await publish("Property")).toBe(0);
    expect(await countOf("Property", ofSource)).toBe(before + 20);
    expect(report(await ingest("Property", file))).toEqual({ read: 20, staged: 0, rejected: 0, resumed: 20 });
  });

  test("of a listing are seen with it, and not taken without", async () => {
    const property = recordsOf("Property").at(-1);
    const [media] = recordsOf("Media");
    const own = { ...media, MediaKey: "of-new", ResourceRecordKey: property?.["ListingKey"] };
    const lost = { ...media, MediaKey: "of-none", ResourceRecordKey: "none" };
    const foreign = toCollection(await get(`/Property${query({ $filter: `not (${ofSource})`, $top: 1 })}`))
      .value[0];
    const theirs = { ...media, MediaKey: "of-theirs", ResourceRecordKey: foreign?.["ListingKey"] };
    const file = await fileOf("media.jsonl", jsonLines([own, lost, theirs]));
    expect(report(await ingest("Media", file))).toMatchObject({ staged: 1, rejected: 2 });
    expect(await publish("Media")).toBe(0);
    expect((await get("/Media('of-new')")).status).toBe(200);
  });

  test("of a file are taken with its media, and those of the public in CSV, and no set of OData has them", async () => {
    const [asset] = recordsOf("MediaAsset");
    const own = { ...asset, MediaAssetId: "file-of-new", MediaKey: "of-new" };
    const lost = { ...asset, MediaAssetId: "file-of-none", MediaKey: "of-none" };
    const assets = await fileOf("assets.jsonl", jsonLines([own, lost]));
    expect(report(await ingest("MediaAsset", assets))).toMatchObject({ staged: 1, rejected: 1 });
    const [reject] = (await readFile(`${assets}.rejects.jsonl`, "utf8")).trim().split("\n");
    expect(JSON.parse(reject ?? "")).toMatchObject({ field: "MediaKey", code: "unknown_media" });
    const rows = [
      "PublicRecordKey,ParcelNumber,CountyFips,TaxAmount,TaxExemptions,Placekey,ModificationTimestamp,OriginatingSystemName",
      `csv-1,R1,48453,4321.09,"Homestead,Over 65",,2026-01-01T00:00:00Z,${system.name}`,
      `csv-2,R2,48453,much,,,2026-01-01T00:00:00Z,${system.name}`,
    ];
    const records = await fileOf("records.csv", rows.join("\n"));
    expect(report(await ingest("PublicRecord", records))).toMatchObject({ staged: 1, rejected: 1 });
    expect(await publish("MediaAsset")).toBe(0);
    expect(await publish("PublicRecord")).toBe(0);
    const absent = await get("/Nope");
    for (const set of ["MediaAsset", "PublicRecord"])
      for (const address of ["", "/$count", "('csv-1')"]) {
        const { status, text } = await get(`/${set}${address}`);
        expect([set, status, text]).toEqual([set, 404, absent.text.replace("Nope", set)]);
      }
  });

  test("in CSV, packed, from standard input", async () => {
    const [office] = recordsOf("Office");
    const { OfficeKey: _, ModificationTimestamp, OriginatingSystemName } = office ?? {};
    const rows = [
      "OfficeKey,OfficeName,ModificationTimestamp,OriginatingSystemName",
      `csv-1,"Smith, ""Sons""",${String(ModificationTimestamp)},${String(OriginatingSystemName)}`,
      `csv-2,,${String(ModificationTimestamp)},${String(OriginatingSystemName)}`,
    ].join("\r\n");
    const packed = await fileOf("offices.gz", gzipSync(rows));
    expect(report(await ingest("Office", packed))).toMatchObject({ staged: 2 });
    const piped = await cadastre(
      ["ingest", "--resource", "Office", "--source", source, "-", "--rejects", `${packed}.rejects`],
      { environment, input: rows.replaceAll("csv-", "stdin-") },
    );
    expect([piped.code, piped.stderr]).toEqual([0, "Read 2 records; staged 2 changes."]);
    expect(await publish("Office")).toBe(0);
    const found = toCollection(
      await get(`/Office${query({ $filter: "OfficeKey in ('csv-1','stdin-2')" })}`),
    ).value;
    expect(found.map((row) => row["OfficeName"])).toEqual(expect.arrayContaining(['Smith, "Sons"', null]));
  });

  test("by key are deleted", async () => {
    const file = await fileOf("gone.txt", "csv-1\nstdin-1\n");
    expect(report(await ingest("Office", file, "--delete"))).toMatchObject({ staged: 2 });
    expect(await publish("Office")).toBe(0);
    expect(await countOf("Office", "OfficeKey in ('csv-1','csv-2','stdin-1')")).toBe(1);
  });

  test("that a full set, in Common Format, does not name are deleted, those of other systems not", async () => {
    const others = await countOf("Office", `not (${ofSource})`);
    const whole = {
      "@reso.context": "urn:reso:metadata:2.0:resource:office",
      value: recordsOf("Office").slice(0, 2),
    };
    const file = await fileOf("full.json.gz", gzipSync(JSON.stringify(whole, null, 2)));
    expect(report(await ingest("Office", file, "--full", "--allow-shrink"))).toMatchObject({ staged: 2 });
    expect(await publish("Office", "--allow-shrink")).toBe(0);
    expect(await countOf("Office", ofSource)).toBe(2);
    expect(await countOf("Office", `not (${ofSource})`)).toBe(others);
  });
});

test("a zip archive is read file by file, and what is rejected is told by file and line", async () => {
  const { ModificationTimestamp, OriginatingSystemName } = recordsOf("Office")[0] ?? {};
  const names = "OfficeKey,ModificationTimestamp,OriginatingSystemName\n";
  const row = (key: string) => `${key},${String(ModificationTimestamp)},${String(OriginatingSystemName)}\n`;
  const zipped = zipOf([
    { name: "a/first.csv", content: Buffer.from(names + row("zip-1") + row("zip-2")) },
    { name: "a/second.csv", content: Buffer.from(names + row("") + row("zip-3")), stored: true },
  ]);
  const file = await fileOf("offices.zip", zipped);
  expect(report(await ingest("Office", file))).toMatchObject({ read: 4, staged: 3, rejected: 1 });
  const [rejected = ""] = (await readFile(`${file}.rejects.jsonl`, "utf8")).split("\n");
  expect(JSON.parse(rejected)).toMatchObject({ code: "missing_field", part: "a/second.csv", partLine: 2 });
  // Of standard input a copy is kept while it is read, so an archive is read there too.
  const other = zipOf([{ name: "c.csv", content: Buffer.from(names + row("zip-4")) }]);
  const rejects = join(running.folder.path, "piped.rejects");
  const args = ["ingest", "--resource", "Office", "--source", source, "-", "--json", "--rejects", rejects];
  expect(report(await cadastre(args, { environment, input: other }))).toMatchObject({ staged: 1 });
  const wrong = zipOf([{ name: "b.csv", content: Buffer.from("OfficeKey\n\u00ff\n", "latin1") }]);
  expect((await ingest("Office", await fileOf("wrong.zip", wrong))).stderr).toContain("wrong.zip: b.csv: ");
  // A full set is that of all its files.
  const whole = zipOf(
    ["zip-1", "zip-2"].map((key) => ({ name: `${key}.csv`, content: Buffer.from(names + row(key)) })),
  );
  const set = await ingest("Office", await fileOf("whole.zip", whole), "--full", "--allow-shrink");
  expect(report(set)).toMatchObject({ read: 2, staged: 2 });
});

describe("what is rejected", () => {
  const base = recordsOf("Property")[0] ?? {};
  const other = sampleSystems[1];
  const foreign = [...market.rows("Property")].find(({ datasetId }) => datasetId === other.datasetId)?.record;
  /** Faults of lines of the file: the field and the code. */
  const faults: readonly (readonly [string, string | Json, string | null, string])[] = [
    ["an unknown field", { Nope: 1 }, "Nope", "unknown_field"],
    [
      "a local field of another system",
      { [`${other.prefix}AgExemption`]: ["Yes"] },
      "HCX_AgExemption",
      "foreign_field",
    ],
    ["a wrong type", { ListPrice: "dear" }, "ListPrice", "wrong_type"],
    ["no collection", { Appliances: "Oven" }, "Appliances", "wrong_type"],
    ["what no database holds", { City: "a\0b" }, "City", "forbidden_character"],
    ["a long text", { City: "x".repeat(5000) }, "City", "too_long"],
    ["no lookup value", { StandardStatus: "Activ" }, "StandardStatus", "unknown_lookup_value"],
    ["no key", { ListingKey: null }, "ListingKey", "missing_field"],
    ["no key either", { ListingKey: null }, "ListingKey", "missing_field"],
    ["a key that is no text", { ListingKey: 7 }, "ListingKey", "wrong_type"],
    ["no timestamp", { ModificationTimestamp: null }, "ModificationTimestamp", "missing_field"],
    ["another system", { OriginatingSystemName: other.name }, "OriginatingSystemName", "wrong_system"],
    ["the key of another system", { ListingKey: foreign?.["ListingKey"] }, "ListingKey", "foreign_key"],
    ["no JSON", "{", null, "malformed"],
    ["no object", "[1]", null, "malformed"],
    ["a member twice", '{"ListPrice":"12","ListPrice":2}', null, "malformed"],
    ["the key of an earlier line", { ListingKey: base["ListingKey"] }, "ListingKey", "duplicate_key"],
  ];

  test("is told by line, key, field, value and code, and by no free text", async () => {
    const lines = faults.map(([, change], i) =>
      typeof change === "string" ? change : JSON.stringify({ ...base, ListingKey: `new-${i}`, ...change }),
    );
    const file = await fileOf("bad.jsonl", [JSON.stringify(base), "", ...lines].join("\n"));
    expect(report(await ingest("Property", file))).toEqual({
      read: faults.length + 1,
      staged: 1,
      rejected: faults.length,
      resumed: 0,
    });
    const told = (await readFile(`${file}.rejects.jsonl`, "utf8")).trim().split("\n");
    const rejects = told
      .map((line) => JSON.parse(line) as Reject)
      .toSorted((one, other) => one.line - other.line);
    expect(rejects.map(({ line, field, code }) => [faults[line - 3]?.[0], field, code])).toEqual(
      faults.map(([name, , field, code]) => [name, field, code]),
    );
    expect(rejects.find(({ code }) => code === "too_long")?.reason).toBe(
      "the text is longer than the field's length: at most 50 characters",
    );
    expect(rejects.every(({ reason }) => reason.length > 10 || reason === "not JSON")).toBe(true);
    expect(rejects.filter(({ value }) => value !== undefined).length).toBeGreaterThan(3);
    // A text may be anybody's.
    expect(told.join()).not.toContain("xxxx");
  });

  test("a CSV line with another number of cells", async () => {
    const file = await fileOf("cells.csv", "OfficeKey,OfficeName\na\nb,c,d\n");
    expect(report(await ingest("Office", file))).toMatchObject({ read: 2, rejected: 2, staged: 0 });
  });
});

test.each<[string, string, readonly string[], string]>([
  ["a file of another kind", "<x>", [], "neither RESO Common Format nor JSON lines nor CSV"],
  [
    "a document of another resource",
    '{"@reso.context": "urn:reso:metadata:2.0:resource:office", "value": []}',
    [],
    "does not name Member: see --resource",
  ],
  ["an empty file", "", [], "holds nothing"],
  ["a damaged gzip", "\u001f\u008b\u0008junk", ["--format", "jsonl"], "its compression is damaged"],
  ["a zip archive", "PK\u0003\u0004junk", [], "is a damaged zip archive"],
  ["a full set that is not whole", "{}", ["--full"], "a full set must be whole, and nothing of it is staged"],
  ["too many rejects", "{}\n{}", ["--max-rejects", "1"], "2 records are rejected, more than 1"],
])("%s is refused", async (name, content, options, sentence) => {
  const file = await fileOf(name, Buffer.from(content, "latin1"));
  const { code, stdout, stderr } = await ingest("Member", file, ...options);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n +at /);
});

test("the rejects are shown as a table of reasons, with the first record of each", async () => {
  const [office = {}] = recordsOf("Office");
  const row = (OfficeKey: string, change: Json) => ({ ...office, OfficeKey, ...change });
  const faulty = [
    row("t-1", { Nope: 1 }),
    row("t-2", {}),
    row("t-3", { OfficeStatus: "Opne" }),
    row("t-4", { Nope: 2 }),
  ];
  const file = await fileOf("table.jsonl", jsonLines(faulty));
  const args = ["ingest", "--resource", "Office", "--source", source, file];
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(`Rejected 3 records: see ${file}.rejects.jsonl.\n`);
  expect(stderr).toMatch(/\n2 +unknown_field +Nope +1 +t-1 +the resource has no such field\n/);
  expect(stderr).toMatch(
    /\n1 +unknown_lookup_value +OfficeStatus +3 +t-3 +Opne +the field's lookup has no such value\n/,
  );
  expect(stderr).toContain("For unknown fields give a mapping with --mapping");
});

test("an unknown column of a CSV file is one error, before anything is staged", async () => {
  const file = await fileOf("columns.csv", "OfficeKey,OfficeNme\na,b\n");
  const { code, stderr } = await ingest("Office", file);
  expect([code, messageIn(stderr)]).toEqual([
    1,
    expect.stringContaining("Office has no field for the column `OfficeNme` (did you mean `OfficeName`?)"),
  ]);
});

describe("a full set with faulty records", () => {
  const [base] = recordsOf("Member");
  const member = (key: string, more: Json = {}) => ({ ...base, MemberKey: key, ...more });
  const stagedKeys = async () => {
    const store = await databasesOf(running.folder).openListings({ threads: 0 });
    try {
      const { builds } = store;
      const [cursor, keys] = [await builds.cursor("Member", source), await builds.keys("Member", source)];
      return { cursor, keys };
    } finally {
      await store.close();
    }
  };

  test("is read to its end, told whole and not staged, and what was staged before stays", async () => {
    const earlier = await fileOf("earlier.jsonl", jsonLines([member("earlier-1")]));
    expect(report(await ingest("Member", earlier))).toMatchObject({ staged: 1 });
    const before = await stagedKeys();
    const served = await countOf("Member", ofSource);
    const lines = Array.from({ length: 3500 }, (_, i) =>
      member(`full-${i}`, i === 3 || i === 2100 || i === 3499 ? { Nope: i } : {}),
    );
    const file = await fileOf("full-faulty.jsonl", jsonLines(lines));
    const args = ["ingest", "--resource", "Member", "--source", source, "--full", "--allow-shrink", file];
    const { code, stderr } = await cadastre(args, { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/\n3 +unknown_field +Nope +4 +full-3 /);
    expect(stderr).toContain("3 of 3500 records are rejected");
    expect(stderr).toContain("nothing of it is staged; put them right, or ingest it without --full");
    const told = (await readFile(`${file}.rejects.jsonl`, "utf8")).trim().split("\n");
    expect(told.map((line) => (JSON.parse(line) as Reject).key)).toEqual([
      "full-3",
      "full-2100",
      "full-3499",
    ]);
    expect(await stagedKeys()).toEqual(before);
    expect(await publish("Member")).toBe(0);
    expect(await countOf("Member", ofSource)).toBe(served + 1);
  });

  test("is discarded as far as it was staged before the first of them", async () => {
    const served = await countOf("Member", ofSource);
    const lines = Array.from({ length: 2500 }, (_, i) => member(`late-${i}`, i === 1700 ? { Nope: i } : {}));
    const file = await fileOf("full-late.jsonl", jsonLines(lines));
    for (const more of [[], ["--max-rejects", "0"]]) {
      expect((await ingest("Member", file, "--full", "--allow-shrink", ...more)).code).toBe(1);
      expect((await stagedKeys()).keys.filter(([key]) => String(key).startsWith("late-"))).toEqual([]);
      await publish("Member");
      expect(await countOf("Member", ofSource)).toBe(served);
    }
  });
});

test("no file but one of rejects is replaced by rejects", async () => {
  const file = await fileOf("kept", "{}\n");
  for (const other of [file, await fileOf("own", "to buy: milk\n"), await fileOf("json", "{}\n")]) {
    const before = await readFile(other);
    const { code, stderr } = await ingest("Member", file, "--rejects", other);
    const told = `${other} is there and holds no rejects: name another file with --rejects`;
    expect([code, messageIn(stderr), await readFile(other)]).toEqual([1, told, before]);
  }
  const rejects = await fileOf("rejects", "");
  for (let k = 0; k < 2; k++) {
    const { code } = await ingest("Member", await fileOf("again", `{"k":${k}}\n`), "--rejects", rejects);
    expect(code).toBe(0);
    expect(JSON.parse((await readFile(rejects, "utf8")).split("\n")[0] ?? "")).toMatchObject({ line: 1 });
  }
});

test("rejects that cannot be written are told by the path", async () => {
  const file = await fileOf("rejected.jsonl", "{}\n");
  const places = { "/nowhere/x": "there is no such file", [running.folder.path]: "it is a folder" };
  for (const [place, reason] of Object.entries(places)) {
    const { code, stderr } = await ingest("Member", file, "--rejects", place);
    expect(code).toBe(1);
    expect(messageIn(stderr)).toMatch(
      /^the rejects cannot be written to .*; name another file with --rejects$/,
    );
    expect(stderr).toContain(`${place}: ${reason}`);
  }
});

test("--round and --exact may be repeated", async () => {
  const record = recordsOf("Property").at(-1);
  const value = { ListingKey: "rounded", ListPrice: 1.005, TaxAnnualAmount: 2.005 };
  const file = await fileOf("digits.jsonl", jsonLines([{ ...record, ...value }]));
  const rounded = await ingest("Property", file, "--round", "ListPrice", "--round", "TaxAnnualAmount");
  expect(report(rounded)).toMatchObject({ staged: 1, rejected: 0 });
  await ingest("Property", file, "--exact", "ListPrice", "--exact", "TaxAnnualAmount");
  const told = (await readFile(`${file}.rejects.jsonl`, "utf8")).trim().split("\n");
  expect(told.map((line) => (JSON.parse(line) as Reject).field)).toEqual(["ListPrice", "TaxAnnualAmount"]);
});

test("a file that is not there is refused", async () => {
  const { code, stderr } = await ingest("Member", "/nowhere.jsonl");
  expect([code, messageIn(stderr)]).toEqual([
    1,
    "/nowhere.jsonl cannot be read: there is no such file or folder (ENOENT)",
  ]);
});

describe("a process that is killed at any moment", () => {
  const moments = fc.sample(fc.tuple(fc.nat(300), fc.integer({ min: 300, max: 1500 })), {
    seed: 1,
    numRuns: 2,
  });
  const isKilled = "startswith(MemberKey,'killed-')";
  const records = 14_000;

  /** Starts a command, and kills it so many milliseconds after it has said `start`. Returns its output. */
  async function kill(args: readonly string[], delay: number, start?: string): Promise<string> {
    const program = await startProgram("cli/main.ts", args, environment);
    const over = once(program.child, "close");
    if (start !== undefined) await says(program, start);
    await setTimeout(delay);
    program.child.kill("SIGKILL");
    await over;
    return program.output();
  }

  const buildsIn = async (path: string) => {
    const { stdout } = await cadastre(["builds", "Member", "--json"], {
      environment: { CADASTRE_DATA: path },
    });
    return JSON.parse(stdout) as readonly Pick<Build, "id" | "records" | "sha256" | "cursors">[];
  };
  const hashesIn = async (path: string) =>
    (await buildsIn(path)).slice(0, 1).map(({ records, sha256, cursors }) => ({ records, sha256, cursors }));

  test("leaves what was served, and run again gives the build of one that was left alone", async () => {
    const [member = {}] = recordsOf("Member");
    const many = Array.from({ length: records }, (_, i) => ({ ...member, MemberKey: `killed-${i}` }));
    const file = await fileOf("many.jsonl", jsonLines(many));
    const args = ["ingest", "--resource", "Member", "--source", source, file];

    const alone = `${running.folder.path}-alone`;
    await copyDataFolder(running.folder, alone);
    for (const command of [args, ["publish", "Member"]])
      expect((await cadastre(command, { environment: { CADASTRE_DATA: alone } })).code).toBe(0);
    const expected = await hashesIn(alone);
    await rm(alone, { recursive: true });

    const before = await buildsIn(running.folder.path);
    const said: number[] = [];
    for (const [delay] of moments) {
      const output = await kill(args, delay, "records read");
      for (const [, count = ""] of output.matchAll(/([\d,]+) records read/g))
        said.push(Number(count.replaceAll(",", "")));
      expect(await countOf("Member", isKilled)).toBe(0);
    }
    const rest = report(await ingest("Member", file));
    expect(rest.resumed).toBeGreaterThanOrEqual(Math.max(...said));
    expect(rest).toMatchObject({ read: records, staged: records - rest.resumed });
    expect(await buildsIn(running.folder.path)).toEqual(before);

    for (const [, delay] of moments) {
      await kill(["publish", "Member"], delay);
      const builds = await buildsIn(running.folder.path);
      expect(await countOf("Member", isKilled)).toBe(builds.length > before.length ? records : 0);
    }
    expect(await publish("Member")).toBe(0);
    expect(await countOf("Member", isKilled)).toBe(records);
    expect(await hashesIn(running.folder.path)).toEqual(expected);
  }, 300_000);
});

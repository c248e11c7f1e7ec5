import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { OriginatingSystem } from "@cadastre/reso";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cadastre } from "../support/cli.ts";

let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-sample-"));
  environment = { CADASTRE_DATA: join(folder, "data") };
  await command("sample", "--listings", "0");
  await command("system", "add", "northshore", "--name", "North Shore", "--states", "IL", "--prefix", "NSM_");
});
afterAll(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout;
}

async function place(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

const learn = (file: string, ...more: readonly string[]) =>
  command("system", "learn", "northshore", "--sample", file, "--resource", "Property", ...more);

const columns = [
  ["ListingKey", (i: number) => `K${i}`],
  ["OriginatingSystemName", () => "North Shore"],
  ["ModificationTimestamp", () => "2026-01-02T03:04:05Z"],
  ["StateOrProvince", () => "IL"],
  ["list_price", (i: number) => String(250_000 + i)],
  ["YearBuilt", (i: number) => (i === 7 ? "unknown" : "1990")],
  ["Heating", (i: number) => (i % 2 === 0 ? "Forced Air" : "Magma")],
  ["Dock Length", (i: number) => `${i}.50`],
  ["Berths", (i: number) => String(i)],
  ["Shore", (i: number) => (i % 2 === 0 ? "Sand" : "Rock")],
  ["Sights", (i: number) => (i % 2 === 0 ? "Lake,Sea" : "Lake")],
  ["Parcel Code", (i: number) => String(i).padStart(4, "0")],
  ["Insulated", (i: number) => String(i % 2 === 0)],
  ["Fenced", (i: number) => "YN".charAt(i % 2)],
  ["Surveyed", (i: number) => `2026-01-${String((i % 28) + 1).padStart(2, "0")}`],
  ["Assessed", (i: number) => `01/${(i % 28) + 1}/2026`],
  ["Opens", () => "09:30:00"],
  ["Remark", (i: number) => `${"x".repeat(100 + i)}, and more`],
  ["Tags", (i: number) => (i % 8 === 0 ? `[""a, b""]` : `lake${i},quiet${i}`)],
  ["Unused", () => ""],
] as const satisfies readonly (readonly [string, (i: number) => string])[];

const csv = [
  columns.map(([name]) => name).join(";"),
  ...Array.from({ length: 40 }, (_, i) => columns.map(([, cell]) => `"${cell(i)}"`).join(";")),
].join("\n");

test("columns of a CSV file are proposed in words, applied, and then every record that fits is taken", async () => {
  const [file, mapping] = [await place("listings.csv", csv), join(folder, "mapping.json")];
  const told = await learn(file, "--prefix-names", "--mapping-out", mapping);
  expect(told.split("\n")).toEqual([
    "+ field Property/NSM_DockLength of northshore: Decimal(6,2), `Dock Length`",
    "+ field Property/NSM_Berths of northshore: Int64, `Berths`",
    "+ field Property/NSM_Shore of northshore: String(16) of lookup NSM_Shore, `Shore`",
    "+ field Property/NSM_Sights of northshore: list of String(16) of lookup NSM_Sights, `Sights`",
    "+ field Property/NSM_ParcelCode of northshore: String(16), `Parcel Code`",
    "+ field Property/NSM_Insulated of northshore: Boolean, `Insulated`",
    "+ field Property/NSM_Fenced of northshore: String(16), `Fenced`",
    "+ field Property/NSM_Surveyed of northshore: Date, `Surveyed`",
    "+ field Property/NSM_Assessed of northshore: String(16), `Assessed`",
    "+ field Property/NSM_Opens of northshore: TimeOfDay, `Opens`",
    "+ field Property/NSM_Remark of northshore: String(255), `Remark`",
    "+ field Property/NSM_Tags of northshore: String(16), `Tags`",
    "+ lookup Heating of northshore: 1 value, `Magma`",
    "+ lookup NSM_Shore of northshore: 2 values, `Sand`, `Rock`",
    "+ lookup NSM_Sights of northshore: 2 values, `Lake`, `Sea`",
    "! Property/list_price: the dictionary's name for it is `ListPrice`: map it to that",
    "! Property/YearBuilt: the standard field takes Edm.Int64, which 1 of 40 values are not, such as `unknown` in line 9 (wrong_type): map these values, or leave the field out",
    "? Property/Shore: its values repeat, so `NSM_Shore` lists them and takes others too: --closed-lookups makes it reject others",
    "? Property/Sights: its values repeat, so `NSM_Sights` lists them and takes others too: --closed-lookups makes it reject others",
    "? Property/Fenced: its values are those of a boolean: add it with `field add --type boolean`, and say in `values` of a mapping which are true and false",
    "? Property/Assessed: its values are dates of the form MM/DD/YYYY: add it with `field add --type date`, and name the form in `dates` of a mapping",
    "? Property/Tags: 40 of its 40 cells could be lists: if they are, add it with `field add --type string --collection`",
    "? Property/Unused: no record has a value of it, so nothing is proposed",
    "! lookup Heating: 1 value of the source's `Heating` joins the 42 that the dictionary has",
    "Fields: 5 standard that fit, 12 local to add, 0 known already, 2 clashing, 0 left out, 1 undecided.",
  ]);
  await learn(file, "--prefix-names", "--apply", "--yes");
  expect(await learn(file, "--prefix-names")).toContain("0 local to add, 12 known already");
  const rejects = join(folder, "rejects.jsonl");
  const ingest = ["ingest", "--resource", "Property", "--source", "northshore", "--mapping", mapping];
  await command(...ingest, "--rejects", rejects, file);
  expect(JSON.parse(await readFile(rejects, "utf8"))).toMatchObject({
    line: 9,
    field: "YearBuilt",
    code: "wrong_type",
  });
});

test("values that few records have join no lookup, unless it is said so", async () => {
  const lines = Array.from({ length: 2001 }, (_, i) => {
    const heating = i === 700 ? ["Steem"] : i % 500 === 0 ? ["Lava", "Forced Air"] : ["Forced Air"];
    const base = { ListingKey: `K${i}`, OriginatingSystemName: "North Shore", StateOrProvince: "IL" };
    return JSON.stringify({ ...base, ModificationTimestamp: "2026-01-02T03:04:05Z", Heating: heating });
  });
  const file = await place("rare.jsonl", lines.join("\n"));
  const told = (await learn(file)).split("\n");
  expect(told).toContain("+ lookup Heating of northshore: 1 value, `Lava`");
  expect(told).toContain(
    '! Property/Heating: the standard field takes Collection(Edm.String)(1024) of lookup Heating, which 1 of 2001 values are not, such as `["Steem"]` in line 701 (unknown_lookup_value: --rare-values adds it): map these values, or leave the field out',
  );
  expect(await learn(file, "--rare-values")).toContain(
    "+ lookup Heating of northshore: 2 values, `Lava`, `Steem`",
  );
});

const proposed = async (...args: readonly [string, ...string[]]) =>
  JSON.parse(await learn(...args, "--json")) as OriginatingSystem & {
    readonly notes: readonly string[];
    readonly verdicts: readonly {
      readonly name: string;
      readonly verdict: string;
      readonly reason: string;
    }[];
  };

describe("values tell the type", () => {
  test.each<[string, readonly unknown[], object]>([
    ["booleans", [true, false, null], { type: "Edm.Boolean" }],
    ["integers", [1, -20, 9_007_199_254_740_991], { type: "Edm.Int64" }],
    ["decimals", [1, 2.5, -100.125], { type: "Edm.Decimal", precision: 8, scale: 3 }],
    [
      "timestamps",
      ["2026-01-02T03:04:05+01:00", "2026-01-02T03:04:05.123456Z"],
      { type: "Edm.DateTimeOffset" },
    ],
    ["a date and a text", ["2026-01-02", "soon"], { type: "Edm.String", maxLength: 16 }],
    ["a text of 17 characters", ["é".repeat(17)], { type: "Edm.String", maxLength: 32 }],
    ["texts of unlimited length", ["x".repeat(70_000)], { type: "Edm.String" }],
    ["lists of integers", [[1, 2], [], [3]], { type: "Edm.Int64", collection: true }],
    ["lists of texts", [["a"], ["bb"]], { type: "Edm.String", collection: true, maxLength: 16 }],
  ])("%s", async (_, values, type) => {
    const lines = values.map((value) => JSON.stringify({ Probe: value }));
    const { fields } = await proposed(await place("probe.jsonl", lines.join("\n")));
    expect(fields?.Property).toEqual([{ name: "Probe", displayName: "Probe", ...type }]);
  });

  test.each([
    ["an object", [{ a: 1 }], "left-out", /takes all of its values: such as `\{"a":1\}` in line 1/],
    ["numbers and texts", [1, "one"], "left-out", /such as `1` in line 1 and `one` in line 2/],
    ["more digits than are kept", [0.12345678901234568], "left-out", /such as `0.12345678901234568`/],
    ["empty lists", [[], null], "undecided", /no record has a value/],
  ])("%s: nothing is proposed, with the reason", async (_, values, verdict, reason) => {
    const lines = values.map((value) => JSON.stringify({ Probe: value }));
    const found = await proposed(await place("probe.jsonl", lines.join("\n")));
    expect([found.fields, found.verdicts]).toMatchObject([
      {},
      [{ resource: "Property", name: "Probe", verdict }],
    ]);
    expect(found.verdicts[0]?.reason).toMatch(reason);
  });

  test("a lookup takes other values, unless --closed-lookups is given", async () => {
    const lines = Array.from({ length: 8 }, (_, i) => JSON.stringify({ Bank: ["Sand", "Rock"][i % 2] }));
    const file = await place("bank.jsonl", lines.join("\n"));
    const open = await proposed(file);
    expect(open.fields?.Property).toMatchObject([{ lookup: "NSM_Bank", lookupStatus: "Open" }]);
    expect(open.lookups).toEqual({
      NSM_Bank: [
        ["Sand", "Sand"],
        ["Rock", "Rock"],
      ],
    });
    const closed = await proposed(file, "--closed-lookups");
    expect(closed.fields?.Property).toMatchObject([{ lookupStatus: "Locked with Enumerations" }]);
  });
});

describe("a column of which a few values are of another type", () => {
  const column = (few: readonly unknown[], many: (i: number) => unknown) =>
    Array.from({ length: 100 }, (_, i) => JSON.stringify({ Probe: few[i - 5] ?? many(i) })).join("\n");

  test.each([
    ["numbers in a file of typed values", column(["n/a", "?"], (i) => i), "left-out", "Edm.Int64"],
    ["dates", column(["soon", "?"], () => "2026-01-02"), "local", "Edm.Date"],
    ["decimals before integers", column(["n/a", "?"], (i) => i + 0.5), "left-out", "Edm.Decimal"],
  ])("%s: the type of the others is told, with the count and an example", async (_, text, verdict, type) => {
    const { verdicts } = await proposed(await place("few.jsonl", text));
    expect(verdicts).toMatchObject([{ name: "Probe", verdict }]);
    expect(verdicts[0]?.reason).toMatch(
      new RegExp(`all but 2 of its 100 values are ${type}, such as \`[^\`]+\` in line 6 is not: map these`),
    );
  });

  test("more than a twentieth is a text without a remark", async () => {
    const text = column(["a", "b", "c", "d", "e", "f"], () => "2026-01-02");
    const { verdicts } = await proposed(await place("some.jsonl", text));
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(["local"]);
    expect(verdicts[0]?.reason).not.toContain("all but");
  });

  test("after the field was added with the type, the clash has the count and an example", async () => {
    await command("field", "add", "northshore", "NSM_Probed", "--type", "integer");
    const cells = ["NSM_Probed", ...Array.from({ length: 100 }, (_, i) => (i === 7 ? "n/a" : String(i)))];
    const { verdicts } = await proposed(await place("probed.csv", cells.join("\n")));
    expect(verdicts).toMatchObject([{ verdict: "clash" }]);
    expect(verdicts[0]?.reason).toMatch(
      /takes Edm.Int64, which 1 of 100 values are not, such as `n\/a` in line 9/,
    );
  });
});

describe("standard fields", () => {
  test.each([
    ["StandardStatus", "Actif", /lookup StandardStatus is closed by the dictionary: records with `Actif`/],
    [
      "ListPrice",
      "abc",
      /takes Edm.Decimal\(14,2\), which 1 of 1 values are not, such as `abc` in line 1 \(wrong_type\)/,
    ],
    ["ListPrice", 1.234, /such as `1.234` in line 1 \(too_precise\)/],
    ["OriginatingSystemName", "South", /takes `North Shore`, which 1 of 1 values are not, such as `South`/],
    ["Latitude", 95, /such as `95` in line 1 \(out_of_range\)/],
    ["Zip", "60601", /the dictionary's name for it is `PostalCode`: map it to that/],
    ["LotSizeAcers", 1, /its name is near the standard field `LotSizeAcres`: rename it in a mapping/],
  ])("%s with %j", async (name, value, reason) => {
    const found = await learn(await place("standard.jsonl", JSON.stringify({ [name]: value })));
    expect(found).toMatch(reason);
  });
});

const rows = Array.from({ length: 30 }, (_, i) => JSON.stringify({ Probe: i < 20 ? i : "late" }));

test.each([
  ["a.jsonl", rows.join("\n"), []],
  ["a.jsonl.gz", gzipSync(rows.join("\n")), []],
  ["a.csv", ["Probe", ...rows.map((row) => (JSON.parse(row) as { Probe: unknown }).Probe)].join("\n"), []],
  ["b.txt", gzipSync(["Probe", ...rows.keys()].join("\n")), ["--format", "csv"]],
  ["c.json", `{"@reso.context":"urn:reso:metadata:2.0:resource:property","value":[${rows.join()}]}`, []],
])("of %s no more records are read than --limit says", async (name, content, more) => {
  const file = await place(name, content);
  const { fields } = await proposed(file, "--limit", "20", ...more);
  expect(fields?.Property).toMatchObject([{ name: "Probe", type: "Edm.Int64" }]);
});

test("the beginning of a file that is damaged later is enough", async () => {
  const packed = gzipSync(
    Array.from({ length: 200_000 }, (_, i) => JSON.stringify({ Probe: `${i}-${Math.random()}` })).join("\n"),
  );
  const file = await place("long.jsonl.gz", packed.subarray(0, packed.length / 2));
  expect(await learn(file, "--limit", "10")).toContain("1 local to add");
});

test("a line that is not a record is told, and the others are read", async () => {
  const { notes, fields } = await proposed(await place("part.jsonl", '{"Probe":1}\n{"Probe":\n[]'));
  expect(notes).toEqual(["2 entries are not records, such as line 2: not JSON"]);
  expect(fields?.Property).toHaveLength(1);
});

describe("bad input is refused with the file and what to do", () => {
  test.each<[string, string | Uint8Array | undefined, RegExp]>([
    ["absent.jsonl", undefined, /absent\.jsonl cannot be read: there is no such file/],
    ["folder.jsonl", "", /folder\.jsonl cannot be read: it is a folder/],
    ["empty.jsonl", "", /empty\.jsonl holds no records: give JSON lines, CSV with a line of names/],
    ["header.csv", "A,B\n", /header\.csv holds no records/],
    ["zipped.csv", "PK\u0003\u0004 and so on", /zipped\.csv .*zip/],
    [
      "cut.jsonl.gz",
      gzipSync('{"A":1}\n').subarray(0, 15),
      /cut\.jsonl\.gz is not whole: its compression is damaged/,
    ],
    [
      "odd.txt",
      "%PDF-1.7",
      /odd\.txt is neither RESO Common Format nor JSON lines nor CSV: say which with --format/,
    ],
    [
      "latin.csv",
      Buffer.from("A,B\n1,caf\xe9\n", "latin1"),
      /latin\.csv: line 2 is not UTF-8: convert the file/,
    ],
    ["text.jsonl", "one\ntwo", /text\.jsonl holds no records, line 1: not JSON: is it jsonl\?/],
    [
      "office.json",
      '{"@reso.context":"urn:reso:metadata:2.0:resource:office","value":[]}',
      /office\.json: the document's `@reso.context` does not name Property: see --resource/,
    ],
    [
      "wide.jsonl",
      Array.from({ length: 5100 }, (_, i) => `{"F${i}":1}`).join("\n"),
      /wide\.jsonl: the records have more than 5000 different members/,
    ],
  ])("%s", async (name, content, reason) => {
    if (name.startsWith("folder")) await mkdir(join(folder, name));
    else if (content !== undefined) await place(name, content);
    const file = join(folder, name);
    const args = ["system", "learn", "northshore", "--sample", file, "--resource", "Property"];
    const { code, stderr } = await cadastre(args, { environment });
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });

  test.each<[readonly string[], number, RegExp]>([
    [[], 1, /give one of --metadata, for the description of a source, and --sample/],
    [["--sample", "a", "--metadata", "b"], 1, /give only one of --metadata.* and --sample/],
    [["--sample", "a"], 1, /--resource is missing: .* Property, Media, Member, Office, OpenHouse/],
    [["--sample", "a", "--resource", "Lookup"], 2, /Allowed choices are Property, Media/],
    [["--sample", "a", "--resource", "Media", "--limit", "0"], 2, /--limit .* must be a whole number from 1/],
    [
      ["--sample", "a", "--resource", "Media", "--format", "xml"],
      2,
      /Allowed choices are common, jsonl, csv/,
    ],
    [
      ["--sample", "a", "--resource", "Media", "--lookups", "b"],
      1,
      /--lookups goes with --metadata, and not with --sample: allowed with --sample are --resource, --format, --limit/,
    ],
    [["--sample", "a", "--key-file", "b"], 1, /--key-file goes with --metadata/],
    [["--metadata", "a", "--limit", "5"], 1, /--limit goes with --sample, and not with --metadata/],
  ])("%j", async (args, code, reason) => {
    const told = await cadastre(["system", "learn", "northshore", ...args], { environment });
    expect([told.code, told.stderr]).toEqual([code, expect.stringMatching(reason)]);
  });
});

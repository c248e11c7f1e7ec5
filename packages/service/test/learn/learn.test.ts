import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeCsdlJson, writeCsdlXml } from "@cadastre/odata/csdl";
import { createCatalog, type LocalField, type OriginatingSystem } from "@cadastre/reso";
import { sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cadastre } from "../support/cli.ts";
import { type FeedServer, sendJson, startFeeds } from "../support/feed-server.ts";

let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-learn-"));
  environment = { CADASTRE_DATA: join(folder, "data") };
  await command("sample", "--listings", "0");
  await command("system", "add", "northshore", "--name", "North Shore", "--states", "IL", "--prefix", "NSM_");
  await command("system", "add", "other", "--name", "Other MLS", "--states", "WI", "--prefix", "OTH_");
  await command("field", "add", "other", "Dock", "--type", "string");
});
afterAll(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout;
}

async function place(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const schemaXml = (content: string) =>
  `<?xml version="1.0"?><edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices>${content}</edmx:DataServices></edmx:Edmx>`;

const source = schemaXml(`
<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="org.mls" Alias="M">
  <EntityType Name="Property"><Key><PropertyRef Name="ListingKey"/></Key>
    <Property Name="ListingKey" Type="Edm.String" MaxLength="255"/>
    <Property Name="ListPrice" Type="Edm.Double"/>
    <Property Name="YearBuilt" Type="Edm.String"/>
    <Property Name="listingid" Type="Edm.String"/>
    <Property Name="Dock" Type="Edm.String"/>
    <Property Name="DockLength" Type="Edm.Decimal" Precision="7" Scale="2">
      <Annotation Term="RESO.OData.Metadata.DisplayName" String="Length of dock &amp; pier"/>
      <Annotation Term="Org.OData.Core.V1.Description" String="In feet"/>
    </Property>
    <Property Name="Zone" Type="M.Zone"/>
    <Property Name="Views" Type="M.Views"/>
    <Property Name="Shape" Type="Edm.GeographyPoint"/>
    <NavigationProperty Name="Media" Type="Collection(M.Media)"/>
  </EntityType>
  <EntityType Name="Team"><Property Name="TeamKey" Type="Edm.String"/></EntityType>
  <EnumType Name="Zone"><Member Name="MixedUse" Value="1"><Annotation Term="RESO.OData.Metadata.StandardName" String="Mixed Use"/></Member><Member Name="Farm" Value="2"/></EnumType>
  <EnumType Name="Views" IsFlags="true"><Member Name="Lake" Value="1"/></EnumType>
  <EntityContainer Name="C"><EntitySet Name="Property" EntityType="org.mls.Property"/><EntitySet Name="Teams" EntityType="M.Team"/></EntityContainer>
</Schema>`);

describe("a source's metadata is proposed in words", () => {
  test("standard, local, clashing and not representable fields, with the reason", async () => {
    const told = await command("system", "learn", "northshore", "--metadata", await place("a.xml", source));
    expect(told.split("\n")).toEqual([
      "+ field Property/DockLength of northshore: Decimal(7,2), `Length of dock & pier`",
      "+ field Property/Zone of northshore: String of lookup NSM_Zone, `Zone`",
      "+ field Property/Views of northshore: list of String of lookup NSM_Views, `Views`",
      "+ lookup NSM_Zone of northshore: 2 values, `Mixed Use`, `Farm`",
      "+ lookup NSM_Views of northshore: 1 value, `Lake`",
      "! Property/YearBuilt: the standard field is Edm.Int64, the source has Edm.String: convert its values, or leave the field out",
      "! Property/listingid: the dictionary's name for it is `ListingId`: map it to that",
      "! Property/Dock: other has a field of that name: --prefix-names makes it `NSM_Dock`",
      "- Property/Shape: Edm.GeographyPoint is no type of local fields: they are texts, booleans, integers, decimals, dates, timestamps and times",
      "- Teams/*: the service has no such resource: 1 fields",
      "! fields whose enumerations name members otherwise than their values: 1. Read the records with the mapping that --mapping-out writes",
      "Fields: 2 standard that fit, 3 local to add, 0 known already, 3 clashing, 2 left out.",
    ]);
    expect(await command("field", "list", "northshore")).toBe("");
  });

  test("a file for `field import`, a mapping of changed names, and --apply once", async () => {
    const [file, out, mapping] = [
      await place("b.xml", source),
      join(folder, "f.json"),
      join(folder, "m.json"),
    ];
    const learn = ["system", "learn", "northshore", "--metadata", file, "--prefix-names"];
    await command(...learn, "--out", out, "--mapping-out", mapping);
    expect(JSON.parse(await readFile(mapping, "utf8"))).toEqual({
      resources: {
        Property: {
          rename: {
            listingid: "ListingId",
            Dock: "NSM_Dock",
            DockLength: "NSM_DockLength",
            Zone: "NSM_Zone",
            Views: "NSM_Views",
          },
          drop: ["Shape"],
          split: { NSM_Views: "," },
          values: { NSM_Zone: { MixedUse: "Mixed Use" } },
        },
      },
    });
    const unasked = await cadastre([...learn, "--apply"], { environment });
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining("give --yes in a script")]);
    await command(...learn, "--apply", "--yes");
    const known = JSON.parse(await command("field", "list", "northshore", "--json")) as unknown;
    expect(known).toEqual(JSON.parse(await readFile(out, "utf8")));
    expect(known).toMatchObject({
      lookups: {
        NSM_Zone: [
          ["Mixed Use", "MixedUse"],
          ["Farm", "Farm"],
        ],
      },
    });
    expect(await command(...learn)).toContain("0 local to add, 4 known already");
    const again = await cadastre([...learn, "--out", out], { environment });
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("exists and was not changed: name another file"),
    ]);
  });
});

describe("records with the members of enumerations are taken with the mapping that is proposed", () => {
  const statuses = ["Active", "ActiveUnderContract"].map((name) => `<Member Name="${name}"/>`).join("");
  const views = [
    ["City", "City"],
    ["CityLights", "City Lights"],
    ["View4", "View 4"],
  ].map(
    ([name, text]) =>
      `<Member Name="${name}"><Annotation Term="RESO.OData.Metadata.StandardName" String="${text}"/></Member>`,
  );
  const metadata = schemaXml(`<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="m">
    <EntityType Name="Property"><Key><PropertyRef Name="ListingKey"/></Key>
      <Property Name="ListingKey" Type="Edm.String"/>
      <Property Name="StandardStatus" Type="m.Statuses"/>
      <Property Name="View" Type="Collection(m.Views)"/>
      <Property Name="Outlook" Type="m.Outlooks"/>
      <Property Name="Kind" Type="m.Kind"/>
    </EntityType>
    <EnumType Name="Statuses">${statuses}</EnumType>
    <EnumType Name="Views">${views.join("")}</EnumType>
    <EnumType Name="Outlooks" IsFlags="true">${views.join("")}</EnumType>
    <EnumType Name="Kind">${views.join("")}</EnumType>
    <EntityContainer Name="C"><EntitySet Name="Property" EntityType="m.Property"/></EntityContainer></Schema>`);

  test("of standard and local fields, of lists and of flags in one text", async () => {
    await command("system", "add", "enums", "--name", "Enums MLS", "--states", "IL", "--prefix", "ENU_");
    const mapping = join(folder, "members.json");
    const learn = ["system", "learn", "enums", "--metadata", await place("members.xml", metadata)];
    const told = await command(...learn, "--prefix-names", "--apply", "--yes", "--mapping-out", mapping);
    expect(told).toContain("+ lookup View of enums: 1 value, `View 4`");
    expect(told).not.toContain("StandardStatus is closed");
    const record = {
      ListingKey: "ENU-1",
      OriginatingSystemName: "Enums MLS",
      ModificationTimestamp: "2026-01-02T03:04:05Z",
      StateOrProvince: "IL",
      StandardStatus: "ActiveUnderContract",
      View: ["CityLights", "View4"],
      Outlook: "City,View4",
      Kind: "CityLights",
    };
    const [records, rejects] = [
      await place("members.jsonl", JSON.stringify(record)),
      join(folder, "m.rejects"),
    ];
    const ingest = ["ingest", "--resource", "Property", "--source", "enums", "--json", "--rejects", rejects];
    const plain = JSON.parse(await command(...ingest, records)) as { rejected: number };
    expect(plain.rejected).toBe(1);
    const mapped = JSON.parse(await command(...ingest, "--mapping", mapping, records)) as object;
    expect(mapped).toMatchObject({ read: 1, staged: 1, rejected: 0 });
  });
});

test("values of several lookups that become one are told, and all kept", async () => {
  const fields = ["A", "B", "C"].map((name, i) => ({
    ResourceName: "Property",
    FieldName: `Merged${name}`,
    LookupName: ["Pier Kind", "Pier-Kind", "NSM_Zone"][i],
  }));
  const values = [
    ["Pier Kind", "Wood"],
    ["Pier Kind", "Steel"],
    ["Pier-Kind", "Steel"],
    ["Pier-Kind", "Rock"],
    ["NSM_Zone", "Farm"],
    ["NSM_Zone", "Forest"],
  ].map(([LookupName, LookupValue]) => ({ LookupName, LookupValue }));
  const metadata = schemaXml(`<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="m">
    <EntityType Name="Property">${fields.map(({ FieldName }) => `<Property Name="${FieldName}" Type="Edm.String"/>`).join("")}</EntityType>
    <EntityContainer Name="C"><EntitySet Name="Property" EntityType="m.Property"/></EntityContainer></Schema>`);
  const told = await command(
    "system",
    "learn",
    "northshore",
    "--metadata",
    await place("merged.xml", metadata),
    "--lookups",
    await place("merged.json", JSON.stringify([...fields, ...values])),
  );
  expect(told.split("\n").filter((line) => line.includes("lookup ") && !line.startsWith("+ field"))).toEqual([
    "+ lookup NSM_Pier_Kind of northshore: 3 values, `Wood`, `Steel`, `Rock`",
    "+ lookup NSM_Zone of northshore: 1 value, `Forest`",
    "! lookup NSM_Pier_Kind: merged from the source's lookups `Pier Kind` and `Pier-Kind`",
    "! lookup NSM_Zone: 1 value of the source's `NSM_Zone` joins the 2 that the system has",
  ]);
});

/** Facts that metadata does not state. */
const stated = ({ name, type, collection, maxLength, precision, scale, lookup, displayName }: LocalField) =>
  JSON.stringify({ name, type, collection, maxLength, precision, scale, lookup, displayName });

describe("the metadata and lookups of a market of the demo, over HTTP", () => {
  const market: OriginatingSystem = sampleSystems[0];
  const catalog = createCatalog({ systems: [market] });
  let server: FeedServer;

  beforeAll(async () => {
    server = await startFeeds({
      odata: (request, response) => {
        if (request.headers.authorization !== "Bearer abc") return void response.writeHead(401).end();
        const at = request.url ?? "";
        if (at.endsWith("$metadata")) {
          response.setHeader("content-type", "application/xml");
          return void response.end(writeCsdlXml(catalog.model));
        }
        const rows = [...catalog.lookups.rows()].map(({ record }) => record);
        const isFirst = !at.includes("?");
        sendJson(response, {
          value: isFirst ? rows.slice(0, 1000) : rows.slice(1000),
          ...(isFirst ? { "@odata.nextLink": `${server.origin}/odata/Lookup?next` } : {}),
        });
      },
    });
    await command("system", "add", "copy", "--name", "Copy", "--states", "TX", "--prefix", market.prefix);
  });
  afterAll(() => server.stop());

  test.each(["/odata", "/odata/$metadata", "json"])(
    "%s gives exactly its local fields and lookups",
    async (at) => {
      const key = await place("key", "abc\n");
      const lookups = await place(
        "rows.json",
        JSON.stringify([...catalog.lookups.rows()].map((row) => row.record)),
      );
      const from =
        at === "json"
          ? ["--metadata", await place("m.csdl", writeCsdlJson(catalog.model)), "--lookups", lookups]
          : ["--metadata", server.origin + at, "--key-file", key];
      const found = JSON.parse(
        await command("system", "learn", "copy", ...from, "--json"),
      ) as OriginatingSystem;
      expect(Object.keys(found.fields ?? {}).sort()).toEqual(Object.keys(market.fields ?? {}).sort());
      for (const [resource, fields = []] of Object.entries(market.fields ?? {}))
        expect(found.fields?.[resource as "Property"]?.map(stated).sort()).toEqual(fields.map(stated).sort());
      expect(Object.values(found.fields ?? {}).flat().length).toBeGreaterThan(10);
      expect(found.lookups).toEqual(market.lookups);
      expect(found).toMatchObject({ notes: [] });
    },
  );
});

describe("a description that cannot be used is refused", () => {
  const nested = `<a>${"<b>".repeat(100)}${"</b>".repeat(100)}</a>`;
  test.each([
    ["<a", /is not XML|without a `Schema`/],
    ["<a/>", /XML without a `Schema` element/],
    ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>', /declares a document type/],
    [nested, /nests elements deeper than 64/],
    ["{", /neither XML nor JSON/],
    ["{}", /JSON without `\$Version`/],
    ['{"$Version":"4.01"}', /has no entity set/],
  ])("%s", async (text, reason) => {
    const file = await place("bad", text);
    const { code, stderr } = await cadastre(["system", "learn", "northshore", "--metadata", file], {
      environment,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
    expect(stderr).toContain(file);
  });

  test.each([
    [["--metadata", "absent.xml"], /absent\.xml cannot be read: there is no such file/],
    [["--metadata", "ftp://mls.example/odata"], /must begin with https/],
    [["--metadata", "good.xml", "--lookups", "bad.json"], /must hold records of Lookup or Field/],
    [["--metadata", "good.xml", "--lookups", "foreign.json"], /record 1 is of neither Lookup/],
  ])("%j", async (args, reason) => {
    await place("good.xml", source);
    await place("bad.json", "[1]");
    await place("foreign.json", '{"value":[{"City":"Austin"}]}');
    const at = args.map((arg) => (/^\w+\.\w+$/.test(arg) ? join(folder, arg) : arg));
    const { code, stderr } = await cadastre(["system", "learn", "northshore", ...at], { environment });
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });
});

test("records of Field give display names and lookups", async () => {
  const rows = [
    { ResourceName: "Property", FieldName: "Dock2", DisplayName: "Second dock", LookupName: "Docks" },
    { LookupName: "Docks", LookupValue: "Floating dock" },
  ];
  const xml = source.replace('Name="Dock"', 'Name="Dock2"');
  const args = [
    "--metadata",
    await place("c.xml", xml),
    "--lookups",
    await place("r.jsonl", rows.map((row) => JSON.stringify(row)).join("\n")),
  ];
  const found = JSON.parse(
    await command("system", "learn", "other", ...args, "--closed-lookups", "--json"),
  ) as OriginatingSystem;
  expect(found.fields?.Property?.find(({ name }) => name === "Dock2")).toMatchObject({
    displayName: "Second dock",
    lookup: "OTH_Docks",
    lookupStatus: "Locked with Enumerations",
  });
  expect(found.lookups?.["OTH_Docks"]).toEqual([["Floating dock", "Floatingdock"]]);
});

import { expect, test } from "vitest";
import { CsdlError, readCsdl, withInherited } from "../../src/csdl/index.ts";

const document = (content: string) =>
  `<?xml version="1.0" encoding="utf-8"?>
<!-- of another server -->
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
  <edmx:Reference Uri="https://x.example/Core.xml"><edmx:Include Namespace="Org.OData.Core.V1" Alias="Core"/></edmx:Reference>
  <edmx:DataServices>${content}</edmx:DataServices>
</edmx:Edmx>`;

const sales = document(`<Schema Namespace='Sales.Model' Alias="S">
  <EntityType Name="Thing" Abstract="true"><Key><PropertyRef Name="Id"/></Key>
    <Property Name="Id" Type="Edm.Int32" Nullable="false"/></EntityType>
  <EntityType Name="Sale" BaseType="S.Thing">
    <Property Name="Note" Type="Edm.String" MaxLength="max" Unicode="false">
      <Annotation Term="Core.Description" String="a &lt;b&gt; &#x41;&#66; &amp;amp;"/>
      <Annotation Term="Core.Description" Qualifier="Q" String="other"/>
    </Property>
    <Property Name="Price" Type="Edm.Decimal" Precision="9"/>
    <Property Name="Any" Type="Edm.Decimal"/>
    <Property Name="State" Type="S.State"/>
    <NavigationProperty Name="Items" Type="Collection(S.Sale)" Partner="Of"/>
    <NavigationProperty Name="Of" Type="S.Sale"><ReferentialConstraint Property="Id" ReferencedProperty="Id"/></NavigationProperty>
  </EntityType>
  <EnumType Name="State"><Member Name="Open"/><Member Name="Done" Value="-5"/></EnumType>
  <EntityContainer Name="C">
    <EntitySet Name="Sales" EntityType="S.Sale"><NavigationPropertyBinding Path="Items" Target="Sales"/></EntitySet>
    <Singleton Name="Me" Type="S.Sale"/>
  </EntityContainer></Schema>`);

test("aliases, base types, facets, annotations and what is beside entity sets are read", () => {
  const read = readCsdl(`\uFEFF${sales}`);
  expect(read.container).toEqual({ namespace: "Sales.Model", name: "C" });
  expect(read.otherChildren).toEqual(new Map([["Me", "Singleton"]]));
  expect(read.entitySets.get("Sales")).toEqual({ type: "Sales.Model.Sale", bindings: { Items: "Sales" } });
  expect(read.enumerations.get("Sales.Model.State")?.members.map(({ name, value }) => [name, value])).toEqual(
    [
      ["Open", undefined],
      ["Done", -5n],
    ],
  );
  const type = withInherited(read, "Sales.Model.Sale");
  expect(type?.key).toEqual(["Id"]);
  expect(type?.properties.map(({ name, nullable, scale, type: of }) => [name, nullable, scale, of])).toEqual([
    ["Id", false, undefined, "Edm.Int32"],
    ["Note", true, undefined, "Edm.String"],
    ["Price", true, 0, "Edm.Decimal"],
    ["Any", true, undefined, "Edm.Decimal"],
    ["State", true, undefined, "Sales.Model.State"],
  ]);
  expect(type?.properties[1]?.annotations).toEqual([
    { term: "Org.OData.Core.V1.Description", value: "a <b> AB &amp;" },
  ]);
  expect(type?.navigation).toEqual([
    { name: "Items", type: "Sales.Model.Sale", collection: true, partner: "Of", constraints: {} },
    {
      name: "Of",
      type: "Sales.Model.Sale",
      collection: false,
      partner: undefined,
      constraints: { Id: "Id" },
    },
  ]);
});

test("a type that is its own base ends the chain", () => {
  const read = readCsdl(sales.replace('Name="Thing"', 'Name="Thing" BaseType="S.Sale"'));
  expect(withInherited(read, "Sales.Model.Sale")?.properties.map(({ name }) => name)).toContain("Id");
});

const nested = "<a>".repeat(80) + "</a>".repeat(80);

test.each([
  ["", "invalid_json", /neither XML nor JSON/],
  ["{", "invalid_json", /neither XML nor JSON: .*position/],
  ["[]", "invalid_csdl", /JSON without `\$Version`/],
  ['{"$Version":"4.01"}', "invalid_csdl", /has no entity set/],
  ["<a/>", "invalid_csdl", /XML without a `Schema` element/],
  [document('<Schema Namespace="a"/>'), "invalid_csdl", /has no entity set/],
  ["<a", "invalid_xml", /line 1, column 1: `<a` is no complete tag/],
  ["<a>\n <b></a>", "invalid_xml", /line 2, column 5: expected `<\/b>`/],
  ["<a>\n", "invalid_xml", /line 2, column 1: the document ends before `<\/a>`/],
  ["<a></a>\n</b>", "invalid_xml", /line 2, column 1: nothing that `<\/b>` could end is open/],
  ["<a/><b/>", "invalid_xml", /column 5: there is a second root element/],
  ["<a/> b", "invalid_xml", /there is text outside of the root element/],
  ["<!-- only -->", "invalid_xml", /there is no element/],
  ['<a b="1" b="2"/>', "invalid_xml", /the attribute `b` is given twice/],
  ['<a b="x & y"/>', "invalid_xml", /`&` is no reference to a character: write `&` as `&amp;`/],
  ['<a b="&unknown;"/>', "invalid_xml", /`&unknown;` is no reference/],
  ['<a b="&#x110000;"/>', "invalid_xml", /is no reference/],
  ["<a b=1/>", "invalid_xml", /`<a` is no complete tag/],
  ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>', "invalid_xml", /document type/],
  [nested, "invalid_xml", /deeper than 64/],
])("refuses %j with a code and a place", (text, code, message) => {
  const read = () => readCsdl(text);
  expect(read).toThrow(CsdlError);
  expect(read).toThrow(message);
  expect(read).toThrow(expect.objectContaining({ code }));
});

test("a long document that is not XML is refused in linear time", () => {
  const started = Date.now();
  for (const text of [
    `<a ${'b="1" '.repeat(200_000)}`,
    `<a>${"<".repeat(500_000)}`,
    `<a b="${"&".repeat(300_000)}"/>`,
  ])
    expect(() => readCsdl(text)).toThrow(CsdlError);
  expect(Date.now() - started).toBeLessThan(5000);
});

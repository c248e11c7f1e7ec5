import { expect, test } from "vitest";
import { CsdlError, declarationsOfCsdl } from "../../src/csdl/index.ts";
import { evaluateDeclarations } from "../support/declarations-module.ts";

const metadata = `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
<Schema Namespace="Sales.Model" Alias="Self" xmlns="http://docs.oasis-open.org/odata/ns/edm">
  <EntityType Name="Order"><Key><PropertyRef Name="OrderID"/></Key>
    <Property Name="Total" Type="Edm.Decimal" Precision="14" Scale="2"/>
    <Property Name="OrderID" Type="Edm.Int32" Nullable="false"/>
    <Property Name="CustomerID" Type="Edm.String" MaxLength="5"/>
    <Property Name="Tags" Type="Collection(Edm.String)" Nullable="false"/>
    <Property Name="State" Type="Self.State" Nullable="false"/>
    <Property Name="Rights" Type="Self.Rights"/>
    <Property Name="Ship" Type="Self.Address"/>
    <Property Name="Logo" Type="Edm.Binary"/>
    <Property Name="Area" Type="Edm.GeographyPolygon"/>
    <Property Name="Spot" Type="Edm.GeographyPoint" SRID="3857"/>
    <Property Name="Code" Type="Self.CodeType"/>
    <NavigationProperty Name="Customer" Type="Self.Customer" Partner="Orders"><ReferentialConstraint Property="CustomerID" ReferencedProperty="CustomerID"/></NavigationProperty>
    <NavigationProperty Name="Lines" Type="Collection(Self.Line)"/>
    <NavigationProperty Name="Elsewhere" Type="Self.Nowhere"/>
    <NavigationProperty Name="ByLogo" Type="Self.Customer"><ReferentialConstraint Property="Logo" ReferencedProperty="CustomerID"/></NavigationProperty>
  </EntityType>
  <EntityType Name="Customer"><Key><PropertyRef Name="CustomerID"/></Key>
    <Property Name="CustomerID" Type="Edm.String" MaxLength="5" Nullable="false"/>
    <NavigationProperty Name="Orders" Type="Collection(Self.Order)" Partner="Customer"/>
  </EntityType>
  <EntityType Name="Line"><Key><PropertyRef Name="Ship/Street" Alias="Street"/></Key><Property Name="Ship" Type="Self.Address"/></EntityType>
  <EntityType Name="NoKey"><Property Name="A" Type="Edm.String"/></EntityType>
  <EntityType Name="RushOrder" BaseType="Self.Order"/>
  <ComplexType Name="Address"><Property Name="Street" Type="Edm.String"/></ComplexType>
  <EnumType Name="State"><Member Name="Open" Value="10"/><Member Name="Done" Value="20"/></EnumType>
  <EnumType Name="Rights" IsFlags="true"><Member Name="Read" Value="1"/></EnumType>
  <TypeDefinition Name="CodeType" UnderlyingType="Edm.String"/>
  <EntityContainer Name="Shop">
    <EntitySet Name="Orders" EntityType="Self.Order"><NavigationPropertyBinding Path="Customer" Target="class"/></EntitySet>
    <EntitySet Name="class" EntityType="Self.Customer"/>
    <EntitySet Name="Lines" EntityType="Self.Line"/>
    <EntitySet Name="NoKeys" EntityType="Self.NoKey"/>
    <EntitySet Name="Gone" EntityType="Self.Gone"/>
    <Singleton Name="Me" Type="Self.Customer"/>
  </EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;

test("what can be declared of another service is declared, and the rest is told", () => {
  const module = declarationsOfCsdl(metadata);
  expect(`\n${module}`).toBe(`
// Made of the metadata of a service: namespace \`Sales.Model\`, container \`Shop\`. Name tables by \`table\`, and columns by \`.column(…)\`.
import { collection, decimal, entitySet, enumeration, integer, many, one, text } from "@cadastre/server/model";

// Left out: the entity set \`Lines\`, because \`Ship/Street\` of its key is no property of its own (\`Sales.Model.Line\`).
// Left out: the entity set \`NoKeys\`, because its type has no key (\`Sales.Model.NoKey\`).
// Left out: the entity set \`Gone\`, because its type is not in the document (\`Sales.Model.Gone\`).
// Left out: \`Me\`, because it is no entity set (\`Singleton\`).
// Left out: the entity type \`Sales.Model.RushOrder\`, because it is derived from \`Sales.Model.Order\`: a set has entities of one type.
export const Orders = entitySet("Orders", {
  key: {
    OrderID: integer(),
  },
  properties: {
    Total: decimal(14, 2).nullable(),
    CustomerID: text(5).nullable(),
    Tags: collection(text()),
    // Its members have other numbers in that service: Open 10, Done 20.
    State: enumeration("Sales.Model.State", ["Open", "Done"]),
    // Left out: \`Rights\`, because its type \`Sales.Model.Rights\` combines several members in one value.
    // Left out: \`Ship\`, because its type \`Sales.Model.Address\` is complex: declare its members as properties of their own.
    // Left out: \`Logo\`, because its type \`Edm.Binary\` has no declaration.
    // Left out: \`Area\`, because its type \`Edm.GeographyPolygon\` has no declaration.
    // Left out: \`Spot\`, because its coordinates are of the reference system 3857, and not of 4326.
    Code: text().nullable(),
  },
  navigation: {
    Customer: one("class", { CustomerID: "CustomerID" }),
    // Left out: \`Lines\`, because no declared entity set has its entities (\`Sales.Model.Line\`).
    // Left out: \`Elsewhere\`, because no declared entity set has its entities (\`Sales.Model.Nowhere\`).
    // Left out: \`ByLogo\`, because \`Logo\` or \`CustomerID\` is not declared.
  },
});

export const classSet = entitySet("class", {
  key: {
    CustomerID: text(5),
  },
  properties: {
  },
  navigation: {
    Orders: many("Orders", { CustomerID: "CustomerID" }),
  },
});

export const entitySets = [Orders, classSet] as const;
`);
  expect(evaluateDeclarations(module).map(({ name }) => name)).toEqual(["Orders", "class"]);
});

test("a navigation property that nothing says the pairs of is left out with what to write", () => {
  const module = declarationsOfCsdl(
    metadata.replace(/<ReferentialConstraint Property="CustomerID"[^>]*>/, ""),
  );
  expect(module).toContain(
    '// Left out: `Orders`, because nothing says which properties are equal: add `many("Orders", { own: "other" })`.',
  );
});

test("a document that is none is refused with its place", () => {
  const broken = metadata.replace("</EntityContainer>", "</EntityContainr>");
  expect(() => declarationsOfCsdl(broken)).toThrow(CsdlError);
  expect(() => declarationsOfCsdl(broken)).toThrow("line 39, column 3: expected `</EntityContainer>`");
});

test("names and texts of a document cannot leave their literals", () => {
  const hostile = metadata
    .replace('Name="Done"', 'Name="Done&quot;]); throw 1; (&#xA;"')
    .replace('Namespace="Sales.Model"', 'Namespace="Sales&#xA;throw 2;//.Model"')
    .replace('Name="Me"', 'Name="Me&#xA;throw 3;&#x2028;throw 4"')
    .replaceAll("Self.CodeType", "Self.&#xD;throw 5");
  expect(evaluateDeclarations(declarationsOfCsdl(hostile))).toHaveLength(2);
});

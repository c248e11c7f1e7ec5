import { readFileSync } from "node:fs";
import { type Catalog, type CatalogDefinition, createCatalog, type OriginatingSystem } from "@cadastre/reso";

/** The invented systems of the sample. */
const systems = [
  {
    id: "lonestar",
    name: "Lone Star MLS",
    prefix: "LSM_",
    states: ["TX"],
    datasetId: "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  },
  {
    id: "hillcountry",
    name: "Hill Country Exchange",
    prefix: "HCX_",
    states: ["TX"],
    datasetId: "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
  },
  {
    id: "evergreen",
    name: "Evergreen MLS",
    prefix: "EVG_",
    states: ["WA"],
    datasetId: "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732",
  },
  {
    id: "cascade",
    name: "Cascade MLS",
    prefix: "CAS_",
    states: ["OR", "WA"],
    datasetId: "5e93b7d1-f248-4c6d-a1e7-80c2d4961f43",
  },
  {
    id: "gulfsun",
    name: "Gulf Sunshine MLS",
    prefix: "GSM_",
    states: ["FL"],
    datasetId: "e6a250fb-93cd-4f12-8c7b-d7b9035e8a54",
  },
] as const satisfies readonly OriginatingSystem[];

/** Id of a system of the sample. */
export type SampleSystemId = (typeof systems)[number]["id"];

/** Reads what a system adds to the dictionary: local fields of Property, and lookups. They are invented, but typical of real MLSs. */
const additions = (id: SampleSystemId) =>
  JSON.parse(readFileSync(new URL(`../../data/catalog/${id}.json`, import.meta.url), "utf8")) as Pick<
    OriginatingSystem,
    "fields" | "lookups"
  >;

/** Definition of the catalog of the sample. With the dictionary it has the 946 fields of Property that the demo serves. */
export const sampleDefinition: CatalogDefinition = {
  systems: systems.map((system) => ({ ...system, ...additions(system.id) })),
};

export const sampleCatalog: Catalog = createCatalog(sampleDefinition);

type SampleSystem = OriginatingSystem & { readonly id: SampleSystemId };
type SampleSystems<Listed extends readonly unknown[]> = { readonly [Index in keyof Listed]: SampleSystem };

/** The systems of the sample, in the order of its catalog. */
export const sampleSystems = sampleDefinition.systems as unknown as SampleSystems<typeof systems>;

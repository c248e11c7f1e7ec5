/** An MLS whose listings the sample markets hold, and whose local fields the catalog lists. */
export type OriginatingSystem = {
  readonly id: string;
  /** The `OriginatingSystemName` of its records: for reading, not durable. */
  readonly name: string;
  /** What the name of each of its local fields and lookups starts with. */
  readonly prefix: string;
  /** `StateOrProvince` values of its market. */
  readonly states: readonly string[];
  /** UUID of its dataset: stays when the name, the transport or the ingestion changes. */
  readonly datasetId: string;
};

export const originatingSystems = [
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

export type OriginatingSystemId = (typeof originatingSystems)[number]["id"];

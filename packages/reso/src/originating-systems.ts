/** An invented MLS with listings in the sample markets and local fields in the catalog. */
export type OriginatingSystem = {
  readonly id: string;
  /** The `OriginatingSystemName` of its records. It is for display and may change. */
  readonly name: string;
  /** Prefix of the names of its local fields and lookups. */
  readonly prefix: string;
  /** `StateOrProvince` values in its market. */
  readonly states: readonly string[];
  /** UUID of its dataset. It never changes, even if the name, the transport or the ingestion does. */
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

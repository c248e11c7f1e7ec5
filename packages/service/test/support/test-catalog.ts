import {
  type Catalog,
  createCatalog,
  type Field,
  type OriginatingSystem,
  type RecordName,
} from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { randomDefinition } from "./random-definition.ts";

const seed = process.env["CATALOG"];

/** True if {@link testCatalog} is not that of the sample. */
export const isRandomCatalog = seed !== undefined;

/** The catalog of tests that state laws: that of the sample, or with `CATALOG=<number>` one that is drawn from the number. */
export const testCatalog: Catalog =
  seed === undefined ? sampleCatalog : createCatalog(randomDefinition(Number(seed)));

/** The first systems of the catalog. */
export const [firstSystem, secondSystem, thirdSystem] = testCatalog.systems as readonly [
  OriginatingSystem,
  OriginatingSystem,
  OriginatingSystem,
];

/** Returns the local fields of a resource if the catalog is a random one: the laws know by themselves what to ask of the sample's. */
export const randomFieldsOf = (name: RecordName): readonly Field[] =>
  seed === undefined ? [] : testCatalog.fieldsOf(name).filter(({ source }) => source !== null);

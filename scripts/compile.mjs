// Compiles the packages for the tests that run programs as they are published. They would do it themselves, within the time of one.
import { compilePackages } from "../packages/odata/src/testing/compiled-packages.ts";

await compilePackages();

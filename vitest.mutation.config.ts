import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import config from "./vitest.config.ts";

/** Of the files of tests: whether the package loads at all, what a list holds, what is quick, and the rest. */
const order = [/index/, /golden/, /^(?!.*(?:property|key-source|canonical|refusals))/, /./];

/** A mutant is dead at the first failure. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => order.findIndex((form) => form.test(moduleId));
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Mutants of the restriction run against its own tests, but for those that look at other packages or start a process. */
export default defineConfig({
  ...config,
  test: {
    // On a busy machine too a test fails for the mutant alone.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    isolate: false,
    sequence: { sequencer: QuickFirst },
    include: ["packages/entitlement/test/**/*.test.ts"],
    exclude: ["**/reach.test.ts", "**/readme.test.ts"],
  },
});

// Connects clients that others wrote to the started service, and compares what they get with what is right. The table in
// docs/clients.md is its result; with `--write` it is written anew.
import { readFileSync } from "node:fs";
import { inspect, isDeepStrictEqual } from "node:util";
import { startService } from "./service.mjs";
import { hasTable, tableOf, writeTable } from "./table.mjs";
import { findTask, steps } from "./task.mjs";

const modules = ["odata2ts", "sap-cloud-sdk", "odata-client", "o-js", "ts-odatajs", "odata-query", "openui5"];
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

const brief = (value) => (value instanceof Error ? value.stack : inspect(value, { maxArrayLength: 3 }));

const service = await startService();
const results = [];
let failed = 0;
try {
  const task = await findTask(service);
  for (const module of only.length > 0 ? only : modules) {
    const { name, connect } = await import(`./${module}.mjs`);
    const { version, license } = JSON.parse(
      readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8"),
    );
    const connected = await connect(service, task);
    if (typeof connected === "string") {
      console.log(`${name}: skipped, ${connected}`);
      continue;
    }
    const outcomes = {};
    for (const step of Object.keys(steps)) {
      if (connected[step] === undefined) continue;
      const got = await Promise.resolve()
        .then(connected[step])
        .catch((error) => error);
      outcomes[step] = isDeepStrictEqual(got, task.expected[step]);
      if (outcomes[step]) continue;
      failed += 1;
      console.error(`${name}, ${step}: expected ${brief(task.expected[step])}, got ${brief(got)}`);
    }
    await connected.close?.();
    console.log(
      `${name} ${version}: ${Object.values(outcomes).filter(Boolean).length} of ${Object.keys(outcomes).length}`,
    );
    results.push({ name, version, license, outcomes });
  }
} finally {
  service.stop();
}
const table = tableOf(results);
console.log(`\n${table}`);
if (failed > 0) process.exitCode = 1;
else if (process.argv.includes("--write")) writeTable(table);
else if (!hasTable(table)) {
  console.error("docs/clients.md has another table: `npm run clients -- --write` writes it anew");
  process.exitCode = 1;
}

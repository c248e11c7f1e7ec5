// Connects clients that others wrote to the service and to a server of its own tables, and compares what they get with what is right. The table in
// docs/clients.md is its result; with `--write` it is written anew.
import { readFileSync } from "node:fs";
import { inspect, isDeepStrictEqual } from "node:util";
import { startOwnServer, startService } from "./service.mjs";
import { hasTable, tableOf, writeTable } from "./table.mjs";
import { findTask, steps } from "./task.mjs";

const modules = ["odata2ts", "sap-cloud-sdk", "odata-client", "o-js", "ts-odatajs", "odata-query", "openui5"];
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

const brief = (value) => (value instanceof Error ? value.stack : inspect(value, { maxArrayLength: 3 }));

/** Connects a client to a server. Returns the outcomes of the steps that it has. */
async function outcomesOf(client, server, task) {
  const connected = await client.connect(server, task);
  if (typeof connected === "string") return connected;
  const outcomes = {};
  for (const step of Object.keys(steps)) {
    if (connected[step] === undefined || task.expected[step] === undefined) continue;
    const got = await Promise.resolve()
      .then(connected[step])
      .catch((error) => error);
    outcomes[step] = isDeepStrictEqual(got, task.expected[step]);
    if (!outcomes[step])
      console.error(`${client.name}, ${step}: expected ${brief(task.expected[step])}, got ${brief(got)}`);
  }
  await connected.close?.();
  return outcomes;
}

const results = new Map();
let failed = 0;
for (const [server, start] of [
  ["the service", startService],
  ["a server of its own tables", startOwnServer],
]) {
  const started = await start();
  console.log(`Clients of ${server}`);
  try {
    const task = await findTask(started);
    for (const module of only.length > 0 ? only : modules) {
      const client = await import(`./${module}.mjs`);
      const { name } = client;
      const outcomes = await outcomesOf(client, started, task);
      if (typeof outcomes === "string") {
        console.log(`${name}: skipped, ${outcomes}`);
        continue;
      }
      const right = Object.values(outcomes).filter(Boolean).length;
      failed += Object.keys(outcomes).length - right;
      const { version, license } = JSON.parse(
        readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8"),
      );
      console.log(`${name} ${version}: ${right} of ${Object.keys(outcomes).length}`);
      const before = results.get(name)?.outcomes ?? {};
      const all = Object.entries(outcomes).map(([step, isRight]) => [
        step,
        isRight && before[step] !== false,
      ]);
      results.set(name, { name, version, license, outcomes: { ...before, ...Object.fromEntries(all) } });
    }
  } finally {
    started.stop();
  }
}
const table = tableOf([...results.values()]);
console.log(`\n${table}`);
if (failed > 0) process.exitCode = 1;
else if (process.argv.includes("--write")) writeTable(table);
else if (!hasTable(table)) {
  console.error("docs/clients.md has another table: `npm run clients -- --write` writes it anew");
  process.exitCode = 1;
}

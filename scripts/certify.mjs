// Runs RESO's certification tool against a demo with `CADASTRE_CERTIFICATION=true`, which it starts, and says what was not exercised:
// `npm run certify`, or `npm run certify -- --dd 2.0 --dd 2.1 --tools <checkout of reso-tools> --listings 5000`. Without `--dd`, the Data
// Dictionary 2.0 is tried; `--dd none` leaves it out, which takes some minutes. The tool is installed from npm into a temporary
// folder: it is RESO's, under RESO's licence (https://www.reso.org/eula/), and no part of this project.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { byResource, findReport, summarizeCore } from "./certify/report.mjs";
import { startServices } from "./certify/services.mjs";
import { installTool } from "./certify/tool.mjs";
import { startDemo } from "./demo-service.mjs";

const { values: options } = parseArgs({
  options: {
    tools: { type: "string" },
    listings: { type: "string", default: "20000" },
    out: { type: "string" },
    dd: { type: "string", multiple: true, default: ["2.0"] },
  },
});
const folder = mkdtempSync(join(tmpdir(), "cadastre-certify-"));
const reports = options.out ?? join(folder, "reports");
mkdirSync(reports, { recursive: true });

/** Runs a suite of the tool. Returns its exit code and its output. */
function runSuite(program, suite, arguments_, env) {
  const place = join(reports, suite);
  const all = [program, suite, ...arguments_, "--verbose", "--output-dir", place];
  return new Promise((resolve) => {
    const tool = spawn(process.execPath, all, { cwd: folder, env: { ...process.env, ...env } });
    let output = "";
    for (const stream of [tool.stdout, tool.stderr]) stream.on("data", (text) => (output += String(text)));
    tool.on("exit", (code) => resolve({ code, output, place }));
  });
}

const notExercised = [];
let failures = 0;

console.log("Installing RESO's certification tool, under RESO's licence: https://www.reso.org/eula/");
const tool = installTool(join(folder, "tool"), options.tools);
notExercised.push(...tool.lacks);
const demo = await startDemo(join(folder, "data"), {
  CADASTRE_LISTINGS: options.listings,
  CADASTRE_CERTIFICATION: "true",
  CADASTRE_SCAN_SECONDS: "3600",
});
const services = await startServices();
notExercised.push(
  "RESO's variations service is not asked: a stand-in finds no name that resembles one of the dictionary",
  "OAuth 2 client credentials: the key is a bearer token, which Core 2.1.0 accepts in their place",
  "add-edit: nothing is written by OData",
);
try {
  const env = { RESO_AUTH_TOKEN: demo.key, ...services.env };
  const core = await runSuite(tool.program, "core", ["--url", demo.root], env);
  const report = findReport(core.place, "report-detailed.json");
  if (report === undefined) throw new Error(`the tool has written no report:\n${core.output.slice(-2000)}`);
  const { passed, failed, skipped, optional } = summarizeCore(report);
  const skips = [...skipped.values()].reduce((sum, names) => sum + names.length, 0);
  console.log(
    `\nWeb API Core 2.1.0, reso-certification ${tool.version}: ${passed} passed, ${failed.length} failed, ${skips} skipped; of optional ones ${optional.length} not tested`,
  );
  for (const line of failed) console.log(`  failed   ${line}`);
  for (const [reason, names] of skipped) {
    console.log(`  skipped ${String(names.length).padStart(3)}  ${reason}`);
    for (const line of byResource(names)) console.log(`               ${line}`);
  }
  for (const line of optional) console.log(`  optional      ${line}`);
  failures += failed.length;
  const unexplained = [...skipped.keys()].filter((reason) => reason.startsWith("not explained"));
  failures += unexplained.length;

  const named = await fetch(demo.root, { headers: { authorization: `Bearer ${demo.key}` } });
  if ((await named.json()).value.some(({ name }) => name === "EntityEvent")) {
    const events = await runSuite(
      tool.program,
      "entity-event",
      ["--url", demo.root, "--poll-timeout", "5000"],
      env,
    );
    console.log(
      `\nEntityEvent: ${events.code === 0 ? "passed" : "not passed"}\n${events.output.slice(-1500)}`,
    );
    if (events.code !== 0) failures += 1;
  } else notExercised.push("entity-event: the service has no set `EntityEvent`");

  for (const version of options.dd.filter((one) => one !== "none")) {
    const dd = await runSuite(
      tool.program,
      "dd",
      ["--url", demo.root, "--dd-version", version, "--limit", "1000"],
      env,
    );
    console.log(`\nData Dictionary ${version}: ${dd.code === 0 ? "passed" : "not passed"}`);
    for (const line of dd.output.split("\n"))
      if (/[✓✗-] \S/.test(line) && !line.includes("→"))
        console.log(`  ${line.replace(/^\[[^\]]*\] /, "").slice(0, 200)}`);
    if (dd.code !== 0) failures += 1;
  }
  for (const version of ["2.0", "2.1"].filter((one) => !options.dd.includes(one)))
    notExercised.push(`the Data Dictionary ${version}: ask for it by --dd ${version}`);
} finally {
  services.stop();
  await demo.stop();
  rmSync(join(folder, "tool"), { recursive: true, force: true });
  rmSync(join(folder, "data"), { recursive: true, force: true });
}
console.log("\nNot exercised");
for (const line of notExercised) console.log(`  ${line}`);
console.log(`\nReports: ${reports}`);
process.exit(failures === 0 ? 0 : 1);

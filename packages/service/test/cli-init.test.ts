import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { questions } from "../src/cli/init/questions.ts";
import { readConfig } from "../src/config.ts";
import type { Setting } from "../src/settings/setting.ts";
import { settings } from "../src/settings/settings.ts";
import { parseSettings } from "../src/settings/settings-file.ts";
import { settingsTemplate } from "../src/settings/settings-template.ts";
import { cadastre } from "./support/cli.ts";
import { onFiles } from "./support/test-database.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadastre-init-"));
  file = join(folder, "cadastre.yaml");
});

const flags = () => ["--data", join(folder, "data"), "--issuer-key", join(folder, "issuer", "key.json")];

describe("a settings file that is written", () => {
  test("has every setting as a comment, and means the defaults", () => {
    const text = settingsTemplate(new Map());
    expect(parseSettings(file, text, {})).toMatchObject({ faults: [], isBroken: false });
    expect(parseSettings(file, text, {}).values.size).toBe(0);
    for (const [name, { path }] of Object.entries<Setting>(settings)) {
      expect(text).toContain(`# ${path.split(".").at(-1)}:`);
      expect(text).toMatch(new RegExp(`Variable:\\s+(?:# +)?${name}\\.`));
    }
  });

  test("is valid without the marks of its comments", () => {
    const text = settingsTemplate(new Map()).replaceAll(/^( *)# ([a-z_]+: ?\S*)$/gm, "$1$2");
    writeFileSync(file, text);
    expect(readConfig({ CADASTRE_CONFIG: file })).toEqual({
      ...readConfig({}),
      dataFolder: join(folder, ".data"),
    });
    expect(parseSettings(file, text, {}).values.size).toBeGreaterThan(40);
  });
});

describe.runIf(onFiles)("cadastre init", () => {
  test("sets up by flags what a start then serves, and replaces nothing", async () => {
    const args = ["init", "--config", file, "--yes", ...flags(), "--port", "9191"];
    const environment = { npm_lifecycle_event: "cadastre", npm_package_name: "cadastre" };
    const given = [...args, "--systems", "own:Own MLS:TX,OK:OMLS_; other:Other MLS:TX"];
    const { code, stdout, stderr } = await cadastre(given, { environment });
    const typed = `  npm run --silent cadastre -- --config ${file}`;
    expect(stderr.split("\n").filter((line) => line.startsWith("  "))).toEqual([
      `${typed} doctor`,
      `${typed} ingest --resource Property --source <system> <file>`,
      `${typed} publish Property`,
      `${typed} customer add <customer> --template idx --systems all --issuer-key ${join(folder, "issuer", "key.json")}`,
      `${typed} serve`,
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Move it to another machine")]);
    expect(parse(stdout)).toMatchObject({
      port: 9191,
      systems: [
        { id: "own", name: "Own MLS", states: ["TX", "OK"], prefix: "OMLS_" },
        { id: "other", name: "Other MLS", states: ["TX"] },
      ],
    });
    expect(readConfig({ CADASTRE_CONFIG: file })).toMatchObject({
      port: 9191,
      listings: 0,
      dataFolder: join(folder, "data"),
      trust: { keySet: join(folder, "key-set.json"), issuer: "cadastre-issuer", audience: "cadastre" },
    });
    expect(existsSync(join(folder, "data", "listings.sqlite"))).toBe(true);
    expect(existsSync(join(folder, "data", "demo.json"))).toBe(false);
    for (const made of [file, join(folder, "issuer", "key.json")])
      expect(statSync(made).mode & 0o777).toBe(0o600);
    const { stdout: builds } = await cadastre(["builds", "--config", file]);
    expect(builds).not.toMatch(/Property/);

    const before = readFileSync(file, "utf8");
    const again = await cadastre(args);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining(`${file} exists, and is not replaced: edit it and run \`cadastre doctor\``),
    ]);
    expect(readFileSync(file, "utf8")).toBe(before);
    const other = join(folder, "other.yaml");
    const key = await cadastre(["init", "--config", other, "--yes", ...flags()]);
    expect([key.code, key.stderr]).toEqual([
      1,
      expect.stringContaining("key.json exists, and is not replaced"),
    ]);
    expect(existsSync(other)).toBe(false);
  });

  test("puts what its defaults name beside the settings file, and what a flag names in the current folder", async () => {
    const { code, stdout, stderr } = await cadastre(["init", "--config", file, "--yes"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(join(folder, "issuer", "private-key.json"))]);
    expect(parse(stdout)).toMatchObject({ data: "./data", issuer_key: "./issuer/private-key.json" });
    for (const made of ["data/listings.sqlite", "issuer/private-key.json", "key-set.json"])
      expect(existsSync(join(folder, made)), made).toBe(true);
    expect(readFileSync(file, "utf8")).toContain("\ndata: ./data\n");
    expect(readConfig({ CADASTRE_CONFIG: file }).dataFolder).toBe(join(folder, "data"));

    const [other, here] = [join(folder, "other.yaml"), mkdtempSync(join(tmpdir(), "cadastre-init-here-"))];
    const flag = relative(process.cwd(), join(here, "data"));
    const args = ["init", "--config", other, "--yes", "--issuer-key", "", "--data", flag];
    expect((await cadastre(args)).code).toBe(0);
    expect(readConfig({ CADASTRE_CONFIG: other }).dataFolder).toBe(join(here, "data"));
  });

  test("names a key that an answers file has twice", async () => {
    const answers = join(folder, "answers.yaml");
    writeFileSync(answers, "port: 1\ndata: ./data\nport: 2\n");
    const { code, stderr } = await cadastre(["init", "--config", file, "--from", answers]);
    expect([code, stderr]).toEqual([1, `${answers}:3:1: \`port\` occurs twice in one section: keep one`]);
  });

  test("takes a file of answers, and flags before it", async () => {
    const answers = join(folder, "answers.yaml");
    writeFileSync(
      answers,
      `data: ${folder}/data\ndatabase_url:\nport: 81\nbase_url: https://listings.example\nsystems: [{ id: own, name: Own MLS, states: [TX] }]\nissuer_key: ""\nissuer: x\naudience: y\n`,
    );
    const { code, stderr } = await cadastre(["init", "--config", file, "--from", answers, "--port", "82"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Added Own MLS")]);
    expect(readConfig({ CADASTRE_CONFIG: file })).toMatchObject({
      port: 82,
      baseUrl: "https://listings.example",
      trust: undefined,
    });
  });

  test("names faults of the answers with their places, and the flags that are missing", async () => {
    const answers = join(folder, "answers.yaml");
    writeFileSync(answers, "prot: 1\nport: x\nsystems: own\n");
    const wrong = await cadastre(["init", "--config", file, "--from", answers]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr.replaceAll(answers, "answers.yaml").split("\n")).toEqual([
      "answers.yaml:1:1: `prot` is no question: did you mean `port`? Allowed are data, admin_url, database_url, port, base_url, systems, issuer_key, issuer, audience",
      "answers.yaml:2:1: port must be a whole number from 0 to 65535 (0: any free port)",
      "answers.yaml:3:1: systems must be `<id>:<name>:<states>` or `<id>:<name>:<states>:<prefix>`, such as `mymls:My MLS:TX,OK:MML_`, with semicolons between",
    ]);
    const missing = await cadastre(["init", "--config", file, "--port", "1"]);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      "without a terminal, init needs --data <folder>, --admin-url <url>, --database-url <url>, --base-url <url>, --systems <systems>, --issuer-key <file>, --issuer <name>, --audience <name>; or --from <file> with these answers; or --yes for the defaults",
    ]);
    expect(existsSync(file)).toBe(false);
  });

  test.runIf(existsSync("/usr/bin/script"))("asks on a terminal", { timeout: 60_000 }, async () => {
    const node = "node --conditions=@cadastre/source --import";
    const command = `${node} ${resolve("scripts/source.mjs")} ${resolve("packages/service/src/cli/main.ts")} init`;
    const child = spawn("/usr/bin/script", ["-qec", command, "/dev/null"], { cwd: folder });
    const answered = new Set<string>();
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      for (const { name, asks } of questions)
        if (!answered.has(name) && shown.includes(asks.slice(0, 30))) {
          answered.add(name);
          child.stdin.write(name === "port" ? "7\r" : "\r");
        }
    });
    const [code] = (await once(child, "exit")) as [number];
    expect([code, answered.size]).toEqual([0, questions.length]);
    expect(readConfig({ CADASTRE_CONFIG: file })).toMatchObject({
      dataFolder: join(folder, "data"),
      listings: 0,
    });
  });
});

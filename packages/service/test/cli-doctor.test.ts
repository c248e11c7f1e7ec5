import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { diagnoseNode, diagnoseOpenFiles } from "../src/cli/doctor/machine-checks.ts";
import { openDataFolder } from "../src/data/data-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { cadastre } from "./support/cli.ts";
import { onFiles } from "./support/test-database.ts";

type Report = {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly remedy?: string;
};

let folder = "";
const at = (...names: readonly string[]) => join(folder, ...names);
const config = () => ["--config", at("cadastre.yaml")];
const key = () => at("elsewhere", "signing.json");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "cadastre-doctor-"));
  const { code } = await cadastre([
    "init",
    ...config(),
    "--yes",
    "--data",
    at("data"),
    "--issuer-key",
    key(),
    "--systems",
    "mymls:My MLS:TX",
  ]);
  expect(code).toBe(0);
});

async function doctor(environment: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await cadastre(["doctor", ...config(), "--json"], { environment });
  const reports = JSON.parse(stdout) as readonly Report[];
  return { code, reports, text: stdout };
}

const edit = (from: string | RegExp, to: string) =>
  writeFileSync(at("cadastre.yaml"), readFileSync(at("cadastre.yaml"), "utf8").replace(from, to));

/** Installs an entitlement of so many days. */
async function entitle(customer: string, days: number) {
  const listed = await cadastre(["system", "list", "--json", ...config()]);
  const systems = JSON.parse(listed.stdout) as readonly { readonly datasetId: string }[];
  const document = {
    iss: "cadastre-issuer",
    aud: "cadastre",
    sub: customer,
    ver: 1,
    products: ["listing"],
    channels: { api: true, odata: true, file_delivery: false },
    regions: [{ kind: "state", value: "TX" }],
    datasets: systems.map(({ datasetId }) => ({
      dataset_id: datasetId,
      resources: { Property: { fields: "*" } },
    })),
  };
  const out = at(`${customer}.jws`);
  const sign = ["entitlement", "sign", "-", "--key", key(), "--days", String(days), "--out", out];
  // The issuer has another machine, with no data of a service.
  const environment = { CADASTRE_DATA: at("none") };
  const signed = await cadastre(sign, { input: JSON.stringify(document), environment });
  const installed = await cadastre(["entitlement", "install", out, ...config()]);
  expect([signed.code, installed.code, installed.stderr]).toEqual([0, 0, expect.anything()]);
}

describe.runIf(onFiles)("cadastre doctor", () => {
  test("finds nothing to mend in a sound folder, and changes nothing", async () => {
    await entitle("acme", 30);
    const made = await cadastre(["key", "create", "acme", ...config()]);
    const before = readFileSync(at("data", "registry.sqlite"));
    const { code, reports, text } = await doctor();
    expect(reports.filter(({ state }) => state === "mend")).toEqual([]);
    expect(code).toBe(0);
    expect(readFileSync(at("data", "registry.sqlite"))).toEqual(before);
    for (const check of [
      "settings",
      "data folder",
      "issuer key",
      "registry",
      "secrets",
      "trust",
      "deliveries",
    ])
      expect(reports).toContainEqual(expect.objectContaining({ check, state: "ok" }));
    // The key of a customer, and the peppers.
    const { skipTokenKey } = JSON.parse(readFileSync(at("data", "secrets.json"), "utf8")) as {
      skipTokenKey: string;
    };
    for (const secret of [made.stdout, skipTokenKey]) expect(text).not.toContain(secret);
    const { stdout } = await cadastre(["doctor", ...config()]);
    expect(stdout).toMatch(/^CHECK +STATE +FINDING\nnode +ok /);
    expect(stdout).toContain("1 key was never used");
  });

  const cases: [string, () => void | Promise<void>, string, RegExp, RegExp?][] = [
    [
      "an unknown member",
      () => edit("port: 8080", "prot: 8080"),
      "settings",
      /cadastre\.yaml:\d+:1: `prot` .*`port`/,
    ],
    [
      "a folder that others may enter",
      () => chmodSync(at("data"), 0o755),
      "data folder",
      /0755/,
      /chmod 700/,
    ],
    [
      "a folder that is gone",
      () => rmSync(at("data"), { recursive: true }),
      "data folder",
      /does not exist/,
      /init/,
    ],
    [
      "secrets that others may read",
      () => chmodSync(at("data", "secrets.json"), 0o644),
      "files of secrets",
      /0644/,
      /chmod 600/,
    ],
    [
      "an issuer's key beside the settings",
      () => {
        mkdirSync(at("issuer"));
        renameSync(key(), at("issuer", "private-key.json"));
      },
      "issuer key",
      /on the machine that serves/,
      /move/,
    ],
    [
      "a public address without encryption",
      () => edit("# base_url:", "base_url: http://listings.example"),
      "address",
      /not encrypted/,
    ],
    [
      "a public host without a base URL",
      () => edit(/# host: .*/, "host: 0.0.0.0"),
      "address",
      /what clients send as Host/,
      /base_url/,
    ],
    ["secrets that are gone", () => rmSync(at("data", "secrets.json")), "secrets", /cannot be read/],
    [
      "a registry that is no database",
      () => writeFileSync(at("data", "registry.sqlite"), "no database"),
      "registry",
      /damaged|not a database/,
    ],
    [
      "a registry that is gone",
      () => rmSync(at("data", "registry.sqlite")),
      "registry",
      /does not exist/,
      /restore/,
    ],
    ["listings that are gone", () => rmSync(at("data", "listings.sqlite")), "listings", /does not exist/],
    ["a key set that is gone", () => rmSync(at("key-set.json")), "trust", /key-set\.json/],
    [
      "a clock that is behind",
      () => utimesSync(at("data", "secrets.json"), 4e9, 4e9),
      "clock",
      /newer than the clock/,
    ],
    [
      "parts of another registry",
      () => {
        mkdirSync(at("data", "exports"));
        writeFileSync(at("data", "exports", "cadastre-parts.json"), '{"registry":"other"}');
      },
      "parts",
      /names another registry/,
      /parts adopt/,
    ],
    [
      "a customer without a key",
      () => entitle("acme", 30),
      "keys",
      /acme has an entitlement and no key/,
      /key create acme/,
    ],
    [
      "a feed whose last run failed",
      async () => {
        writeFileSync(at("Office.csv"), "");
        const place = ["--source", "mymls", "--resource", "Office", "--files", at("*.csv")];
        expect((await cadastre(["feed", "add", "offices", ...place, ...config()])).code).toBe(0);
        expect((await cadastre(["feed", "run", "offices", ...config()])).code).toBe(1);
      },
      "feeds",
      /the last run of the feed offices failed: .*Office\.csv/,
      /feed try offices/,
    ],
    [
      "a feed that no worker runs",
      async () => {
        const hourAgo = Date.now() - 3_600_000;
        await withRegistry(await openDataFolder(at("data")), ({ feeds }) => feeds.add("late", "{}", hourAgo));
      },
      "feeds",
      /1 feed has waited for a worker/,
      /start the service/,
    ],
  ];

  test.each<(typeof cases)[number]>(cases)("tells of %s", async (_, spoil, check, says, remedy = /./) => {
    await spoil();
    const { code, reports } = await doctor();
    const found = reports.filter((one) => one.state === "mend" && one.check === check);
    expect([code, found]).toEqual([
      1,
      expect.arrayContaining([
        expect.objectContaining({
          says: expect.stringMatching(says) as string,
          remedy: expect.stringMatching(remedy) as string,
        }),
      ]),
    ]);
  });

  test("tells of an entitlement that ends soon, which is no fault yet", async () => {
    await entitle("acme", 5);
    await cadastre(["key", "create", "acme", ...config()]);
    const { code, reports } = await doctor();
    expect(code).toBe(0);
    expect(reports).toContainEqual(
      expect.objectContaining({
        check: "entitlements",
        state: "warn",
        says: "the entitlement of acme ends in 5 days",
      }),
    );
  });
});

test.each([
  ["20.18.3", "mend"],
  ["18.20.0", "mend"],
  ["20.19.0", "ok"],
  ["22.1.0", "ok"],
])("Node %s is %s", (version, state) => {
  expect(diagnoseNode(version).state).toBe(state);
});

test("a low limit of open files is told", () => {
  expect([1024, 4096, undefined].map((limit) => diagnoseOpenFiles(limit).state)).toEqual([
    "warn",
    "ok",
    "ok",
  ]);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entitlement } from "@cadastre/entitlement";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FieldExplanation } from "../src/cli/entitlement/field-explanation.ts";
import { toGrantCatalog } from "../src/cli/entitlement/grant-catalog.ts";
import { withTimes } from "../src/cli/entitlement/new-document.ts";
import { explainRecord, type RecordExplanation } from "../src/cli/entitlement/record-explanation.ts";
import type { VisibleCount } from "../src/cli/entitlement/visible-counts.ts";
import { databasesOf } from "../src/data/databases.ts";
import { withRegistry } from "../src/data/registry.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type Running, run } from "./support/running.ts";

const { entitySet } = sampleCatalog;

let running: Running;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300" });
  environment = { CADASTRE_DATA: running.folder.path };
}, 60_000);
afterAll(() => running.stop());

const command = (...args: readonly string[]) => cadastre(args, { environment });
const customer = (...args: readonly string[]) => command("customer", ...args);
const entitlement = (...args: readonly string[]) => command("entitlement", ...args);
const done = async (outcome: ReturnType<typeof cadastre>) => {
  const { code, stdout, stderr } = await outcome;
  expect(code, stderr).toBe(0);
  return { stdout, stderr };
};
const fileOf = async (name: string, text: string) => {
  const file = join(running.folder.path, name);
  await writeFile(file, text);
  return file;
};
const get = (path: string, apiKey: string) =>
  ask(running.service.baseUrl, encodeURI(decodeURI(path)), { "x-api-key": apiKey });
const records = async (path: string, apiKey: string) =>
  JSON.parse((await get(path, apiKey)).text) as { value: Record<string, unknown>[]; "@odata.count"?: number };
const withStore = async (work: (store: WritableStore) => Promise<void>) => {
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  try {
    await work(store);
  } finally {
    await store.close();
  }
};
const auditLines = async () =>
  (await readFile(running.folder.audit, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { action: string; outcome: string; object: Record<string, unknown> });
const [lonestar] = sampleSystems;
const texas = ["--template", "idx", "--systems", "lonestar,cascade", "--regions", "state:TX"];

describe("a customer", () => {
  test("gets access by one command: a document, a key that is printed once, and three requests that work", async () => {
    const { stdout, stderr } = await done(customer("add", "acme", ...texas, "--expires", "90d"));
    expect(stdout).toMatch(/^cadastre_\w+$/);
    expect(stderr).not.toContain(stdout);
    expect(stderr).toContain("Property   468 of 946  public  lonestar, cascade\n");
    const requests = [...stderr.matchAll(/^ {2}curl .*'http:\/\/127\.0\.0\.1:8080(.*)'$/gm)].map(
      ([, path = ""]) => path,
    );
    expect(requests).toHaveLength(3);
    for (const path of requests) expect([path, (await get(path, stdout)).status]).toEqual([path, 200]);
    const { value, "@odata.count": count } = await records(
      "/reso/odata/Property?$count=true&$select=StateOrProvince,OriginatingSystemName",
      stdout,
    );
    expect(count).toBeGreaterThan(50);
    expect(
      new Set(
        value.map((listing) => [listing["StateOrProvince"], listing["OriginatingSystemName"]].join(" ")),
      ),
    ).toEqual(new Set([`TX ${lonestar.name}`]));
    expect((await get("/reso/odata/Property?$select=ClosePrice", stdout)).status).toBe(400);
    expect((await get("/reso/odata/Property?$select=PrivateRemarks", stdout)).status).toBe(400);
    expect(
      (await auditLines())
        .slice(-3)
        .map(({ action, outcome, object }) => [action, outcome, object["customer"]]),
    ).toEqual([
      ["entitlement.sign", "done", "acme"],
      ["entitlement.install", "done", "acme"],
      ["key.issue", "done", "acme"],
    ]);
    expect(await readFile(running.folder.audit, "utf8")).not.toContain(stdout);
  });

  test("that there is already is refused with the commands that change it", async () => {
    const { code, stdout, stderr } = await customer("add", "acme", ...texas);
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      "acme is a customer already, with version 1 of its entitlement: `cadastre customer change acme` changes what it sees, and `cadastre key create acme` makes another key",
    ]);
  });

  test("is listed and shown, without its key", async () => {
    const [listed, shown, json, document] = [
      await done(customer("list")),
      await done(customer("show", "acme")),
      await done(customer("show", "acme", "--json")),
      await done(customer("show", "acme", "--document")),
    ];
    expect(listed.stdout).toMatch(/^acme +1 +valid +20\d\d-\d\d-\d\d \d\d:\d\d UTC +1 +/m);
    expect(shown.stdout).toMatch(/^state {9}in force\ncustomer {6}acme, version 1\n/);
    expect(shown.stdout).toMatch(/^Property +468 of 946 +public +lonestar, cascade$/m);
    expect(JSON.parse(json.stdout)).toMatchObject({
      isInForce: true,
      keys: [{ customer: "acme", state: "live" }],
    });
    expect(Object.keys(JSON.parse(document.stdout) as object)).not.toContain("exp");
  });

  test("sees what a changed document grants, with the same key", async () => {
    const { stdout: apiKey } = await done(customer("add", "changing", ...texas));
    const { stdout: before } = await done(customer("show", "changing", "--document"));
    const file = await fileOf(
      "changing.json",
      before.replaceAll('"ListPrice",', '"ListPrice", "ClosePrice",').replace('"TX"', '"OR"'),
    );
    const tried = await done(customer("change", "changing", "--edit", file, "--dry-run"));
    expect(tried.stdout.split("\n")).toEqual([
      "+ rows in region state:OR",
      "- rows in region state:TX",
      "+ Property of lonestar, cascade: ClosePrice",
    ]);
    expect(tried.stderr).toBe("Nothing was changed.");
    expect((await get("/reso/odata/Property?$select=ClosePrice", apiKey)).status).toBe(400);
    const changed = await done(customer("change", "changing", "--edit", file));
    expect(changed.stdout).toBe(tried.stdout);
    await expect
      .poll(async () => (await get("/reso/odata/Property?$select=ClosePrice", apiKey)).status, {
        timeout: 10_000,
      })
      .toBe(200);
    const same = await customer("change", "changing", "--edit", file);
    expect([same.code, same.stderr]).toEqual([
      1,
      "nothing changes for changing: the document grants what is in force",
    ]);
    const renewed = await done(customer("change", "changing", "--expires", "10d"));
    expect(renewed.stdout).toMatch(/^~ valid until \S+, before \S+$/);
  });

  test("is removed after a confirmation alone, and comes back with a later version", async () => {
    const { stdout: apiKey } = await done(customer("add", "leaving", ...texas));
    const unconfirmed = await customer("remove", "leaving");
    expect(unconfirmed.code).toBe(1);
    expect(unconfirmed.stderr).toMatch(
      /^This revokes 1 API key of leaving .* Nothing was changed: .*`--yes`$/,
    );
    expect((await get("/v1/account/resources", apiKey)).status).toBe(200);
    await done(customer("remove", "leaving", "--yes"));
    await expect
      .poll(async () => (await get("/v1/account/resources", apiKey)).status, { timeout: 10_000 })
      .toBe(401);
    expect((await auditLines()).slice(-2).map(({ action, object }) => [action, object["customer"]])).toEqual([
      ["key.revoke", "leaving"],
      ["entitlement.remove", "leaving"],
    ]);
    expect((await done(customer("list"))).stdout).not.toContain("leaving");
    const key = await command("key", "create", "leaving");
    expect([key.code, key.stderr]).toEqual([
      1,
      expect.stringContaining("no entitlement is installed for leaving"),
    ]);
    expect((await customer("show", "leaving")).stderr).toBe(
      "no entitlement is installed for leaving: `cadastre customer list` lists all customers",
    );
    const again = await done(customer("add", "leaving", ...texas, "--json"));
    expect(JSON.parse(again.stdout)).toMatchObject({ customer: "leaving", version: 3, document: { ver: 3 } });
  });

  test("that is removed has its subscriptions suspended", async () => {
    const { stdout: apiKey } = await done(
      customer("add", "bulky", "--template", "bulk", "--systems", "lonestar"),
    );
    const reply = await fetch(`${running.service.baseUrl}/v1/file-export-subscriptions`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        name: "daily",
        domain: "listing",
        deliveryMode: "pull",
        cadenceSeconds: 86_400,
      }),
    });
    expect(reply.status).toBe(201);
    const { data } = (await reply.json()) as { data: { id: string } };
    const state = () =>
      withRegistry(running.folder, async ({ subscriptions }) => {
        const found = await subscriptions.find("bulky", data.id);
        return [found?.state, found?.code];
      });
    await expect.poll(state, { timeout: 20_000 }).toEqual(["active", null]);
    await done(customer("remove", "bulky", "--yes"));
    await expect.poll(state, { timeout: 30_000 }).toEqual(["suspended", "entitlement_expired"]);
  }, 60_000);

  test("is added by a document that was edited, and a dry run changes nothing", async () => {
    const { stdout } = await done(
      customer("add", "edited", "--template", "bulk", "--systems", "all", "--dry-run"),
    );
    expect((await customer("show", "edited")).code).toBe(1);
    const edited = {
      ...(JSON.parse(stdout) as Entitlement),
      sub: "CUSTOMER",
      products: ["listing", "property"],
    };
    const file = await fileOf("edited.json", JSON.stringify(edited));
    const { stderr } = await done(customer("add", "edited", "--edit", file));
    expect(stderr).toContain(`-d '{"domain":"listing","deliveryMode":"pull","idempotencyKey":"first-try"}'`);
    expect((await done(customer("show", "edited"))).stdout).toContain("products      listing, property\n");
  });

  test("is signed by the issuer that the service trusts alone", async () => {
    const [key, set] = ["own-issuer.json", "own-keys.json"].map((name) => join(running.folder.path, name));
    await done(entitlement("keygen", "--out", String(key), "--jwks", String(set)));
    const foreign = await customer("add", "foreign", ...texas, "--issuer-key", String(key));
    expect([foreign.code, foreign.stderr.split("\n")]).toEqual([
      1,
      [
        expect.stringMatching(
          /^nothing is signed: the service trusts the keys of this folder's own issuer alone, and the key of .*own-issuer\.json, `\S+`, is none of them\. Give the issuer's private key/,
        ),
      ],
    ]);
    const trusting = (...args: readonly string[]) =>
      cadastre(["customer", ...args], {
        environment: {
          ...environment,
          CADASTRE_KEY_SET: String(set),
          CADASTRE_ISSUER: "https://issuer.example",
          CADASTRE_AUDIENCE: "https://listings.example",
          CADASTRE_BASE_URL: "https://listings.example",
        },
      });
    const keyless = await trusting("add", "own", ...texas);
    expect([keyless.code, keyless.stderr.split("\n").at(-1)]).toEqual([
      1,
      "the service trusts the issuer https://issuer.example: give its private key with `--issuer-key <file>`",
    ]);
    const { stderr } = await done(trusting("add", "own", ...texas, "--issuer-key", String(key)));
    expect(stderr).toContain("'https://listings.example/reso/odata/Property?$top=1'");
    expect((await done(trusting("show", "own"))).stdout).toContain("issuer        https://issuer.example\n");
    expect((await done(customer("show", "own"))).stdout).toMatch(
      /^state {9}not in force: the entitlement is signed with an unknown key/,
    );
    const told = await done(entitlement("explain", "--customer", "own", "ListPrice"));
    expect(told.stdout).toMatch(
      /^Nothing is seen at all: .* is not in force: the entitlement is signed with an unknown key\.\n/,
    );
    await done(customer("remove", "own", "--yes"));
  });

  test.each<readonly [number, readonly string[], string]>([
    [2, ["add", "new"], "say what the customer is to see: `--template` and `--systems`, or `--edit`"],
    [
      2,
      ["add", "new", ...texas, "--edit", "x"],
      "leave out `--template`, `--systems` and `--regions`, or `--edit`",
    ],
    [2, ["add", "a b", ...texas], "<customer>: must be the customer: 1 to 128"],
    [
      1,
      ["add", "new", "--template", "idx", "--systems", "lonstar"],
      "did you mean `lonestar`?: allowed are lonestar, ",
    ],
    [2, ["add", "new", ...texas, "--expires", "never"], "It must be a date, such as 2030-01-31"],
    [1, ["change", "nobody", ...texas], "no entitlement is installed for nobody: `cadastre customer list`"],
    [1, ["remove", "nobody", "--yes"], "no entitlement is installed for nobody"],
    [2, ["ad"], "unknown command 'ad'"],
  ])("is refused with exit code %d: %j", async (code, args, words) => {
    const outcome = await customer(...args);
    expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
    expect(outcome.stderr).toContain(words);
  });

  test("is not added by a faulty file, whose faults are told with their lines", async () => {
    const file = await fileOf("faulty.json", '{\n  "iss": "i",\n  "ver": 0\n}');
    const { code, stderr } = await customer("add", "faulty", "--edit", file);
    expect(code).toBe(1);
    expect(stderr).toContain(`${file}:3:3: ver: must be the version`);
    expect(stderr).toContain(`${file}:1:1: products: is missing: it must be a list of at least one product`);
  });

  describe("of a document", () => {
    /** Writes the document of a customer in Texas, with one text replaced. */
    const edited = async (name: string, before: string, after: string) => {
      const { stdout } = await done(customer("add", "acme-2", ...texas, "--dry-run"));
      expect(stdout).toContain(before);
      return fileOf(name, stdout.replace(before, after));
    };

    test.each([
      [
        "aud",
        '"cadastre"',
        '"cadastr"',
        "`cadastr` is not the name of this service; did you mean `cadastre`?; allowed: cadastre",
        "entitlement_audience",
      ],
      [
        "iss",
        '"https://cadastre.example/issuer"',
        '"https://other.example"',
        "`https://other.example` is not the issuer that this service trusts; allowed: https://cadastre.example/issuer",
        "entitlement_issuer",
      ],
    ])(
      "that another service would trust is refused with its line: %s",
      async (member, before, after, words, code) => {
        const file = await edited(`${member}.json`, before, after);
        const line = `${file}:${member === "iss" ? 2 : 3}:3: ${member}: ${words}`;
        const [checked, listed, added, simulated] = [
          await entitlement("check", file),
          await entitlement("check", file, "--json"),
          await customer("add", "acme-2", "--edit", file),
          await entitlement("simulate", file),
        ];
        expect(checked).toEqual({
          code: 1,
          stdout: line,
          stderr: `${file} has 1 fault: nothing could be signed`,
        });
        expect(JSON.parse(listed.stdout)).toMatchObject({
          findings: [{ path: member, code, severity: "fault" }],
        });
        expect([added.code, added.stderr]).toEqual([1, line]);
        // What would be seen can be counted nevertheless.
        expect([simulated.code, simulated.stderr.split("\n")[0]]).toEqual([
          0,
          line.replace(`: ${member}`, `: warning: ${member}`),
        ]);
      },
    );

    test("with an unknown county is warned of, with what the listings have", async () => {
      const file = await edited(
        "county.json",
        '"kind": "state",\n      "value": "TX"',
        '"kind": "county",\n      "value": "TX/Travs"',
      );
      const words =
        /county\.json:17:7: warning: regions\.0\.value: `TX\/Travs` is no known county; did you mean `TX\/Travis`\?; allowed: TX\/.*TX\/Travis.*/;
      const [checked, added] = [
        await entitlement("check", file),
        await customer("add", "acme-2", "--edit", file, "--dry-run"),
      ];
      expect(checked.stdout).toMatch(words);
      expect([checked.code, added.code]).toEqual([0, 0]);
      expect(added.stderr).toMatch(words);
      const named = await done(
        entitlement(
          "new",
          "--template",
          "idx",
          "--systems",
          "lonestar",
          "--regions",
          "county:TX/Travs,county:TX/Travis",
        ),
      );
      expect(named.stderr.match(/^Warning: --regions: .*$/gm)).toEqual([
        expect.stringContaining("`TX/Travs` is no known county, did you mean `TX/Travis`?: allowed are TX/"),
      ]);
    });
  });

  test("of another name is not in the file", async () => {
    const { stdout } = await done(customer("add", "one", ...texas, "--dry-run"));
    const { code, stderr } = await customer("add", "other", "--edit", await fileOf("one.json", stdout));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("is the document of another customer, `one`: put `other` in its `sub`"),
    ]);
  });
});

describe("why a field is seen or not", () => {
  const explain = async (...args: readonly string[]) => (await done(entitlement("explain", ...args))).stdout;

  test.each<readonly [string, string, string]>([
    ["demo-national", "ListPrice", "shown, because the grant shows it, and has no mask"],
    ["demo-national", "ListingKey", "shown, because every grant of `Property` shows it"],
    [
      "demo-state",
      "Property/ListAgentEmail",
      "hidden, because the grant's `fields` do not name it: add `ListAgentEmail`",
    ],
    [
      "demo-state",
      "MemberEmail",
      'hidden, because it is a contact field, which `"*"` leaves out: add `"contact": true`',
    ],
    ["demo-coarse", "Latitude", "masked, because the grant has the mask `round2` for it"],
    ["demo-coarse", "ParcelNumber", "null in every row, because the grant has the mask `null` for it"],
    [
      "demo-coarse",
      "Coordinates",
      "masked, because it is derived from `Latitude`, `Longitude`, which the grant masks",
    ],
    ["demo-state", "AssessmentYear", "hidden, because the grant of the system has no `PublicRecord`"],
  ])("%s and %s", async (name, field, reason) => {
    const lines = (await explain("--customer", name, field))
      .split("\n")
      .filter((line) => !line.startsWith("PublicRecord/L") || field === "AssessmentYear");
    expect(
      lines.some((line) =>
        line.includes(
          `/${field.split("/").at(-1)} of lonestar, hillcountry, evergreen, cascade, gulfsun: ${reason}`,
        ),
      ),
    ).toBe(true);
  });

  test("is told by system, and as JSON", async () => {
    const told = await explain("--customer", "demo-market", "Property/City", "--json");
    const { fields } = JSON.parse(told) as { fields: readonly FieldExplanation[] };
    expect(fields.map(({ systems, outcome, cause }) => [systems.length, outcome, cause])).toEqual([
      [1, "shown", "granted"],
      [4, "hidden", "dataset_not_granted"],
    ]);
  });

  test("a misspelt name, resource or customer is refused with what there is", async () => {
    const refused = async (expected: number, ...args: readonly string[]) => {
      const { code, stdout, stderr } = await entitlement("explain", ...args);
      expect([code, stdout]).toEqual([expected, ""]);
      return stderr;
    };
    expect(await refused(1, "--customer", "demo-state", "ListPrise")).toContain(
      "no field is called `ListPrise` (did you mean `ListPrice`?), and no record with this key is stored",
    );
    expect(await refused(2, "--customer", "demo-state", "--resource", "Propertys", "City")).toContain(
      "--resource: there is no resource `Propertys`, did you mean `Property`?: allowed are Property, Media, ",
    );
    expect(await refused(1, "--customer", "nobody", "City")).toContain(
      "no entitlement is installed for nobody",
    );
    expect(await refused(2, "City")).toBe("name either --customer <name> or --document <file>");
  });

  test("a customer without a key sees nothing", async () => {
    await done(customer("add", "keyless", ...texas));
    const { stdout } = await done(customer("show", "keyless", "--json"));
    const { keys } = JSON.parse(stdout) as { keys: readonly { id: string }[] };
    await done(command("key", "revoke", keys[0]?.id ?? "", "--yes"));
    expect(await explain("--customer", "keyless", "Property/City")).toMatch(
      /^Nothing is seen at all: keyless has no live API key: `cadastre key create keyless` makes one\.\n/,
    );
  });
});

describe("why a record is seen or not", () => {
  const explain = async (name: string, key: string) =>
    (
      JSON.parse((await done(entitlement("explain", "--customer", name, key, "--json"))).stdout) as {
        records: readonly RecordExplanation[];
      }
    ).records;
  const keyOf = async (path: string, member: string) =>
    String((await records(`/reso/odata/${path}&$top=1`, running.key("national"))).value[0]?.[member]);

  test("a listing: its region, its dataset, or nothing", async () => {
    const key = await keyOf(
      `Property?$filter=OriginatingSystemName eq '${lonestar.name}' and CountyOrParish ne null`,
      "ListingKey",
    );
    const [national, coarse, evergreen] = [
      await explain("demo-national", key),
      await explain("demo-coarse", key),
      await (async () => {
        const document = (await entitlement("new", "--template", "vow", "--systems", "evergreen")).stdout;
        const file = await fileOf("evergreen.json", document);
        return (await done(entitlement("explain", "--document", file, key))).stdout;
      })(),
    ];
    expect(national).toEqual([
      { resource: "Property", key, visible: true, systems: ["lonestar"], reasons: [] },
    ]);
    expect(coarse).toMatchObject([
      {
        visible: false,
        reasons: [
          expect.stringMatching(
            /^region: it lies in state TX, county TX\/\w.*, of Lone Star MLS, which is in none/,
          ),
        ],
      },
    ]);
    expect(evergreen).toBe(
      `Property ${key} of lonestar: not visible, because\n  dataset: the entitlement does not grant \`Property\` of lonestar`,
    );
  });

  test("media: it is private, and its listing lies elsewhere or is not granted", async () => {
    const key = await keyOf(
      "Media?$filter=Permission/any(p:p eq 'Private') and OriginatingSystemName eq 'Lone Star MLS'",
      "MediaKey",
    );
    const isPrivate = expect.stringMatching(/^private: its `Permission` is not for the public/) as string;
    expect((await explain("demo-market", key))[0]).toMatchObject({ visible: false, reasons: [isPrivate] });
    expect((await explain("demo-coarse", key))[0]).toMatchObject({
      visible: false,
      reasons: [expect.stringMatching(/^region: its listing lies in state TX, /), isPrivate],
    });
    const document = {
      ...(JSON.parse(
        (await entitlement("new", "--template", "backoffice", "--systems", "lonestar")).stdout,
      ) as Entitlement),
      datasets: [{ dataset_id: lonestar.datasetId, resources: { Media: { fields: "*", private: true } } }],
    };
    const { stdout } = await done(
      entitlement("explain", "--document", await fileOf("media.json", JSON.stringify(document)), key),
    );
    expect(stdout.split("\n").slice(1)).toEqual([
      "  listing: it is visible with its listing, and the entitlement does not grant `Property` of lonestar",
    ]);
  });

  test("a value of a lookup: no visible field has it", async () => {
    const key = await keyOf("Lookup?$filter=LookupName eq 'MemberType'", "LookupKey");
    const document = {
      ...(JSON.parse(
        (await entitlement("new", "--template", "idx", "--systems", "lonestar")).stdout,
      ) as Entitlement),
      datasets: [
        {
          dataset_id: lonestar.datasetId,
          resources: { Property: { fields: ["City"] }, Lookup: { fields: "*" } },
        },
      ],
    };
    const { stdout } = await done(
      entitlement("explain", "--document", await fileOf("lookup.json", JSON.stringify(document)), key),
    );
    expect(stdout).toContain("not visible, because\n  lookup: no visible field has values of this lookup");
    expect((await explain("demo-national", key))[0]?.visible).toBe(true);
  });

  test("a key that nobody has", async () => {
    const { code, stderr } = await entitlement("explain", "--customer", "demo-national", "NONE_1");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("no record with this key is stored: it was never ingested"),
    ]);
  });
});

describe("before a document is signed", () => {
  test("it is counted what it would show of each set and system", async () => {
    const { stdout: document } = await entitlement(
      "new",
      "--template",
      "idx",
      "--systems",
      "lonestar,cascade",
      "--regions",
      "state:TX",
    );
    const file = await fileOf("simulated.json", document);
    const counts = JSON.parse(
      (await done(entitlement("simulate", file, "--json"))).stdout,
    ) as readonly VisibleCount[];
    const countOf = (resource: string, system: string) =>
      counts.find((one) => one.resource === resource && one.system === system);
    const served = async (set: string, filter: string) =>
      (await records(`/reso/odata/${set}?$count=true&$top=0&$filter=${filter}`, running.key("national")))[
        "@odata.count"
      ];
    const ofLonestar = await served("Property", `OriginatingSystemName eq '${lonestar.name}'`);
    expect(countOf("Property", "lonestar")).toEqual({
      resource: "Property",
      system: "lonestar",
      visible: ofLonestar,
      stored: ofLonestar,
      fields: 468,
    });
    expect(countOf("Property", "cascade")).toMatchObject({ visible: 0 });
    expect(countOf("Property", "cascade")?.stored).toBeGreaterThan(0);
    const media = countOf("Media", "lonestar");
    expect(media?.stored).toBe(await served("Media", `OriginatingSystemName eq '${lonestar.name}'`));
    expect(media?.visible).toBeLessThan(media?.stored ?? 0);
    const { stdout, stderr } = await done(entitlement("simulate", file));
    expect(stdout).toContain(`Property   lonestar  ${ofLonestar} `);
    expect(stderr).toBe("Channels: api, odata.");
  });

  test("it is compared with another one, and with what a customer has", async () => {
    const coarse = await done(entitlement("diff", "customer:demo-state", "customer:demo-coarse"));
    const lines = coarse.stdout.split("\n");
    expect(lines.slice(0, 2)).toEqual(["+ rows in region state:WA", "- rows in region state:TX"]);
    const all = "lonestar, hillcountry, evergreen, cascade, gulfsun";
    expect(lines.find((line) => line.startsWith("+ Property"))).toContain(
      `+ Property of ${all}: AboveGradeFinishedArea, `,
    );
    expect(lines).toContain(`~ Property of ${all}: PostalCode is masked by prefix3, before shown`);
    const less = JSON.parse(
      (await done(entitlement("diff", "customer:demo-national", "customer:demo-market", "--json"))).stdout,
    ) as {
      grants: readonly { resource: string; rows: string; privateRows: string }[];
    };
    expect(less.grants.find(({ resource }) => resource === "Media")).toMatchObject({
      rows: "same",
      privateRows: "lost",
    });
    expect(less.grants.filter(({ rows }) => rows === "lost")).toHaveLength(4 * 8);
    const same = await done(entitlement("diff", "customer:demo-state", "customer:demo-state"));
    expect([same.stdout, same.stderr]).toEqual(["", "Nothing changes for the customer."]);
  });

  test("a county within a state that was granted is no gain", async () => {
    const write = async (regions: string) =>
      fileOf(
        `${regions.replaceAll(/\W/g, "-")}.json`,
        (await entitlement("new", "--template", "idx", "--systems", "all", "--regions", regions)).stdout,
      );
    const { stdout } = await done(
      entitlement("diff", await write("state:TX"), await write("county:TX/Travis,county:OR/Lane")),
    );
    expect(stdout.split("\n")).toEqual(["+ rows in region county:OR/Lane", "- rows in region state:TX"]);
  });

  test("a file that cannot be read, or has faults, is refused", async () => {
    const missing = await entitlement("diff", "none.json", "customer:demo-state");
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining("`none.json` cannot be read"),
    ]);
    const faulty = await entitlement("simulate", await fileOf("empty.json", ""));
    expect([faulty.code, faulty.stderr]).toEqual([1, expect.stringContaining(":1:1: document: not JSON")]);
  });
});

describe("a record that nobody sees", () => {
  const [gulfsun] = sampleSystems.slice(-1);

  test("is of a retired system", async () => {
    const filter = encodeURI(`OriginatingSystemName eq '${gulfsun?.name}'`);
    const { value } = await records(`/reso/odata/Property?$top=1&$filter=${filter}`, running.key("national"));
    const key = String(value[0]?.["ListingKey"]);
    await done(command("system", "retire", String(gulfsun?.id), "--yes"));
    const { code, stderr } = await entitlement("explain", "--customer", "demo-national", key);
    expect([code, stderr.split("\n")[0]]).toEqual([
      1,
      `${gulfsun?.name} is retired, and none of its records is stored.`,
    ]);
  });

  test("is of a set that has not passed its gates", async () => {
    const { value } = await records("/reso/odata/Office?$top=1", running.key("national"));
    const key = String(value[0]?.["OfficeKey"]);
    await withStore(async (store) => {
      const inactive = {
        ...store,
        catalog: sampleCatalog,
        builds: { ...store.builds, current: async () => undefined },
      };
      const document = withTimes(
        JSON.parse((await entitlement("new", "--template", "vow", "--systems", "all")).stdout) as object,
      ) as Entitlement;
      const found = await explainRecord(
        inactive,
        [entitySet("Office")],
        key,
        document,
        toGrantCatalog(sampleCatalog),
      );
      expect(found).toMatchObject([
        {
          visible: false,
          reasons: [expect.stringMatching(/^set: no build of `Office` has passed its gates/)],
        },
      ]);
    });
  });
});

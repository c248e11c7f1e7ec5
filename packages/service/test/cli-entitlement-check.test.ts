import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileScope, type Entitlement, parseEntitlement } from "@cadastre/entitlement";
import { sampleCatalog, sampleDefinition, sampleSystems } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopeOptionsOf } from "../src/catalog.ts";
import { toGrantCatalog } from "../src/cli/entitlement/grant-catalog.ts";
import { withTimes } from "../src/cli/entitlement/new-document.ts";
import {
  entitlementTemplates,
  type TemplateName,
  templateResources,
} from "../src/cli/entitlement/templates.ts";
import { listingTopics } from "../src/listing-topics.ts";
import { cadastre } from "./support/cli.ts";

const { fieldsOf } = sampleCatalog;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-check-"));
  await writeFile(join(folder, "catalog.json"), JSON.stringify(sampleDefinition));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command as an issuer does, whose machine has the catalog of the service as a file. */
const entitlement = (...args: readonly string[]) =>
  cadastre(["entitlement", ...args, "--catalog", join(folder, "catalog.json")]);
const [lonestar, hillcountry] = sampleSystems;

/** The document that the faults are made in: each line has one member. */
const sound = `{
  "iss": "https://issuer.example",
  "aud": "https://listings.example",
  "sub": "acme",
  "ver": 1,
  "nbf": 1700000000,
  "exp": 4000000000,
  "products": ["listing"],
  "channels": { "api": true, "odata": true, "file_delivery": false },
  "regions": [{ "kind": "state", "value": "TX" }],
  "datasets": [
    {
      "dataset_id": "${lonestar.datasetId}",
      "resources": {
        "Property": { "fields": ["ListPrice", "City"] },
        "Member": { "fields": "*", "contact": true }
      }
    }
  ]
}
`;

async function check(text: string, ...options: readonly string[]) {
  const file = join(folder, "acme.json");
  await writeFile(file, text);
  const { code, stdout, stderr } = await entitlement("check", file, ...options);
  return {
    code,
    stdout: stdout.replaceAll(`${file}:`, "acme.json:"),
    stderr: stderr.replaceAll(file, "acme.json"),
  };
}

const everySystem = sampleSystems.map(({ id, datasetId }) => `${datasetId} (${id})`).join(", ");

describe("a wrong document is told with file, line, member and what is allowed:", () => {
  test.each<readonly [string, string, string, string]>([
    [
      "a wrong member",
      '"products": ["listing"]',
      '"products": ["listing"], "limit": {}',
      "acme.json:8:28: limit: `limit` is no member here; did you mean `limits`?; allowed: iss, aud, sub, ver, iat, nbf, exp, jti, products, channels, capabilities, regions, datasets, limits",
    ],
    [
      "an unknown field",
      '"ListPrice"',
      '"ListPrise"',
      "acme.json:15:34: datasets.0.resources.Property.fields.0: a grant of `Property` names the unknown field `ListPrise`; did you mean `ListPrice`?; allowed: AboveGradeFinishedArea, ",
    ],
    [
      "an unknown resource",
      '"Property"',
      '"Propertys"',
      "acme.json:15:9: datasets.0.resources.Propertys: a grant names the unknown resource `Propertys`; did you mean `Property`?; allowed: Property, Media, Member, Office, OpenHouse, Lookup, MediaAsset, PublicRecord",
    ],
    [
      "an unknown dataset",
      lonestar.datasetId,
      "00000000-0000-0000-0000-000000000000",
      `acme.json:13:7: datasets.0.dataset_id: \`00000000-0000-0000-0000-000000000000\` is not the id of a dataset; allowed: ${everySystem}`,
    ],
    [
      "the name of a system in place of its dataset",
      lonestar.datasetId,
      "lonstar",
      `acme.json:13:7: datasets.0.dataset_id: must be the UUID of a dataset, in lower case; did you mean \`${lonestar.datasetId}\`?; allowed: ${everySystem}`,
    ],
    [
      "a bad kind of region",
      '"kind": "state"',
      '"kind": "city"',
      "acme.json:10:17: regions.0.kind: `city` is not allowed; allowed: national, state, county, zip, originating_system",
    ],
    [
      "a bad value of a region",
      '"value": "TX"',
      '"value": "Texas"',
      "acme.json:10:34: regions.0.value: must be the two capital letters of a state, such as `TX`",
    ],
    [
      "an expired one",
      "4000000000",
      "1700000001",
      "acme.json:7:3: exp: 2023-11-14T22:13:21.000Z has passed: it must be later than now, ",
    ],
    [
      "a beginning after the end",
      '"nbf": 1700000000',
      '"nbf": 4000000001',
      "acme.json:7:3: exp: must be later than `nbf`",
    ],
    [
      "a mask that does not fit the type",
      '"fields": ["ListPrice", "City"]',
      '"fields": "*", "masks": { "City": "round2" }',
      "acme.json:15:49: datasets.0.resources.Property.masks.City: the mask of `City` of `Property` does not fit its type; allowed: `null`",
    ],
    [
      "contact fields of a resource without any",
      '"fields": ["ListPrice", "City"]',
      '"fields": "*", "contact": true',
      "acme.json:15:38: datasets.0.resources.Property.contact: `Property` has no `contact` that could be granted; allowed: left out",
    ],
    [
      "a dataset twice",
      "    }\n  ]",
      `    },\n    { "dataset_id": "${lonestar.datasetId}", "resources": { "Office": { "fields": "*" } } }\n  ]`,
      "acme.json:19:5: datasets.1: repeats item 0: name it once",
    ],
    [
      "a resource twice in one object",
      '"Member": { "fields": "*", "contact": true }',
      '"Property": { "fields": "*" }',
      "acme.json:16:9: datasets.0.resources.Property: the object has this member twice: keep one",
    ],
    ["invalid JSON", '"sub": "acme",', '"sub": "acme"', "acme.json:5:3: document: not JSON: comma expected"],
  ])("%s", async (_, part, wrong, line) => {
    expect(sound.split(part).length).toBeGreaterThan(1);
    const { code, stdout, stderr } = await check(sound.replace(part, wrong));
    expect({ code, lines: stdout.split("\n").length, stderr }).toEqual({
      code: 1,
      lines: 1,
      stderr: "acme.json has 1 fault: nothing could be signed",
    });
    expect(`${stdout}\n`).toContain(line.endsWith(", ") ? line : `${line}\n`);
  });

  test("all at once, and as JSON for a machine", async () => {
    const wrong = sound
      .replace('"ver": 1', '"ver": 0')
      .replace('"City"', '"Citty"')
      .replace('["listing"]', "[]");
    const [said, listed] = [await check(wrong), await check(wrong, "--json")];
    expect(said.stdout.split("\n").map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual([
      "acme.json:5:3: ver",
      "acme.json:8:3: products",
      "acme.json:15:47: datasets.0.resources.Property.fields.1",
    ]);
    expect(said.stderr).toBe("acme.json has 3 faults: nothing could be signed");
    expect(JSON.parse(listed.stdout)).toMatchObject({
      faults: 3,
      findings: [
        { line: 5, column: 3, path: "ver", code: "entitlement_invalid", severity: "fault" },
        { path: "products", code: "entitlement_empty_list" },
        { path: "datasets.0.resources.Property.fields.1", suggestion: "City" },
      ],
    });
  });
});

describe("a document that can be signed", () => {
  test("is told so with what it grants, and needs no times", async () => {
    const { code, stdout, stderr } = await check(sound.replace(/ {2}"(nbf|exp)": \d+,\n/g, ""));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "RESOURCE  FIELDS              ROWS    SYSTEMS",
      "Property  2 of 946            public  lonestar",
      "Member    all, with contacts  public  lonestar",
      "acme.json can be signed.",
    ]);
  });

  test.each([
    ["a state", "state", "ZZ", "no record of the granted systems lies in `ZZ`; allowed: TX"],
    [
      "a state of another system",
      "state",
      "OR",
      "no record of the granted systems lies in `OR`; allowed: TX",
    ],
    [
      "a county of another state",
      "county",
      "OR/Lane",
      "no record of the granted systems lies in `OR/Lane`; allowed: TX",
    ],
    [
      "a system that is not granted",
      "originating_system",
      "Cascade MLS",
      "no record of the granted systems is of `Cascade MLS`; allowed: Lone Star MLS",
    ],
    [
      "a misspelt system",
      "originating_system",
      "Lone Star MSL",
      "no record of the granted systems is of `Lone Star MSL`; did you mean `Lone Star MLS`?; allowed: ",
    ],
  ])("is warned of a region where no record can lie: %s", async (_, kind, value, words) => {
    const { code, stdout } = await check(
      sound.replace('"kind": "state", "value": "TX"', `"kind": "${kind}", "value": "${value}"`),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^acme\.json:10:\d+: warning: regions\.0\.value: /);
    expect(stdout).toContain(words);
  });

  test.each([
    ["Travis", ""],
    [
      "Travs",
      ": regions.0.value: `TX/Travs` is no known county; did you mean `TX/Travis`?; allowed: TX/Travis",
    ],
  ])("may name a county that the catalog lists for the system: %s", async (county, words) => {
    const systems = sampleDefinition.systems.map((system) =>
      system.id === "lonestar"
        ? { ...system, lookups: { ...system.lookups, CountyOrParish: [["Travis", "Travis"]] } }
        : system,
    );
    const catalog = join(folder, "counties.json");
    await writeFile(catalog, JSON.stringify({ ...sampleDefinition, systems }));
    const file = join(folder, "county.json");
    await writeFile(
      file,
      sound.replace('"kind": "state", "value": "TX"', `"kind": "county", "value": "TX/${county}"`),
    );
    const { code, stdout } = await cadastre(["entitlement", "check", file, "--catalog", catalog]);
    expect([code, stdout === ""]).toEqual([0, words === ""]);
    expect(stdout).toContain(words);
  });

  test("is no signed entitlement", async () => {
    const { code, stderr } = await check("a.b.c\n");
    expect([code, stderr]).toEqual([
      1,
      "`acme.json` is a signed entitlement: `cadastre entitlement inspect` shows its document, and `verify` verifies it",
    ]);
  });
});

describe("a template", () => {
  const names = Object.keys(entitlementTemplates) as TemplateName[];
  const create = async (template: string, ...options: readonly string[]) => {
    const { code, stdout, stderr } = await entitlement(
      "new",
      "--template",
      template,
      "--systems",
      "lonestar,hillcountry",
      ...options,
    );
    expect(code, stderr).toBe(0);
    return { document: JSON.parse(stdout) as Entitlement, stderr };
  };

  test.each(names)("%s gives a document that can be signed as it is, for its systems alone", async (name) => {
    const { document, stderr } = await create(name, "--customer", "acme", "--regions", "state:TX");
    const complete = parseEntitlement(withTimes(document));
    compileScope(complete, scopeOptionsOf(sampleCatalog));
    expect(complete.datasets.map(({ dataset_id }) => dataset_id)).toEqual([
      lonestar.datasetId,
      hillcountry.datasetId,
    ]);
    expect(complete).toMatchObject({ sub: "acme", ver: 1, regions: [{ kind: "state", value: "TX" }] });
    expect(stderr).toContain(`Template ${name}: ${entitlementTemplates[name].purpose}`);
    expect((await check(JSON.stringify(document))).code).toBe(0);
  });

  test("leaves out of public display whatever is for agents, sold or earlier, and every local field", async () => {
    const granted = (name: TemplateName): readonly string[] => {
      const fields = templateResources(name, toGrantCatalog(sampleCatalog))["Property"]?.fields;
      return fields === undefined || fields === "*" ? [] : fields;
    };
    const [idx, vow] = [granted("idx"), granted("vow")];
    const hidden =
      /Private|LockBox|Showing|AccessCode|Owner(Name|Phone)|Occupant|Compensation(?!Expense)|Commission|Agent(Direct|Home|Mobile|Preferred|TollFree)?(Phone|Pager|Email|Fax|VoiceMail)(Ext)?$/;
    const business = new Set(["WorkmansCompensationExpense", "PoolPrivateYN", "GrazingPermitsPrivateYN"]);
    for (const fields of [idx, vow])
      expect(fields.filter((field) => hidden.test(field) && !business.has(field))).toEqual([]);
    const soldOrEarlier = [
      "ClosePrice",
      "CloseDate",
      "BuyerAgentFullName",
      "OriginalListPrice",
      "DaysOnMarket",
    ];
    expect(soldOrEarlier.filter((field) => idx.includes(field))).toEqual([]);
    expect(soldOrEarlier.filter((field) => !vow.includes(field))).toEqual([]);
    expect(idx).toEqual(
      expect.arrayContaining([
        "ListPrice",
        "StandardStatus",
        "PublicRemarks",
        "ListOfficeName",
        "AttributionContact",
      ]),
    );
    const local = fieldsOf("Property").flatMap(({ name, source }) => (source === null ? [] : [name]));
    expect(local.filter((field) => vow.includes(field))).toEqual([]);
    expect(templateResources("idx", toGrantCatalog(sampleCatalog))["Member"]?.fields).not.toContain(
      "MemberEmail",
    );
  });

  test("names only fields that there are, each in one topic", () => {
    const known = new Set(fieldsOf("Property").map(({ name }) => name));
    const named = Object.values(listingTopics).flatMap(({ fields }): readonly string[] => fields);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  test("shows nobody a password", () => {
    for (const name of names) {
      const member = templateResources(name, toGrantCatalog(sampleCatalog))["Member"];
      const isShown =
        member?.fields === "*"
          ? member.masks?.["MemberPassword"] !== "null"
          : member?.fields.includes("MemberPassword");
      expect(isShown ?? false, name).toBe(false);
    }
  });

  test("is warned of regions outside the states of its systems", async () => {
    const { stderr } = await create("idx", "--regions", "state:TX,state:OR,county:OR/Lane");
    expect(stderr.split("\n").filter((line) => line.startsWith("Warning: "))).toEqual([
      "Warning: --regions: no record of the granted systems lies in `OR`: allowed are TX",
      "Warning: --regions: no record of the granted systems lies in `OR/Lane`: allowed are TX",
    ]);
  });

  test("is written to a new file, and never over another one", async () => {
    const file = join(folder, "new.json");
    const write = () => entitlement("new", "--template", "vow", "--systems", "all", "--out", file);
    const [first, second] = [await write(), await write()];
    expect([first.code, first.stdout, second.code]).toEqual([0, "", 1]);
    expect(first.stderr).toContain("put the name of the customer in `sub`");
    expect(second.stderr).toContain("it is there already and is not replaced");
    const { datasets } = JSON.parse(await readFile(file, "utf8")) as Entitlement;
    expect(datasets).toHaveLength(sampleSystems.length);
  });

  test.each<readonly [number, readonly string[], string]>([
    [2, ["--template", "idxx", "--systems", "lonestar"], "Allowed choices are idx, vow, backoffice, bulk."],
    [2, ["--template", "idx"], "required option '--systems <ids>' not specified"],
    [
      1,
      ["--template", "idx", "--systems", "lonstar,gulf"],
      "--systems: no system is called `lonstar`, did you mean `lonestar`?: allowed are lonestar, hillcountry, evergreen, cascade, gulfsun, and all\n--systems: no system is called `gulf`",
    ],
    [
      2,
      ["--template", "idx", "--systems", "lonestar", "--regions", "stat:TX"],
      "--regions: `stat` is not allowed, did you mean `state`?: allowed are national, state, county, zip, originating_system",
    ],
    [2, ["--template", "idx", "--systems", "lonestar", "--regions", "TX"], "It must be like `state:TX`"],
    [
      2,
      ["--template", "idx", "--systems", "lonestar", "--customer", "a b"],
      "<customer>: must be the customer: 1 to 128 letters",
    ],
  ])("is refused with exit code %d: %j", async (code, options, words) => {
    const outcome = await entitlement("new", ...options);
    expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
    expect(outcome.stderr).toContain(words);
  });
});

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entitlement, KeyPair } from "@cadastre/entitlement";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cadastre } from "./support/cli.ts";

type KeySet = { readonly keys: readonly { readonly kid: string }[] };

const texas = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
const document = {
  iss: "https://issuer.example",
  aud: "https://listings.example",
  sub: "cust_1",
  ver: 3,
  products: ["listing"],
  channels: { api: true, odata: true, file_delivery: false },
  regions: [{ kind: "state", value: "TX" }],
  datasets: [
    { dataset_id: texas, resources: { Property: { fields: "*" }, Member: { fields: ["MemberKey"] } } },
  ],
  limits: { open_exports: 2 },
};
const granting = (resources: object) => ({
  ...document,
  datasets: [{ dataset_id: texas, resources }],
});

let folder = "";
const file = (name: string) => join(folder, name);
const entitlement = (...args: readonly string[]) => cadastre(["entitlement", ...args]);
const signing = (value: unknown, ...args: readonly string[]) =>
  cadastre(["entitlement", "sign", "-", "--key", file("issuer.json"), ...args], {
    input: JSON.stringify(value),
  });
const readPair = async (name: string) => JSON.parse(await readFile(file(name), "utf8")) as KeyPair;
const readSet = async (name: string) => JSON.parse(await readFile(file(name), "utf8")) as KeySet;
const write = (name: string, text: string) => writeFile(file(name), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-cli-"));
  // Not the data of this checkout, which exist after a start.
  vi.stubEnv("CADASTRE_DATA", file("data"));
  const made = await entitlement("keygen", "--out", file("issuer.json"), "--jwks", file("keys.json"));
  const signed = await signing(document, "--days", "30", "--out", file("signed.jws"));
  expect([made.code, signed.code]).toEqual([0, 0]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe("an issuer", () => {
  test("has a private key for its owner alone, and publishes the public one", async () => {
    expect((await stat(file("issuer.json"))).mode & 0o777).toBe(0o600);
    const { publicKey, privateKey } = await readPair("issuer.json");
    expect(await readSet("keys.json")).toEqual({ keys: [publicKey] });
    expect(await readFile(file("keys.json"), "utf8")).not.toContain(privateKey.d);
    expect((await readdir(folder)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("signs what a service verifies, and fills in identity and times", async () => {
    const { code, stdout, stderr } = await signing(document, "--days", "30");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Signed version 3 for cust_1/);
    await write("second.jws", stdout);
    const trust = ["--jwks", file("keys.json"), "--issuer", document.iss, "--audience", document.aud];
    const verified = await entitlement("verify", file("second.jws"), ...trust, "--json");
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    const { document: signed } = JSON.parse(verified.stdout) as { document: Entitlement };
    expect(signed).toMatchObject(document);
    expect(signed.exp - signed.nbf).toBe(30 * 86_400);
    expect(signed.jti).toMatch(/^[\da-f-]{36}$/);
  });

  test("tells a person and a machine what is granted, and that nothing was verified", async () => {
    const [said, listed, checked] = await Promise.all([
      entitlement("inspect", file("signed.jws")),
      entitlement("inspect", file("signed.jws"), "--json"),
      entitlement("inspect", file("signed.jws"), "--jwks", file("keys.json")),
    ]);
    expect(said.stdout).toMatch(/^NOT VERIFIED: anyone may have written this\n/);
    expect(said.stdout).toContain("regions       state TX\n");
    expect(said.stdout).toContain("\n  Member      MemberKey\n  Property    every field");
    expect(JSON.parse(listed.stdout)).toMatchObject({ verified: false, document: { sub: "cust_1" } });
    expect(checked.stdout).toMatch(/^verified with the key set\n/);
  });

  test("is warned of shown fields that may tell a masked one, and told of those that read null", async () => {
    const masks = { ParcelNumber: "null", PostalCode: "prefix3" };
    const fields = ["ParcelNumber", "PostalCode", "UniversalPropertyId"];
    const given = granting({ Property: { fields, masks }, Media: { fields: ["LongDescription"] } });
    const [said, listed, strict, careful] = await Promise.all([
      signing(given, "--days", "1"),
      signing(given, "--days", "1", "--json"),
      signing(given, "--days", "1", "--strict"),
      signing(granting({ Property: { fields, masks } }), "--days", "1", "--strict"),
    ]);
    expect(said.stderr.split("\n").slice(0, 2)).toEqual([
      `Note: \`Property/UniversalPropertyId\` will read null in dataset ${texas}: it contains the masked \`Property/ParcelNumber\`.`,
      `Warning: \`Media/LongDescription\` is shown and may reveal the masked \`Property/PostalCode\`, \`Property/ParcelNumber\` in dataset ${texas}. Mask it with \`null\`, or leave it out of \`fields\`.`,
    ]);
    expect([said.code, said.stdout.split(".").length]).toEqual([0, 3]);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      disclosures: [
        { resource: "Property", field: "UniversalPropertyId", shown: false, datasets: [texas] },
        { resource: "Media", field: "LongDescription", shown: true, datasets: [texas] },
      ],
    });
    expect([strict.code, strict.stdout]).toEqual([1, ""]);
    expect(strict.stderr).toContain("nothing is signed: a shown field may reveal a masked one");
    expect(careful.code).toBe(0);
  });

  test("is told that its machine does not know the systems", async () => {
    await write("document.json", JSON.stringify(document));
    const { code, stdout, stderr } = await entitlement("check", file("document.json"));
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("\nSystems and local fields were not checked, since no service is here: give ");
  });

  test("rotates: both keys verify, then the new one alone", async () => {
    const keys = file("rotated.json");
    await write("rotated.json", await readFile(file("keys.json"), "utf8"));
    const next = await entitlement("keygen", "--out", file("next.json"), "--jwks", keys, "--json");
    const { kid, privateKey } = await readPair("next.json");
    expect(JSON.parse(next.stdout)).toMatchObject({ kid });
    expect(next.stdout + next.stderr).not.toContain(privateKey.d);
    await cadastre(
      ["entitlement", "sign", "-", "--key", file("next.json"), "--days", "1", "--out", file("next.jws")],
      { input: JSON.stringify(document) },
    );
    const verify = async (name: string) => (await entitlement("verify", file(name), "--jwks", keys)).code;
    expect(await Promise.all([verify("signed.jws"), verify("next.jws")])).toEqual([0, 0]);

    const set = await readSet("rotated.json");
    await write("rotated.json", JSON.stringify({ keys: set.keys.filter((key) => key.kid === kid) }));
    expect(await Promise.all([verify("signed.jws"), verify("next.jws")])).toEqual([1, 0]);
  });

  test("has its key set verified from an address", async () => {
    const text = await readFile(file("keys.json"), "utf8");
    const server = createServer((_, res) => res.end(text));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
    const { code, stdout } = await entitlement("verify", file("signed.jws"), "--jwks", url);
    server.close();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^verified: version 3 for cust_1/);
  });
});

describe("is refused with exit code 1 and one sentence:", () => {
  const keygen = (...args: readonly string[]) => entitlement("keygen", ...args);
  const verify = (...args: readonly string[]) => entitlement("verify", file("signed.jws"), ...args);
  const published = () => ["--jwks", file("keys.json")];

  const cases: readonly (readonly [string, () => ReturnType<typeof cadastre>, RegExp])[] = [
    [
      "a key file that is there",
      () => keygen("--out", file("issuer.json")),
      /issuer\.json` cannot be made: it is there already and is not replaced/,
    ],
    [
      "a key set that is none",
      async () => {
        await write("text.json", '{"keys":"none"}');
        return keygen("--out", file("unwritten.json"), "--jwks", file("text.json"));
      },
      /text\.json` is not a key set \(JWKS\)/,
    ],
    [
      "a key set with a private key",
      async () => {
        const { privateKey } = await readPair("issuer.json");
        await write("leaked.json", JSON.stringify({ keys: [privateKey] }));
        return keygen("--out", file("unwritten.json"), "--jwks", file("leaked.json"));
      },
      /`keys\.0` of the key set is secret: publish public keys alone, and replace this one/,
    ],
    ["a document that is not there", () => entitlement("sign", file("none"), "--key", "k"), /no such file/],
    [
      "a document that is not JSON",
      () => cadastre(["entitlement", "sign", "-", "--key", file("issuer.json")], { input: "{" }),
      /^-:1:2: document: not JSON: /,
    ],
    [
      "a document that is no object",
      () => signing([document], "--days", "1"),
      /^-:1:1: document: must be a JSON object$/,
    ],
    ["a document without an end", () => signing(document), /the document has no `exp`: say `--days`/],
    [
      "a document with two ends",
      () => signing({ ...document, exp: 1 }, "--days", "1"),
      /has an `exp`: leave out `--days`/,
    ],
    [
      "an unknown member",
      () => signing({ ...document, admin: true }, "--days", "1"),
      /^-:1:\d+: admin: `admin` is no member here; allowed: iss, aud, /,
    ],
    [
      "an unknown kind of region",
      () => signing({ ...document, regions: [{ kind: "city", value: "Austin" }] }, "--days", "1"),
      /^-:1:\d+: regions\.0\.kind: `city` is not allowed; allowed: national, state, /,
    ],
    [
      "an unknown resource",
      () => signing(granting({ Propertyy: { fields: "*" } }), "--days", "1"),
      /^-:1:\d+: datasets\.0\.resources\.Propertyy: a grant names the unknown resource `Propertyy`; did you mean `Property`\?/,
    ],
    [
      "an unknown field",
      () => signing(granting({ Property: { fields: ["ListPrise"] } }), "--days", "1"),
      /^-:1:\d+: .* the unknown field `ListPrise`; did you mean `ListPrice`\?/,
    ],
    [
      "an entitlement as a document",
      () => entitlement("sign", file("signed.jws"), "--key", file("keys.json")),
      /signed\.jws:1:1: document: not JSON: /,
    ],
    [
      "a key set to sign with",
      () =>
        cadastre(["entitlement", "sign", "-", "--key", file("keys.json"), "--days", "1"], {
          input: JSON.stringify(document),
        }),
      /keys\.json` is not an issuer's key: make one with `cadastre entitlement keygen`/,
    ],
    [
      "an entitlement of another key",
      async () => {
        await keygen("--out", file("foreign.json"), "--jwks", file("foreign-keys.json"));
        return verify("--jwks", file("foreign-keys.json"));
      },
      /signed with an unknown key/,
    ],
    [
      "another audience",
      () => verify(...published(), "--audience", "else"),
      /for another audience than `else`$/,
    ],
    ["a time after its end", () => verify(...published(), "--at", "2099-01-01T00:00:00Z"), /has expired/],
    [
      "a key set over plain http",
      () => verify("--jwks", "http://issuer.example/"),
      /must be a file, an https/,
    ],
    [
      "text that is no entitlement",
      () => cadastre(["entitlement", "inspect", "-"], { input: "a.b.c" }),
      /not a compact JWS/,
    ],
  ];

  test.each(cases)("%s", async (_, run, sentence) => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 1 });
    expect(stderr).toMatch(sentence);
  });

  test("and to a machine as JSON", async () => {
    const { code, stdout } = await verify(...published(), "--at", "2099-01-01T00:00:00Z", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verified: false,
      code: "entitlement_expired",
      outcome: "denied",
    });
  });

  test("leaving no file behind", async () => {
    expect(await readdir(folder)).not.toContain("unwritten.json");
  });
});

describe("is misused with exit code 2:", () => {
  test.each([
    [["sign", "-", "--key", "k", "--days", "0"], "It must be a whole number from 1 to 3660."],
    [["verify", "-", "--jwks", "k", "--at", "tomorrow"], "It must be like 2026-01-31T00:00:00Z."],
    [["verify", "-"], "required option '--jwks <file|address>' not specified"],
    [["keygen"], "required option '--out <file>' not specified"],
    [["forge"], "unknown command 'forge'"],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await entitlement(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });
});

import {
  compileScope,
  type Entitlement,
  EntitlementError,
  type EntitlementErrorCode,
  entitlementErrors,
  generateKeyPair,
  openKeySource,
  type ResourceGrant,
  requireCapability,
  requireChannel,
  verifyEntitlement,
} from "@cadastre/entitlement";
import fc from "fast-check";
import { type CompactJWSHeaderParameters, CompactSign } from "jose";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../src/canonical.ts";
import { entitlement, grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { entitySets } from "./support/model.ts";

const pair = await generateKeyPair();
const during = "2025-01-01T00:00:00Z";

const verify = (jws: string, { at = during, seen = 0 } = {}) =>
  verifyEntitlement(jws, {
    keys: { keys: [pair.publicKey] },
    issuer: "https://issuer.example",
    audience: "https://listings.example",
    now: () => new Date(at),
    seen,
  });

const header = { alg: "EdDSA", kid: pair.kid, typ: "entitlement+jws" };

/** Any payload under any header, signed with the good key. */
const sign = (payload: unknown, changedHeader: object = header) =>
  new CompactSign(new TextEncoder().encode(typeof payload === "string" ? payload : canonicalJson(payload)))
    .setProtectedHeader(changedHeader as CompactJWSHeaderParameters)
    .sign(pair.privateKey);

const jws = await sign(entitlement());
const verifyWith = async (changes: object) => verify(await sign({ ...entitlement(), ...changes }));
const compile = async (changes: Partial<Entitlement>) =>
  compileScope(entitlement(changes), { entitySets, datasets: new Set([texas]) });
const compileGrant = (ofProperty: ResourceGrant) =>
  compile({ datasets: [{ dataset_id: texas, resources: { Property: ofProperty } }] });
const openSet = (...keys: readonly object[]) => openText(JSON.stringify({ keys }));
const openText = (text: string, status = 200) =>
  openKeySource("https://issuer.example/", { fetch: async () => new Response(text, { status }) });

/** How each cause comes about. The compiler asks for a row for each new cause. */
const refusals: Readonly<Record<EntitlementErrorCode, () => Promise<unknown>>> = {
  entitlement_malformed: () => verify("a.b.c"),
  entitlement_header: async () => verify(await sign(entitlement(), { ...header, typ: "JWT" })),
  entitlement_unknown_key: async () => verify(await sign(entitlement(), { ...header, kid: "other" })),
  entitlement_signature: () => verify(`${jws.slice(0, -86)}${"A".repeat(86)}`),
  entitlement_not_canonical: async () => verify(await sign(`${canonicalJson(entitlement())} `)),
  entitlement_issuer: () => verifyWith({ iss: "https://other.example" }),
  entitlement_audience: () => verifyWith({ aud: "https://other.example" }),
  entitlement_invalid: () => verifyWith({ ver: "3" }),
  entitlement_unknown_member: () => verifyWith({ admin: true }),
  entitlement_unknown_value: () => verifyWith({ regions: [{ kind: "city", value: "Austin" }] }),
  entitlement_empty_list: () => verifyWith({ regions: [] }),
  entitlement_duplicate: () => verifyWith({ products: ["listing", "listing"] }),
  entitlement_unknown_dataset: () => compile({ datasets: [grant(oregon, { Property: "*" })] }),
  entitlement_unknown_resource: () => compile({ datasets: [grant(texas, { Gossip: "*" })] }),
  entitlement_unknown_field: () => compile({ datasets: [grant(texas, { Property: ["Gossip"] })] }),
  entitlement_unknown_policy: () => compileGrant({ fields: "*", private: true }),
  entitlement_mask_unknown_field: () => compileGrant({ fields: "*", masks: { Gossip: "null" } }),
  entitlement_mask_ungranted_field: () => compileGrant({ fields: ["City"], masks: { ListPrice: "null" } }),
  entitlement_mask_required_field: () => compileGrant({ fields: "*", masks: { ListingKey: "null" } }),
  entitlement_mask_misfit: () => compileGrant({ fields: "*", masks: { City: "round1" } }),
  key_set_location: () => openKeySource("http://issuer.example/"),
  key_set_unreadable: () => openText("", 404),
  key_set_malformed: () => openText("[]"),
  key_set_duplicate: () => openSet(pair.publicKey, pair.publicKey),
  key_set_private_key: () => openSet(pair.privateKey),
  key_set_foreign_key: () => openSet({ ...pair.publicKey, crv: "Ed448" }),
  key_set_stale: async () => {
    const fetch = async () => Response.json({ keys: [pair.publicKey] });
    const source = await openKeySource("https://issuer.example/", { fetch, maxStaleness: 0 });
    source.close();
    return source.find(pair.kid);
  },
  entitlement_expired: () => verify(jws, { at: "2099-01-01T00:00:00Z" }),
  entitlement_not_yet_valid: () => verify(jws, { at: "1999-01-01T00:00:00Z" }),
  // Raised by a host, which knows what it has removed.
  entitlement_removed: async () => {
    throw new EntitlementError("entitlement_removed");
  },
  entitlement_superseded: () => verify(jws, { seen: 4 }),
  channel_not_entitled: async () => requireChannel(scopeOf(), "file_delivery"),
  capability_required: async () =>
    requireCapability(
      compileScope({ ...entitlement(), capabilities: [] }, { entitySets }),
      "file_export_push",
    ),
};

describe("nothing is granted, for the cause alone:", () => {
  test.each(Object.entries(refusals))("%s", async (code, provoke) => {
    const { kind, publicCode } = entitlementErrors[code as EntitlementErrorCode];
    await expect(provoke()).rejects.toMatchObject({ name: "EntitlementError", code, kind, publicCode });
  });

  test("and what these cases change is granted without the change", async () => {
    await expect(verify(jws, { seen: 3 })).resolves.toEqual(entitlement());
    await expect(compile({})).resolves.toBeDefined();
  });

  test("only what is proved is forbidden; the rest cannot be verified", () => {
    const denied = Object.entries(entitlementErrors).filter(([, { kind }]) => kind === "forbidden");
    expect(Object.fromEntries(denied.map(([code, { publicCode }]) => [code, publicCode]))).toEqual({
      entitlement_expired: "entitlement_changed",
      entitlement_not_yet_valid: "entitlement_changed",
      entitlement_removed: "entitlement_changed",
      entitlement_superseded: "entitlement_changed",
      channel_not_entitled: "channel_not_entitled",
      capability_required: "capability_required",
    });
  });
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Every member of a JSON value, at every depth, as its path. */
const pathsOf = (value: unknown): readonly (readonly string[])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, item]) => [
        [name],
        ...pathsOf(item).map((path) => [name, ...path]),
      ])
    : [];

/** The value with one member changed: to another value, or dropped. */
function change(value: unknown, [name = "", ...rest]: readonly string[], to: unknown): unknown {
  const copy: unknown = structuredClone(value);
  if (!isObject(copy)) throw new TypeError("no such member");
  if (rest.length > 0) copy[name] = change(copy[name], rest, to);
  else if (to !== undefined) copy[name] = to;
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy;
}

const document = entitlement({
  regions: [
    { kind: "state", value: "TX" },
    { kind: "county", value: "OR/Lane" },
  ],
  datasets: [grant(texas, { Property: ["City", "ListPrice"], Member: "*" }), grant(oregon, { Media: "*" })],
});
const paths = pathsOf(document).map((path) => ({ path, name: path.join(".") }));

/** What may be left out of a document: it then grants, or limits, that much less. */
const optional = /^(capabilities|limits|(regions|datasets)\.\d|datasets\.0\.resources\.\w+(\.fields\.\d)?)$/;

describe("a document whose member `$name` is", () => {
  const [, , signature = ""] = jws.split(".");
  const swap = (payload: unknown) =>
    `${jws.split(".")[0]}.${Buffer.from(canonicalJson(payload)).toString("base64url")}.${signature}`;

  test.each(paths)("$name: dropped or altered is refused under the old signature", async ({ path }) => {
    for (const to of [undefined, null, "another", 1]) {
      await expect(verify(swap(change(document, path, to)))).rejects.toMatchObject({
        code: "entitlement_signature",
      });
    }
  });

  test.each(paths)(
    "$name: emptied or of another type is refused under a good signature",
    async ({ path }) => {
      for (const to of [null, {}, [], -1]) {
        await expect(verify(await sign(change(document, path, to)))).rejects.toThrow(EntitlementError);
      }
    },
  );

  test.each(paths.filter(({ name }) => !optional.test(name)))(
    "$name: dropped is refused under a good signature",
    async ({ path }) => {
      await expect(verify(await sign(change(document, path, undefined)))).rejects.toThrow(EntitlementError);
    },
  );
});

describe("a header is refused", () => {
  test.each(["alg", "kid", "typ"])("without `%s`, or with another one", async (member) => {
    for (const to of [undefined, null, "another", 1, ["EdDSA"]]) {
      const text = Buffer.from(JSON.stringify(change(header, [member], to))).toString("base64url");
      await expect(verify([text, ...jws.split(".").slice(1)].join("."))).rejects.toThrow(EntitlementError);
    }
  });
});

test("a signed document with any one character changed, lost or added is refused", async () => {
  const texts = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\u0000é");
  const character = fc.constantFrom(...texts);
  const place = fc.integer({ min: 0, max: jws.length - 1 });
  await fc.assert(
    fc.asyncProperty(place, character, fc.constantFrom(0, 1), async (at, text, taken) => {
      for (const changed of [
        jws.slice(0, at) + text + jws.slice(at + taken),
        jws.slice(0, at) + jws.slice(at + 1),
      ]) {
        if (changed !== jws) await expect(verify(changed)).rejects.toThrow(EntitlementError);
      }
    }),
    // The last character first: some of its bits are no part of the signature.
    { numRuns: 300, examples: texts.map((text): [number, string, number] => [jws.length - 1, text, 1]) },
  );
});

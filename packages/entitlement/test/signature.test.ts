import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  type Entitlement,
  type EntitlementErrorCode,
  generateKeyPair,
  inspectEntitlement,
  type PublicKeys,
  signEntitlement,
  verifyEntitlement,
} from "@cadastre/entitlement";
import { type CompactJWSHeaderParameters, CompactSign } from "jose";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../src/canonical.ts";
import { entitlement } from "./support/documents.ts";

const pair = await generateKeyPair();
const other = await generateKeyPair();
const keys: PublicKeys = { keys: [pair.publicKey] };
const during = "2025-01-01T00:00:00Z";

const verify = (
  jws: string,
  options: { keys?: PublicKeys; at?: string; audience?: string; issuer?: string } = {},
) =>
  verifyEntitlement(jws, {
    keys: options.keys ?? keys,
    issuer: options.issuer ?? "https://issuer.example",
    audience: options.audience ?? "https://listings.example",
    now: () => new Date(options.at ?? during),
  });

/** Says of itself no algorithm, so that it signs under any name of it. */
const { alg: _alg, ...anyAlgKey } = pair.privateKey;

const goodHeader = { alg: "EdDSA", kid: pair.kid, typ: "entitlement+jws" };

const bytesOf = (payload: string | object): Uint8Array =>
  payload instanceof Uint8Array
    ? payload
    : new TextEncoder().encode(typeof payload === "string" ? payload : canonicalJson(payload));

/** Any payload under any header, signed with the good key. */
const forge = (header: object, payload: string | object | Uint8Array, key: object | Uint8Array = anyAlgKey) =>
  new CompactSign(bytesOf(payload))
    .setProtectedHeader(header as CompactJWSHeaderParameters)
    .sign(key as Uint8Array);

const base64url = (text: string) => Buffer.from(text).toString("base64url");
const refused = (jws: Promise<unknown>, code: EntitlementErrorCode) =>
  expect(jws).rejects.toThrow(expect.objectContaining({ name: "EntitlementError", code }));

// A failure is for the tests to find: one thrown here would leave them out.
const jws = await signEntitlement(entitlement(), pair).catch(String);

describe("a signed entitlement", () => {
  test("verifies to the document that was signed", async () => {
    expect(await verify(jws)).toEqual(entitlement());
  });

  test("verifies against a map of keys, and among several keys", async () => {
    expect(await verify(jws, { keys: new Map([[pair.kid, pair.publicKey]]) })).toEqual(entitlement());
    expect(await verify(jws, { keys: { keys: [other.publicKey, pair.publicKey] } })).toEqual(entitlement());
    const imported = createPublicKey({ key: { ...pair.publicKey }, format: "jwk" });
    expect(await verify(jws, { keys: new Map([[pair.kid, imported]]) })).toEqual(entitlement());
  });

  test("is the same text for the same document, whatever the order of its members", async () => {
    const reversed = Object.fromEntries(Object.entries(entitlement()).toReversed()) as unknown as Entitlement;
    expect(await signEntitlement(reversed, pair)).toBe(jws);
  });

  test("is not made of a document that does not fit", async () => {
    await expect(async () => signEntitlement(entitlement({ regions: [] }), pair)).rejects.toThrow(
      expect.objectContaining({ code: "entitlement_empty_list" }),
    );
  });

  test("holds from its first second until before its end", async () => {
    const second = (seconds: number) => new Date(seconds * 1000).toISOString();
    const { nbf, exp } = entitlement();
    await expect(verify(jws, { at: second(nbf) })).resolves.toBeDefined();
    await expect(verify(jws, { at: second(exp - 1) })).resolves.toBeDefined();
    await refused(verify(jws, { at: second(nbf - 1) }), "entitlement_not_yet_valid");
    await refused(verify(jws, { at: second(exp) }), "entitlement_expired");
    await refused(verify(jws, { at: "no time" }), "entitlement_not_yet_valid");
  });

  test("out of its time is denied, and otherwise cannot be verified", async () => {
    await expect(verify(jws, { at: "2099-01-01T00:00:00Z" })).rejects.toMatchObject({
      kind: "forbidden",
      publicCode: "entitlement_changed",
    });
    await expect(verify(`${jws}A`)).rejects.toMatchObject({
      kind: "unavailable",
      publicCode: "service_unavailable",
    });
  });

  test("for another audience or of another issuer is refused", async () => {
    await refused(verify(jws, { audience: "https://listings.example/" }), "entitlement_audience");
    await refused(verify(jws, { issuer: "https://issuer.example.evil" }), "entitlement_issuer");
  });
});

describe("a key pair", () => {
  test("says of both keys what they are for, and tells no secret in the public one", async () => {
    const { kid, publicKey, privateKey } = await generateKeyPair();
    const facts = { kty: "OKP", crv: "Ed25519", kid, alg: "EdDSA", use: "sig" };
    const { x } = publicKey;
    expect(publicKey).toEqual({ ...facts, x });
    expect(privateKey).toEqual({ ...facts, x, d: expect.any(String) as unknown });
  });
});

describe("what is inspected", () => {
  test("is told with its key id, whoever signed it and for whenever", async () => {
    const document = entitlement({ nbf: 1, exp: 2 });
    const unproved = (await forge(goodHeader, document, other.privateKey)).replace(/[^.]+$/, "AA");
    expect(inspectEntitlement(unproved)).toEqual({ kid: pair.kid, document });
  });

  test("fits the header, the one form and the schema", async () => {
    const refusal = (code: EntitlementErrorCode): unknown => expect.objectContaining({ code });
    const canonical = canonicalJson(entitlement());
    const spaced = await forge(goodHeader, `${canonical} `);
    const unknown = await forge(goodHeader, { ...entitlement(), admin: true });
    const foreign = await forge({ ...goodHeader, typ: "JWT" }, canonical);
    expect(() => inspectEntitlement("a.b")).toThrow(refusal("entitlement_malformed"));
    expect(() => inspectEntitlement(foreign)).toThrow(refusal("entitlement_header"));
    expect(() => inspectEntitlement(spaced)).toThrow(refusal("entitlement_not_canonical"));
    expect(() => inspectEntitlement(unknown)).toThrow(refusal("entitlement_unknown_member"));
  });
});

describe("a forged entitlement is refused:", () => {
  test("every character of it counts", async () => {
    const [header = "", payload = "", signature = ""] = jws.split(".");
    const middle = Math.floor(payload.length / 2);
    const changed = payload[middle] === "A" ? "B" : "A";
    const tampered = payload.slice(0, middle) + changed + payload.slice(middle + 1);
    await refused(verify(`${header}.${tampered}.${signature}`), "entitlement_signature");
    await refused(verify(`${header}.${payload}.${"A".repeat(signature.length)}`), "entitlement_signature");
    await refused(verify(`${header}.${payload}.`), "entitlement_signature");
  });

  test.each([
    "",
    "a",
    "a.b",
    "a.b.c",
    "a.b.c.d",
    "..",
    `${base64url("[]")}.e30.AA`,
    `${base64url("null")}.e30.AA`,
  ])("the text `%s`", async (text) => refused(verify(text), "entitlement_malformed"));

  test("a text with a part too few or too many", async () => {
    await refused(verify(jws.slice(0, jws.lastIndexOf("."))), "entitlement_malformed");
    await refused(verify(`${jws}.`), "entitlement_malformed");
    await refused(verify(`${jws}.a.b`), "entitlement_malformed");
  });

  test("a text that is too long", async () => {
    const longest = jws.padEnd(1_048_576, "A");
    await refused(verify(longest), "entitlement_signature");
    await refused(verify(`${longest}A`), "entitlement_malformed");
  });

  test("other text around its signature, which decoders pass over", async () => {
    const at = jws.lastIndexOf(".") + 1;
    for (const text of [" ", "=", "\n", "A"]) {
      await refused(verify(jws.slice(0, at) + text + jws.slice(at)), "entitlement_signature");
      await refused(verify(jws + text), "entitlement_signature");
    }
  });

  test("`alg` none", async () => {
    const payload = base64url(canonicalJson(entitlement()));
    const header = base64url(JSON.stringify({ ...goodHeader, alg: "none" }));
    await refused(verify(`${header}.${payload}.`), "entitlement_header");
  });

  test("HS256 with the public key as its secret", async () => {
    const secret = Buffer.from(pair.publicKey.x ?? "", "base64url");
    await refused(
      verify(await forge({ ...goodHeader, alg: "HS256" }, entitlement(), secret)),
      "entitlement_header",
    );
  });

  test("under a secret key or a foreign one in the key set", async () => {
    const secret = { kty: "oct", k: base64url("x".repeat(32)), kid: pair.kid };
    await refused(verify(jws, { keys: { keys: [secret] } }), "key_set_private_key");
    await refused(verify(jws, { keys: { keys: [pair.privateKey] } }), "key_set_private_key");
    const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const named = (key: KeyObject) => ({ keys: new Map([[pair.kid, key]]) });
    await refused(verify(jws, named(foreign.privateKey)), "key_set_private_key");
    await refused(verify(jws, named(foreign.publicKey)), "key_set_foreign_key");
  });

  test("another `typ`, another name of the algorithm, a missing `kid`, further members", async () => {
    const { typ: _, ...untyped } = goodHeader;
    const { kid: _1, ...anonymous } = goodHeader;
    const headers = [
      ["typ", untyped],
      ["kid", anonymous],
      ["kid", { ...goodHeader, kid: 1 }],
      ["kid", { ...goodHeader, kid: "" }],
      ["typ", { ...goodHeader, typ: "JWT" }],
      ["alg", { ...goodHeader, alg: "Ed25519" }],
      ["extension", { ...goodHeader, jwk: pair.publicKey }],
      ["extension", { ...goodHeader, jku: "https://evil.example/jwks" }],
      ["extension", { ...goodHeader, b64: true, crit: ["b64"] }],
    ] as const;
    for (const [member, header] of headers)
      await expect(verify(await forge(header, entitlement()))).rejects.toMatchObject({
        code: "entitlement_header",
        details: { member },
      });
  });

  test("an unknown `kid`, and one that two keys share", async () => {
    await refused(
      verify(await signEntitlement(entitlement(), { ...pair, kid: "other" })),
      "entitlement_unknown_key",
    );
    await refused(verify(jws, { keys: { keys: [] } }), "entitlement_unknown_key");
    await refused(verify(jws, { keys: new Map() }), "entitlement_unknown_key");
    const double = { keys: [pair.publicKey, { ...other.publicKey, kid: pair.kid }] };
    await refused(verify(jws, { keys: double }), "entitlement_unknown_key");
  });

  test("the signature of another key", async () => {
    await refused(verify(await forge(goodHeader, entitlement(), other.privateKey)), "entitlement_signature");
  });

  test("a payload that is not JSON, or not in its one form", async () => {
    const canonical = canonicalJson(entitlement());
    const payloads = [
      "",
      "{",
      `${canonical} `,
      `\uFEFF${canonical}`,
      Buffer.from(canonical.replace("doc-1", "doc-\u00ff"), "latin1"),
      canonical.replace('"ver":3', '"ver":3.0'),
      canonical.replace('"ver":3', '"ver":1,"ver":3'),
      canonical.replace('"resources":{', '"resources":{"__proto__":{"fields":"*"},'),
    ];
    for (const payload of payloads) {
      await refused(verify(await forge(goodHeader, payload)), "entitlement_not_canonical");
    }
  });

  test("a payload that does not fit the schema", async () => {
    const payloads = [
      [{ ...entitlement(), admin: true }, "entitlement_unknown_member"],
      [{ ...entitlement(), regions: [] }, "entitlement_empty_list"],
      [{ ...entitlement(), products: ["listing", "listing"] }, "entitlement_duplicate"],
      [[], "entitlement_invalid"],
    ] as const;
    for (const [payload, code] of payloads) await refused(verify(await forge(goodHeader, payload)), code);
  });
});

test("no message tells of a key, a signature or a value", async () => {
  const secret = await forge(goodHeader, { ...entitlement(), sub: "cust secret" });
  const errors = await Promise.allSettled([
    verify(`${jws}A`),
    verify(jws, { keys: { keys: [] } }),
    verify(secret),
  ]);
  for (const result of errors) {
    if (result.status === "fulfilled") throw new Error("it was accepted");
    const text = `${String(result.reason)}${JSON.stringify(result.reason)}`;
    expect(text).not.toContain("secret");
    expect(text).not.toContain(pair.kid);
    expect(text).not.toContain(pair.publicKey.x);
  }
});

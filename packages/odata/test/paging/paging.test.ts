import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { QueryError } from "../../src/index.ts";
import { nextLink, openSkipToken, sealSkipToken } from "../../src/paging/index.ts";

const key = randomBytes(32);
const token = { after: ["York", null, 12n, 1.5, "a"], scope: "scope-hash", expires: 2000 };
const now = 1000;

describe("a skip token", () => {
  test("opens to what was sealed", () => {
    expect(openSkipToken(sealSkipToken(token, "binding", key), "binding", key, now)).toEqual(token);
  });

  test("shows nothing of what it holds, and differs each time", () => {
    const [a, b] = [sealSkipToken(token, "binding", key), sealSkipToken(token, "binding", key)];
    expect(Buffer.from(a, "base64url").toString("latin1")).not.toContain("York");
    expect(a).not.toBe(b);
  });

  const sealed = sealSkipToken(token, "binding", key);
  const flipped = (at: number) => {
    const bytes = Buffer.from(sealed, "base64url");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes.toString("base64url");
  };
  const cases: readonly (readonly [name: string, text: string, binding?: string, at?: number])[] = [
    ["another query", sealed, "other"],
    ["its expiry", sealed, "binding", 2000],
    ["a changed byte", flipped(40)],
    ["a changed version", flipped(0)],
    ["a changed tag", flipped(20)],
    ["a shortened text", sealed.slice(0, 20)],
    ["an appended letter", `${sealed}A`],
    ["nothing", ""],
    ["text that is no token", "Hello, World"],
  ];
  test.each(cases)("is refused after %s", (_name, text, binding = "binding", at = now) => {
    const open = () => openSkipToken(String(text), String(binding), key, Number(at));
    expect(open).toThrowError(QueryError);
    expect(open).toThrowError(/skiptoken/);
  });

  test("is refused under another key", () => {
    expect(() => openSkipToken(sealed, "binding", randomBytes(32), now)).toThrowError(/skiptoken/);
  });
});

describe("a next link", () => {
  test.each([
    ["", "https://h/P?$skiptoken=T"],
    ["$top=5", "https://h/P?$top=5&$skiptoken=T"],
    ["$skip=10&$top=5", "https://h/P?$top=5&$skiptoken=T"],
    ["%24skip=10&%24top=5", "https://h/P?%24top=5&$skiptoken=T"],
    ["skip=10&$filter=City%20eq%20'a%26b'", "https://h/P?$filter=City%20eq%20'a%26b'&$skiptoken=T"],
    ["$skiptoken=old&skipper=1", "https://h/P?skipper=1&$skiptoken=T"],
    ["$top=2&%24%73kip=5", "https://h/P?$top=2&$skiptoken=T"],
  ])("of %j is %s", (query, link) => {
    expect(nextLink("https://h/P", query, "T")).toBe(link);
  });
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DeliveryError, type DeliveryErrorCode, deliveryErrors } from "@cadastre/delivery";
import { entitlementErrors } from "@cadastre/entitlement";
import { QueryError, type QueryErrorCode, queryErrors } from "@cadastre/odata";
import { protocolErrors } from "@cadastre/server/parts";
import { StoreError, type StoreErrorCode, storeErrors } from "@cadastre/store";
import { expect, test } from "vitest";
import { type PublicCode, publicErrors, Refused, statuses, toRefusal } from "../src/errors.ts";
import { plainErrorAnswer, toPublicError } from "../src/http/error-body.ts";

const file = fileURLToPath(new URL("../../../docs/errors.md", import.meta.url));
const page = readFileSync(file, "utf8");

const bySeverity = <Entry extends { status: number; code: string }>(all: readonly Entry[]) =>
  all.toSorted((a, b) => a.status - b.status || a.code.localeCompare(b.code));

const publicRows = bySeverity(
  Object.entries(publicErrors).map(([code, { kind, message }]) => ({
    code,
    status: statuses[kind],
    message,
  })),
);

/** What a message tells, by its name. */
const details = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => (name === "suggestion" || name === "hint" ? undefined : `‹${String(name)}›`) },
);

const queryRows = bySeverity(
  Object.entries(queryErrors).map(([code, message]) => {
    const { kind } = new QueryError(code as QueryErrorCode, null);
    return { code, status: statuses[kind], message: message(details) };
  }),
);

const heading = "| Code | Status | Message |\n|---|--:|---|\n";

const tableOf = (rows: typeof publicRows, prefix = ""): string =>
  heading +
  rows
    .map(
      ({ code, status, message }) =>
        `| <a id="${prefix}${code}"></a>\`${code}\` | ${status} | ${message} |\n`,
    )
    .join("");

test("the page of errors lists every code with its status and message", async () => {
  const [intro = "", between = "", rest = ""] = page.split(/\| Code \| Status \| Message \|\n(?:\|.*\n)*/);
  const told = intro + tableOf(publicRows) + between + tableOf(queryRows, "query-") + rest;
  await expect(told).toMatchFileSnapshot(file);
});

test("a code is declared in the table of one package", () => {
  const tables = [deliveryErrors, storeErrors, protocolErrors].map((table) => Object.keys(table));
  const declared = [
    ...tables.flat(),
    ...Object.keys(publicErrors).filter((code) => !tables.flat().includes(code)),
  ];
  // Two codes for an operator: a record is invalid and a schema changed for a store, and for a delivery. Nothing is at an address of OData,
  // and at one of a delivery.
  expect(declared.filter((code, i) => declared.indexOf(code) !== i)).toEqual([
    "invalid_record",
    "schema_changed",
    "not_found",
  ]);
  expect(protocolErrors.not_found.message).toBe(deliveryErrors.not_found.message);
  // The one code that both a path and a query can have.
  expect(Object.keys(queryErrors).filter((code) => declared.includes(code))).toEqual(["invalid_encoding"]);
});

test("every code of every package becomes a public one, and none of an operator is shown", () => {
  const raised = [
    ...Object.keys(deliveryErrors).map((code) => new DeliveryError(code as DeliveryErrorCode, "a table")),
    ...Object.keys(storeErrors).map((code) => new StoreError(code as StoreErrorCode, "a table")),
  ];
  for (const error of raised) {
    const { code, message } = toRefusal(error);
    expect(Object.keys(publicErrors)).toContain(code);
    expect(message, error.code).not.toContain("a table");
    if (error.kind === "operator") expect(code, error.code).toBe("internal_error");
    else expect(code, error.code).not.toBe("internal_error");
  }
  for (const { publicCode } of Object.values(entitlementErrors)) {
    const shown: PublicCode = publicCode;
    expect(Object.keys(publicErrors)).toContain(shown);
  }
});

test("an error of `/v1` has its code, message, target, what is allowed, and an anchor of the page", () => {
  const error = new DeliveryError("unknown_domain", "for the log", { allowed: ["listing"] });
  const { body, status } = plainErrorAnswer(toPublicError(error));
  expect([status, JSON.parse(body as string)]).toEqual([
    400,
    {
      error: "unknown_domain",
      message: "there is no such domain",
      target: "domain",
      allowed: ["listing"],
      docs: "docs/errors.md#unknown_domain",
    },
  ]);
  for (const code of Object.keys(publicErrors)) expect(page).toContain(`<a id="${code}"></a>`);
});

test("a refusal says when to come again and how to authenticate", () => {
  expect(new Refused("too_many_exports").details.headers).toEqual({ "retry-after": "30" });
  expect(new Refused("unauthorized").details.headers).toEqual({
    "www-authenticate": 'Bearer realm="cadastre"',
  });
});

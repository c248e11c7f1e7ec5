import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { addressOfQuery, type CopiedQuery, type CopyForm, copyForms } from "../src/copy/copied-query.ts";

const query: CopiedQuery = {
  service: "http://127.0.0.1:8080/reso/odata",
  entitySet: "Property",
  options: {
    $filter: "City eq 'O''Fallon' and contains(Remarks,'50% \"off\" & $more #1')",
    $select: "ListingKey,City",
    $orderby: "",
    $top: "100",
  },
};

describe("a copied query", () => {
  test.each(Object.keys(copyForms) as CopyForm[])("as %s", async (form) => {
    await expect(copyForms[form].print(query)).toMatchFileSnapshot(`golden/${form}.txt`);
  });

  test.each(Object.keys(copyForms) as CopyForm[])(
    "as %s names the key, and leaves out empty options",
    (form) => {
      const text = copyForms[form].print(query);
      expect(text).toContain("CADASTRE_KEY");
      expect(text).not.toContain("$orderby");
    },
  );

  test("has an address that says the same", () => {
    const url = new URL(addressOfQuery(query));
    expect(url.searchParams.get("$filter")).toBe(query.options["$filter"]);
    expect(url.href).not.toContain("+");
  });

  test("for a shell gives curl each option as one argument", async () => {
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      `curl() { printf '%s\\n' "$@"; }\nCADASTRE_KEY=secret\n${copyForms.curl.print(query)}`,
    ]);
    expect(stdout.split("\n")).toEqual([
      "-sG",
      "http://127.0.0.1:8080/reso/odata/Property",
      "-H",
      "x-api-key: secret",
      "--data-urlencode",
      `$filter=${query.options["$filter"]}`,
      "--data-urlencode",
      "$select=ListingKey,City",
      "--data-urlencode",
      "$top=100",
      "",
    ]);
  });
});

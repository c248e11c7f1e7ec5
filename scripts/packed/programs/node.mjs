// Uses the entries of @cadastre/odata that need Node, beside those that do not.
import "./universal.mjs";
import { knexCompiler } from "@cadastre/odata/knex";
import { openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import { postgresHelpers } from "@cadastre/odata/postgres";
import { contentTag } from "@cadastre/odata/run";
import { registerFunctions } from "@cadastre/odata/sqlite";

const key = new Uint8Array(32);
const token = sealSkipToken({ after: [1n], scope: "all", expires: 2 }, "binding", key);
if (openSkipToken(token, "binding", key, 1).after[0] !== 1n) throw new Error("a skip token does not open");
for (const entry of [knexCompiler, postgresHelpers, contentTag, registerFunctions])
  if (entry === undefined) throw new Error("an entry is empty");

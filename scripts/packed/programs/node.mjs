// Uses the entries of @cadastre/odata that need Node, beside those that do not.
import "./universal.mjs";
import { openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import { contentTag } from "@cadastre/odata/run";

const key = new Uint8Array(32);
const token = sealSkipToken({ after: [1n], scope: "all", expires: 2 }, "binding", key);
if (openSkipToken(token, "binding", key, 1).after[0] !== 1n) throw new Error("a skip token does not open");
if (contentTag(Buffer.from("{}")).length === 0) throw new Error("a tag is empty");

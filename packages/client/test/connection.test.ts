import { connect } from "@cadastre/client";
import { expect, test } from "vitest";
import { apiKey } from "./support/server.ts";

test.each([
  ["ftp://listings.example", "no way to send a key"],
  ["http://listings.example", "in the clear"],
  ["https://user:secret@listings.example", "a user"],
  ["https://listings.example/base", "a path"],
  ["https://listings.example/?a=b", "a query"],
  ["listings.example", "no address"],
])("%s is no address of a service: %s", (url) => {
  expect(() => connect({ url, apiKey })).toThrow(expect.objectContaining({ code: "url_invalid" }));
});

test.each(["http://localhost:8080", "http://[::1]:8080/", "https://listings.example"])("%s is one", (url) => {
  expect(JSON.stringify(connect({ url, apiKey }))).not.toContain(apiKey);
});

test.each(["", "two words", "line\nbreak", "ключ"])("%j is no key", (key) => {
  expect(() => connect({ url: "https://listings.example", apiKey: key })).toThrow(
    expect.objectContaining({ code: "api_key_invalid" }),
  );
});

test.each(["//thief.example/", "https://thief.example/", "@thief.example", "v1"])(
  "nothing is sent to %s",
  async (path) => {
    const connection = connect({ url: "https://listings.example", apiKey });
    expect(() => connection.send({ path }, AbortSignal.timeout(100))).toThrow(
      expect.objectContaining({ code: "url_invalid" }),
    );
  },
);

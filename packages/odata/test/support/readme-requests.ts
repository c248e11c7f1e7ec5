import { readFileSync } from "node:fs";

const block = /^```sh\n(curl [\s\S]*?)^```\n+```json\n([\s\S]*?)^```$/gm;
const option = /--data-urlencode '([^=']*)=((?:[^']|'\\'')*)'/g;

/** As curl encodes: everything but unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Requests of a README, each a `curl` of an address on port 8080, and the JSON that it says is answered. */
export const readmeRequests = (file: URL) =>
  [...readFileSync(file, "utf8").matchAll(block)].map(([, command = "", answer = ""]) => {
    const [, path = ""] = /http:\/\/127\.0\.0\.1:8080(\S+)/.exec(command) ?? [];
    const options = [...command.matchAll(option)].map(
      ([, name, value = ""]) => `${name}=${encode(value.replaceAll("'\\''", "'"))}`,
    );
    return { request: `${path}?${options.join("&")}`, answer: JSON.parse(answer) as unknown };
  });

import { readFileSync } from "node:fs";

const block = /^```sh\n(curl [\s\S]*?)^```\n+```json\n([\s\S]*?)^```$/gm;
const option = /--data-urlencode '([^=']*)=((?:[^']|'\\'')*)'/g;

/** Encodes as curl does: everything except unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the requests of a README, each a `curl` command for port 8080, with the JSON response shown after it. */
export const readmeRequests = (file: URL) =>
  [...readFileSync(file, "utf8").matchAll(block)].map(([, command = "", answer = ""]) => {
    const [, path = ""] = /http:\/\/127\.0\.0\.1:8080(\S+)/.exec(command) ?? [];
    const options = [...command.matchAll(option)].map(
      ([, name, value = ""]) => `${name}=${encode(value.replaceAll("'\\''", "'"))}`,
    );
    return { request: `${path}?${options.join("&")}`, answer: JSON.parse(answer) as unknown };
  });

import { type Operation, openRead, textSchema } from "../http/operation.ts";

/** The address `/`: a page for browsers, and an index of the service for programs. */
export const indexOperation: Operation = {
  ...openRead("/", "The page to look at listings, or an index of the service as JSON", "text/html"),
  gives: {
    "application/json": {
      type: "object",
      required: ["name", "version", "links"],
      properties: {
        name: textSchema,
        version: textSchema,
        links: { type: "object", additionalProperties: { type: "string", format: "uri-reference" } },
      },
    },
    "text/html": textSchema,
  },
};

export const faviconOperation = openRead("/favicon.ico", "The icon of the service", "image/x-icon");
export const robotsOperation = openRead("/robots.txt", "Asks crawlers to read nothing", "text/plain");

export const explorerOperations: readonly Operation[] = [indexOperation, faviconOperation, robotsOperation];

import { type PublicCode, publicErrors, statuses } from "../errors.ts";
import type { Operation, Schema } from "../http/operation.ts";

/** Components that the operations refer to. */
const components = {
  securitySchemes: {
    apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    bearer: { type: "http", scheme: "bearer", description: "The API key" },
  },
  schemas: {
    ODataError: {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message"],
          properties: {
            code: { type: "string" },
            message: { type: "string" },
            target: { type: "string" },
            details: { type: "array", items: { type: "object" } },
          },
        },
      },
    },
    Error: {
      type: "object",
      required: ["error", "message", "docs"],
      properties: {
        error: { type: "string", enum: Object.keys(publicErrors), description: "The code" },
        message: { type: "string", description: "What is wrong and what to do" },
        target: { type: "string", description: "The member or parameter at fault" },
        allowed: { type: "array", items: { type: "string" }, description: "What `target` may be" },
        docs: { type: "string", description: "The entry of the code in the documentation" },
      },
    },
  },
} as const;

/** Returns the OpenAPI 3.1 document of the operations, for a service at `baseUrl`. */
export const openApiDocument = (operations: readonly Operation[], baseUrl: string | undefined): Schema => ({
  openapi: "3.1.0",
  info: {
    title: "Cadastre",
    version: "1",
    summary: "Real-estate listings under a signed entitlement",
    description:
      "Every answer is restricted to what the entitlement of the key grants. The service document and `$metadata` say which sets and fields those are.",
  },
  servers: [{ url: baseUrl ?? "/" }],
  security: [{ apiKey: [] }, { bearer: [] }],
  tags: [{ name: "OData" }, { name: "JSON" }, { name: "Delivery" }, { name: "Service" }],
  paths: pathsOf(operations),
  components,
});

function pathsOf(operations: readonly Operation[]): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: toOperationObject(operation) };
  }
  return paths;
}

const toOperationObject = ({
  tag,
  summary,
  isOpen,
  parameters,
  takes,
  isTakenOptional = false,
  status = 200,
  gives,
  errors = [],
}: Operation): Schema => ({
  tags: [tag],
  summary,
  ...(isOpen === undefined ? {} : { security: [] }),
  ...(parameters === undefined ? {} : { parameters }),
  ...(takes === undefined ? {} : { requestBody: { required: !isTakenOptional, content: contentOf(takes) } }),
  responses: {
    [status]: { description: "Success", content: contentOf(gives) },
    ...responsesOf(errors),
    default: {
      description: "Error",
      content: contentOf({ "application/json": errorOf(tag) }),
    },
  },
});

/** Returns a response for each status of the errors, which describes their codes. */
function responsesOf(errors: readonly PublicCode[]): Schema {
  const statusOf = (code: PublicCode): number => statuses[publicErrors[code].kind];
  const describe = (code: PublicCode): string => `\`${code}\`: ${publicErrors[code].message}`;
  const content = contentOf({ "application/json": errorOf("JSON") });
  return Object.fromEntries(
    [...new Set(errors.map(statusOf))].map((status) => {
      const those = errors.filter((code) => statusOf(code) === status);
      return [status, { description: those.map(describe).join("\n\n"), content }];
    }),
  );
}

const errorOf = (tag: Operation["tag"]): Schema => ({
  $ref: `#/components/schemas/${tag === "OData" ? "ODataError" : "Error"}`,
});

const contentOf = (schemas: Readonly<Record<string, Schema>>): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));

import type { z } from "zod";
import type { Operation, Parameter } from "../http/operation.ts";
import { bodyErrors, type Endpoint, toSchema } from "./endpoint.ts";

/** Returns the operation of an endpoint, from which `openapi/document.ts` writes the OpenAPI document. */
export const toOperation = ({
  method,
  path,
  tag,
  summary,
  params,
  query,
  headers,
  body,
  isBodyOptional,
  status,
  gives,
  errors,
}: Endpoint<never>): Operation => {
  const parameters = [
    ...parametersOf("path", params),
    ...parametersOf("query", query),
    ...Object.entries(headers).map(
      ([name, description]): Parameter => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      }),
    ),
  ];
  return {
    method,
    path,
    tag,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { takes: { "application/json": toSchema(body, "input") }, isTakenOptional: isBodyOptional }),
    status,
    gives,
    errors: body === undefined ? errors : [...bodyErrors, ...errors],
  };
};

function parametersOf(place: Parameter["in"], { shape }: z.ZodObject): readonly Parameter[] {
  return Object.entries(shape as Readonly<Record<string, z.ZodType>>).map(([name, schema]) => {
    const {
      description = "",
      example,
      ...value
    } = toSchema(schema) as Parameter["schema"] & Pick<Partial<Parameter>, "description" | "example">;
    return {
      name,
      in: place,
      ...(schema.safeParse(undefined).success ? {} : { required: true }),
      description,
      schema: value,
      ...(example === undefined ? {} : { example }),
    };
  });
}

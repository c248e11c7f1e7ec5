import { deliveryEndpoints } from "../../src/delivery/endpoints.ts";
import { bodyErrors, commonErrors, type Endpoint } from "../../src/endpoint/endpoint.ts";
import { v1Endpoints } from "../../src/v1/endpoints.ts";

const endpoints: readonly Endpoint<never>[] = [...v1Endpoints, ...deliveryEndpoints];

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]*")}$`).test(path);

/** Returns the codes of all errors that the endpoint of a request declares. Undefined if there is no such endpoint. */
export function declaredErrors(method: string, target: string): readonly string[] | undefined {
  const [path = ""] = target.split("?", 1);
  const asked = method === "HEAD" ? "get" : method.toLowerCase();
  const endpoint = endpoints.find((one) => one.method === asked && matches(one.path, path));
  return (
    endpoint && [...commonErrors, ...(endpoint.body === undefined ? [] : bodyErrors), ...endpoint.errors]
  );
}

import { odataRoot } from "../http/odata-protocol.ts";
import { release } from "../release.ts";

/**
 * Returns the index of the service as JSON.
 *
 * @param root path of the service as clients see it, without a trailing slash
 * @param mcp true if language models can call tools
 */
export const serviceIndex = (root: string, mcp: boolean): string =>
  JSON.stringify({
    name: "Cadastre",
    version: release,
    links: {
      odata: root + odataRoot,
      metadata: `${root}${odataRoot}/$metadata`,
      account: `${root}/v1/account/resources`,
      openapi: `${root}/openapi.json`,
      reference: `${root}/reference`,
      health: `${root}/health/ready`,
      ...(mcp ? { mcp: `${root}/mcp` } : {}),
    },
  });

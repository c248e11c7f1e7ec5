import { createServer } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";

/**
 * Starts a stand-in for the services of RESO that the `dd` pipeline asks: it signs everybody in, and finds no variation of any name.
 *
 * @returns {Promise<{ env: Record<string, string>, stop: () => void }>}
 */
export async function startServices() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.endsWith("/variations/compute")) {
      response.setHeader("content-type", "application/json");
      return response.end('{"token":"stand-in"}');
    }
    const { version, fuzziness = 0.25 } = JSON.parse(
      gunzipSync(Buffer.from(Buffer.concat(chunks).toString(), "base64")),
    );
    const variations = { resources: [], fields: [], lookups: [], expansions: [], complexTypes: [] };
    return response.end(gzipSync(JSON.stringify({ version, fuzziness, variations })).toString("base64"));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    env: {
      RESO_SERVICES_URL: url,
      CERT_AUTH_API_BASE_URL: `${url}/token`,
      CERT_AUTH_API_USERNAME: "stand-in",
      CERTIFICATION_API_KEY: "stand-in",
    },
    stop: () => server.close(),
  };
}

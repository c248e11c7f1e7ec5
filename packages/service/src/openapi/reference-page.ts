/** Content security policy of the page: it may only load from this service. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI uses inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

/** @param root path of the service as clients see it, without a trailing slash */
export const referencePage = (root: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HTTP API reference – Cadastre</title>
<link rel="icon" href="${root}/favicon.ico">
<link rel="stylesheet" href="${root}/reference/swagger-ui.css">
<div id="reference" data-document="${root}/openapi.json"></div>
<script src="${root}/reference/swagger-ui-bundle.js"></script>
<script src="${root}/reference/start.js"></script>
</html>
`;

/** Script that starts Swagger UI. The API key is forgotten when the page is closed. */
export const referenceScript = `const { document: url } = globalThis.document.querySelector("#reference").dataset;
SwaggerUIBundle({
  url,
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  // Swagger UI gives the list of servers no name for screen readers.
  onComplete: () => globalThis.document.querySelector("#servers")?.setAttribute("aria-label", "Server"),
});
`;

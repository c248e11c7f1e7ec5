/** Content security policy of the page: it may only load from this service. */
export const explorerPolicy = [
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
export const explorerPage = (root: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cadastre</title>
<link rel="icon" href="${root}/explorer/favicon-32x32.png">
<link rel="stylesheet" href="${root}/explorer/swagger-ui.css">
<div id="explorer" data-document="${root}/openapi.json"></div>
<script src="${root}/explorer/swagger-ui-bundle.js"></script>
<script src="${root}/explorer/start.js"></script>
</html>
`;

/** Script that starts Swagger UI. The API key is forgotten when the page is closed. */
export const explorerScript = `const { document: url } = globalThis.document.querySelector("#explorer").dataset;
SwaggerUIBundle({
  url,
  dom_id: "#explorer",
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

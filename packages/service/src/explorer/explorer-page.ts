/** Content security policy of the page: its own files only, and pictures of listings from any host. */
export const explorerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join(";");

/** Page in place of the explorer if that is not built. @param root path of the service as clients see it, without a trailing slash */
export const notBuiltPage = (root: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cadastre</title>
<link rel="icon" href="${root}/favicon.ico">
<main>
<h1>Cadastre is running, without its page</h1>
<p>The page to look at listings is not built. In the repository, run <code>npm run build --prefix packages/explorer</code>, and start the service again.</p>
<p>The service answers nevertheless: see the <a href="${root}/reference">HTTP API reference</a>.</p>
</main>
</html>
`;

import type { IRouter, RequestHandler } from "express";
import type { Config } from "../config.ts";
import { sendAnswer } from "../http/answer.ts";
import { fixedAnswer } from "../http/fixed-answer.ts";
import { rootPathOf } from "../http/root-path.ts";
import { addRead } from "../http/routes.ts";
import { assetHandler } from "./asset-handler.ts";
import { readIndex } from "./explorer-files.ts";
import { explorerPolicy, notBuiltPage } from "./explorer-page.ts";
import { icon } from "./icon.ts";
import { faviconOperation, indexOperation, robotsOperation } from "./operations.ts";
import { serviceIndex } from "./service-index.ts";

const html = "text/html;charset=utf-8";
const day = { "cache-control": "public, max-age=86400" };

const answerNotBuilt =
  (root: string): RequestHandler =>
  (_req, res) => {
    const headers = { "cache-control": "no-store" };
    sendAnswer(res, { status: 503, contentType: html, body: notBuiltPage(root), headers });
  };

/**
 * Adds the routes of `/`, of the files of its page, and of what browsers and crawlers ask every host for. They need no API key.
 *
 * @param folder folder of the built page, which may be built anew at any time; `off` to answer `/` with the index alone
 */
export function addExplorer(
  routes: IRouter,
  { baseUrl, compression, mcp }: Pick<Config, "baseUrl" | "compression" | "mcp">,
  folder: string,
): void {
  const root = rootPathOf(baseUrl);
  const headers = { "cache-control": "no-cache" };
  const pageHeaders = { ...headers, "content-security-policy": explorerPolicy };
  const index = fixedAnswer(
    { contentType: "application/json", body: () => serviceIndex(root, mcp), headers },
    compression,
  );
  if (folder === "off") addRead(routes, indexOperation, index);
  else {
    const notBuilt = answerNotBuilt(root);
    let built: { readonly bytes: Buffer; readonly answer: RequestHandler } | undefined;
    const page: RequestHandler = async (req, res, next) => {
      const bytes = await readIndex(folder);
      if (bytes === undefined) return notBuilt(req, res, next);
      if (built === undefined || !built.bytes.equals(bytes)) {
        const answer = fixedAnswer(
          { contentType: html, body: () => bytes, headers: pageHeaders },
          compression,
        );
        built = { bytes, answer };
      }
      return built.answer(req, res, next);
    };
    addRead(routes, indexOperation, (req, res, next) => {
      res.vary("accept");
      // Of equals the first one: a program that accepts anything gets JSON.
      return (req.accepts("json", "html") === "html" ? page : index)(req, res, next);
    });
    routes.use("/assets", assetHandler(folder, compression));
  }
  const fixed = { body: () => icon, contentType: "image/x-icon", headers: day };
  addRead(routes, faviconOperation, fixedAnswer(fixed, compression));
  const robots = {
    body: () => "User-agent: *\nDisallow: /\n",
    contentType: "text/plain;charset=utf-8",
    headers: day,
  };
  addRead(routes, robotsOperation, fixedAnswer(robots, compression));
}

import { render } from "preact";
import "@preact/signals";
import { ExplorerPage } from "./app/page.tsx";
import { signIn } from "./session/sign-in.ts";

const root = document.getElementById("page");
if (root === null) throw new Error("the document has no element `page`");
// Without a sign-in the page asks for a key.
await signIn().catch(() => undefined);
render(<ExplorerPage />, root);

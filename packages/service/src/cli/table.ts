export { textTable as table } from "@cadastre/client/terminal";

// `npm install` in a pnpm workspace would leave a half-made node_modules. Say what to do instead.
const agent = process.env.npm_config_user_agent ?? "";
if (!agent.startsWith("pnpm/")) {
  console.error(
    [
      "",
      "  This is a pnpm workspace: `npm install` (or yarn) cannot install it, and it need not be installed by hand.",
      "",
      "    npm start        installs what is missing, prepares the sample data and serves it",
      "    npm run setup    only installs what is missing",
      "    npm test         installs what is missing, then checks and runs every test",
      "",
    ].join("\n"),
  );
  process.exitCode = 1;
}

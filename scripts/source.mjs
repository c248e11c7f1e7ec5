// Runs TypeScript as it is, in every thread: the `tsx` entry itself leaves worker threads out.
const { register } = await import("tsx/esm/api").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error(
    "The workspace is not installed: run `npm run setup` first, or `npm start`, which installs and serves.",
  );
  process.exit(1);
});

register();

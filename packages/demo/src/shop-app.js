/** The shop's own application, in a process of its own. */
import { createServer } from "node:http";
import { shopPages } from "./shop-pages.js";

const pages = shopPages(process.env);
const server = createServer(pages.answer);
server.listen(0, "127.0.0.1", () => {
  console.log(`the shop is at http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", async () => {
  server.close();
  await pages.flush();
  process.exit();
});

/** Parses a beacon and answers 204, on node:http with nothing in between. */
import { createServer } from "node:http";

const headers = JSON.parse(process.argv[2]);
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks));
    response.writeHead(204, headers).end();
  });
});
server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});

import { callTool } from "./hand-off.js";
import { command, expect } from "./stage.js";

/** The text at an address. It must be there. */
async function answered(url, init) {
  const answer = await fetch(url, init);
  expect(answer.status === 200, `an answer at ${url}`);
  return answer.text();
}

/** Lets the commands of another terminal act as the owner of this installation. */
export const ownerLine = ({ GATEHOUSE_BASE_URL, GATEHOUSE_DATA_DIR }) =>
  `export GATEHOUSE_BASE_URL=${GATEHOUSE_BASE_URL} GATEHOUSE_DATA_DIR='${GATEHOUSE_DATA_DIR}'`;

/** What somebody can do with the installation that still runs. Each of them was just tried. */
export async function thingsToTry({ env, url, shop }, site) {
  const link = (await command(env, "token", "link")).trim();
  const cart = { line_items: [{ item: { id: "bouquet" }, quantity: 1 }] };
  const { continue_url } = await callTool(url, site, "create_cart", { cart });
  await answered(continue_url, { headers: { "user-agent": "Mozilla/5.0 (the demo)" } });
  const llms = `${shop.url}/llms.txt`;
  expect((await answered(llms)).includes("place_order"), "llms.txt to name what agents can do");
  // Only what somebody sets who types the lines below.
  const { PATH, GATEHOUSE_BASE_URL, GATEHOUSE_DATA_DIR } = env;
  const typed = { PATH, GATEHOUSE_BASE_URL, GATEHOUSE_DATA_DIR };
  const taken = ["audit", "export", site.domain, "--out", "taken"];
  const [file] = (await command(typed, ...taken)).trim().split("\n");
  await command(typed, "audit", "verify", file, "--key", url);
  const mcp = `${url}/v1/mcp/${site.site_key}`;
  const tools = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const json = { "content-type": "application/json", accept: "application/json" };
  const list = await answered(mcp, { method: "POST", headers: json, body: tools });
  expect(list.includes("search_catalog"), "the MCP server to list its tools");
  return [
    {
      title:
        "As the owner: create your account and open the console (the link works once, for an hour):",
      lines: [link],
    },
    {
      title: "As the customer of an AI assistant: pay for the cart that it filled:",
      lines: [continue_url],
    },
    {
      title:
        "As the assistant: connect any MCP client to this address, or list the tools yourself:",
      lines: [mcp, `curl -s ${mcp} -H 'content-type: application/json' -d '${tools}'`],
    },
    {
      title: "As the auditor: save today's log and verify it:",
      lines: [
        ownerLine(typed),
        `npx gatehouse ${taken.join(" ")}`,
        `npx gatehouse audit verify taken/*.json --key ${url}`,
      ],
    },
    { title: "Read what the shop tells agents:", lines: [`curl ${llms}`] },
  ];
}

import type { ManualClock } from "../../packages/server/src/infra/clock.ts";
import type { World } from "../../packages/server/test/ucp/buying.ts";
import { playAdmin } from "./admin.ts";
import { playDocuments, playUnverified } from "./documents.ts";
import { playMandates } from "./mandates.ts";
import { playMcp } from "./mcp.ts";
import { playReports } from "./reports.ts";
import { playShopping } from "./shopping.ts";

const PARTS = [
  playUnverified,
  playDocuments,
  playMandates,
  playMcp,
  playShopping,
  playReports,
  playAdmin,
];
/** Sites are listed by when they were made: no two may be made at once. */
const STEP_MS = 1000;

/** Every part of the interface in turn, refusals beside successes. */
export async function playScenario(world: World, clock: ManualClock): Promise<void> {
  for (const play of PARTS) {
    clock.advance(STEP_MS);
    await play(world);
  }
}

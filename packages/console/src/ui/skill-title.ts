import { builtInSkill } from "@gatehouse/protocol";
import { titleOf } from "./words.js";

/** The title of an action: “Buy at checkout” for `complete_checkout`. */
export function skillTitle(id: string): string {
  if (id === "complete_checkout") return "Buy at checkout";
  return builtInSkill(id)?.title ?? titleOf(id);
}

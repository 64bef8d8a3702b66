import type { World } from "../world.ts";

/** People who approve or deny what the rules do not decide. */
export class Reviewers {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  async act(): Promise<string> {
    const { world } = this;
    const { random } = world;
    const listed = await world.admin("GET", "/escalations");
    const pending: { escalation_id: string; status: string }[] = (listed.body.items ?? []).filter(
      ({ status }: { status: string }) => status === "pending",
    );
    if (pending.length === 0) return "nothing to review";
    const { escalation_id: id } = random.pick(pending);
    const verb = random.chance(0.75) ? "approve" : "deny";
    const said = verb === "approve" ? {} : { reason_code: "other" };
    const decide = () => world.admin("POST", `/escalations/${id}/${verb}`, said);
    // Two people decide at once now and then.
    const times = random.chance(0.15) ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, decide));
    const told = answers.map(({ status, body }) => `${status} ${body.status ?? body.error ?? ""}`);
    return `${verb} ${id}: ${told.join(", ")}`;
  }
}

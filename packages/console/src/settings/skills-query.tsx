import { queryOptions } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Api, call } from "../api/client.js";
import { useSite } from "../layout/sites.js";

type Skills = Api["Skills"];

/** The actions of a site. */
export const skillsQuery = (path: string) =>
  queryOptions({
    queryKey: ["skills", path],
    queryFn: () => call<Skills>("GET", `${path}/skills`),
  });

/** The actions of the owner that agents can use now. Those of a checkout are live as well, and are no settings. */
export const liveActions = ({ skills, live }: Skills) =>
  skills.filter(({ id, enabled }) => enabled && live.includes(id));

/** Whether agents can ask: every action with an address takes a question. */
export const canAsk = (skills: Skills): boolean =>
  liveActions(skills).some(({ url }) => url !== undefined);

/** Whether an owner has turned an action on. */
export const isTurnedOn = ({ skills }: Skills, id: string): boolean =>
  skills.some((skill) => skill.id === id && skill.enabled);

/** Why no question arrives, and how to change it. */
export function CannotAsk() {
  const { name } = useSite();
  return (
    <>
      Agents cannot ask yet:{" "}
      <Link to="/$site/settings/$part" params={{ site: name, part: "skills" }} className="link">
        turn on an action
      </Link>
    </>
  );
}

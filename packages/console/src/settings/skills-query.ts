import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

type Skills = Api["Skills"];

/** The actions of a site. */
export const skillsQuery = (path: string) =>
  queryOptions({
    queryKey: ["skills", path],
    queryFn: () => call<Skills>("GET", `${path}/skills`),
  });

/** Whether an owner has turned an action on. */
export const isTurnedOn = ({ skills }: Skills, id: string): boolean =>
  skills.some((skill) => skill.id === id && skill.enabled);

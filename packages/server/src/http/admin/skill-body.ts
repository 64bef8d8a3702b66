import {
  SKILL_DESCRIPTION_CHARS_MAX,
  SKILL_TITLE_CHARS_MAX,
  SKILL_URL_CHARS_MAX,
  SKILLS_MAX,
} from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { strict } from "../server/validation.js";
import { line } from "./fields.js";

/** A stored skill. Members that the owner left out come from the table of built-in skills. */
export const SkillBody = z
  .object({
    id: z.string(),
    enabled: z.boolean(),
    url: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
  })
  .openapi("Skill");

export const SkillList = z
  .array(
    strict({
      id: z.string().max(64).openapi({ example: "get_pricing" }),
      enabled: z.boolean(),
      url: z
        .string()
        .max(SKILL_URL_CHARS_MAX, `must have at most ${SKILL_URL_CHARS_MAX} characters`)
        .optional(),
      title: line(SKILL_TITLE_CHARS_MAX).optional(),
      description: line(SKILL_DESCRIPTION_CHARS_MAX).optional(),
    }),
  )
  .max(SKILLS_MAX, `must have at most ${SKILLS_MAX} skills`);

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { useDraft } from "../ui/draft.js";
import { Checkbox, TextField } from "../ui/field.js";
import { Fold } from "../ui/fold.js";
import { Form } from "../ui/form.js";
import { Id } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { HTTPS, Unfit } from "../ui/problems.js";
import { SaveRow } from "../ui/save-row.js";
import { skillTitle } from "../ui/skill-title.js";
import { MandateForm } from "./mandates.js";
import { skillsQuery } from "./skills-query.js";

type Skills = Api["Skills"];
type Skill = Api["Skill"];

/** Actions that need no address, because Gatehouse performs them. */
const WITHOUT_URL: readonly string[] = ["place_order"];

/** Every built-in action and those that the owner added. */
function allSkills({ skills, built_in }: Skills): readonly Skill[] {
  const unset = [...built_in, ...WITHOUT_URL].filter((id) => !skills.some((one) => one.id === id));
  return [...skills, ...new Set(unset)].map((one) =>
    typeof one === "string" ? { id: one, enabled: false } : one,
  );
}

/** Why an action that is turned on is not live; undefined if it is. */
function obstacleOf({ id, enabled, url }: Skill, live: boolean): string | undefined {
  if (!enabled || (live && (url !== undefined || WITHOUT_URL.includes(id)))) return undefined;
  if (WITHOUT_URL.includes(id))
    return "Not live yet. Open Settings → Payments to see what is missing.";
  return url === undefined
    ? "Not live: enter an https:// address and save."
    : "Not live yet: save to publish it.";
}

const TITLE_CHARS_MAX = 80;
const DESCRIPTION_CHARS_MAX = 300;

/** The action with a text, or without it. */
function withText(skill: Skill, name: "url" | "title" | "description", text: string): Skill {
  const { [name]: _old, ...rest } = skill;
  return text === "" ? rest : { ...rest, [name]: text };
}

function SkillRow({
  skill,
  at,
  live,
  onChange,
}: {
  readonly skill: Skill;
  /** The path of the action in what is saved. */
  readonly at: string;
  readonly live: boolean;
  onChange(skill: Skill): void;
}) {
  const obstacle = obstacleOf(skill, live);
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <Checkbox
          label={skill.title ?? skillTitle(skill.id)}
          checked={skill.enabled}
          onChange={({ target }) => onChange({ ...skill, enabled: target.checked })}
        />
        {live && obstacle === undefined && <Badge word="live" look="good" />}
      </div>
      {!WITHOUT_URL.includes(skill.id) && (
        <TextField
          label={`Address of “${skill.title ?? skillTitle(skill.id)}”`}
          name={`${at}.url`}
          type="url"
          placeholder="https://"
          value={skill.url ?? ""}
          onChange={({ target }) => onChange(withText(skill, "url", target.value))}
        />
      )}
      {obstacle !== undefined && <p className="text-xs text-warn">{obstacle}</p>}
      <Fold>
        <TextField
          label={`Title of “${skillTitle(skill.id)}”`}
          name={`${at}.title`}
          placeholder={skillTitle(skill.id)}
          hint="What agents and people read. Leave it empty to use the usual title."
          maxLength={TITLE_CHARS_MAX}
          value={skill.title ?? ""}
          onChange={({ target }) => onChange(withText(skill, "title", target.value))}
        />
        <TextField
          label={`Description of “${skillTitle(skill.id)}”`}
          name={`${at}.description`}
          hint="When agents should use it, in a sentence."
          maxLength={DESCRIPTION_CHARS_MAX}
          value={skill.description ?? ""}
          onChange={({ target }) => onChange(withText(skill, "description", target.value))}
        />
        <Id value={skill.id} label="name of the action in the API" />
      </Fold>
    </li>
  );
}

function AddAction({
  taken,
  onAdd,
}: {
  readonly taken: readonly string[];
  onAdd(id: string): void;
}) {
  const [id, setId] = useState("");
  const add = useSave(async () => {
    if (taken.includes(id)) throw new Unfit("id", "This action is in the list already.");
    onAdd(id);
    setId("");
  });
  return (
    <Form of={add} onSubmit={() => add.mutate()} className="flex items-start gap-2">
      <TextField
        label="Add your own action"
        name="id"
        placeholder="track_parcel"
        pattern="[a-z][a-z0-9_]{0,63}"
        title="Use lower-case letters, digits and _. Start with a letter."
        required
        value={id}
        onChange={({ target }) => setId(target.value)}
      />
      <Button type="submit" className="mt-6">
        Add
      </Button>
    </Form>
  );
}

const SKILLS_WORDING = { "skills.*.url": HTTPS };

function SkillForm({ saved }: { readonly saved: Skills }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const draft = useDraft({ skills: allSkills(saved) }, { keep: "skills" });
  const { skills } = draft.value;
  const setSkills = (next: readonly Skill[]) => draft.set({ skills: next });
  // Actions that were never used need not be saved.
  const listed = skills.filter(
    ({ id, enabled, url, title, description }) =>
      enabled ||
      [url, title, description].some((text) => text !== undefined) ||
      saved.skills.some((one) => one.id === id),
  );
  const save = useSave(
    () => call("PUT", `${path}/skills`, { skills: listed, version: saved.version }),
    "skills",
    "sites",
  );
  return (
    <Card title="Actions">
      <p className="text-sm text-soft">
        What agents can do on your site. An action is live when it is turned on and has an https://
        address. “Place an order” needs no address: it is live while your site can sell. Agents find
        live actions in your documents and on your MCP server.
      </p>
      <Form
        of={save}
        wording={SKILLS_WORDING}
        done="Saved."
        onSubmit={() => save.mutate(undefined, { onSuccess: () => draft.saved(draft.value) })}
      >
        <fieldset disabled={!mayChange} className="flex flex-col gap-3">
          <legend className="sr-only">Actions</legend>
          <ul className="flex flex-col gap-2">
            {skills.map((skill, place) => (
              <SkillRow
                key={skill.id}
                skill={skill}
                at={`skills.${listed.indexOf(skill)}`}
                live={saved.live.includes(skill.id)}
                onChange={(one) => setSkills(skills.with(place, one))}
              />
            ))}
          </ul>
          <SaveRow draft={draft} busy={save.isPending} label="Save actions" />
        </fieldset>
      </Form>
      {mayChange && (
        <Fold label="Advanced">
          <AddAction
            taken={skills.map(({ id }) => id)}
            onAdd={(id) => setSkills([...skills, { id, enabled: true }])}
          />
        </Fold>
      )}
    </Card>
  );
}

/** The actions of a site, and its settings for signed requests. */
export function SkillsPart() {
  const { path } = useSite();
  const skills = useQuery(skillsQuery(path));
  const mandates = useQuery({
    queryKey: ["mandates", path],
    queryFn: () => call<Api["MandateSettings"]>("GET", `${path}/mandates`),
  });
  if (skills.isError) return <Failure error={skills.error} />;
  if (!skills.isSuccess) return <Loading />;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <SkillForm saved={skills.data} />
      {mandates.isSuccess && <MandateForm saved={mandates.data} />}
    </div>
  );
}
